package sluice.avro;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;
import sluice.values.WideNumbers;

/** What reads values of a writer's schema as values of ClickHouse's types. */
final class ColumnValues {
    private static final int UUID_LENGTH = 36;
    private final ValueReaders readers;
    private final boolean nullIsDefault;

    ColumnValues(ValueReaders readers, boolean nullIsDefault) {
        this.readers = readers;
        this.nullIsDefault = nullIsDefault;
    }

    /** What reads the texts of a type. */
    ValueReader texts(TypeSpec type) {
        return readers.of(type);
    }

    static GenericArrayData list(Object[] items) {
        return new GenericArrayData(items);
    }

    /** The reader of a type's values; a {@link BadValue} if the schema has no such values. */
    ColumnValue of(Schema schema, TypeSpec type) {
        return of(schema, type, readers.of(type));
    }

    /** The same with what reads the type's texts. */
    ColumnValue of(Schema schema, TypeSpec type, ValueReader texts) {
        ColumnValue found = null;
        switch (schema.getType()) {
            case NULL:
                Object none = none(schema, type, texts);
                return in -> none;
            case UNION: found = union(schema, type, texts); break;
            case INT:
            case LONG:
            case BOOLEAN:
            case FLOAT:
            case DOUBLE: found = ColumnNumbers.of(schema, type); break;
            case STRING:
            case BYTES: found = bytes(schema, -1, type, texts); break;
            case FIXED: found = bytes(schema, schema.getFixedSize(), type, texts); break;
            case ENUM: found = choice(schema, type, texts); break;
            case ARRAY: found = type.kind().equals("items") ? items(of(schema.getElementType(), type.inner("item"))) : null; break;
            case MAP: found = type.kind().equals("pairs") ? pairs(schema, type) : null; break;
            default: found = type.kind().equals("parts") ? parts(schema, type) : null;
        }
        if (found != null) return found;
        throw new BadValue("Type " + type.name() + " is not compatible with Avro " + schema.getType().getName()
            + ": " + BadValue.shown(schema.toString()));
    }

    /** What NULL is in a column. */
    private Object none(Schema schema, TypeSpec type, ValueReader texts) {
        if (type.takesNull()) return texts.nothing;
        if (nullIsDefault) return texts.missing;
        throw new BadValue("Cannot insert Avro " + schema.getType().getName() + " with null into non-nullable type "
            + type.name() + ". To use the default value on NULL, enable the setting input_format_null_as_default");
    }

    private ColumnValue union(Schema schema, TypeSpec type, ValueReader texts) {
        List<Schema> branches = schema.getTypes();
        if (branches.size() == 1) {
            ColumnValue only = of(branches.get(0), type, texts);
            return in -> {
                in.branch(1);
                return only.read(in);
            };
        }
        int none = branches.get(0).getType() == Schema.Type.NULL ? 0 : 1;
        if (branches.size() != 2 || branches.get(none).getType() != Schema.Type.NULL) return null;
        Object nothing = none(schema, type, texts);
        ColumnValue value = of(branches.get(1 - none), type, texts);
        return in -> in.branch(2) == none ? nothing : value.read(in);
    }

    private ColumnValue bytes(Schema schema, int size, TypeSpec type, ValueReader texts) {
        switch (type.kind()) {
            case "text": return in -> {
                int from = size < 0 ? in.slice() : in.skip(size);
                return UTF8String.fromBytes(in.all(), from, in.at() - from);
            };
            case "fixed":
                if (size >= 0 && size != type.json().get("length").asInt()) return null;
                return in -> {
                    int from = size < 0 ? in.slice() : in.skip(size);
                    return texts.text(in.all(), from, in.at());
                };
            case "uuid": return in -> {
                int from = size < 0 ? in.slice() : in.skip(size);
                if (in.at() - from != UUID_LENGTH) throw texts.wrong(in.all(), from, in.at());
                return texts.text(in.all(), from, in.at());
            };
            case "exact": return decimal(schema, size, type, type.precision(), type.scale());
            case "instant":
                return type.precision() < 0 ? null : ticks(decimal(schema, size, type, ColumnNumbers.TICKS, type.precision()),
                    ColumnNumbers.TENS[6 - type.precision()]);
            case "encoded": return encoded(schema, size, type);
            default: return null;
        }
    }

    private ColumnValue encoded(Schema schema, int size, TypeSpec type) {
        StoredType stored = StoredType.of(type);
        if (stored.sort() == StoredType.Sort.INSTANT) {
            return ticks(decimal(schema, size, type, ColumnNumbers.TICKS, stored.scale()), 1);
        }
        if (stored.sort() == StoredType.Sort.DECIMAL) {
            return decimal(schema, size, type, stored.precision(), stored.scale());
        }
        if (size != stored.length() || size < 0) return null;
        if (stored.sort() == StoredType.Sort.ADDRESS) {
            return in -> {
                byte[] found = new byte[size];
                in.readFixed(found, 0, size);
                return found;
            };
        }
        if (stored.sort() != StoredType.Sort.WHOLE) return null;
        return in -> { // the lowest byte first
            int from = in.skip(size);
            byte[] found = new byte[size];
            for (int i = 0; i < size; i++) found[i] = in.all()[from + size - 1 - i];
            if (stored.signed()) found[0] ^= (byte) 0x80;
            return found;
        };
    }

