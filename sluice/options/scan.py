"""Options that say where reading begins and ends, what a batch is, and what a bad message does."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import Duration, Flag, Offsets, Text, Whole
from sluice.options.option import NO_EFFECT, REFUSED, SOURCE, Option

MAX_BLOCK = 1_048_576
FLUSH_MS = 500

STARTS = ("earliest-offset", "latest-offset", "group-offsets", "specific-offsets", "timestamp")
STOPS = ("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets")
ERROR_MODES = ("default", "stream", "dead_letter_queue")

_KAFKA = ("kafka",)
_ALIGNED = "sources are not aligned; a partition that is ahead fills the state until the others have come as far"
_LEDGER = "the ledger repeats a failed batch exactly, always"
_MODES = "Invalid value for option '{name}'. Supported values are [%s], but was: {value}"
_FORM = "Invalid properties '{name}' should follow the format 'partition:0,offset:42;partition:1,offset:300', but is '{value}'."

SCAN = (
    Option("start", {"flink": "scan.startup.mode", "dli": "connector.startup-mode"}, Text(STARTS, exact=True),
           "Where a table without progress of its own begins.", "group-offsets", scope=SOURCE, connectors=_KAFKA,
           says=_MODES % ", ".join(STARTS)),
    Option("start_offsets", {"flink": "scan.startup.specific-offsets", "dli": "connector.specific-offsets"}, Offsets(),
           "The offset of each partition, for specific-offsets.", scope=SOURCE, connectors=_KAFKA, says=_FORM),
    Option("start_timestamp", {"flink": "scan.startup.timestamp-millis", "dli": "connector.startup-timestamp-millis"}, Whole(),
           "The time to begin at in milliseconds, for timestamp.", scope=SOURCE, connectors=_KAFKA),
    Option("stop", {"flink": "scan.bounded.mode"}, Text(STOPS, exact=True), "Where reading ends.", "unbounded", scope=SOURCE,
           says=_MODES % ", ".join(STOPS)),
    Option("stop_offsets", {"flink": "scan.bounded.specific-offsets"}, Offsets(), "The offset of each partition to end at, exclusive.",
           scope=SOURCE, says=_FORM),
    Option("stop_timestamp", {"flink": "scan.bounded.timestamp-millis"}, Whole(), "The time to end at in milliseconds, exclusive.",
           scope=SOURCE),
    Option("discovery", {"flink": "scan.topic-partition-discovery.interval"}, Duration(), "How often new topics and partitions are looked for; they are not if it is unset or 0.",
           scope=SOURCE, connectors=_KAFKA, theirs={"flink": "5 min"}),
    Option("idle_timeout", {"flink": "scan.watermark.idle-timeout"}, Duration(),
           "After how long a partition without rows no longer holds the watermark back; never if it is unset or 0.", scope=SOURCE, connectors=_KAFKA),
    Option("alignment_group", {"flink": "scan.watermark.alignment.group"}, Text(), "Which sources are to be read at the same pace.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("alignment_drift", {"flink": "scan.watermark.alignment.max-drift"}, Duration(), "How far sources may be apart.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("alignment_interval", {"flink": "scan.watermark.alignment.update-interval"}, Duration(), "How often sources are compared.", scope=SOURCE, connectors=_KAFKA,
           status=REFUSED, why=_ALIGNED),
    Option("offset_reset", {"flink": "properties.auto.offset.reset", "dli": "connector.properties.auto.offset.reset"},
           Text(("latest", "earliest", "none"), exact=True), "Where a group without offsets begins.", scope=SOURCE,
           says="auto.offset.reset can not be set to {value}. Valid values: [latest,earliest,none]"),
    Option("auto_commit", {"flink": "properties.enable.auto.commit", "dli": "connector.properties.enable.auto.commit"}, Flag(),
           "Whether the client commits offsets by itself.", scope=SOURCE, status=NO_EFFECT, why="offsets are committed behind each batch"),
    Option("commit_offsets", {"flink": "properties.commit.offsets.on.checkpoint", "dli": "connector.properties.commit.offsets.on.checkpoint"}, Flag(),
           "Whether the group is told what was read.", True, scope=SOURCE),
    Option("readers", {"clickhouse": "kafka_num_consumers", "flink": "scan.parallelism"}, Whole(1, subject="Number of consumers"),
           "Least number of tasks that read: more than there are partitions split their ranges; all cores are used.", scope=SOURCE, theirs={"clickhouse": "1"}),
    Option("disable_num_consumers_limit", {"clickhouse": "kafka_disable_num_consumers_limit"}, Flag(),
           "Allows more consumers than the machine has cores.", False, scope=SOURCE),
    Option("max_block_size", {"clickhouse": "kafka_max_block_size"}, Whole(), "Most messages in a batch, and enough for one; 0 means the default.", MAX_BLOCK, scope=SOURCE),
    Option("flush_interval_ms", {"clickhouse": "kafka_flush_interval_ms"}, Whole(), "How long messages wait for a batch to fill: from the first of them if this is given, else from the batch before.", FLUSH_MS, scope=SOURCE,
           theirs={"clickhouse": "7500"}),
    Option("poll_timeout_ms", {"clickhouse": "kafka_poll_timeout_ms"}, Whole(), "How long a poll waits.", scope=SOURCE, status=NO_EFFECT,
           why="reading never waits on a poll", theirs={"clickhouse": "500"}),
    Option("poll_max_batch_size", {"clickhouse": "kafka_poll_max_batch_size"}, Whole(), "Most messages of a poll; a batch has as many polls as it needs. 0 means the default.", scope=SOURCE,
           theirs={"clickhouse": "65536"}),
    Option("consumer_reschedule_ms", {"clickhouse": "kafka_consumer_reschedule_ms"}, Whole(), "How often messages are looked for; every 200 ms if it is not given.", scope=SOURCE,
           theirs={"clickhouse": "500"}),
    Option("on_data_loss", {"clickhouse": "kafka_on_data_loss"}, Text(("stop", "skip")), "What to do when Kafka has deleted messages that were not read: stop and say so, or go on behind them and note in system.pipeline_events which they were.",
           "stop", scope=SOURCE),
    Option("consumers_pool_ttl_ms", {"clickhouse": "kafka_consumers_pool_ttl_ms"}, Whole(), "How long an idle consumer is kept.", scope=SOURCE,
           status=NO_EFFECT, why="Spark keeps and closes its consumers itself", theirs={"clickhouse": "60000"}),
    Option("thread_per_consumer", {"clickhouse": "kafka_thread_per_consumer"}, Flag(), "Whether each consumer writes by itself.", False, scope=SOURCE,
           status=NO_EFFECT, why="tasks always work in parallel, and a batch is committed whole"),
    Option("commit_every_batch", {"clickhouse": "kafka_commit_every_batch"}, Flag(), "Whether offsets are committed before a block is written.", False,
           scope=SOURCE, status=NO_EFFECT, why="that would lose rows; a batch is always committed whole"),
    Option("commit_on_select", {"clickhouse": "kafka_commit_on_select"}, Flag(), "Whether a SELECT moves the group.", False, scope=SOURCE),
    Option("skip_broken_messages", {"clickhouse": "kafka_skip_broken_messages"}, Whole(), "How many messages of a batch may be skipped because they cannot be parsed; one more stops the batch.", 0, scope=SOURCE),
    Option("handle_error_mode", {"clickhouse": "kafka_handle_error_mode"}, Text(ERROR_MODES), "What a bad message does: stop the batch, become a row of its own, or go to system.dead_letter_queue.",
           "default", scope=SOURCE),
    Option("keeper_path", {"clickhouse": "kafka_keeper_path"}, Text(), "Where the table's state is kept; {database}, {table}, {uuid} and {replica} are filled in.",
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("replica_name", {"clickhouse": "kafka_replica_name"}, Text(), "The replica's name there; stands together with kafka_keeper_path.",
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("offsets_in_keeper", {"clickhouse": "allow_experimental_kafka_offsets_storage_in_keeper"}, Flag(), "Allows those two.", False,
           scope=SOURCE, status=NO_EFFECT, why=_LEDGER),
    Option("direct_select", {"clickhouse": "stream_like_engine_allow_direct_select"}, Flag(), "Whether a SELECT may read the table.", scope=SOURCE,
           status=NO_EFFECT, why="a SELECT may always read it"),
)  # fmt: skip
