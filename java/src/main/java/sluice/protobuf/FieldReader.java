package sluice.protobuf;

import java.io.Serializable;

/** Reads the occurrences of one field. What a message says so far is held until all of it is read. */
abstract class FieldReader implements Serializable {
    /** What is held after one more occurrence; {@code before} is what was held, null if this is the first. */
    abstract Object read(ProtoCursor in, int wire, Object before);

    /** The value of what is held. */
    Object done(Object held) {
        return held;
    }

    /** The value where a message does not have the field. */
    abstract Object missing();
}
