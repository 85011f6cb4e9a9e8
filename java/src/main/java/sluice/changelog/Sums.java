package sluice.changelog;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The sums of a key: columns of the rows that add to them, one of which is the number of rows of the key. */
final class Sums implements Serializable {
    private static final String COUNT = "__n";

    private final StructType columns;
    private final int[] at;
    private final DataType[] types;
    private final boolean[] byValue;
    private final int count;

    /** With the columns whose values are in the result; of others it has only whether they are zero. */
    Sums(StructType in, List<String> names, List<String> byValue) {
        columns = Rows.only(in, names);
        at = Rows.places(in, names);
        types = Arrays.stream(columns.fields()).map(StructField::dataType).toArray(DataType[]::new);
        count = names.indexOf(COUNT);
        this.byValue = new boolean[types.length];
        for (int i = 0; i < types.length; i++) this.byValue[i] = byValue.contains(names.get(i));
    }

    int size() {
        return types.length;
    }

    StructType columns() {
        return columns;
    }

    /** The columns of the state: the time of the last change, and the sums. */
    StructType stored() {
        StructType made = new StructType().add("time", DataTypes.LongType);
        for (int i = 0; i < types.length; i++) made = made.add("s" + i, types[i]);
        return made;
    }

    /** Read the sums of a key, after its time: zero where there are none. */
    void read(InternalRow stored, Object[] to) {
        for (int i = 0; i < types.length; i++) {
            to[i + 1] = stored == null ? zero(types[i]) : stored.get(i + 1, types[i]);
        }
    }

    /** Add what a row adds; a NULL adds nothing. */
    void add(InternalRow row, Object[] to) {
        for (int i = 0; i < types.length; i++) {
            if (!row.isNullAt(at[i])) to[i + 1] = sum(types[i], to[i + 1], row.get(at[i], types[i]));
        }
    }

    /** Whether the key has rows. */
    boolean exists(Object[] sums) {
        return (long) sums[count + 1] > 0;
    }

    /** Whether the result of the sum at a place is another one. */
    boolean differs(int i, Object[] before, Object[] after) {
        if (byValue[i]) return !before[i + 1].equals(after[i + 1]);
        Object zero = zero(types[i]);
        return before[i + 1].equals(zero) != after[i + 1].equals(zero);
    }

    /** Whether nothing has to be kept. Sums of floating point numbers may not come back to zero. */
    boolean areZero(Object[] sums) {
        for (int i = 0; i < types.length; i++) {
            if (!(types[i] instanceof DoubleType) && !sums[i + 1].equals(zero(types[i]))) return false;
        }
        return true;
    }

    static Object zero(DataType type) {
        if (type instanceof LongType || type instanceof DayTimeIntervalType) return 0L;
        if (type instanceof DoubleType) return 0.0;
        if (type instanceof DecimalType decimal) return Decimal.apply(0L, decimal.precision(), decimal.scale());
        throw new IllegalArgumentException("a sum of type " + type.sql());
    }

    static Object sum(DataType type, Object a, Object b) {
        if (type instanceof DoubleType) return (double) a + (double) b;
        if (!(type instanceof DecimalType)) return (long) a + (long) b; // wraps around, and back
        DecimalType decimal = (DecimalType) type;
        Decimal made = ((Decimal) a).$plus((Decimal) b);
        if (made.changePrecision(decimal.precision(), decimal.scale())) return made;
        throw QueryExecutionErrors.overflowInSumOfDecimalError(null, "try_sum");
    }
}
