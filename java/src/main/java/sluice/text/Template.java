package sluice.text;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A template {@code a=${a:CSV}, b=${b:JSON}}: its fields, and the texts before, between and after them. */
record Template(List<Field> fields, byte[][] texts) implements Serializable {
    private static final Pattern FIELD = Pattern.compile("\\$\\{(|[A-Za-z_][A-Za-z0-9_]*)(?::(\\w*))?\\}");

    /** A column, or an empty name; {@code rule} may be empty too. */
    record Field(String name, String rule) implements Serializable {}

    static Template of(String written) {
        List<Field> fields = new ArrayList<>();
        List<byte[]> texts = new ArrayList<>();
        Matcher found = FIELD.matcher(written);
        int from = 0;
        while (found.find()) {
            texts.add(bytes(written.substring(from, found.start())));
            String rule = found.group(2) == null || found.group(2).equals("None") ? "" : found.group(2);
            fields.add(new Field(found.group(1), rule));
            from = found.end();
        }
        texts.add(bytes(written.substring(from)));
        return new Template(fields, texts.toArray(new byte[0][]));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
