package sluice.spark;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.classic.Dataset;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** What is known of a query before it runs. */
public final class Plans {
    private static final long FEW = 1_000_000;

    private Plans() {}

    /**
     * Whether a query reads nothing but rows that are in memory, and has no step of many rows.
     *
     * <p>The physical plan is made here as well, with the jobs that a table's list of files needs:
     * they are short whatever the query is.
     */
    public static boolean isShort(Dataset<Row> rows) {
        rows.queryExecution().executedPlan();
        return isShort(rows.queryExecution().optimizedPlan());
    }

    private static boolean isShort(LogicalPlan plan) {
        return plan.find(node -> !isSmall(node)).isEmpty() && !plan.subqueriesAll().iterator().hasNext();
    }

    private static boolean isSmall(LogicalPlan node) {
        int children = CollectionConverters.asJava(node.children()).size();
        if (children == 1) { // has at most the rows of its child
            return !(node instanceof Generate);
        }
        boolean inMemory =
                node instanceof LocalRelation
                        || node instanceof OneRowRelation
                        || node instanceof Range;
        Option<Object> most = node.maxRows();
        return (inMemory || children > 1)
                && most.isDefined()
                && ((Number) most.get()).longValue() <= FEW;
    }
}
