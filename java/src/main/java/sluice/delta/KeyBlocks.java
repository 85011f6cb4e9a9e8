package sluice.delta;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes blocks of rows of a table: the longs of their keys, their file's path and their numbers in it.
 *
 * @param wanted the keys that are looked for; null for all
 */
record KeyBlocks(boolean wide, Broadcast<KeyMap> wanted) implements FlatMapFunction<Iterator<InternalRow>, KeyBlock> {
    @Override
    public Iterator<KeyBlock> call(Iterator<InternalRow> rows) {
        int at = wide ? 2 : 1;
        KeyMap keys = wanted == null ? null : wanted.value();
        List<KeyBlock> blocks = new ArrayList<>();
        UTF8String file = null;
        KeyBlock block = null;
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            if (keys != null && keys.find(row.getLong(0), wide ? row.getLong(1) : 0) == KeyMap.NONE) {
                continue;
            }
            UTF8String path = row.getUTF8String(at);
            if (!path.equals(file)) {
                file = path.clone();
                block = new KeyBlock(file.toString(), wide);
                blocks.add(block);
            }
            block.add(row, 0, row.getLong(at + 1), -1);
        }
        return blocks.iterator();
    }
}
