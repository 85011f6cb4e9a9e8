package sluice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DecimalType$;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Tells Spark of the functions in {@link ClickHouse}: each public method is the function {@code
 * sluice_ch_} and its name. NULL among the arguments gives NULL.
 */
public final class ClickHouseFunctions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final Map<Class<?>, AbstractDataType> TYPES = Map.of(
        UTF8String.class, DataTypes.StringType, byte[].class, DataTypes.BinaryType,
        double.class, DataTypes.DoubleType, float.class, DataTypes.FloatType,
        long.class, DataTypes.LongType, int.class, DataTypes.IntegerType,
        Long.class, DataTypes.LongType, Integer.class, DataTypes.IntegerType,
        boolean.class, DataTypes.BooleanType, Decimal.class, DecimalType$.MODULE$);

    @Override
    public BoxedUnit apply(SparkSessionExtensions spark) {
        for (Method method : ClickHouse.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())) {
                inject(spark, method);
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
        Function1<Seq<Expression>, Expression> builder = new AbstractFunction1<>() {
            @Override
            public Expression apply(Seq<Expression> args) {
                if (CollectionConverters.asJava(args).size() != takes.size()) {
                    throw new IllegalArgumentException(name + " takes " + takes.size());
                }
                return new StaticInvoke(ClickHouse.class, gives(method, args), method.getName(),
                    args, seq(takes), true, true, true, Option.empty());
            }
        };
        spark.injectFunction(new Tuple3<>(new FunctionIdentifier(name),
            new ExpressionInfo(ClickHouse.class.getName(), name), builder));
    }

    /** The type of a call; of a Decimal the last argument, a literal, is the scale. */
    private static DataType gives(Method method, Seq<Expression> args) {
        if (method.getReturnType() != Decimal.class) {
            return (DataType) TYPES.get(method.getReturnType());
        }
        List<Expression> given = CollectionConverters.asJava(args);
        int scale = (Integer) given.get(given.size() - 1).eval(null);
        return new DecimalType(DecimalType.MAX_PRECISION(), scale);
    }

    private static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
