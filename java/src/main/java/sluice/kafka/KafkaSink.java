package sluice.kafka;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.functions;
import org.apache.spark.util.LongAccumulator;
import scala.Option;
import sluice.jobs.Jobs;

/**
 * Kafka as a target of rows, on the driver: at least once, exactly once, or neither.
 *
 * <p>The tasks are {@link Transact} for exactly once, {@link Deliver} for the others.
 */
public final class KafkaSink {
    private static final String TASKS = "sluice.tasks";
    private static final long MEMORY = 128L << 20, LEAST = 8L << 20, MOST = 64L << 20;

    private final String topic;
    private final String guarantee;
    private final String partitioner;
    private final String name;
    private final String group;
    private final Map<String, Object> properties;

    /**
     * {@code name} is the prefix of the producers' names, {@code group} that of the markers' groups.
     * Without a name no producer outlives its task; without a topic each row names its own.
     */
    public KafkaSink(
            String topic, String guarantee, String partitioner, String name, String group, Map<String, String> properties) {
        this.topic = topic;
        this.guarantee = guarantee;
        this.partitioner = partitioner;
        this.name = name;
        this.group = group;
        this.properties = new HashMap<>(properties);
    }

    /** Whether a class that chooses partitions is there, by its name. */
    public static boolean isPartitioner(String name) {
        try {
            Class<?> found = Class.forName(name, false, KafkaSink.class.getClassLoader());
            return Partitioner.class.isAssignableFrom(found) && found != Partitioner.class;
        } catch (ClassNotFoundException | LinkageError missing) {
            return false;
        }
    }

    /** How many partitions the topic has. */
    public int partitions() {
        return asked(admin ->
            Transactions.answer(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().size());
    }

    /** The longest transaction that the brokers allow, in milliseconds; 0 if they do not tell. */
    public long longest() {
        return asked(Transactions::longest);
    }

    /** End the open transactions whose names match; how many there were. */
    public int settle(String pattern) {
        return asked(admin -> {
            List<String> found = Transactions.pending(admin, Pattern.compile(pattern));
            found.forEach(each -> Transactions.end(properties, each));
            return found.size();
        });
    }

    /** The server that owns the sink; the empty text for none. */
    public String owner() {
        return asked(admin -> Transactions.owner(admin, group, topic));
    }

    /** Own the sink from now on; producers that wrote to it before are fenced. */
    public void claim(String owner) {
        Producers.close(name + "-"); // those of this JVM are fenced as well
        asked(admin -> {
            Transactions.claim(admin, properties, group, name, topic, owner);
            return null;
        });
    }

    /** For each task that has written something: the batch, and what was noted with it. */
    public Map<Integer, Object[]> written() {
        return asked(admin -> Transactions.written(admin, group, topic));
    }

    private <T> T asked(Function<Admin, T> question) {
        return KafkaFaults.naming(() -> {
            try (Admin admin = Admin.create(properties)) {
                return question.apply(admin);
            }
        });
    }

    /** The rows in more tasks if there are fewer than {@code writers}; by key, or by value. */
    public Dataset<Row> spread(Dataset<Row> frame, int writers) {
        if (writers <= frame.queryExecution().toRdd().getNumPartitions()) {
            return frame;
        }
        Column by = functions.hash(functions.coalesce(frame.col("key"), frame.col("value")));
        return (Dataset<Row>) frame.repartition(writers, by);
    }

    /**
     * How rows are cut into tasks: how many those are, then what decides where a row goes. A batch
     * that is cut in the same way again has the same rows in each task.
     */
    public String cut(Dataset<Row> frame, int writers) {
        var way = frame.queryExecution().executedPlan().outputPartitioning();
        return tasks(frame, writers) + " " + way.getClass().getSimpleName();
    }

    private static int tasks(Dataset<Row> frame, int writers) {
        int tasks = frame.queryExecution().toRdd().getNumPartitions();
        return writers > 0 ? Math.min(writers, tasks) : tasks;
    }

    /**
     * Write a batch and return when all of its tasks are done: how many messages they have sent.
     * {@code note} is kept with it, if it is written once; {@code owner} is the server that does.
     */
    public long write(Dataset<Row> frame, int writers, long batch, String note, String owner) {
        RDD<InternalRow> rows = frame.queryExecution().toRdd();
        int tasks = tasks(frame, writers);
        if (tasks < rows.getNumPartitions()) {
            rows = rows.coalesce(tasks, false, Option.apply(new NeighbourCoalescer()), null);
        }
        if (tasks == 0) {
            return 0;
        }
        var context = rows.sparkContext();
        LongAccumulator sent = context.longAccumulator();
        context.setLocalProperty(TASKS, String.valueOf(tasks));
        try {
            Jobs.each(rows, task(note, owner, sent, tasks, batch));
        } finally {
            context.setLocalProperty(TASKS, null);
        }
        return sent.value();
    }

    private VoidFunction<Iterator<InternalRow>> task(
            String note, String owner, LongAccumulator sent, int tasks, long batch) {
        Map<String, Object> own = new HashMap<>(properties);
        own.putIfAbsent("buffer.memory", String.valueOf(Math.max(LEAST, Math.min(MOST, MEMORY / tasks))));
        SinkTask sink = new SinkTask(topic, name, group, partitioner, note, owner, sent, own);
        boolean once = guarantee.equals("exactly-once");
        return once ? new Transact(sink, batch) : new Deliver(sink, !guarantee.equals("none"));
    }

    /** Let go of the producers in this JVM; those in others go when they have been idle. */
    public void close() {
        if (!name.isEmpty()) {
            Producers.close(name + "-");
        }
    }
}
