package sluice.parquet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The places of a table's schema, and the columns of the file below them. */
final class Schema {
    private final MessageType file;
    private final Pages.Form form;
    final List<Pages> columns = new ArrayList<>();
    final Shred[] places;

    Schema(MessageType file, StructType table, Pages.Form form) {
        this.file = file;
        this.form = form;
        this.places = places(file, table);
    }

    /** Whether there are columns for values of a type. */
    static boolean has(DataType type) {
        if (type instanceof StructType struct) {
            boolean all = struct.length() > 0;
            for (StructField field : struct.fields()) {
                all &= has(field.dataType());
            }
            return all;
        }
        if (type instanceof ArrayType array) {
            return has(array.elementType());
        }
        if (type instanceof MapType map) {
            return has(map.keyType()) && has(map.valueType());
        }
        return type instanceof BinaryType || type instanceof StringType || type instanceof BooleanType
                || type instanceof DecimalType || number(type) != null;
    }

    private static LongPages.Kind number(DataType type) {
        if (type instanceof ByteType) return LongPages.Kind.BYTE;
        if (type instanceof ShortType) return LongPages.Kind.SHORT;
        if (type instanceof IntegerType || type instanceof DateType) return LongPages.Kind.INT;
        if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType) {
            return LongPages.Kind.LONG;
        }
        if (type instanceof FloatType) return LongPages.Kind.FLOAT;
        return type instanceof DoubleType ? LongPages.Kind.DOUBLE : null;
    }

    private Shred[] places(GroupType group, StructType struct, String... above) {
        Shred[] found = new Shred[struct.length()];
        for (int n = 0; n < found.length; n++) {
            found[n] = place(group.getType(n), struct.fields()[n].dataType(), above);
        }
        return found;
    }

    private Shred place(Type type, DataType value, String... above) {
        String[] path = with(above, type.getName());
        int definition = file.getMaxDefinitionLevel(path);
        if (value instanceof StructType struct) {
            return new Nested.Struct(definition, places(type.asGroupType(), struct, path));
        }
        if (value instanceof ArrayType array) {
            GroupType list = type.asGroupType().getType(0).asGroupType();
            String[] inner = with(path, list.getName());
            Shred values = place(list.getType(0), array.elementType(), inner);
            return new Nested.List(definition, file.getMaxRepetitionLevel(inner), values);
        }
        if (value instanceof MapType map) {
            GroupType pairs = type.asGroupType().getType(0).asGroupType();
            String[] inner = with(path, pairs.getName());
            Shred keys = place(pairs.getType(0), map.keyType(), inner);
            Shred values = place(pairs.getType(1), map.valueType(), inner);
            return new Nested.Map(definition, file.getMaxRepetitionLevel(inner), keys, values);
        }
        Pages pages = pages(file.getColumnDescription(path), value);
        columns.add(pages);
        return pages;
    }

    private Pages pages(ColumnDescriptor column, DataType type) {
        if (type instanceof BooleanType) {
            return new BitPages(column, form);
        }
        if (type instanceof StringType) {
            return new TextPages(column, form, TextPages.Kind.TEXT, 0, 0);
        }
        if (type instanceof BinaryType) {
            return new TextPages(column, form, TextPages.Kind.BYTES, 0, 0);
        }
        int width = switch (column.getPrimitiveType().getPrimitiveTypeName()) {
            case INT32, FLOAT -> 4;
            case INT64, DOUBLE -> 8;
            default -> 0;
        };
        if (type instanceof DecimalType decimal) {
            int precision = decimal.precision();
            int scale = decimal.scale();
            return width == 0
                    ? new TextPages(column, form, TextPages.Kind.DECIMAL, precision, scale)
                    : new LongPages(column, form, LongPages.Kind.DECIMAL, width, precision, scale);
        }
        return new LongPages(column, form, number(type), width, 0, 0);
    }

    private static String[] with(String[] path, String name) {
        String[] longer = Arrays.copyOf(path, path.length + 1);
        longer[path.length] = name;
        return longer;
    }
}
