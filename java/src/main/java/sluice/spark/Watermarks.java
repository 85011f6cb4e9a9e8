package sluice.spark;

import java.util.UUID;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Watermarks that follow the slowest partition of a stream.
 *
 * <p>Spark's follows the newest row of a batch, whatever partition it is of. What it goes by is a
 * count that each batch keeps, and that is looked at when the batch has ended. So before that it is
 * replaced by what the stream's {@link PartitionTimes} say.
 */
public final class Watermarks {
    private static final String QUERY = "sql.streaming.queryId";

    private Watermarks() {}

    /** Replace the times of the batch that this thread runs; its rows have been made. */
    public static void settle(SparkSession spark) {
        String id = spark.sparkContext().getLocalProperty(QUERY);
        StreamExecution running = spark.sharedState().activeStreamingQueries().get(UUID.fromString(id));
        settle(running.lastExecution().executedPlan());
    }

    private static void settle(SparkPlan plan) {
        if (plan instanceof EventTimeWatermarkExec) {
            PartitionTimes times = below(plan);
            if (times != null) {
                var stats = ((EventTimeWatermarkExec) plan).eventTimeStats();
                stats.reset();
                times.slowest().ifPresent(stats::add);
            }
        }
        CollectionConverters.asJava(plan.children()).forEach(Watermarks::settle);
    }

    /** The times that are noted nearest below a node. */
    private static PartitionTimes below(SparkPlan plan) {
        for (Expression each : CollectionConverters.asJava(plan.expressions())) {
            PartitionTimes found = in(each);
            if (found != null) {
                return found;
            }
        }
        for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
            PartitionTimes found = below(child);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static PartitionTimes in(Expression expression) {
        if (expression instanceof Literal && ((Literal) expression).value() instanceof PartitionTimes) {
            return (PartitionTimes) ((Literal) expression).value();
        }
        for (Expression child : CollectionConverters.asJava(expression.children())) {
            PartitionTimes found = in(child);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
