package sluice.values;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.Cursor;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.scan.QuotedText;

/** Types that Spark holds as text, and the boolean. */
public final class TextReaders {
    private TextReaders() {}

    /** A text within a list, a map or a tuple, where it must be in quotes. */
    private static Object quoted(ValueReader value, QuotedText in) {
        in.item();
        if (in.isNull()) return value.none();
        if (!in.inQuotes) throw value.wrong(in.text, in.from, in.to);
        return value.text(in.text, in.from, in.to);
    }

    /** Any bytes, text or not; what is no text in JSON is its own JSON, if its kind is allowed. */
    public static final class Plain extends ValueReader {
        private final int kinds;

        /** {@code kinds} has a bit for each kind of JSON value that may be a text. */
        Plain(String type, int kinds, boolean nullable) {
            super(type, nullable ? null : UTF8String.EMPTY_UTF8);
            this.kinds = kinds;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            return UTF8String.fromBytes(b, from, to - from);
        }

        @Override
        public Object json(JsonCursor in) {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return none();
            if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) in.skip();
            if ((kinds & 1 << kind) == 0) throw wrong(in.text, in.from, in.to);
            return field(in);
        }

        @Override
        public Object field(Cursor in) {
            return text(in.text, in.from, in.to);
        }

        @Override
        public Object quoted(QuotedText in) {
            return TextReaders.quoted(this, in);
        }
    }

    /** So many bytes, filled up with zeros. */
    public static final class Fixed extends ValueReader {
        private final int length;

        Fixed(String type, int length, boolean nullable) {
            super(type, nullable ? null : UTF8String.fromBytes(new byte[length]));
            this.length = length;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (to - from > length) throw wrong(b, from, to);
            byte[] padded = new byte[length];
            System.arraycopy(b, from, padded, 0, to - from);
            return UTF8String.fromBytes(padded);
        }

        @Override
        public Object quoted(QuotedText in) {
            return TextReaders.quoted(this, in);
        }
    }

    /** A UUID, kept in small letters. */
    static final class Uuid extends ValueReader {
        Uuid(String type, boolean nullable) {
            super(type, nullable ? null
                : UTF8String.fromString("00000000-0000-0000-0000-000000000000"));
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (to - from == 32) return dashed(b, from, to);
            if (to - from != 36) throw wrong(b, from, to);
            byte[] small = Arrays.copyOfRange(b, from, to);
            for (int i = 0; i < 36; i++) {
                if (i == 8 || i == 13 || i == 18 || i == 23) {
                    if (small[i] != '-') throw wrong(b, from, to);
                } else {
                    if (Character.digit(small[i], 16) < 0) throw wrong(b, from, to);
                    small[i] |= 0x20;
                }
            }
            return UTF8String.fromBytes(small);
        }

        private Object dashed(byte[] b, int from, int to) {
            byte[] longer = new byte[36];
            for (int i = 0, k = from; i < 36; i++) {
                longer[i] = i == 8 || i == 13 || i == 18 || i == 23 ? (byte) '-' : b[k++];
            }
            return text(longer, 0, 36);
        }
    }

    /** One of a set of names, written as its name or as its number. */
    static final class EnumValue extends ValueReader {
        private final NameTable accepted;
        private final UTF8String[] names;

        EnumValue(String type, Map<String, String> names, String first, boolean nullable) {
            super(type, nullable ? null : UTF8String.fromString(first));
            this.accepted = new NameTable(List.copyOf(names.keySet()));
            this.names = names.values().stream().map(UTF8String::fromString).toArray(UTF8String[]::new);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int found = accepted.find(b, from, to - from);
            if (found < 0) throw wrong(b, from, to);
            return names[found];
        }
    }

    /** True or false. */
    static final class Bool extends ValueReader {
        private static final Map<String, Boolean> WORDS = new HashMap<>();
        private final String yes;
        private final String no;

        static {
            for (String word : "true t yes y on enable enabled 1".split(" ")) WORDS.put(word, true);
            for (String word : "false f no n off disable disabled 0".split(" ")) WORDS.put(word, false);
        }

        /** {@code yes} and {@code no} are two more words for it. */
        Bool(String type, String yes, String no, boolean nullable) {
            super(type, nullable ? null : Boolean.FALSE);
            this.yes = yes;
            this.no = no;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (to - from == 4 && b[from] == 't' && b[from + 1] == 'r' && b[from + 2] == 'u'
                && b[from + 3] == 'e') return Boolean.TRUE;
            if (to - from == 5 && b[from] == 'f' && b[from + 1] == 'a' && b[from + 2] == 'l'
                && b[from + 3] == 's' && b[from + 4] == 'e') return Boolean.FALSE;
            return word(b, from, to);
        }

        private Object word(byte[] b, int from, int to) {
            String word = new String(b, from, to - from, StandardCharsets.UTF_8);
            if (word.equals(yes)) return Boolean.TRUE;
            if (word.equals(no)) return Boolean.FALSE;
            Boolean known = WORDS.get(word.toLowerCase(Locale.ROOT));
            if (known == null) throw wrong(b, from, to);
            return known;
        }
    }
}
