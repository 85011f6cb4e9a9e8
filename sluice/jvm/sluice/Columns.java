package sluice;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Our code as Spark's columns. */
public final class Columns {
    private Columns() {}

    /** The list of rows that a decoder finds in a column of messages. */
    public static Column decode(Decoder decoder, Column messages, String ddl) {
        Seq<Expression> arguments = seq(List.of(ExpressionUtils.expression(messages)));
        Seq<AbstractDataType> unchecked = seq(List.of());
        return ExpressionUtils.column(new Invoke(
            new Literal(decoder, new ObjectType(Decoder.class)),
            "decode",
            new ArrayType(StructType.fromDDL(ddl), false),
            arguments,
            unchecked,
            true, // a message that is NULL gives NULL
            true,
            true));
    }

    /** The message that an encoder makes of a column of lists of rows. */
    public static Column encode(Encoder encoder, Column rows) {
        Seq<Expression> arguments = seq(List.of(ExpressionUtils.expression(rows)));
        Seq<AbstractDataType> unchecked = seq(List.of());
        return ExpressionUtils.column(new Invoke(
            new Literal(encoder, new ObjectType(Encoder.class)),
            "encode",
            DataTypes.BinaryType,
            arguments,
            unchecked,
            true,
            false,
            true));
    }

    private static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
