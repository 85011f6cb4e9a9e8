package sluice.changes;

import sluice.values.Settings;

/** {@code {"before":null,"after":{…},"op":"c"}}, or {@code d} with the row before. */
public final class DebeziumJsonEncoder extends JsonChangesEncoder.BeforeAndAfter {
    public DebeziumJsonEncoder(String columns, Settings options) {
        super(columns, options, "op", "c", "d");
    }
}
