package sluice.protobuf;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.scan.BadValue;

/**
 * The text of a file from its descriptor, which some serializers register instead. Of a descriptor, itself a message,
 * no more is read than reading messages needs: names, types, labels, maps, defaults and packed fields.
 */
final class DescriptorText {
    private static final String[] TYPES = {"", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool",
        "string", "group", "message", "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64"};
    private static final int GROUP = 10, MESSAGE = 11, ENUM = 14, STRING = 9, BYTES = 12;

    private final StringBuilder out = new StringBuilder();
    private boolean proto3;

    private DescriptorText() {}

    /** The text of a file: it may be a descriptor in Base64, or be the text itself. */
    static String of(String given) {
        try {
            byte[] descriptor = Base64.getDecoder().decode(given.strip());
            DescriptorText made = new DescriptorText();
            made.file(new Fields(descriptor));
            return made.out.toString();
        } catch (IllegalArgumentException | BadValue | StackOverflowError text) {
            return given;
        }
    }

    /** The fields of a message by their numbers: numbers, or bytes. */
    private static final class Fields {
        private final Map<Integer, List<Object>> found = new HashMap<>();

        Fields(byte[] message) {
            ProtoCursor in = new ProtoCursor(message);
            while (in.at < in.end) {
                int key = in.key();
                int wire = key & 7;
                if (wire != ProtoCursor.VARINT && wire != ProtoCursor.BYTES) {
                    in.skip(key);
                    continue;
                }
                Object value = wire == ProtoCursor.VARINT ? (Object) in.varint() : in.text().getBytes();
                found.computeIfAbsent(key >>> 3, number -> new ArrayList<>()).add(value);
            }
        }

        List<Fields> messages(int number) {
            return found.getOrDefault(number, List.of()).stream().map(each -> new Fields((byte[]) each)).toList();
        }

        List<String> texts(int number) {
            return found.getOrDefault(number, List.of()).stream()
                .map(each -> new String((byte[]) each, java.nio.charset.StandardCharsets.UTF_8)).toList();
        }

        String text(int number) {
            List<String> all = texts(number);
            return all.isEmpty() ? "" : all.get(all.size() - 1);
        }

        /** A number; -1 for none. */
        long number(int number) {
            List<Object> all = found.getOrDefault(number, List.of());
            return all.isEmpty() ? -1 : (Long) all.get(all.size() - 1);
        }

        Fields options(int number) {
            List<Fields> all = messages(number);
            return all.isEmpty() ? new Fields(new byte[0]) : all.get(0);
        }
    }

    private static String name(String given) {
        if (!given.matches("[A-Za-z_][A-Za-z0-9_]*")) throw new BadValue("a name in a descriptor: " + BadValue.shown(given));
        return given;
    }

    private static String path(String given) {
        for (String part : given.split("\\.")) if (!part.isEmpty()) name(part);
        return given;
    }

    private void file(Fields file) {
        proto3 = file.text(12).equals("proto3");
        out.append("syntax = \"").append(proto3 ? "proto3" : "proto2").append("\";\n");
        if (!file.text(2).isEmpty()) out.append("package ").append(path(file.text(2))).append(";\n");
        for (String each : file.texts(3)) {
            if (!each.matches("[\\w./-]+")) throw new BadValue("an import in a descriptor");
            out.append("import \"").append(each).append("\";\n");
        }
        for (Fields each : file.messages(4)) message(each);
        for (Fields each : file.messages(5)) choices(each);
    }

    private void message(Fields message) {
        out.append("message ").append(name(message.text(1))).append(" {\n");
        body(message);
        out.append("}\n");
    }

    private void body(Fields message) {
        Map<String, Fields> inner = new HashMap<>();
        for (Fields each : message.messages(3)) inner.put(each.text(1), each);
        List<Fields> all = message.messages(2);
        List<String> groups = all.stream().filter(each -> each.number(5) == GROUP).map(each -> last(each.text(6))).toList();
        for (Fields each : message.messages(3)) {
            boolean isMap = each.options(7).number(7) == 1;
            if (!isMap && !groups.contains(each.text(1))) message(each);
        }
        for (Fields each : message.messages(4)) choices(each);
        List<String> oneofs = message.messages(8).stream().map(each -> each.text(1)).toList();
        for (Fields each : all) if (!inOneof(each)) field(each, inner, true);
        for (int i = 0; i < oneofs.size(); i++) {
            int index = i;
            List<Fields> inside = all.stream().filter(each -> inOneof(each) && each.number(9) == index).toList();
            if (inside.isEmpty()) continue;
            out.append("oneof ").append(name(oneofs.get(i))).append(" {\n");
            for (Fields each : inside) field(each, inner, false);
            out.append("}\n");
        }
    }

    private static boolean inOneof(Fields field) {
        return field.number(9) >= 0 && field.number(17) != 1;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    private void field(Fields field, Map<String, Fields> inner, boolean labelled) {
        int type = (int) field.number(5);
        if (type <= 0 || type >= TYPES.length) throw new BadValue("a type in a descriptor: " + type);
        Fields entry = type == MESSAGE ? inner.get(last(field.text(6))) : null;
        if (entry != null && entry.options(7).number(7) == 1) {
            List<Fields> pair = entry.messages(2);
            if (pair.size() != 2) throw new BadValue("a map in a descriptor");
            out.append("map<").append(type(pair.get(0))).append(", ").append(type(pair.get(1))).append(">");
        } else {
            if (labelled) out.append(label(field));
            out.append(type == GROUP ? "group" : type(field));
        }
        out.append(' ').append(name(type == GROUP ? last(field.text(6)) : field.text(1)));
        out.append(" = ").append(field.number(3));
        if (type == GROUP) {
            out.append(" {\n");
            if (inner.containsKey(last(field.text(6)))) body(inner.get(last(field.text(6))));
            out.append("}\n");
        } else {
            out.append(options(field, type)).append(";\n");
        }
    }

    private String label(Fields field) {
        if (field.number(4) == 3) return "repeated ";
        if (field.number(4) == 2) return "required ";
        return !proto3 || field.number(17) == 1 ? "optional " : "";
    }

    private static String type(Fields field) {
        int type = (int) field.number(5);
        return type == MESSAGE || type == ENUM ? path(field.text(6)) : TYPES[type];
    }

    private static String options(Fields field, int type) {
        List<String> found = new ArrayList<>();
        long packed = field.options(8).number(2);
        if (packed >= 0) found.add("packed = " + (packed == 1));
        String given = field.text(7);
        if (!given.isEmpty()) {
            boolean quoted = type == STRING || type == BYTES;
            if (!quoted && !given.matches("[\\w.+-]+")) throw new BadValue("a default in a descriptor");
            found.add("default = " + (quoted ? '"' + given.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"' : given));
        }
        return found.isEmpty() ? "" : " [" + String.join(", ", found) + "]";
    }

    private void choices(Fields choices) {
        out.append("enum ").append(name(choices.text(1))).append(" {\n");
        for (Fields each : choices.messages(2)) {
            out.append(name(each.text(1))).append(" = ").append(each.found.containsKey(2) ? (int) each.number(2) : 0).append(";\n");
        }
        out.append("}\n");
    }
}
