package sluice.flink;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;

/** A Flink format, written: a row is a message. */
public abstract class FlinkEncoder implements Serializable {
    /** The message of a row; null for one without a value. */
    public abstract byte[] row(InternalRow row);
}
