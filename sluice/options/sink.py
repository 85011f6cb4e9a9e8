"""Options of writing messages."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.parameters.kinds import ClassName, Duration, Flag, Integer, Text
from sluice.parameters.option import NO_EFFECT, SINK, UPSERT, Option

GUARANTEES = ("at-least-once", "exactly-once", "none")
FIXED = "fixed"
PARTITIONERS = ("default", FIXED, "round-robin")
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

LEVELS = {"gzip": (0, 9), "lz4": (0, 12), "snappy": (0, 0), "zstd": (0, 12)}
"""How hard each codec can compress."""

_KAFKA = ("kafka",)
_BUFFER = "the batch is the buffer: of each key a batch writes its last change alone"

SINK_OPTIONS = (
    Option("partitioner", {"flink": "sink.partitioner", "dli": "connector.sink-partitioner"}, ClassName(),
           "The partitioner: default (by key, as Kafka does), fixed (one partition per task), round-robin, or a class that the operator has allowed (DLI: custom). An upsert-kafka table (DLI) is partitioned by key also with fixed and round-robin.", "default",
           scope=SINK, connectors=_KAFKA, dli_upsert=True),
    Option("partitioner_class", {"dli": "connector.sink-partitioner-class"}, ClassName(), "The class of a custom partitioner.", scope=SINK),
    Option("guarantee", {"flink": "sink.delivery-guarantee"}, Text(GUARANTEES), "The delivery guarantee: whether a row can be lost or duplicated.", "at-least-once", scope=SINK,
           says="Could not parse value '{value}' for key '{name}'. Expected one of: [[exactly-once, at-least-once, none]]"),
    Option("semantic", {"flink": "sink.semantic"}, Text(GUARANTEES, exact=True, also={"at-lease-once": "at-least-once"}),
           "The older name of sink.delivery-guarantee; requires no transactional id prefix.", "at-least-once", scope=SINK, connectors=_KAFKA,
           says="Unsupported value '{value}' for '{name}'. Supported values are ['at-least-once', 'exactly-once', 'none']."),
    Option("transactional_id_prefix", {"flink": "sink.transactional-id-prefix"}, Text(), "The prefix of the transactional ids, for exactly-once.", scope=SINK),
    Option("transaction_naming", {"flink": "sink.transaction-naming-strategy"}, Text(("DEFAULT", "INCREMENTING", "POOLING")), "How transactional ids are chosen.",
           "DEFAULT", scope=SINK, status=NO_EFFECT, why="a transactional id consists of job, generation, output and task"),
    Option("writers", {"flink": "sink.parallelism"}, Integer(1), "The number of tasks that write; the parallelism of the query if it is not set.", scope=SINK),
    Option("latency", {"flink": "sink.latency"}, Text(("batch", "realtime")), "realtime: each message is written as it arrives, at least once, by continuously running tasks; batch: messages are written in micro-batches.",
           "batch", scope=SINK, connectors=_KAFKA),
    Option("buffer_rows", {"flink": "sink.buffer-flush.max-rows"}, Integer(), "The number of rows that are buffered so that newer rows with the same key replace them.", 0,
           scope=SINK, status=NO_EFFECT, why=_BUFFER, connectors=(UPSERT,)),
    Option("buffer_interval", {"flink": "sink.buffer-flush.interval"}, Duration(), "The maximum time for which rows are buffered.", 0, scope=SINK, status=NO_EFFECT, why=_BUFFER, connectors=(UPSERT,)),
    Option("ignore_retraction", {"dli": "connector.sink.ignore-retraction"}, Flag(), "true: nothing is written for a deleted row; false: a tombstone with its key.", False,
           scope=SINK, connectors=(UPSERT,)),
    Option("max_rows_per_message", {"clickhouse": "kafka_max_rows_per_message"}, Integer(1), "The number of rows in a message that is written.", 1, scope=SINK),
    Option("compression_codec", {"clickhouse": "kafka_compression_codec"}, Text(("", *CODECS)), "The compression codec of the messages that are written.", "", scope=SINK),
    Option("compression_level", {"clickhouse": "kafka_compression_level"}, Integer(-1, 12), "The compression level; -1 is the codec's default.", -1, scope=SINK),
)  # fmt: skip
