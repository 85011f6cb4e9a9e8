package sluice.spark;

import java.util.NoSuchElementException;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.status.AppStatusStore;
import org.apache.spark.status.api.v1.JobData;
import org.apache.spark.status.api.v1.StageData;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** How much the jobs of a statement have read, which Spark knows of their stages. */
public final class JobInput {
    private static final String OF_DELTA = "Delta: ";
    private static final long PATIENCE_MS = 200;

    private JobInput() {}

    /**
     * Rows and bytes that the jobs with a tag have read so far. Those that Delta Lake runs to read its own log do not
     * count. Of jobs that have {@code ended} what they told last is awaited, for a moment.
     */
    public static long[] of(SparkContext context, String tag, boolean ended) {
        if (ended) {
            settle(context);
        }
        AppStatusStore store = context.statusStore();
        long[] read = new long[2];
        Iterator<JobData> jobs = store.jobsList(null).iterator();
        while (jobs.hasNext()) {
            JobData job = jobs.next();
            if (job.jobTags().contains(tag) && !isOfDelta(job)) {
                add(store, job, read);
            }
        }
        return read;
    }

    private static boolean isOfDelta(JobData job) {
        return job.description().isDefined() && job.description().get().contains(OF_DELTA);
    }

    private static void add(AppStatusStore store, JobData job, long[] read) {
        for (Object id : CollectionConverters.asJava(job.stageIds())) {
            try {
                StageData stage = store.lastStageAttempt((Integer) id);
                read[0] += stage.inputRecords();
                read[1] += stage.inputBytes();
            } catch (NoSuchElementException forgotten) {
                continue; // Spark keeps the last stages only
            }
        }
    }

    private static void settle(SparkContext context) {
        try {
            context.listenerBus().waitUntilEmpty(PATIENCE_MS);
        } catch (TimeoutException late) {
            return; // what is known by then is what is told
        }
    }
}
