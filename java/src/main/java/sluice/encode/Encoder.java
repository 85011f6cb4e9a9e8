package sluice.encode;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** What rows look like as one message. */
public interface Encoder extends Serializable {
    /** The message that holds these rows. */
    byte[] encode(ArrayData rows);
}
