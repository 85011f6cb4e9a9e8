package sluice.changes;

import sluice.values.Settings;

/** {@code {"data":[{…}],"type":"INSERT"}}, or {@code DELETE}. */
public final class CanalJsonEncoder extends JsonChangesEncoder {
    public CanalJsonEncoder(String columns, Settings options) {
        super(columns, options, new String[] {"{\"data\":[", "],\"type\":\"INSERT\"}"},
            new String[] {"{\"data\":[", "],\"type\":\"DELETE\"}"});
    }
}
