package sluice.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages of ours, read by parquet-mr's own reader. */
class DataFileTest {
    private static final String TYPE = """
        message spark_schema {
          optional int64 i; optional int32 small (INTEGER(8, true)); optional boolean b; optional double f;
          optional binary s (STRING); optional int64 d (DECIMAL(18, 2));
          optional fixed_len_byte_array(16) wide (DECIMAL(38, 0));
          optional group a (LIST) { repeated group list { optional int64 element; } }
        }""";
    private static final StructType TABLE = StructType.fromDDL(
        "i bigint, small tinyint, b boolean, f double, s string, d decimal(18, 2), wide decimal(38, 0), a array<bigint>");

    @TempDir
    java.nio.file.Path folder;

    private static InternalRow row(int n, boolean repeats) {
        long value = repeats ? n % 7 : n * 7_919_131L;
        if (n % 5 == 4) return new GenericInternalRow(new Object[8]);
        Object[] items = new Object[n % 4];
        for (int k = 0; k < items.length; k++) items[k] = k == 1 ? null : value + k;
        return new GenericInternalRow(new Object[] {value, (byte) n, n % 2 == 0, value / 3.0,
            UTF8String.fromString("text " + value), Decimal.apply(new BigDecimal(value + ".25"), 18, 2),
            Decimal.apply(new BigDecimal("-9".repeat(1) + "9".repeat(30) + Math.abs(value % 10)), 38, 0),
            n % 3 == 0 ? null : new GenericArrayData(items)});
    }

    @ParameterizedTest
    @CsvSource({"1, true, UNCOMPRESSED", "50000, true, ZSTD", "50000, false, SNAPPY", "0, true, SNAPPY"})
    void readBack(int count, boolean repeats, CompressionCodecName codec) throws Exception {
        Configuration conf = new Configuration();
        conf.setInt("parquet.block.size", 1 << 18); // several row groups
        conf.setInt("parquet.dictionary.page.size", 1 << 16);
        Path path = new Path(folder.resolve("f.parquet").toUri());
        DataFile file = new DataFile(path, MessageTypeParser.parseMessageType(TYPE), TABLE, codec, conf);
        for (int n = 0; n < count; n++) file.add(row(n, repeats));
        long size = file.finish();
        assertEquals(Files.size(folder.resolve("f.parquet")), size);
        assertEquals(count, file.rows);
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), path).withConf(conf).build()) {
            for (int n = 0; n < count; n++) check(row(n, repeats), reader.read(), n);
            assertNull(reader.read());
        }
        Set<Encoding> encodings = new HashSet<>();
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))) {
            var blocks = reader.getFooter().getBlocks();
            for (ColumnChunkMetaData each : count == 0 ? List.<ColumnChunkMetaData>of() : blocks.get(0).getColumns()) {
                encodings.addAll(each.getEncodings());
            }
            if (count == 50000 && !repeats) assertTrue(blocks.size() > 1, () -> "row groups: " + blocks.size());
        }
        if (count == 50000) {
            boolean numbered = encodings.contains(Encoding.PLAIN_DICTIONARY) || encodings.contains(Encoding.RLE_DICTIONARY);
            assertTrue(numbered, encodings::toString);
        }
    }

    private static void check(InternalRow row, Group read, int n) {
        List<String> wanted = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (int k = 0; k < 8; k++) {
            found.add(read.getFieldRepetitionCount(k) == 0 ? "null" : shown(read, k));
            Object value = ((GenericInternalRow) row).values()[k];
            wanted.add(value == null ? "null" : expected(value));
        }
        assertEquals(wanted, found, () -> "row " + n);
    }

    private static String expected(Object value) {
        if (value instanceof Decimal decimal) return decimal.toJavaBigDecimal().unscaledValue().toString();
        if (value instanceof GenericArrayData items) {
            List<String> all = new ArrayList<>();
            for (Object each : items.array()) all.add(String.valueOf(each));
            return all.toString();
        }
        return value.toString();
    }

    private static String shown(Group read, int k) {
        switch (k) {
            case 6: return new java.math.BigInteger(read.getBinary(k, 0).getBytes()).toString();
            case 7:
                Group list = read.getGroup(k, 0);
                List<String> all = new ArrayList<>();
                for (int n = 0; n < list.getFieldRepetitionCount(0); n++) {
                    Group item = list.getGroup(0, n);
                    all.add(item.getFieldRepetitionCount(0) == 0 ? "null" : item.getValueToString(0, 0));
                }
                return all.toString();
            default: return read.getValueToString(k, 0);
        }
    }

    @Test
    void nothingIsLeftOfAFileThatCameToNoEnd() throws Exception {
        Path path = new Path(folder.resolve("g.parquet").toUri());
        var type = MessageTypeParser.parseMessageType(TYPE);
        DataFile file = new DataFile(path, type, TABLE, CompressionCodecName.SNAPPY, new Configuration());
        file.add(row(1, true));
        file.remove();
        assertTrue(Files.notExists(folder.resolve("g.parquet")));
    }
}
