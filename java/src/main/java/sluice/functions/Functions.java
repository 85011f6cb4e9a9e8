package sluice.functions;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnaryMinus;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Functions that lowered queries call and Spark has none of.
 *
 * <p>Spark's arithmetic raises an error where a number does not fit. Flink's whole numbers wrap round
 * and its DECIMALs are NULL, as Spark's own are outside of ANSI mode: these are the same expressions in
 * that mode.
 */
public final class Functions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final NumericEvalContext WRAPS = new NumericEvalContext(EvalMode.LEGACY(), true);
    private static final ConcurrentHashMap<String, DateTimeFormatter> FORMATTERS =
        new ConcurrentHashMap<>();
    private static final int MOST_FORMATTERS = 1000;
    private static final int LONGEST = 100;
    private static final DataType TEXT = DataTypes.StringType;
    private static final DataType TEXTS = DataTypes.createArrayType(TEXT, false);

    /** Tell Spark of all of them. */
    @Override
    public BoxedUnit apply(SparkSessionExtensions spark) {
        inject(spark, "sluice_add", 2, args -> new Add(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_subtract", 2, args -> new Subtract(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_multiply", 2, args -> new Multiply(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_negate", 1, args -> new UnaryMinus(args.get(0), false));
        inject(spark, "sluice_sum", 1, args -> new Sum(args.get(0), WRAPS));
        inject(spark, "sluice_int8", 1, args -> whole(args.get(0), DataTypes.ByteType));
        inject(spark, "sluice_int16", 1, args -> whole(args.get(0), DataTypes.ShortType));
        inject(spark, "sluice_int32", 1, args -> whole(args.get(0), DataTypes.IntegerType));
        inject(spark, "sluice_int64", 1, args -> whole(args.get(0), DataTypes.LongType));
        inject(spark, "sluice_divide", 3, args -> call("divide", args, DataTypes.LongType,
            DataTypes.LongType, DataTypes.LongType, DataTypes.StringType));
        inject(spark, "sluice_modulo", 3, args -> call("modulo", args, DataTypes.LongType,
            DataTypes.LongType, DataTypes.LongType, DataTypes.StringType));
        inject(spark, "sluice_divide_double", 2, args -> call("divide", args, DataTypes.DoubleType,
            DataTypes.DoubleType, DataTypes.DoubleType));
        inject(spark, "sluice_refuse", 2, args -> call("refuse", args, DataTypes.StringType,
            DataTypes.StringType, DataTypes.StringType));
        inject(spark, "sluice_date_format", 2, Functions::dateFormat);
        regex(spark, "sluice_regexp_like", "like", DataTypes.BooleanType, TEXT, TEXT);
        regex(spark, "sluice_regexp_extract", "extract", TEXT, TEXT, TEXT, DataTypes.IntegerType);
        regex(spark, "sluice_regexp_first", "first", TEXT, TEXT, TEXT, DataTypes.IntegerType);
        regex(spark, "sluice_regexp_extract_all", "extractAll", TEXTS, TEXT, TEXT, DataTypes.IntegerType);
        regex(spark, "sluice_regexp_replace", "replaceAll", TEXT, TEXT, TEXT, TEXT);
        regex(spark, "sluice_regexp_replace_first", "replaceFirst", TEXT, TEXT, TEXT, TEXT);
        regex(spark, "sluice_regexp_split", "split", TEXTS, TEXT, TEXT);
        return BoxedUnit.UNIT;
    }

    private static void regex(SparkSessionExtensions spark, String name, String method, DataType gives,
            DataType... takes) {
        inject(spark, name, takes.length, args -> call(Regex.class, method, args, gives, takes));
    }

    /** The text of a moment in UTC, given in microseconds. */
    public static UTF8String format(long micros, UTF8String pattern) {
        Instant at = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L),
            Math.floorMod(micros, 1_000_000L) * 1000L);
        return UTF8String.fromString(formatter(pattern.toString()).format(at.atZone(ZoneOffset.UTC)));
    }

    /** Whole numbers divided, and cut off; an error names the expression. */
    public static long divide(long left, long right, UTF8String written) {
        check(right, written);
        return left / right;
    }

    /** What a division leaves over. */
    public static long modulo(long left, long right, UTF8String written) {
        check(right, written);
        return left % right;
    }

    /** As Java does it: a division by 0 is infinite, or no number. */
    public static double divide(double left, double right) {
        return left / right;
    }

    /** Fails: a text could not be read as what it was to be. */
    public static UTF8String refuse(UTF8String value, UTF8String written) {
        String shown = value.toString();
        throw new NumberFormatException("[FLINK_CAST_FAILED] '"
            + (shown.length() > LONGEST ? shown.substring(0, LONGEST) + "…" : shown)
            + "' is no number that fits, in " + written);
    }

    private static void check(long divisor, UTF8String written) {
        if (divisor == 0) {
            throw new ArithmeticException("[FLINK_DIVISION_BY_ZERO] Division by zero in " + written);
        }
    }

    private static DateTimeFormatter formatter(String pattern) {
        DateTimeFormatter known = FORMATTERS.get(pattern);
        if (known == null) {
            known = DateTimeFormatter.ofPattern(pattern, Locale.US);
            if (FORMATTERS.size() < MOST_FORMATTERS) { // a pattern may be a column
                FORMATTERS.put(pattern, known);
            }
        }
        return known;
    }

    private static Expression dateFormat(List<Expression> args) {
        if (args.get(1) instanceof Literal written && written.value() != null) {
            formatter(written.value().toString()); // one that is wrong fails here, not at a row
        }
        return call("format", args, DataTypes.StringType, DataTypes.TimestampNTZType,
            DataTypes.StringType);
    }

    /** A method of this class; NULL gives NULL. */
    private static Expression call(String method, List<Expression> args, DataType gives,
            DataType... takes) {
        return call(Functions.class, method, args, gives, takes);
    }

    private static Expression call(Class<?> of, String method, List<Expression> args, DataType gives,
            DataType... takes) {
        Seq<AbstractDataType> types = seq(List.of(takes));
        return new StaticInvoke(of, gives, method, seq(args), types, true, true, true,
            Option.empty());
    }

    private static Expression whole(Expression value, DataType type) {
        return new Cast(value, type, Option.empty(), EvalMode.LEGACY());
    }

    private static void inject(SparkSessionExtensions spark, String name, int takes,
            Function<List<Expression>, Expression> make) {
        Function1<Seq<Expression>, Expression> builder = new AbstractFunction1<>() {
            @Override
            public Expression apply(Seq<Expression> args) {
                List<Expression> given = CollectionConverters.asJava(args);
                if (given.size() != takes) {
                    throw new IllegalArgumentException(name + " takes " + takes + " arguments");
                }
                return make.apply(given);
            }
        };
        spark.injectFunction(new Tuple3<>(new FunctionIdentifier(name),
            new ExpressionInfo(Functions.class.getName(), name), builder));
    }

    private static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