    private static ColumnValue ticks(ColumnValue decimal, long factor) {
        return in -> {
            try {
                return Math.multiplyExact(((Decimal) decimal.read(in)).toUnscaledLong(), factor);
            } catch (ArithmeticException far) {
                throw new BadValue("An instant is too far from 1970");
            }
        };
    }

    /** An unscaled number of at most the bytes that ClickHouse holds it in, the highest first. */
    private ColumnValue decimal(Schema schema, int size, TypeSpec type, int precision, int scale) {
        int has = 0, digits = 0;
        if (schema.getLogicalType() instanceof LogicalTypes.Decimal given) {
            has = given.getScale();
            digits = given.getPrecision();
        }
        if (has != scale || digits != precision) {
            throw new BadValue("Cannot insert Avro decimal with scale " + has + " and precision " + digits
                + " to ClickHouse type " + type.name() + " with scale " + scale + " and precision " + precision);
        }
        int most = StoredType.width(precision);
        BigInteger limit = BigInteger.TEN.pow(precision);
        return in -> {
            int from = size < 0 ? in.slice() : in.skip(size);
            int length = in.at() - from;
            if (length == 0 || length > most) {
                throw new BadValue("Cannot parse type " + type.name() + ", expected non-empty binary data with size equal to "
                    + "or less than " + most + ", got " + length);
            }
            BigInteger number = new BigInteger(in.all(), from, length);
            if (number.abs().compareTo(limit) >= 0) throw new BadValue(number + " has too many digits for " + type.name());
            if (most > 16) return WideNumbers.stored(number, most, true);
            if (length <= 8 && precision <= 18) return Decimal.createUnsafe(number.longValue(), precision, scale);
            return Decimal.apply(new BigDecimal(number, scale), precision, scale);
        };
    }

    private ColumnValue choice(Schema schema, TypeSpec type, ValueReader texts) {
        List<String> symbols = schema.getEnumSymbols();
        UTF8String[] values = new UTF8String[symbols.size()];
        boolean text = type.kind().equals("text");
        if (!text && !type.kind().equals("choice")) return null;
        List<String> known = new ArrayList<>();
        if (!text) type.json().get("values").forEach(value -> known.add(value.get(0).asText()));
        for (int i = 0; i < values.length; i++) {
            values[i] = UTF8String.fromString(symbols.get(i));
            if (!text && !known.contains(symbols.get(i))) {
                throw new BadValue("Unknown element '" + BadValue.shown(symbols.get(i)) + "' for enum " + type.name());
            }
        }
        return in -> values[in.index(values.length, "enum")];
    }

    private static ColumnValue items(ColumnValue item) {
        return in -> {
            Object[] found = null;
            int size = 0;
            for (long count = in.items(); count > 0; count = in.items()) {
                found = found == null ? new Object[(int) count] : Arrays.copyOf(found, size + (int) count);
                for (long i = 0; i < count; i++) found[size++] = item.read(in);
            }
            return new GenericArrayData(found == null ? new Object[0] : found);
        };
    }

    private ColumnValue pairs(Schema schema, TypeSpec type) {
        ValueReader key = readers.of(type.inner("key"));
        ColumnValue value = of(schema.getValueType(), type.inner("value"));
        return in -> {
            Map<Object, Object> found = new LinkedHashMap<>();
            for (long count = in.items(); count > 0; count = in.items()) {
                for (long i = 0; i < count; i++) {
                    int from = in.slice();
                    Object name = key.text(in.all(), from, in.at());
                    found.put(name, value.read(in));
                }
            }
            return new ArrayBasedMapData(new GenericArrayData(found.keySet().toArray()),
                new GenericArrayData(found.values().toArray()));
        };
    }

    private ColumnValue parts(Schema schema, TypeSpec type) {
        List<TypeSpec.Column> parts = type.fields();
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < parts.size(); i++) places.put(type.isNamed() ? parts.get(i).name() : String.valueOf(i + 1), i);
        List<Schema.Field> fields = schema.getFields();
        if (fields.size() != parts.size()) {
            throw new BadValue("The number of fields in an Avro record doesn't match the number of elements in " + type.name());
        }
        ColumnValue[] values = new ColumnValue[fields.size()];
        int[] at = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            String name = fields.get(i).name();
            Integer place = places.get(name);
            if (place == null) throw new BadValue(type.name() + " doesn't have an element with the name '" + BadValue.shown(name) + "'");
            at[i] = place;
            values[i] = of(fields.get(i).schema(), parts.get(place).type());
        }
        return in -> {
            Object[] row = new Object[values.length];
            for (int i = 0; i < values.length; i++) row[at[i]] = values[i].read(in);
            return new GenericInternalRow(row);
        };
    }
}
