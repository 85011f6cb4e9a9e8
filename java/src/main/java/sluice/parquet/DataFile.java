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
    private static final int OFTEN = 1000;

    /** By this Spark knows that days and moments are counted as it counts them today. */
    private static final Map<String, String> MADE_BY =
            Map.of("org.apache.spark.version", package$.MODULE$.SPARK_VERSION_SHORT());

    private final Configuration conf;
    private final Path path;
    private final CodecFactory codecs;
    private final ParquetFileWriter file;
    final Schema schema;
    private final long most;
    private int group;
    long rows;

    DataFile(Path path, MessageType type, StructType table, CompressionCodecName codec, Configuration conf)
            throws IOException {
        this.conf = conf;
        this.path = path;
        most = ParquetOutputFormat.getLongBlockSize(conf);
        int page = ParquetOutputFormat.getPageSize(conf);
        codecs = new CodecFactory(conf, page);
        schema = new Schema(type, table, new Pages.Form(codecs.getCompressor(codec),
                ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT, page,
                ParquetOutputFormat.getDictionaryPageSize(conf)));
        file = new ParquetFileWriter(HadoopOutputFile.fromPath(path, conf), type,
                ParquetFileWriter.Mode.CREATE, most, 0, null, ParquetProperties.builder().build());
        file.start();
    }

    void add(InternalRow row) throws IOException {
        Shred[] places = schema.places;
        for (int n = 0; n < places.length; n++) {
            places[n].take(row, n, 0);
        }
        group++;
        if (group % OFTEN == 0 && ready() > most) {
            turn();
        }
    }

    private long ready() {
        long bytes = 0;
        for (Pages each : schema.columns) {
            bytes += each.ready();
        }
        return bytes;
    }

    private void turn() throws IOException {
        file.startBlock(group);
        for (Pages each : schema.columns) {
            each.write(file);
        }
        file.endBlock();
        rows += group;
        group = 0;
    }

    /** Write what is left, and the end of the file; the bytes that it has. */
    long finish() throws IOException {
        if (group > 0) {
            turn();
        }
        file.end(MADE_BY);
        codecs.release();
        return file.getPos();
    }

    /** Let nothing be left of a file that came to no end. */
    void remove() {
        codecs.release();
        try {
            file.close();
        } catch (IOException failed) {
            // What was to be written is not wanted any more.
        }
        try {
            path.getFileSystem(conf).delete(path, false);
        } catch (IOException left) {
            // A file that no table knows harms nobody; VACUUM finds it.
        }
    }
}
