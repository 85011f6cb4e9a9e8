"""Options of reading: start and end offsets, batch sizes, handling of bad messages."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.parameters.kinds import Duration, Flag, Integer, Offsets, Text
from sluice.parameters.option import NO_EFFECT, REFUSED, SOURCE, Option

MAX_BLOCK = 1_048_576
FLUSH_MS = 500

STARTS = ("earliest-offset", "latest-offset", "group-offsets", "specific-offsets", "timestamp")
STOPS = ("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets")
ERROR_MODES = ("default", "stream", "dead_letter_queue")

_KAFKA = ("kafka",)
_ALIGNED = "sources are not aligned; rows of a partition that is ahead are kept as state until the others catch up"
_LEDGER = "a failed batch is always retried with exactly the same offset ranges"
_MODES = "Invalid value for option '{name}'. Supported values are [%s], but was: {value}"
_FORM = "Invalid properties '{name}' should follow the format 'partition:0,offset:42;partition:1,offset:300', but is '{value}'."

SCAN = (
    Option("start", {"flink": "scan.startup.mode", "dli": "connector.startup-mode"}, Text(STARTS, exact=True),
           "The startup mode: where a job that has no position yet starts to read.", "group-offsets", scope=SOURCE, connectors=_KAFKA,
           says=_MODES % ", ".join(STARTS)),
    Option("start_offsets", {"flink": "scan.startup.specific-offsets", "dli": "connector.specific-offsets"}, Offsets(),
           "The start offset of each partition, for specific-offsets.", scope=SOURCE, connectors=_KAFKA, says=_FORM),
    Option("start_timestamp", {"flink": "scan.startup.timestamp-millis", "dli": "connector.startup-timestamp-millis"}, Integer(),
           "The start timestamp in milliseconds since the epoch, for timestamp.", scope=SOURCE, connectors=_KAFKA),
    Option("stop", {"flink": "scan.bounded.mode"}, Text(STOPS, exact=True), "Where reading ends: the bounded mode.", "unbounded", scope=SOURCE,
           says=_MODES % ", ".join(STOPS)),
    Option("stop_offsets", {"flink": "scan.bounded.specific-offsets"}, Offsets(), "The end offset of each partition, exclusive.",
           scope=SOURCE, says=_FORM),
    Option("stop_timestamp", {"flink": "scan.bounded.timestamp-millis"}, Integer(), "The end timestamp in milliseconds since the epoch, exclusive.",
           scope=SOURCE),
    Option("discovery", {"flink": "scan.topic-partition-discovery.interval"}, Duration(), "The interval at which new topics and partitions are discovered; discovery is off if it is not set or 0.",
           scope=SOURCE, theirs={"flink": "5 min"}),
    Option("idle_timeout", {"flink": "scan.watermark.idle-timeout"}, Duration(),
           "The time after which a partition without rows is idle and no longer holds the watermark back; never if it is not set or 0.", scope=SOURCE, connectors=_KAFKA),
    Option("alignment_group", {"flink": "scan.watermark.alignment.group"}, Text(), "The group of sources whose watermarks are aligned.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("alignment_drift", {"flink": "scan.watermark.alignment.max-drift"}, Duration(), "The maximum drift between the watermarks of the sources.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("alignment_interval", {"flink": "scan.watermark.alignment.update-interval"}, Duration(), "The interval at which the watermarks of the sources are compared.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("offset_reset", {"flink": "properties.auto.offset.reset", "dli": "connector.properties.auto.offset.reset"},
           Text(("latest", "earliest", "none"), exact=True), "Where to start if the group has no committed offsets.", scope=SOURCE,
           says="auto.offset.reset can not be set to {value}. Valid values: [latest,earliest,none]"),
    Option("auto_commit", {"flink": "properties.enable.auto.commit", "dli": "connector.properties.enable.auto.commit"}, Flag(),
           "Whether the Kafka client commits offsets automatically.", scope=SOURCE, status=NO_EFFECT, why="offsets are committed after each batch"),
    Option("commit_offsets", {"flink": "properties.commit.offsets.on.checkpoint", "dli": "connector.properties.commit.offsets.on.checkpoint"}, Flag(),
           "Whether offsets are committed to the consumer group.", True, scope=SOURCE),
    Option("readers", {"clickhouse": "kafka_num_consumers", "flink": "scan.parallelism"}, Integer(1, subject="Number of consumers"),
           "The minimum number of tasks that read; if it exceeds the number of partitions, their offset ranges are split. One task reads a batch of up to 5000 messages if it is not set, all cores a larger one.", scope=SOURCE, theirs={"clickhouse": "1"}),
    Option("disable_num_consumers_limit", {"clickhouse": "kafka_disable_num_consumers_limit"}, Flag(),
           "Allows more consumers than the machine has cores.", False, scope=SOURCE),
    Option("max_block_size", {"clickhouse": "kafka_max_block_size"}, Integer(), "The maximum number of messages in a batch; a batch starts as soon as that many are available. 0 is the default.", MAX_BLOCK, scope=SOURCE),
    Option("flush_interval_ms", {"clickhouse": "kafka_flush_interval_ms"}, Integer(), "How long messages wait for a batch to fill up: since the first of them if this is set, else since the previous batch.", FLUSH_MS, scope=SOURCE,
           theirs={"clickhouse": "7500"}),
    Option("poll_timeout_ms", {"clickhouse": "kafka_poll_timeout_ms"}, Integer(), "The timeout of a poll.", scope=SOURCE, status=NO_EFFECT,
           why="reading never blocks on a poll", theirs={"clickhouse": "500"}),
    Option("poll_max_batch_size", {"clickhouse": "kafka_poll_max_batch_size"}, Integer(), "The maximum number of messages returned by a poll; a batch uses as many polls as it needs. 0 is the default.", scope=SOURCE,
           theirs={"clickhouse": "65536"}),
    Option("consumer_reschedule_ms", {"clickhouse": "kafka_consumer_reschedule_ms"}, Integer(), "The interval at which new messages are looked for; 250 ms if it is not set.", scope=SOURCE,
           theirs={"clickhouse": "500"}),
    Option("on_data_loss", {"clickhouse": "kafka_on_data_loss"}, Text(("stop", "skip")), "What to do when Kafka has deleted messages that were not read: stop with an error, or continue after them and record their offset ranges in system.pipeline_events.",
           "stop", scope=SOURCE),
    Option("schema_drift", {"clickhouse": "kafka_schema_drift", "flink": "schema.drift"}, Text(("ignore", "fail", "evolve")),
           "What a column means that a change of a database has and the table has not: it is ignored, the message is bad, or the column is added to the stored table that SELECT * is written to. For change data.", "ignore", scope=SOURCE),
    Option("consumers_pool_ttl_ms", {"clickhouse": "kafka_consumers_pool_ttl_ms"}, Integer(), "How long an idle consumer is kept.", scope=SOURCE,
           status=NO_EFFECT, why="Spark manages its own pool of consumers", theirs={"clickhouse": "60000"}),
    Option("thread_per_consumer", {"clickhouse": "kafka_thread_per_consumer"}, Flag(), "Whether each consumer writes its blocks independently.", False, scope=SOURCE,
           status=NO_EFFECT, why="tasks always run in parallel, and a batch is committed as a unit"),
    Option("commit_every_batch", {"clickhouse": "kafka_commit_every_batch"}, Flag(), "Whether offsets are committed before a block is written.", False,
           scope=SOURCE, status=NO_EFFECT, why="that would lose rows; a batch is always committed as a unit"),
    Option("transactions", {"clickhouse": "kafka_debezium_transactions", "flink": "debezium.transactions"}, Text(), "Debezium's transaction topic: a batch never ends within a source transaction. Needs provide.transaction.metadata = true in the connector, and a Debezium format here.",
           scope=SOURCE, connectors=_KAFKA),
    Option("transactions_timeout", {"clickhouse": "kafka_debezium_transactions_timeout_ms", "flink": "debezium.transactions.timeout"}, Duration(),
           "How long after its last event a source transaction may stay incomplete; then it is read as it is, and recorded in system.pipeline_events.", 60_000, scope=SOURCE, connectors=_KAFKA),
    Option("commit_on_select", {"clickhouse": "kafka_commit_on_select"}, Flag(), "Whether a SELECT commits offsets to the consumer group.", False, scope=SOURCE),
    Option("skip_broken_messages", {"clickhouse": "kafka_skip_broken_messages"}, Integer(), "The number of messages of a batch that may be skipped because they cannot be parsed; one more stops the batch.", 0, scope=SOURCE),
    Option("handle_error_mode", {"clickhouse": "kafka_handle_error_mode"}, Text(ERROR_MODES), "How a bad message is handled: it stops the batch, becomes a row with _error, or is written to system.dead_letter_queue.",
           "default", scope=SOURCE),
    Option("keeper_path", {"clickhouse": "kafka_keeper_path"}, Text(), "The path of the table's state in Keeper; {database}, {table}, {uuid} and {replica} are substituted.",
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("replica_name", {"clickhouse": "kafka_replica_name"}, Text(), "The replica's name in Keeper; requires kafka_keeper_path.",
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("offsets_in_keeper", {"clickhouse": "allow_experimental_kafka_offsets_storage_in_keeper"}, Flag(), "Allows kafka_keeper_path and kafka_replica_name.", False,
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("direct_select", {"clickhouse": "stream_like_engine_allow_direct_select"}, Flag(), "Whether a SELECT may read the table.", scope=SOURCE,
           status=NO_EFFECT, why="a SELECT may always read the table"),
)  # fmt: skip
