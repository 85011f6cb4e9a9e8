package sluice.functions;

import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.errors.ConditionException;

/** Flink functions that Spark has none of, or with other results. */
public final class FlinkFunctions {
    private static final int LONGEST = 100;

    private FlinkFunctions() {}

    /** A quotient of integers, cut off; an error names the expression. */
    public static long divide(long left, long right, UTF8String expression) {
        check(right, expression);
        return left / right;
    }

    /** A remainder of integers. */
    public static long modulo(long left, long right, UTF8String expression) {
        check(right, expression);
        return left % right;
    }

    private static void check(long divisor, UTF8String expression) {
        if (divisor == 0) {
            throw ConditionException.ofExpression("DIVISION_BY_ZERO", Map.of("expression", expression.toString()));
        }
    }

    /** A quotient as Java has it: that of a division by 0 is infinite, or NaN. */
    public static double divideDouble(double left, double right) {
        return left / right;
    }

    /** Fails: a string is not a number, or is out of the range of its type. */
    public static UTF8String refuse(UTF8String value, UTF8String expression) {
        String text = value.toString();
        String shown = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        throw ConditionException.ofExpression("CAST_FAILED",
            Map.of("value", shown, "expression", expression.toString()));
    }
}
