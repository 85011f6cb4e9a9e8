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

/** The writers of a table's fields, and those of the columns of the file. */
final class SchemaWriter {
    private final MessageType file;
    private final ColumnWriter.Limits limits;
    final List<ColumnWriter> columns = new ArrayList<>();
    final FieldWriter[] fields;

    SchemaWriter(MessageType file, StructType table, ColumnWriter.Limits limits) {
        this.file = file;
        this.limits = limits;
        this.fields = fields(file, table);
    }

    /** Whether a type can be written. */
    static boolean supports(DataType type) {
        if (type instanceof StructType struct) {
            boolean all = struct.length() > 0;
            for (StructField field : struct.fields()) {
                all &= supports(field.dataType());
            }
            return all;
        }
        if (type instanceof ArrayType array) {
            return supports(array.elementType());
        }
        if (type instanceof MapType map) {
            return supports(map.keyType()) && supports(map.valueType());
        }
        return type instanceof BinaryType || type instanceof StringType || type instanceof BooleanType
                || type instanceof DecimalType || number(type) != null;
    }

    private static NumberColumn.Kind number(DataType type) {
        if (type instanceof ByteType) return NumberColumn.Kind.BYTE;
        if (type instanceof ShortType) return NumberColumn.Kind.SHORT;
        if (type instanceof IntegerType || type instanceof DateType) return NumberColumn.Kind.INT;
        if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType) {
            return NumberColumn.Kind.LONG;
        }
        if (type instanceof FloatType) return NumberColumn.Kind.FLOAT;
        return type instanceof DoubleType ? NumberColumn.Kind.DOUBLE : null;
    }

    private FieldWriter[] fields(GroupType group, StructType struct, String... above) {
        FieldWriter[] found = new FieldWriter[struct.length()];
        for (int n = 0; n < found.length; n++) {
            found[n] = field(group.getType(n), struct.fields()[n].dataType(), above);
        }
        return found;
    }

    private FieldWriter field(Type type, DataType value, String... above) {
        String[] path = with(above, type.getName());
        int definition = file.getMaxDefinitionLevel(path);
        if (value instanceof StructType struct) {
            return new NestedField.Struct(definition, fields(type.asGroupType(), struct, path));
        }
        if (value instanceof ArrayType array) {
            GroupType list = type.asGroupType().getType(0).asGroupType();
            String[] inner = with(path, list.getName());
            FieldWriter values = field(list.getType(0), array.elementType(), inner);
            return new NestedField.List(definition, file.getMaxRepetitionLevel(inner), values);
        }
        if (value instanceof MapType map) {
            GroupType pairs = type.asGroupType().getType(0).asGroupType();
            String[] inner = with(path, pairs.getName());
            FieldWriter keys = field(pairs.getType(0), map.keyType(), inner);
            FieldWriter values = field(pairs.getType(1), map.valueType(), inner);
            return new NestedField.Map(definition, file.getMaxRepetitionLevel(inner), keys, values);
        }
        ColumnWriter made = column(file.getColumnDescription(path), value);
        columns.add(made);
        return made;
    }

    private ColumnWriter column(ColumnDescriptor column, DataType type) {
        if (type instanceof BooleanType) {
            return new BooleanColumn(column, limits);
        }
        if (type instanceof StringType) {
            return new BinaryColumn(column, limits, BinaryColumn.Kind.STRING, 0, 0);
        }
        if (type instanceof BinaryType) {
            return new BinaryColumn(column, limits, BinaryColumn.Kind.BYTES, 0, 0);
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
                    ? new BinaryColumn(column, limits, BinaryColumn.Kind.DECIMAL, precision, scale)
                    : new NumberColumn(column, limits, NumberColumn.Kind.DECIMAL, width, precision, scale);
        }
        return new NumberColumn(column, limits, number(type), width, 0, 0);
    }

    private static String[] with(String[] path, String name) {
        String[] longer = Arrays.copyOf(path, path.length + 1);
        longer[path.length] = name;
        return longer;
    }
}
