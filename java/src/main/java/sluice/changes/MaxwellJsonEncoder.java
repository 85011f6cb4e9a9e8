package sluice.changes;

import sluice.values.Settings;

/** {@code {"data":{…},"type":"insert"}}, or {@code delete}. */
public final class MaxwellJsonEncoder extends JsonChangesEncoder {
    public MaxwellJsonEncoder(String columns, Settings options) {
        super(columns, options, new String[] {"{\"data\":", ",\"type\":\"insert\"}"},
            new String[] {"{\"data\":", ",\"type\":\"delete\"}"});
    }
}
