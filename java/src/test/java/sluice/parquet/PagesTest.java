package sluice.parquet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.values.Output;

/** Levels, dictionaries and the ends of pages, as they are in the file. */
class PagesTest {
    private static final String LISTS = """
        message spark_schema {
          optional group v (LIST) { repeated group list { optional int64 element; } }
        }""";
    private static final String NESTED = """
        message spark_schema {
          optional group v { optional group list (LIST) { repeated group list {
            optional group element { optional binary s (STRING); } } } }
        }""";
    private static final String NUMBERS = "message spark_schema { optional int64 v; }";

    @TempDir
    java.nio.file.Path folder;

    /** A page: its encoding, rows, and the repetition and definition levels of its values. */
    private record Page(Encoding encoding, int rows, List<Integer> repetitions, List<Integer> definitions) {}

    private final Configuration conf = new Configuration();
    private int files;

    private List<Page> pages(String type, String table, Iterable<?> values) throws Exception {
        Path path = new Path(folder.resolve("pages" + files++ + ".parquet").toUri());
        MessageType schema = MessageTypeParser.parseMessageType(type);
        DataFile file =
            new DataFile(path, schema, StructType.fromDDL(table), CompressionCodecName.UNCOMPRESSED, conf);
        for (Object each : values) file.add(new GenericInternalRow(new Object[] {each}));
        file.finish();
        List<Page> found = new ArrayList<>();
        ColumnDescriptor column = schema.getColumns().get(0);
        try (ParquetFileReader headers = open(path); ParquetFileReader reader = open(path)) {
            for (PageReadStore group; (group = headers.readNextRowGroup()) != null; ) {
                PageReader pages = group.getPageReader(column);
                ColumnReader in = new ColumnReadStoreImpl(reader.readNextRowGroup(),
                    new DummyRecordConverter(schema).getRootConverter(), schema, null).getColumnReader(column);
                for (DataPage page; (page = pages.readPage()) != null; ) found.add(page((DataPageV1) page, in));
            }
        }
        return found;
    }

    private ParquetFileReader open(Path path) throws Exception {
        return ParquetFileReader.open(HadoopInputFile.fromPath(path, conf));
    }

    private static Page page(DataPageV1 page, ColumnReader in) {
        List<Integer> repetitions = new ArrayList<>();
        List<Integer> definitions = new ArrayList<>();
        for (int n = 0; n < page.getValueCount(); n++) {
            repetitions.add(in.getCurrentRepetitionLevel());
            definitions.add(in.getCurrentDefinitionLevel());
            in.consume();
        }
        int rows = (int) repetitions.stream().filter(level -> level == 0).count();
        return new Page(page.getValueEncoding(), rows, repetitions, definitions);
    }

    private static GenericArrayData list(Object... items) {
        return new GenericArrayData(items);
    }

    private static GenericInternalRow struct(Object value) {
        return new GenericInternalRow(new Object[] {value});
    }

    @Test
    void definitionLevelsTellWhatIsMissing() throws Exception {
        List<Object> lists = new ArrayList<>(List.of(list(), list((Object) null), list(1L, null, 2L)));
        lists.add(null);
        Page page = pages(LISTS, "v array<bigint>", lists).get(0);
        assertEquals(List.of(1, 2, 3, 2, 3, 0), page.definitions);
        assertEquals(List.of(0, 0, 0, 1, 1, 0), page.repetitions);
    }

    @Test
    void definitionLevelsOfStructs() throws Exception {
        GenericInternalRow text = struct(UTF8String.fromString("x"));
        List<Object> rows = new ArrayList<>(List.of(struct(null), struct(list()), struct(list((Object) null)),
            struct(list(struct(null), text))));
        rows.add(null);
        Page page = pages(NESTED, "v struct<list: array<struct<s: string>>>", rows).get(0);
        assertEquals(List.of(1, 2, 3, 4, 5, 0), page.definitions);
        assertEquals(List.of(0, 0, 0, 0, 1, 0), page.repetitions);
    }

