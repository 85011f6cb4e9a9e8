package sluice.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Writes the rows of a task to a data file, and describes it for Delta's log.
 *
 * @param type the file's schema, as Parquet writes it
 * @param bounded the columns whose bounds the log has
 */
record WriteTask(String root, String type, StructType table, CompressionCodecName codec, Set<String> bounded,
        SerializableConfiguration conf)
        implements Function2<Integer, Iterator<InternalRow>, Iterator<WriteTask.Written>> {
    /** A data file: its {@code add} action of the log, and how many rows and bytes it has. */
    record Written(HashMap<String, Object> added, long rows, long bytes) implements Serializable {}

    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    @Override
    public Iterator<WriteTask.Written> call(Integer number, Iterator<InternalRow> rows) throws Exception {
        if (!rows.hasNext()) {
            return Collections.emptyIterator();
        }
        String name = String.format("%c%c/part-%05d-%s-c000.%s.parquet",
                letter(), letter(), number, UUID.randomUUID(), codec.name().toLowerCase());
        DataFile file = new DataFile(new Path(root, name), MessageTypeParser.parseMessageType(type), table,
                codec, conf.value());
        long size = -1;
        try {
            while (rows.hasNext()) {
                file.add(rows.next());
            }
            size = file.finish();
        } finally {
            if (size < 0) {
                file.remove();
            }
        }
        HashMap<String, Object> added = new HashMap<>(Map.of("path", name, "partitionValues", new HashMap<>(),
                "size", size, "modificationTime", System.currentTimeMillis(), "dataChange", true,
                "stats", stats(file)));
        added.put("tags", null); // none, and not an empty list of them
        return List.of(new Written(added, file.rows, size)).iterator();
    }

    private static char letter() {
        return LETTERS.charAt(ThreadLocalRandom.current().nextInt(LETTERS.length()));
    }

    /** The file's statistics: its number of rows, and the bounds of the columns that are asked for. */
    private String stats(DataFile file) throws JsonProcessingException {
        Map<String, Object> least = new TreeMap<>();
        Map<String, Object> most = new TreeMap<>();
        Map<String, Object> nulls = new TreeMap<>();
        StructField[] fields = table.fields();
        for (int n = 0; n < fields.length; n++) {
            if (bounded.contains(fields[n].name()) && file.schema.fields[n] instanceof ColumnWriter column) {
                nulls.put(fields[n].name(), column.nulls);
                if (column.lowest() != null) {
                    least.put(fields[n].name(), LogBound.of(column.lowest(), fields[n].dataType()));
                    most.put(fields[n].name(), LogBound.of(column.highest(), fields[n].dataType()));
                }
            }
        }
        return new ObjectMapper().writeValueAsString(
                Map.of("numRecords", file.rows, "minValues", least, "maxValues", most, "nullCount", nulls));
    }
}
