package sluice;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The functions of {@link Regex} for Spark's SQL, in every session. */
public final class RegexFunctions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final DataType TEXT = DataTypes.StringType;
    private static final DataType NUMBER = DataTypes.IntegerType;
    private static final DataType TEXTS = DataTypes.createArrayType(TEXT, false);

    @Override
    public BoxedUnit apply(SparkSessionExtensions spark) {
        inject(spark, "sluice_regexp_like", "like", DataTypes.BooleanType, TEXT, TEXT);
        inject(spark, "sluice_regexp_extract", "extract", TEXT, TEXT, TEXT, NUMBER);
        inject(spark, "sluice_regexp_first", "first", TEXT, TEXT, TEXT, NUMBER);
        inject(spark, "sluice_regexp_extract_all", "extractAll", TEXTS, TEXT, TEXT, NUMBER);
        inject(spark, "sluice_regexp_replace", "replaceAll", TEXT, TEXT, TEXT, TEXT);
        inject(spark, "sluice_regexp_replace_first", "replaceFirst", TEXT, TEXT, TEXT, TEXT);
        inject(spark, "sluice_regexp_split", "split", TEXTS, TEXT, TEXT);
        return BoxedUnit.UNIT;
    }

    /** A method of Regex under a name; NULL gives NULL. */
    private static void inject(SparkSessionExtensions spark, String name, String method, DataType gives,
            DataType... takes) {
        Seq<AbstractDataType> types = seq(Arrays.<AbstractDataType>asList(takes));
        Function1<Seq<Expression>, Expression> make = new AbstractFunction1<>() {
            @Override
            public Expression apply(Seq<Expression> args) {
                if (CollectionConverters.asJava(args).size() != takes.length) {
                    throw new IllegalArgumentException(name + " takes " + takes.length + " arguments");
                }
                return new StaticInvoke(Regex.class, gives, method, args, types, true, true, true,
                    Option.empty());
            }
        };
        spark.injectFunction(new Tuple3<>(new FunctionIdentifier(name),
            new ExpressionInfo(Regex.class.getName(), name), make));
    }

    private static <T> Seq<T> seq(List<T> items) {
        return scala.collection.immutable.List.from(CollectionConverters.asScala(items));
    }
}
