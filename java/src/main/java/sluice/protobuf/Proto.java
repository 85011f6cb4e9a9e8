package sluice.protobuf;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a schema says, with every name resolved. */
final class Proto {
    private static final Set<String> WRAPPERS = Set.of("DoubleValue", "FloatValue", "Int64Value", "UInt64Value",
        "Int32Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue");
    private static final String GOOGLE = "google.protobuf.";

    private Proto() {}

    /** A message, with its fields in the order of the schema. */
    static final class Message implements Serializable {
        final String name;
        final boolean isMapEntry;
        final List<Field> fields = new ArrayList<>();

        Message(String name, boolean isMapEntry) {
            this.name = name;
            this.isMapEntry = isMapEntry;
        }

        /** Whether it is one of Google's messages that hold nothing but a value. */
        boolean isWrapper() {
            return name.startsWith(GOOGLE) && WRAPPERS.contains(name.substring(GOOGLE.length()));
        }

        List<String> fieldNames() {
            return fields.stream().map(field -> field.name).toList();
        }
    }

    /** The names of an enum with their numbers. */
    static final class EnumType implements Serializable {
        final String name;
        final Map<String, Integer> numbers = new LinkedHashMap<>();

        EnumType(String name) {
            this.name = name;
        }

        /** The first name of a number, or null. */
        String nameOf(long number) {
            for (Map.Entry<String, Integer> each : numbers.entrySet()) {
                if (each.getValue() == number) return each.getKey();
            }
            return null;
        }
    }

    /** A field of a message. */
    static final class Field implements Serializable {
        final Message owner;
        final String name;
        final int number;
        FieldType type;
        boolean repeated;
        boolean required;
        boolean packed;
        boolean presence; // whether the value that is the default differs from none
        boolean proto3; // whether its file is of that version, which has no presence of values
        String oneof; // the name of the oneof that it is in, or null
        Message message;
        EnumType choices;
        String given; // its default as the schema has it, or null

        Field(Message owner, String name, int number) {
            this.owner = owner;
            this.name = name;
            this.number = number;
        }

        String fullName() {
            return owner.name + "." + name;
        }

        boolean isWrapper() {
            return message != null && message.isWrapper();
        }

        /** How an error calls its type. */
        String typeName() {
            return type.word();
        }
    }
}
