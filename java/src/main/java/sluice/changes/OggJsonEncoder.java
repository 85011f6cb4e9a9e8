package sluice.changes;

import sluice.values.Settings;

/** {@code {"before":null,"after":{…},"op_type":"I"}}, or {@code D} with the row before. */
public final class OggJsonEncoder extends JsonChangesEncoder.BeforeAndAfter {
    public OggJsonEncoder(String columns, Settings options) {
        super(columns, options, "op_type", "I", "D");
    }
}
