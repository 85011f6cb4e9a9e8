package sluice;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/** Types that Spark holds as text, and the boolean. */
final class Texts {
    private Texts() {}

    /** Text of any length; a list or an object is its own JSON. */
    static final class Plain extends Value {
        Plain(String type, boolean nullable) {
            super(type, nullable ? null : UTF8String.EMPTY_UTF8);
        }

        @Override
        Object text(byte[] b, int from, int to) {
            UTF8String text = UTF8String.fromBytes(b, from, to - from);
            return text.isValid() ? text : text.makeValid();
        }

        @Override
        Object json(Json in) {
            byte kind = in.next();
            if (kind == Json.NULL) return missing;
            if (kind == Json.LIST || kind == Json.OBJECT) in.skip();
            if (in.ascii) return UTF8String.fromBytes(in.text, in.from, in.to - in.from);
            return text(in.text, in.from, in.to);
        }
    }

    /** So many bytes, filled up with zeros. */
    static final class Fixed extends Value {
        private final int length;

        Fixed(String type, int length, boolean nullable) {
            super(type, nullable ? null : UTF8String.fromBytes(new byte[length]));
            this.length = length;
        }

        @Override
        Object text(byte[] b, int from, int to) {
            if (to - from > length) throw wrong(b, from, to);
            byte[] padded = new byte[length];
            System.arraycopy(b, from, padded, 0, to - from);
            UTF8String text = UTF8String.fromBytes(padded);
            return text.isValid() ? text : text.makeValid();
        }
    }

    /** A UUID, kept in small letters. */
    static final class Uuid extends Value {
        Uuid(String type, boolean nullable) {
            super(type, nullable ? null
                : UTF8String.fromString("00000000-0000-0000-0000-000000000000"));
        }

        @Override
        Object text(byte[] b, int from, int to) {
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
    }

    /** One of a set of names, said by its name or by its number. */
    static final class Choice extends Value {
        private final Map<UTF8String, UTF8String> names;

        Choice(String type, Map<String, String> names, String first, boolean nullable) {
            super(type, nullable ? null : UTF8String.fromString(first));
            this.names = new HashMap<>();
            names.forEach((said, name) ->
                this.names.put(UTF8String.fromString(said), UTF8String.fromString(name)));
        }

        @Override
        Object text(byte[] b, int from, int to) {
            UTF8String name = names.get(UTF8String.fromBytes(b, from, to - from));
            if (name == null) throw wrong(b, from, to);
            return name;
        }
    }

    /** True or false. */
    static final class Bool extends Value {
        Bool(String type, boolean nullable) {
            super(type, nullable ? null : Boolean.FALSE);
        }

        @Override
        Object text(byte[] b, int from, int to) {
            switch (to - from) {
                case 1:
                    if (b[from] == '1') return Boolean.TRUE;
                    if (b[from] == '0') return Boolean.FALSE;
                    break;
                case 4:
                    if ((b[from] | 0x20) == 't' && b[from + 1] == 'r' && b[from + 2] == 'u'
                            && b[from + 3] == 'e') return Boolean.TRUE;
                    break;
                case 5:
                    if ((b[from] | 0x20) == 'f' && b[from + 1] == 'a' && b[from + 2] == 'l'
                            && b[from + 3] == 's' && b[from + 4] == 'e') return Boolean.FALSE;
                    break;
                default:
            }
            throw wrong(b, from, to);
        }
    }
}
