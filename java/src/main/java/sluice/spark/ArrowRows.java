package sluice.spark;

import java.io.ByteArrayInputStream;
import java.nio.channels.Channels;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.arrow.ArrowConverters$;

/** Rows that Python has made. */
public final class ArrowRows {
    private ArrowRows() {}

    /** From a stream of Arrow's, with a schema as JSON; PySpark itself would write a file for them. */
    public static Dataset<Row> of(byte[] stream, String schema, SparkSession session) {
        var channel = Channels.newChannel(new ByteArrayInputStream(stream));
        var batches = ArrowConverters$.MODULE$.getBatchesFromStream(channel);
        return ArrowConverters$.MODULE$.toDataFrame(batches, schema, session);
    }
}
