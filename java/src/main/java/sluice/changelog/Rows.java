package sluice.changelog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import sluice.spark.Columns;

/** Rows of a changelog: the hidden columns, and rows as bytes. */
final class Rows {
    static final StructType PLACE = new StructType().add("partition", "int").add("offset", "bigint").add("row", "int");

    static final String KIND = "__row_kind";
    static final String AT = "__at";
    static final String UNCHANGED = "__unchanged";

    private Rows() {}

    private static boolean hidden(String name) {
        return name.equals(KIND) || name.equals(AT) || name.equals(UNCHANGED);
    }

    /** The columns that are not hidden. */
    static StructType shown(StructType schema) {
        return only(schema, Arrays.stream(schema.fieldNames()).filter(name -> !hidden(name)).toList());
    }

    /** The columns with those that the rows of a step have besides. */
    static StructType changelog(StructType columns) {
        return nullable(columns).add(KIND, DataTypes.StringType).add(AT, PLACE);
    }

    /** Any column may be NULL: an event may not carry it. */
    static StructType nullable(StructType columns) {
        StructType made = new StructType();
        for (StructField each : columns.fields()) {
            made = made.add(new StructField(each.name(), each.dataType(), true, each.metadata()));
        }
        return made;
    }

    static StructType only(StructType schema, List<String> names) {
        StructType made = new StructType();
        for (String name : names) made = made.add(schema.apply(name));
        return made;
    }

    static int[] places(StructType schema, List<String> names) {
        return names.stream().mapToInt(schema::fieldIndex).toArray();
    }

    /** The columns at these places as a key: numbers that are equal are the same bytes. */
    static UnsafeProjection key(StructType schema, int[] at) {
        List<Expression> made = new ArrayList<>();
        for (int i : at) {
            DataType type = schema.apply(i).dataType();
            Expression column = new BoundReference(i, type, true);
            boolean floating = type instanceof FloatType || type instanceof DoubleType;
            made.add(floating ? new NormalizeNaNAndZero(column) : column);
        }
        return UnsafeProjection.create(Columns.seq(made));
    }

    static UnsafeRow row(byte[] bytes, int fields) {
        UnsafeRow row = new UnsafeRow(fields);
        row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
        return row;
    }
}
