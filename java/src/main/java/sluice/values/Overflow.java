package sluice.values;

import sluice.scan.BadValue;

/** What becomes of a time that is written well but that its type does not have. */
enum Overflow {
    /** It is kept: what stores it has room for it. */
    IGNORE,
    /** It becomes the nearest time of the type. */
    SATURATE,
    /** It is an error. */
    THROW;

    /** A number of a type that goes from 0 to a last one; {@code unit} of them are one in the error. */
    long within(long number, long last, long unit, String type) {
        if (this == IGNORE || number >= 0 && number <= last) return number;
        if (this == SATURATE) return number < 0 ? 0 : last;
        throw new BadValue("Value " + Math.floorDiv(number, unit) + " is out of bounds of type " + type);
    }
}
