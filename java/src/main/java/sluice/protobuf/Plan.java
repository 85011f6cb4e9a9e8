package sluice.protobuf;

import java.util.List;
import sluice.values.TypeSpec;

/** How columns and fields belong together: what a reader and a writer are made of. */
sealed interface Plan {
    /** One value of a scalar field. */
    record Value(TypeSpec type, Proto.Field field) implements Plan {}

    /** An array: a value for each occurrence of the field. */
    record ArrayValue(TypeSpec type, Plan item) implements Plan {}

    /** A map: an entry, a struct of two, for each occurrence. */
    record MapValue(TypeSpec type, Struct entry) implements Plan {}

    /** A struct as a message within the message; its columns are the struct's fields. */
    record Struct(TypeSpec type, Message message) implements Plan {}

    /** A struct without names, each part of it an occurrence of the field. */
    record Parts(TypeSpec type, Proto.Field field, List<Plan> parts) implements Plan {}

    /** An array within an array: a message whose only field is repeated. */
    record Only(TypeSpec type, Message message) implements Plan {}

    /** A value in one of Google's messages that hold nothing else; one that may be NULL is where there is none. */
    record Wrapper(TypeSpec type, Message message) implements Plan {}

    /** Several columns as one message within the message. */
    record Inline(Message message) implements Plan {}

    /** Several columns of arrays as repeated messages. */
    record Parallel(Message message) implements Plan {}

    /**
     * A field with its columns: one, but for {@link Inline} and {@link Parallel}, whose message numbers them from zero;
     * {@code column} is the name of the first for errors.
     */
    record Part(Proto.Field field, int[] columns, String column, Plan plan) {}

    /** A column that says which field of a oneof there is, by the field's number. */
    record Presence(String oneof, int column, TypeSpec type) {}

    /** A message whose fields are in the order of their numbers; {@code field} is where it is, null for a record. */
    record Message(Proto.Message message, Proto.Field field, List<TypeSpec.Column> columns, List<Part> parts,
        List<Presence> presences) {}
}
