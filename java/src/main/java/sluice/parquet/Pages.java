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

/**
 * One column of a Parquet file: its values, gathered into pages.
 *
 * <p>As long as a column has few different values a page holds their numbers in a dictionary, from
 * then on the values themselves.
 */
abstract class Pages extends Shred {
    /** How the pages are packed, and what may be in one of them and in the dictionary. */
    record Form(BytesInputCompressor codec, int rows, int bytes, int dictionary) {}

    private record Page(byte[] bytes, int plainly, int values, int rows, Encoding encoding, Statistics<?> said) {}

    final ColumnDescriptor column;
    private final Form form;
    private final int highest;
    private final List<Page> pages = new ArrayList<>();
    private final Bytes page = new Bytes();

    private int[] definitions = new int[256];
    private int[] repetitions;
    int levels;
    private int rows;
    private int ready;

    /** The values of the page that is being filled: numbers in the dictionary, or themselves. */
    private int[] ids = new int[256];
    int present;
    final Bytes plain = new Bytes();

    boolean numbered;
    private boolean used;
    long nulls;

    Pages(ColumnDescriptor column, Form form, boolean numbered) {
        this.column = column;
        this.form = form;
        this.highest = column.getMaxDefinitionLevel();
        this.repetitions = column.getMaxRepetitionLevel() > 0 ? new int[256] : null;
        this.numbered = numbered;
    }

    @Override
    final void take(SpecializedGetters from, int at, int repetition) {
        if (from.isNullAt(at)) {
            nothing(repetition, highest - 1);
        } else {
            level(repetition, highest);
            put(from, at);
            present++;
        }
    }

    @Override
    final void nothing(int repetition, int definition) {
        level(repetition, definition);
        nulls++;
    }

    private void level(int repetition, int definition) {
        if (repetition == 0) {
            if (rows == form.rows || Math.max(plain.size, levels * 4) > form.bytes
                    || numbered && dictionarySize() > form.dictionary) {
                turn();
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

    /** Add a value to the page: its number in the dictionary if it is {@code numbered}. */
    abstract void put(SpecializedGetters from, int at);

    final void id(int id) {
        if (present == ids.length) {
            ids = Arrays.copyOf(ids, present * 2);
        }
        ids[present] = id;
    }

    /** The bytes that the dictionary takes. */
    abstract int dictionarySize();

    abstract int dictionaryCount();

    /** The values of the dictionary. */
    abstract Bytes dictionary();

    /** What is known of the values of a page that is full; the next ones are of another. */
    Statistics<?> said() {
        return unsaid();
    }

    /** Nothing is known: with NULLs alone, Parquet would take the page for one that has only these. */
    final Statistics<?> unsaid() {
        return Statistics.getBuilderForReading(column.getPrimitiveType()).build();
    }

    /** The lowest value of the whole file that is no text; null if there is none to be said. */
    Number lowest() {
        return null;
    }

    /** The highest one. */
    Number highest() {
        return null;
    }

    /** Forget the dictionary and begin with an empty one. */
    abstract void renew();

    /** Begin another page. */
    private void turn() {
        page.size = 0;
        levels(repetitions, column.getMaxRepetitionLevel());
        levels(definitions, highest);
        Encoding encoding = Encoding.PLAIN;
        if (numbered && present > 0) {
            encoding = Encoding.PLAIN_DICTIONARY;
            used = true;
            int width = Hybrid.width(dictionaryCount() - 1);
            page.put(width);
            Hybrid.put(ids, present, width, page);
        } else {
            end();
            page.put(plain.array, 0, plain.size);
        }
        byte[] packed = pack(page);
        pages.add(new Page(packed, page.size, levels, rows, encoding, said()));
        ready += packed.length;
        numbered = numbered && dictionarySize() <= form.dictionary;
        levels = rows = present = plain.size = 0;
    }

    /** Put the rest of a page's plain values to the others. */
    void end() {}

    private void levels(int[] values, int most) {
        if (most > 0) {
            int at = page.size;
            page.putInt(0);
            Hybrid.put(values, levels, Hybrid.width(most), page);
            page.setInt(at, page.size - at - 4);
        }
    }

    private byte[] pack(Bytes bytes) {
        try {
            return form.codec.compress(BytesInput.from(bytes.array, 0, bytes.size)).toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** The bytes of the pages that are full. */
    final int ready() {
        return ready;
    }

    /** Put all that was gathered into the file. */
    final void write(ParquetFileWriter file) throws IOException {
        if (levels > 0) {
            turn();
        }
        long values = pages.stream().mapToLong(Page::values).sum();
        file.startColumn(column, values, form.codec.getCodecName());
        if (used) {
            Bytes dictionary = dictionary();
            BytesInput packed = BytesInput.from(pack(dictionary));
            file.writeDictionaryPage(new DictionaryPage(
                    packed, dictionary.size, dictionaryCount(), Encoding.PLAIN_DICTIONARY));
        }
        for (Page each : pages) {
            file.writeDataPage(each.values, each.plainly, BytesInput.from(each.bytes), each.said,
                    each.rows, Encoding.RLE, Encoding.RLE, each.encoding);
        }
        file.endColumn();
        pages.clear();
        ready = 0;
        used = false;
        renew();
    }
}