    @Test
    void aRowIsNeverSplitBetweenPages() throws Exception {
        conf.setInt("parquet.page.size", 100);
        conf.setInt("parquet.dictionary.page.size", 64);
        List<Object> rows = new ArrayList<>();
        for (int n = 0; n < 500; n++) rows.add(n % 7 == 0 ? null : list((long) n, (long) n + 1, (long) n + 2));
        List<Page> found = pages(LISTS, "v array<bigint>", rows);
        assertTrue(found.size() > 20, () -> found.size() + " pages");
        for (Page page : found) assertEquals(0, page.repetitions.get(0));
        assertEquals(500, found.stream().mapToInt(Page::rows).sum());
    }

    @Test
    void aPageHasAtMostTwentyThousandRows() throws Exception {
        List<Object> rows = new ArrayList<>();
        for (int n = 0; n < 45_000; n++) rows.add((long) (n % 3));
        assertEquals(List.of(20_000, 20_000, 5_000),
            pages(NUMBERS, "v bigint", rows).stream().map(Page::rows).toList());
    }

    /** The dictionary ends with the page in which it becomes too large; later pages have plain values. */
    @Test
    void aDictionaryThatBecomesTooLargeEnds() throws Exception {
        conf.setInt("parquet.page.size", 1000);
        conf.setInt("parquet.dictionary.page.size", 200);
        List<Object> rows = new ArrayList<>();
        for (int n = 0; n < 2000; n++) rows.add(n < 1000 ? (long) (n % 5) : (long) n);
        List<Encoding> found = pages(NUMBERS, "v bigint", rows).stream().map(Page::encoding).toList();
        assertEquals(Encoding.PLAIN_DICTIONARY, found.get(0));
        assertEquals(Encoding.PLAIN, found.get(found.size() - 1));
        assertEquals(1, changes(found), found::toString);
    }

    /**
     * A page of NULLs alone is encoded like the other pages of its column chunk. Spark's vectorized reader
     * fails on a repeated column with a dictionary page after a plain one.
     */
    @Test
    void pagesOfNullsDoNotInterruptTheDictionary() throws Exception {
        conf.setInt("parquet.page.size", 100);
        for (boolean nullsFirst : new boolean[] {true, false}) {
            List<Object> rows = new ArrayList<>();
            for (int n = 0; n < 600; n++) {
                boolean none = n / 100 % 2 == (nullsFirst ? 0 : 1);
                rows.add(none ? list(null, null) : list((long) (n % 5), null));
            }
            List<Encoding> found = pages(LISTS, "v array<bigint>", rows).stream().map(Page::encoding).toList();
            assertEquals(0, changes(found), found::toString);
            assertEquals(Encoding.PLAIN_DICTIONARY, found.get(0));
        }
        List<Object> nothing = new ArrayList<>();
        for (int n = 0; n < 100; n++) nothing.add(null);
        assertEquals(Encoding.PLAIN, pages(NUMBERS, "v bigint", nothing).get(0).encoding);
    }

    private static int changes(List<Encoding> found) {
        int changes = 0;
        for (int n = 1; n < found.size(); n++) changes += found.get(n) == found.get(n - 1) ? 0 : 1;
        return changes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 8, 9, 16, 17, 24, 31})
    void runsAreReadBackByParquet(int width) throws Exception {
        Random random = new Random(width);
        for (int round = 0; round < 200; round++) {
            int[] numbers = new int[random.nextInt(100)];
            for (int n = 0; n < numbers.length; n++) {
                boolean again = n > 0 && random.nextInt(10) < 8;
                numbers[n] = again ? numbers[n - 1] : width == 0 ? 0 : random.nextInt() >>> 32 - width;
            }
            Output out = new Output();
            RunLengthEncoding.put(numbers, numbers.length, width, out);
            var in = new RunLengthBitPackingHybridDecoder(width, new ByteArrayInputStream(out.bytes, 0, out.size));
            int[] found = new int[numbers.length];
            for (int n = 0; n < found.length; n++) found[n] = in.readInt();
            assertArrayEquals(numbers, found);
        }
    }
}
