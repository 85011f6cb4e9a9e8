package sluice.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import sluice.decode.Decoder;
import sluice.encode.Encoder;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkEncoder;

/** Our code as Spark's columns. */
public final class Columns {
    private Columns() {}

    /** The list of rows that a decoder finds in a column of messages. */
    public static Column decode(Decoder decoder, Column messages, String ddl) {
        DataType rows = new ArrayType(StructType.fromDDL(ddl), false);
        boolean nulls = decoder instanceof FlinkDecoder && ((FlinkDecoder) decoder).takesNull();
        return call(decoder, Decoder.class, "decode", List.of(messages), rows, !nulls, true);
    }

    /**
     * The row that a decoder finds in a column of messages with one row at most.
     *
     * <p>Spark takes it for something that is not the same each time, or it would decode once for
     * every filter that it moves down to the source.
     */
    public static Column row(FlinkDecoder decoder, Column messages, String ddl) {
        boolean nulls = decoder.takesNull();
        DataType row = StructType.fromDDL(ddl);
        return call(decoder, FlinkDecoder.class, "row", List.of(messages), row, !nulls, false);
    }

    /** The message that an encoder makes of a column of lists of rows. */
    public static Column encode(Encoder encoder, Column rows) {
        return call(encoder, Encoder.class, "encode", List.of(rows), DataTypes.BinaryType, true, true);
    }

    /** The message that an encoder makes of a column of rows. */
    public static Column message(FlinkEncoder encoder, Column row) {
        return call(encoder, FlinkEncoder.class, "row", List.of(row), DataTypes.BinaryType, true, true);
    }

    /** The column of event times, each noted for its partition; for Spark it is never the same. */
    public static Column noted(PartitionTimes times, Column moment, Column topic, Column partition) {
        return call(times, PartitionTimes.class, "note", List.of(moment, topic, partition),
            DataTypes.TimestampType, true, false);
    }

    /** The column of messages, each counted. */
    public static Column counted(RowCount count, Column message) {
        return call(count, RowCount.class, "note", List.of(message), DataTypes.BinaryType, false, false);
    }

    /**
     * Columns from a list in JSON: each a text of SQL, a name, and what it says of itself, as JSON; or
     * null for the next of the others.
     */
    public static Seq<Column> all(String texts, List<Column> others) throws JsonProcessingException {
        List<Column> found = new ArrayList<>();
        Iterator<Column> next = others.iterator();
        for (JsonNode each : new ObjectMapper().readTree(texts)) {
            found.add(each.isNull() ? next.next() : functions.expr(each.get(0).asText())
                .as(each.get(1).asText(), Metadata.fromJson(each.get(2).asText())));
        }
        return seq(found);
    }

    /** {@code strict}: NULL gives NULL; {@code pure}: the same argument gives the same. */
    private static Column call(Object target, Class<?> type, String method, List<Column> given,
            DataType result, boolean strict, boolean pure) {
        Seq<Expression> arguments = seq(given.stream().map(ExpressionUtils::expression).toList());
        Seq<AbstractDataType> unchecked = seq(List.of());
        return ExpressionUtils.column(new Invoke(new Literal(target, new ObjectType(type)), method,
            result, arguments, unchecked, strict, true, pure));
    }

    public static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
