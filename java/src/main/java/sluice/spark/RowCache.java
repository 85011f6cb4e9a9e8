package sluice.spark;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.columnar.CachedBatchSerializer;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.unsafe.Platform;
import scala.Function2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Caches rows as they are. Spark's own serializer builds columns with statistics, which pays when a cache is read many
 * times; the rows of a batch are read once by each view, then dropped.
 */
public final class RowCache implements CachedBatchSerializer {
    private static final int BYTES = 4 << 20; // of a block of rows, unless one row is larger

    /** Rows of Spark's binary format, one after the other; `ends` is where each ends. */
    static final class Block implements CachedBatch, Serializable {
        private final byte[] bytes;
        private final int[] ends;

        Block(byte[] bytes, int[] ends) {
            this.bytes = bytes;
            this.ends = ends;
        }

        @Override
        public int numRows() {
            return ends.length;
        }

        @Override
        public long sizeInBytes() {
            return bytes.length + 4L * ends.length;
        }
    }

    @Override
    public boolean supportsColumnarInput(Seq<Attribute> schema) {
        return false;
    }

    @Override
    public boolean supportsColumnarOutput(StructType schema) {
        return false;
    }

    @Override
    public RDD<CachedBatch> convertInternalRowToCachedBatch(
            RDD<InternalRow> input, Seq<Attribute> schema, StorageLevel level, SQLConf conf) {
        FlatMapFunction<Iterator<InternalRow>, CachedBatch> blocks = rows -> new Blocks(rows, schema);
        return input.toJavaRDD().mapPartitions(blocks).rdd();
    }

    @Override
    public RDD<InternalRow> convertCachedBatchToInternalRow(
            RDD<CachedBatch> input, Seq<Attribute> cached, Seq<Attribute> selected, SQLConf conf) {
        boolean whole = cached.equals(selected);
        int fields = CollectionConverters.asJava(cached).size();
        FlatMapFunction<Iterator<CachedBatch>, InternalRow> rows = blocks -> {
            Rows every = new Rows(blocks, fields);
            return whole ? every : projected(every, UnsafeProjection.create(expressions(selected), cached));
        };
        return input.toJavaRDD().mapPartitions(rows).rdd();
    }

    @Override
    public Function2<Object, scala.collection.Iterator<CachedBatch>, scala.collection.Iterator<CachedBatch>> buildFilter(
            Seq<Expression> predicates, Seq<Attribute> cached) {
        return (Function2<Object, scala.collection.Iterator<CachedBatch>, scala.collection.Iterator<CachedBatch>>
            & Serializable) (partition, blocks) -> blocks;
    }

    @Override
    public RDD<CachedBatch> convertColumnarBatchToCachedBatch(
            RDD<ColumnarBatch> input, Seq<Attribute> schema, StorageLevel level, SQLConf conf) {
        throw new UnsupportedOperationException("columnar input");
    }

    @Override
    public RDD<ColumnarBatch> convertCachedBatchToColumnarBatch(
            RDD<CachedBatch> input, Seq<Attribute> cached, Seq<Attribute> selected, SQLConf conf) {
        throw new UnsupportedOperationException("columnar output");
    }

    @SuppressWarnings("unchecked")
    private static Seq<Expression> expressions(Seq<Attribute> attributes) {
        return (Seq<Expression>) (Seq<?>) attributes;
    }

    private static Iterator<InternalRow> projected(Iterator<InternalRow> rows, UnsafeProjection projection) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public InternalRow next() {
                return projection.apply(rows.next());
            }
        };
    }

    /** Rows copied into blocks. */
    private static final class Blocks implements Iterator<CachedBatch> {
        private final Iterator<InternalRow> rows;
        private final UnsafeProjection binary;
        private UnsafeRow next;

        Blocks(Iterator<InternalRow> rows, Seq<Attribute> schema) {
            this.rows = rows;
            binary = UnsafeProjection.create(expressions(schema), schema);
            advance();
        }

        private void advance() {
            next = null;
            if (!rows.hasNext()) return;
            InternalRow row = rows.next();
            next = row instanceof UnsafeRow ? (UnsafeRow) row : binary.apply(row);
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public CachedBatch next() {
            if (next == null) throw new NoSuchElementException();
            byte[] bytes = new byte[Math.max(64 << 10, next.getSizeInBytes())];
            int[] ends = new int[256];
            int count = 0;
            int end = 0;
            while (next != null && (count == 0 || end + next.getSizeInBytes() <= BYTES)) {
                int size = next.getSizeInBytes();
                if (end + size > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(end + size, 2 * bytes.length));
                if (count == ends.length) ends = Arrays.copyOf(ends, 2 * count);
                next.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + end);
                end += size;
                ends[count++] = end;
                advance();
            }
            return new Block(Arrays.copyOf(bytes, end), Arrays.copyOf(ends, count));
        }
    }

    /** The rows of blocks, each in the place of the one before. */
    private static final class Rows implements Iterator<InternalRow> {
        private final Iterator<CachedBatch> blocks;
        private final UnsafeRow row;
        private Block block;
        private int at;

        Rows(Iterator<CachedBatch> blocks, int fields) {
            this.blocks = blocks;
            row = new UnsafeRow(fields);
        }

        @Override
        public boolean hasNext() {
            while ((block == null || at == block.ends.length) && blocks.hasNext()) {
                block = (Block) blocks.next();
                at = 0;
            }
            return block != null && at < block.ends.length;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) throw new NoSuchElementException();
            int start = at == 0 ? 0 : block.ends[at - 1];
            row.pointTo(block.bytes, Platform.BYTE_ARRAY_OFFSET + start, block.ends[at] - start);
            at++;
            return row;
        }
    }
}
