package sluice.decode;

import java.io.Serializable;
import sluice.values.Settings;

/** How many bad rows a message may have, or which share of them: input_format_allow_errors_num and _ratio. */
public record AllowedErrors(int number, double ratio) implements Serializable {
    public static AllowedErrors of(Settings settings) {
        return new AllowedErrors(settings.number("input_format_allow_errors_num"),
            settings.fraction("input_format_allow_errors_ratio"));
    }

    /** Whether so many bad ones of those that were seen are skipped. */
    public boolean allow(int wrong, int seen) {
        return wrong <= number || wrong <= ratio * seen;
    }
}
