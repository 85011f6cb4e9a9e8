package sluice.capnproto;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import sluice.values.TypeSpec;

/** What a compiled schema says of a message: where each field is. */
final class Schema {
    /** The types of one value, by their names in a compiled schema; the width is in bits. */
    enum Kind {
        VOID(0), BOOL(1), INT8(8), INT16(16), INT32(32), INT64(64), UINT8(8), UINT16(16), UINT32(32), UINT64(64),
        FLOAT32(32), FLOAT64(64), ENUM(16), TEXT(-1), DATA(-1), LIST(-1), STRUCT(-1), ANYPOINTER(-1), INTERFACE(-1);

        /** Negative for what a pointer leads to. */
        final int width;

        Kind(int width) {
            this.width = width;
        }

        boolean isPointer() {
            return width < 0;
        }

        boolean isWhole() {
            return compareTo(BOOL) >= 0 && compareTo(UINT64) <= 0;
        }

        boolean isSigned() {
            return compareTo(INT8) >= 0 && compareTo(INT64) <= 0;
        }

        String word() {
            if (this == ANYPOINTER) return "AnyPointer";
            String lower = name().charAt(0) + name().substring(1).toLowerCase(java.util.Locale.ROOT);
            return lower.startsWith("Uint") ? "UInt" + lower.substring(4) : lower;
        }
    }

    /** A type: of a list its item, of a struct its fields, of an enum its names. */
    record Type(Kind kind, Type item, Struct struct, List<String> names) implements java.io.Serializable {
        static Type of(Kind kind) {
            return new Type(kind, null, null, null);
        }

        static Type list(Type item) {
            return new Type(Kind.LIST, item, null, null);
        }

        static Type of(Struct struct) {
            return new Type(Kind.STRUCT, null, struct, null);
        }

        @Override
        public String toString() {
            switch (kind) {
                case LIST: return "List(" + item + ")";
                case STRUCT: return struct.name;
                case ENUM: return "Enum(" + String.join(", ", names) + ")";
                default: return kind.word();
            }
        }
    }

    /**
     * A field: {@code offset} in units of its width, or in pointers; {@code given} are the bits of its default;
     * {@code choice} is its
     * number in a union, or {@link #ALWAYS}; a {@code group} has its fields in the struct around it.
     */
    record Field(String name, int offset, long given, int choice, boolean group, Type type) implements java.io.Serializable {
        /** The root of a message, or an element of a list: a struct has its fields right there. */
        static Field item(Type type) {
            return new Field("", 0, 0, ALWAYS, true, type);
        }
    }

    static final int ALWAYS = 65_535;

    /** A struct, with the words of its data and the number of its pointers; {@code at} is where its union's choice is. */
    static final class Struct implements java.io.Serializable {
        final String name;
        final transient List<Field> fields = new ArrayList<>(); // for the columns to be matched: executors get none
        int words;
        int pointers;
        int choices;
        int at;

        Struct(String name) {
            this.name = name;
        }

        boolean hasUnion() {
            return choices > 0;
        }

        /** Whether it is nothing but a union. */
        boolean isUnion() {
            return !fields.isEmpty() && fields.stream().allMatch(field -> field.choice != ALWAYS);
        }

        /** The field of a name, whose letters may be large or small; null if there is none. */
        Field find(String wanted) {
            for (Field field : fields) if (field.name.equalsIgnoreCase(wanted)) return field;
            return null;
        }

        String shown() {
            return fields.stream().map(field -> field.name + " " + field.type).collect(Collectors.joining(", ", "(", ")"));
        }
    }

    private final JsonNode json;
    private final Map<String, Struct> structs = new HashMap<>();
    private final Deque<String> empty = new ArrayDeque<>(); // structs whose fields are not read yet

    private Schema(JsonNode json) {
        this.json = json;
    }

    /** The message of what {@code sluice.formats.capnproto_schemas} has compiled. */
    static Struct message(String compiled) {
        JsonNode json = TypeSpec.tree(compiled);
        Schema schema = new Schema(json);
        Struct found = schema.struct(json.get("message").asText());
        while (!schema.empty.isEmpty()) schema.fill(schema.empty.poll());
        return found;
    }

    private Struct struct(String id) {
        return structs.computeIfAbsent(id, key -> {
            empty.add(id);
            return new Struct(json.get("structs").get(id).get("name").asText());
        });
    }

    private void fill(String id) {
        JsonNode of = json.get("structs").get(id);
        Struct made = structs.get(id);
        made.words = of.get("words").asInt();
        made.pointers = of.get("pointers").asInt();
        made.choices = of.get("choices").asInt();
        made.at = of.get("at").asInt();
        for (JsonNode each : of.get("fields")) {
            made.fields.add(new Field(each.get("name").asText(), each.get("offset").asInt(),
                Long.parseUnsignedLong(each.get("default").asText()), each.get("choice").asInt(),
                each.get("group").asBoolean(), type(each.get("type"))));
        }
    }

    private Type type(JsonNode of) {
        Kind kind = Kind.valueOf(of.get("kind").asText().toUpperCase(java.util.Locale.ROOT));
        switch (kind) {
            case LIST: return Type.list(type(of.get("item")));
            case STRUCT: return Type.of(struct(of.get("id").asText()));
            case ENUM:
                List<String> names = new ArrayList<>();
                json.get("enums").get(of.get("id").asText()).forEach(name -> names.add(name.asText()));
                return new Type(kind, null, null, names);
            default: return Type.of(kind);
        }
    }
}
