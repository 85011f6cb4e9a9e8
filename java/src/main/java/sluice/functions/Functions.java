package sluice.functions;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Alias$;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnaryMinus;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DecimalType$;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;
import sluice.spark.Columns;

/**
 * Registers the functions that lowered queries call and Spark has none of.
 *
 * <p>Spark's arithmetic raises an error where a number does not fit. Flink's integers wrap round and its
 * DECIMALs are NULL, as Spark's own are outside of ANSI mode: these are the same expressions in that mode.
 * The others are the public methods of classes; NULL among the arguments gives NULL.
 */
public final class Functions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final NumericEvalContext WRAPS = new NumericEvalContext(EvalMode.LEGACY(), true);
    private static final Map<String, DateTimeFormatter> FORMATTERS = new ConcurrentHashMap<>();
    private static final int MOST_FORMATTERS = 1000;
    private static final DataType UINT64 = DataTypes.createDecimalType(20, 0);
    private static final Map<Class<?>, AbstractDataType> TYPES = Map.ofEntries(
        Map.entry(UTF8String.class, DataTypes.StringType), Map.entry(ArrayData.class, ArrayType.apply(DataTypes.StringType)),
        Map.entry(double.class, DataTypes.DoubleType), Map.entry(float.class, DataTypes.FloatType),
        Map.entry(long.class, DataTypes.LongType), Map.entry(int.class, DataTypes.IntegerType),
        Map.entry(Long.class, DataTypes.LongType), Map.entry(Integer.class, DataTypes.IntegerType),
        Map.entry(boolean.class, DataTypes.BooleanType), Map.entry(Decimal.class, DecimalType$.MODULE$),
        Map.entry(byte[].class, DataTypes.BinaryType));

    @Override
    public BoxedUnit apply(SparkSessionExtensions spark) {
        inject(spark, "sluice_add", 2, args -> new Add(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_subtract", 2, args -> new Subtract(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_multiply", 2, args -> new Multiply(args.get(0), args.get(1), WRAPS));
        inject(spark, "sluice_negate", 1, args -> new UnaryMinus(args.get(0), false));
        inject(spark, "sluice_sum", 1, args -> new Sum(args.get(0), WRAPS));
        inject(spark, "sluice_int8", 1, args -> wrapping(args.get(0), DataTypes.ByteType));
        inject(spark, "sluice_int16", 1, args -> wrapping(args.get(0), DataTypes.ShortType));
        inject(spark, "sluice_int32", 1, args -> wrapping(args.get(0), DataTypes.IntegerType));
        inject(spark, "sluice_int64", 1, args -> wrapping(args.get(0), DataTypes.LongType));
        inject(spark, "sluice_date_format", 2, Functions::dateFormat);
        inject(spark, "sluice_typed", 2, Functions::typed);
        UnaryOperator<String> snake = name -> name.replaceAll("([A-Z])", "_$1");
        inject(spark, FlinkFunctions.class, "sluice_", snake);
        inject(spark, Regex.class, "sluice_regexp_", snake);
        for (Class<?> holder : List.of(
                ClickHouse.class, EncodedScalars.class, Letters.class, Hex.class, JsonPaths.class, SimpleJson.class)) {
            inject(spark, holder, "sluice_ch_", name -> name);
        }
        return BoxedUnit.UNIT;
    }

    private static Expression wrapping(Expression value, DataType type) {
        return new Cast(value, type, Option.empty(), EvalMode.LEGACY());
    }

    /** A value with the name of its type as the metadata of the column that it becomes. */
    private static Expression typed(List<Expression> args) {
        Metadata metadata = new MetadataBuilder().putString("sluice.type", args.get(1).eval(null).toString()).build();
        return Alias$.MODULE$.apply(args.get(0), "typed", NamedExpression.newExprId(), Columns.seq(List.of()),
            Option.apply(metadata), Columns.seq(List.of()));
    }

    private static Expression dateFormat(List<Expression> args) {
        if (args.get(1) instanceof Literal pattern && pattern.value() != null) {
            formatter(pattern.value().toString()); // one that is wrong fails here, not at a row
        }
        return call(Functions.class, "format", args, DataTypes.StringType,
            List.of(DataTypes.TimestampNTZType, DataTypes.StringType));
    }

    /** The text of a timestamp without a zone, given in microseconds. */
    public static UTF8String format(long micros, UTF8String pattern) {
        Instant at = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L),
            Math.floorMod(micros, 1_000_000L) * 1000L);
        return UTF8String.fromString(formatter(pattern.toString()).format(at.atZone(ZoneOffset.UTC)));
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

    /**
     * Each public method of a class as a function with a prefix. A method that returns a row takes the
     * row's type as one more argument, a literal.
     */
    private static void inject(
            SparkSessionExtensions spark, Class<?> holder, String prefix, UnaryOperator<String> named) {
        for (Method method : holder.getDeclaredMethods()) {
            if (!Modifier.isPublic(method.getModifiers())) continue;
            List<AbstractDataType> takes = Arrays.stream(method.getParameterTypes()).map(TYPES::get).toList();
            int count = takes.size() + (method.getReturnType() == InternalRow.class ? 1 : 0);
            inject(spark, prefix + named.apply(method.getName()).toLowerCase(Locale.ROOT), count, args -> call(
                holder, method.getName(), args.subList(0, takes.size()), result(method, args), takes));
        }
    }

    /** The type of a call: a row's, and the scale of a Decimal, is the last argument, a literal. */
    private static DataType result(Method method, List<Expression> args) {
        Class<?> type = method.getReturnType();
        Expression last = args.get(args.size() - 1);
        if (type == InternalRow.class) return StructType.fromDDL(last.toString());
        if (type == ArrayData.class) return DataTypes.createArrayType(DataTypes.StringType, false);
        if (type != Decimal.class) return (DataType) TYPES.get(type);
        if (method.getParameterTypes()[args.size() - 1] != int.class) return UINT64;
        return new DecimalType(DecimalType.MAX_PRECISION(), (Integer) last.eval(null));
    }

    private static Expression call(
            Class<?> holder, String method, List<Expression> args, DataType result, List<AbstractDataType> takes) {
        return new StaticInvoke(holder, result, method, Columns.seq(args), Columns.seq(takes), true, true, true,
            Option.empty());
    }

    private static void inject(
            SparkSessionExtensions spark, String name, int takes, Function<List<Expression>, Expression> make) {
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
}
