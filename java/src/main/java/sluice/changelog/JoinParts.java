package sluice.changelog;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** The rows that {@link Join} has for the keys of a batch, as tables to be joined: each row has its weight. */
public final class JoinParts {
    private static final String WEIGHT = "__w";

    private final Batch batch;
    private final RDD<InternalRow> rows;
    private final List<StructType> sides;
    private final List<List<String>> keys;

    JoinParts(Batch batch, RDD<InternalRow> rows, List<StructType> sides, List<List<String>> keys) {
        this.batch = batch;
        this.rows = rows;
        this.sides = sides;
        this.keys = keys;
    }

    /** A part by its number: the changes to the left, what they meet, what the changes to the right meet, and these. */
    public Dataset<Row> table(int part) {
        int side = part % 2;
        StructType columns = Rows.nullable(sides.get(side));
        StructType schema = columns.add(WEIGHT, DataTypes.LongType, false);
        FlatMapFunction<Iterator<InternalRow>, InternalRow> weighted = given -> {
            UnsafeProjection made = UnsafeProjection.create(schema);
            return CollectionConverters.asJava(CollectionConverters.asScala(given).filter(row -> row.getInt(0) == part)
                .map(row -> made.apply(new JoinedRow(Rows.row(row.getBinary(2), columns.length()),
                    new GenericInternalRow(new Object[] {row.getLong(1)})))));
        };
        return batch.frame(rows.toJavaRDD().mapPartitions(weighted).rdd(), schema, keys.get(side));
    }
}
