package sluice.parquet;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.package$;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** A Parquet file that rows are written to. */
final class DataFile {
    private static final int CHECK_EVERY = 1000; // rows between checks of the row group's size

    /** Tells Spark that dates and timestamps are in the proleptic Gregorian calendar. */
    private static final Map<String, String> METADATA =
            Map.of("org.apache.spark.version", package$.MODULE$.SPARK_VERSION_SHORT());

    private final Configuration conf;
    private final Path path;
    private final CodecFactory codecs;
    private final ParquetFileWriter file;
    final SchemaWriter schema;
    private final long blockSize;
    private int inGroup;
    long rows;

    DataFile(Path path, MessageType type, StructType table, CompressionCodecName codec, Configuration conf)
            throws IOException {
        this.conf = conf;
        this.path = path;
        blockSize = ParquetOutputFormat.getLongBlockSize(conf);
        int page = ParquetOutputFormat.getPageSize(conf);
        codecs = new CodecFactory(conf, page);
        schema = new SchemaWriter(type, table, new ColumnWriter.Limits(codecs.getCompressor(codec),
                ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT, page,
                ParquetOutputFormat.getDictionaryPageSize(conf)));
        file = new ParquetFileWriter(HadoopOutputFile.fromPath(path, conf), type,
                ParquetFileWriter.Mode.CREATE, blockSize, 0, null, ParquetProperties.builder().build());
        file.start();
    }

    void add(InternalRow row) throws IOException {
        FieldWriter[] fields = schema.fields;
        for (int n = 0; n < fields.length; n++) {
            fields[n].write(row, n, 0);
        }
        inGroup++;
        if (inGroup % CHECK_EVERY == 0 && flushed() > blockSize) {
            flushRowGroup();
        }
    }

    private long flushed() {
        long bytes = 0;
        for (ColumnWriter each : schema.columns) {
            bytes += each.flushed();
        }
        return bytes;
    }

    private void flushRowGroup() throws IOException {
        file.startBlock(inGroup);
        for (ColumnWriter each : schema.columns) {
            each.writeChunk(file);
        }
        file.endBlock();
        rows += inGroup;
        inGroup = 0;
    }

    /** Write the last row group and the footer; returns the size of the file. */
    long finish() throws IOException {
        if (inGroup > 0) {
            flushRowGroup();
        }
        file.end(METADATA);
        codecs.release();
        return file.getPos();
    }

    /** Delete a file that was not finished. */
    void remove() {
        codecs.release();
        try {
            file.close();
        } catch (IOException failed) {
            // The file is deleted anyway.
        }
        try {
            path.getFileSystem(conf).delete(path, false);
        } catch (IOException left) {
            // No table has the file, and VACUUM deletes it.
        }
    }
}
