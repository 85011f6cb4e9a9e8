package sluice.functions;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DecimalType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Tells Spark of ClickHouse's functions that it has none of: each public method of a holder is the
 * function {@code sluice_ch_} and its name. NULL among the arguments gives NULL. A method that gives a
 * row takes the row's type as one more argument, a literal.
 */
public final class ClickHouseFunctions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final List<Class<?>> HOLDERS = List.of(ClickHouse.class, Letters.class, Hex.class,
        JsonPaths.class, SimpleJson.class);
    private static final DataType UINT64 = DataTypes.createDecimalType(20, 0);
    private static final Map<Class<?>, AbstractDataType> TYPES = Map.of(
        UTF8String.class, DataTypes.StringType, ArrayData.class, ArrayType.apply(DataTypes.StringType),
        double.class, DataTypes.DoubleType, float.class, DataTypes.FloatType,
        long.class, DataTypes.LongType, int.class, DataTypes.IntegerType,
        Long.class, DataTypes.LongType, Integer.class, DataTypes.IntegerType,
        boolean.class, DataTypes.BooleanType, Decimal.class, DecimalType$.MODULE$);

    @Override
    public BoxedUnit apply(SparkSessionExtensions spark) {
        for (Class<?> holder : HOLDERS) {
            for (Method method : holder.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())) {
                    inject(spark, method);
                }
            }
        }
        return BoxedUnit.UNIT;
    }

    private static void inject(SparkSessionExtensions spark, Method method) {
        String name = "sluice_ch_" + method.getName().toLowerCase();
        List<AbstractDataType> takes = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            takes.add(TYPES.get(type));
        }
        boolean typed = method.getReturnType() == InternalRow.class;
        Function1<Seq<Expression>, Expression> builder = new AbstractFunction1<>() {
            @Override
            public Expression apply(Seq<Expression> args) {
                List<Expression> given = CollectionConverters.asJava(args);
                if (given.size() != takes.size() + (typed ? 1 : 0)) {
                    throw new IllegalArgumentException(name + " takes " + takes.size());
                }
                return new StaticInvoke(method.getDeclaringClass(), gives(method, given),
                    method.getName(), seq(given.subList(0, takes.size())), seq(takes), true, true, true,
                    Option.empty());
            }
        };
        spark.injectFunction(new Tuple3<>(new FunctionIdentifier(name),
            new ExpressionInfo(method.getDeclaringClass().getName(), name), builder));
    }

    /** The type of a call: a row's, and the scale of a Decimal, is the last argument, a literal. */
    private static DataType gives(Method method, List<Expression> given) {
        Class<?> type = method.getReturnType();
        Expression last = given.get(given.size() - 1);
        if (type == InternalRow.class) return StructType.fromDDL(last.toString());
        if (type == ArrayData.class) return DataTypes.createArrayType(DataTypes.StringType, false);
        if (type != Decimal.class) return (DataType) TYPES.get(type);
        if (method.getParameterTypes()[given.size() - 1] != int.class) return UINT64;
        return new DecimalType(DecimalType.MAX_PRECISION(), (Integer) last.eval(null));
    }

    private static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
