"""Options that say how messages are written."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import ClassName, Duration, Flag, Text, Whole
from sluice.options.option import KEPT, NO_EFFECT, SINK, UPSERT, Option

GUARANTEES = ("at-least-once", "exactly-once", "none")
PARTITIONERS = ("default", "fixed", "round-robin")
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

LEVELS = {"gzip": (0, 9), "lz4": (0, 12), "snappy": (0, 0), "zstd": (0, 12)}
"""How hard each codec can compress."""

_KAFKA = ("kafka",)

SINK_OPTIONS = (
    Option("partitioner", {"flink": "sink.partitioner", "dli": "connector.sink-partitioner"}, ClassName(),
           "Which partition a row goes to: default (by key, as Kafka does), fixed (one for each task), round-robin, or a class that the operator has allowed (DLI: custom).", "default",
           scope=SINK),
    Option("partitioner_class", {"dli": "connector.sink-partitioner-class"}, ClassName(), "The class of a custom partitioner.", scope=SINK),
    Option("guarantee", {"flink": "sink.delivery-guarantee"}, Text(GUARANTEES), "Whether a row can be lost or doubled.", "at-least-once", scope=SINK,
           says="Could not parse value '{value}' for key '{name}'. Expected one of: [[exactly-once, at-least-once, none]]"),
    Option("semantic", {"flink": "sink.semantic"}, Text(GUARANTEES, exact=True, also={"at-lease-once": "at-least-once"}),
           "The older name of sink.delivery-guarantee; needs no prefix.", "at-least-once", scope=SINK, connectors=_KAFKA,
           says="Unsupported value '{value}' for '{name}'. Supported values are ['at-least-once', 'exactly-once', 'none']."),
    Option("transactional_id_prefix", {"flink": "sink.transactional-id-prefix"}, Text(), "How the names of transactions begin, for exactly-once.", scope=SINK),
    Option("transaction_naming", {"flink": "sink.transaction-naming-strategy"}, Text(("DEFAULT", "INCREMENTING", "POOLING")), "How transactions are named.",
           "DEFAULT", scope=SINK, status=NO_EFFECT, why="a transaction is named after its job, generation, output and task"),
    Option("writers", {"flink": "sink.parallelism"}, Whole(1), "Number of tasks that write; as many as make the rows if it is not said.", scope=SINK),
    Option("latency", {"flink": "sink.latency"}, Text(("batch", "realtime")), "realtime: each message is written as it comes, at least once, by tasks that never end; else batch by batch.",
           "batch", scope=SINK, connectors=_KAFKA),
    Option("buffer_rows", {"flink": "sink.buffer-flush.max-rows"}, Whole(), "How many rows are held back so that newer ones of a key replace them.", 0,
           scope=SINK, status=KEPT, connectors=(UPSERT,)),
    Option("buffer_interval", {"flink": "sink.buffer-flush.interval"}, Duration(), "How long they are held back at most.", 0, scope=SINK, status=KEPT, connectors=(UPSERT,)),
    Option("ignore_retraction", {"dli": "connector.sink.ignore-retraction"}, Flag(), "true: a deleted row writes nothing; false: its key, without a value.", False,
           scope=SINK, status=KEPT, connectors=(UPSERT,)),
    Option("max_rows_per_message", {"clickhouse": "kafka_max_rows_per_message"}, Whole(1), "Rows in a written message.", 1, scope=SINK),
    Option("compression_codec", {"clickhouse": "kafka_compression_codec"}, Text(("", *CODECS)), "How written messages are compressed.", "", scope=SINK),
    Option("compression_level", {"clickhouse": "kafka_compression_level"}, Whole(-1, 12), "How hard; -1 leaves it to the codec.", -1, scope=SINK),
)  # fmt: skip
