package sluice.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/**
 * Writes one column of a Parquet file, in pages.
 *
 * <p>A column chunk begins with dictionary encoding; when its dictionary is full, it falls back to PLAIN.
 */
abstract class ColumnWriter extends FieldWriter {
    /** The codec of pages, the most rows and bytes of one, and the most bytes of a dictionary. */
    record Limits(BytesInputCompressor codec, int rows, int bytes, int dictionary) {}

    /** A page; one without values has no encoding yet, and its levels are not compressed. */
    private record Page(
            byte[] bytes, int uncompressed, int values, int rows, Encoding encoding, Statistics<?> statistics) {}

    final ColumnDescriptor column;
    private final Limits limits;
    private final int highest;
    private final List<Page> pages = new ArrayList<>();
    private final Output page = new Output(512);

    private int[] definitions = new int[256];
    private int[] repetitions;
    int levels;
    private int rows;
    private int flushed; // bytes of the pages that are full

    /** The values of the page that is being filled: their indexes in the dictionary, or PLAIN. */
    private int[] indexes = new int[256];
    int present;
    final Output plain = new Output(512);

    boolean indexed;
    private boolean used; // whether a page of the chunk needs the dictionary
    long nulls;

    ColumnWriter(ColumnDescriptor column, Limits limits, boolean indexed) {
        this.column = column;
        this.limits = limits;
        this.highest = column.getMaxDefinitionLevel();
        this.repetitions = column.getMaxRepetitionLevel() > 0 ? new int[256] : null;
        this.indexed = indexed;
    }

    @Override
    final void write(SpecializedGetters from, int at, int repetition) {
        if (from.isNullAt(at)) {
            writeNull(repetition, highest - 1);
        } else {
            level(repetition, highest);
            put(from, at);
            present++;
        }
    }

    @Override
    final void writeNull(int repetition, int definition) {
        level(repetition, definition);
        nulls++;
    }

    private void level(int repetition, int definition) {
        if (repetition == 0) {
            if (rows == limits.rows || Math.max(plain.size, levels * 4) > limits.bytes
                    || indexed && dictionary().bytes() > limits.dictionary) {
                flushPage();
            }
            rows++;
        }
        if (levels == definitions.length) {
            definitions = Arrays.copyOf(definitions, levels * 2);
            repetitions = repetitions == null ? null : Arrays.copyOf(repetitions, levels * 2);
        }
        if (repetitions != null) {
            repetitions[levels] = repetition;
        }
        definitions[levels++] = definition;
    }

    /** Add a value to the page: its index in the dictionary if the page is {@code indexed}. */
    abstract void put(SpecializedGetters from, int at);

    final void putIndex(int index) {
        if (present == indexes.length) {
            indexes = Arrays.copyOf(indexes, present * 2);
        }
        indexes[present] = index;
    }

    /** The dictionary of the column chunk; null for a column that never has one. */
    Dictionary dictionary() {
        return null;
    }

    /** Begin the next column chunk with an empty dictionary. */
    void reset() {}

    /** The statistics of a page that is full; those of the next one begin anew. */
    Statistics<?> statistics() {
        return noStatistics();
    }

    /** Not even a count of NULLs: with that alone, Parquet would take the page for one of NULLs only. */
    final Statistics<?> noStatistics() {
        return Statistics.getBuilderForReading(column.getPrimitiveType()).build();
    }

    /** The lowest value of the whole file; null if it is not known. */
    Number lowest() {
        return null;
    }

    /** The highest one. */
    Number highest() {
        return null;
    }

    /** End the page and begin the next one. */
    private void flushPage() {
        page.size = 0;
        levels(repetitions, column.getMaxRepetitionLevel());
        levels(definitions, highest);
        Encoding encoding = indexed ? Encoding.PLAIN_DICTIONARY : Encoding.PLAIN;
        if (indexed && present == 0) {
            encoding = null;
        } else if (indexed) {
            used = true;
            int width = RunLengthEncoding.width(dictionary().size - 1);
            page.put(width);
            RunLengthEncoding.put(indexes, present, width, page);
        } else {
            endPage();
            page.put(plain.bytes, 0, plain.size);
        }
        byte[] written = encoding == null ? page.message() : compressed(page);
        pages.add(new Page(written, page.size, levels, rows, encoding, statistics()));
        flushed += written.length;
        indexed = indexed && dictionary().bytes() <= limits.dictionary;
        levels = rows = present = plain.size = 0;
    }

    /** Write the last of a page's plain values. */
    void endPage() {}

    private void levels(int[] values, int most) {
        if (most > 0) {
            int at = page.size;
            page.putLowInt(0);
            RunLengthEncoding.put(values, levels, RunLengthEncoding.width(most), page);
            page.setLowInt(at, page.size - at - 4);
        }
    }

    /**
     * A page without values, encoded as those that have some: Spark's vectorized reader fails on a
     * repeated column with a dictionary page after a plain one.
     */
    private Page encoded(Page empty) {
        page.size = 0;
        page.put(empty.bytes, 0, empty.bytes.length);
        if (used) {
            page.put(0); // the bit width of no indexes
        }
        Encoding encoding = used ? Encoding.PLAIN_DICTIONARY : Encoding.PLAIN;
        return new Page(compressed(page), page.size, empty.values, empty.rows, encoding, empty.statistics);
    }

    private byte[] compressed(Output page) {
        try {
            return limits.codec.compress(BytesInput.from(page.bytes, 0, page.size)).toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** The bytes of the pages that are full. */
    final int flushed() {
        return flushed;
    }

    /** Write the column chunk to the file. */
    final void writeChunk(ParquetFileWriter file) throws IOException {
        if (levels > 0) {
            flushPage();
        }
        long count = pages.stream().mapToLong(Page::values).sum();
        file.startColumn(column, count, limits.codec.getCodecName());
        if (used) {
            Output values = dictionary().values();
            file.writeDictionaryPage(new DictionaryPage(BytesInput.from(compressed(values)), values.size,
                    dictionary().size, Encoding.PLAIN_DICTIONARY));
        }
        for (Page written : pages) {
            Page each = written.encoding == null ? encoded(written) : written;
            file.writeDataPage(each.values, each.uncompressed, BytesInput.from(each.bytes), each.statistics,
                    each.rows, Encoding.RLE, Encoding.RLE, each.encoding);
        }
        file.endColumn();
        pages.clear();
        flushed = 0;
        used = false;
        reset();
    }
}
