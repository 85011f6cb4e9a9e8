package sluice.delta;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.OptimisticTransaction;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.VersionChecksum;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.SetTransaction;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import sluice.errors.ConditionException;

/**
 * Keeps a batch out of a table that has it, or a later one of the same writer, whoever commits it.
 *
 * <p>Each commit of a batch has Delta's transaction identifier: the writer as application, the batch
 * as version. One that was begun before another commit of its writer fails by Delta's own conflict
 * check, one that is begun after it fails here.
 */
public final class CommitFence {
    private CommitFence() {}

    /** Bind a transaction to its batch; the action that its commit has to have. */
    public static Action bind(OptimisticTransaction change, String writer, long batch) {
        check(change.snapshot(), writer, batch);
        change.readTxn().addOne(writer);
        return new SetTransaction(writer, batch, Option.apply(System.currentTimeMillis()));
    }

    /** Fail if the table at a path has the batch, or a later one, as of now. */
    public static void check(SparkSession session, String path, String writer, long batch) {
        check(DeltaLog.forTable(session, path).update(false, Option.empty(), Option.empty()), writer, batch);
    }

    private static void check(Snapshot table, String writer, long batch) {
        long stored = stored(table, writer);
        if (stored >= batch) {
            throw fenced(writer, batch, stored, null);
        }
    }

    /** A transaction that lost against another commit of its writer. */
    public static ConditionException lost(String writer, long batch, Throwable cause) {
        return fenced(writer, batch, batch, cause);
    }

    /** A batch that its table has already, or a later one. */
    private static ConditionException fenced(String writer, long batch, long newest, Throwable cause) {
        return new ConditionException(
                "COMMIT_FENCED", Map.of("writer", writer, "batch", batch, "newest", newest), cause);
    }

    /**
     * The newest batch of a writer, -1 for none. Delta has the identifiers in the checksum file of a
     * version; only where that is missing is the table's state rebuilt, by a Spark job.
     */
    private static long stored(Snapshot table, String writer) {
        if (table.version() < 0) {
            return -1;
        }
        Option<VersionChecksum> checksum = table.checksumOpt();
        Option<Seq<SetTransaction>> known =
                checksum.isDefined() ? checksum.get().setTransactions() : Option.empty();
        List<SetTransaction> all =
                CollectionConverters.asJava(known.isDefined() ? known.get() : table.setTransactions());
        return all.stream()
                .filter(each -> each.appId().equals(writer))
                .mapToLong(SetTransaction::version)
                .max()
                .orElse(-1);
    }
}
