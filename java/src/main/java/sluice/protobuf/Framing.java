package sluice.protobuf;

import java.util.Locale;
import sluice.values.Settings;

/** What is around the records of a message. */
enum Framing {
    /** The length of each before it. */
    DELIMITED,
    /** Nothing: a message is one record. */
    SINGLE,
    /** A message of one field, with its length before it. */
    LIST;

    static Framing of(Settings settings) {
        return valueOf(settings.text("framing").toUpperCase(Locale.ROOT));
    }
}
