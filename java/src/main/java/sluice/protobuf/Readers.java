package sluice.protobuf;

import sluice.values.TypeSpec;

/** Makes the readers of fields, by the rules of a dialect. */
interface Readers {
    /** What reads a field into a column; {@code column} is its name for errors. */
    FieldReader of(Plan plan, String column);

    /** What a column has that no field is read into. */
    Object missing(TypeSpec type);
}
