"""Options that say which topics of which brokers a table is. A new one is one row."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import ListOf, Text, Whole
from sluice.options.option import CONNECTORS, NO_EFFECT, REFUSED, SINK, SOURCE, Option

CONNECTION = (
    Option("connector", {"flink": "connector", "dli": "connector.type"}, Text(CONNECTORS, exact=True),
           "What the table is: a stream of messages, or the newest message of each key.", required=("flink", "dli")),
    Option("version", {"dli": "connector.version"}, Text(), "The brokers' version.", status=NO_EFFECT,
           why="brokers of every version are spoken to"),
    Option("property_version", {"dli": "connector.property-version"}, Whole(1), "The version of these keys.", 1, status=NO_EFFECT,
           why="there is one version"),
    Option("brokers", {"clickhouse": "kafka_broker_list", "flink": "properties.bootstrap.servers", "dli": "connector.properties.bootstrap.servers"},
           Text(), "Brokers, as host:port with commas.", required=("clickhouse", "flink", "dli")),
    Option("topic", {"clickhouse": "kafka_topic_list", "flink": "topic", "dli": "connector.topic"}, ListOf(),
           "Topics to read (with commas in ClickHouse, semicolons in Flink); the one topic to write.", required=("clickhouse", "dli")),
    Option("topic_pattern", {"flink": "topic-pattern"}, Text(), "A regular expression: topics whose whole name matches are read.",
           scope=SOURCE, connectors=("kafka",)),
    Option("group", {"clickhouse": "kafka_group_name", "flink": "properties.group.id", "dli": "connector.properties.group.id"},
           Text(), "The consumer group that keeps the position.", required=("clickhouse",), scope=SOURCE),
    Option("client_id", {"clickhouse": "kafka_client_id", "flink": "properties.client.id", "dli": "connector.properties.client.id"},
           Text(), "What the broker sees as the client's name; sluice-<database>.<table> if empty.", "", theirs={"clickhouse": "ClickHouse-<host>-<database>-<table>"}),
    Option("autodetect_client_rack", {"clickhouse": "kafka_autodetect_client_rack"}, Text(), "Which cloud tells the client where it stands.", "",
           status=REFUSED, why="Sluice asks no cloud where it runs; write client_rack into the configuration file instead"),
    Option("partition_shard_num", {"clickhouse": "kafka_partition_shard_num"}, Whole(), "Which share of the partitions is read here.", status=REFUSED, scope=SOURCE,
           why="one pipeline reads all partitions of a table, spread over Spark's executors"),
    Option("shard_count", {"clickhouse": "kafka_shard_count"}, Whole(), "Into how many shares partitions are divided.", status=REFUSED, scope=SOURCE,
           why="one pipeline reads all partitions of a table, spread over Spark's executors"),
    Option("foreign_table", {"dli": "connector.table"}, Text(), "A table of another database.", status=REFUSED,
           why="it belongs to other connectors; a Kafka table names its topic with connector.topic"),
    Option("update_mode", {"dli": "update-mode"}, Text(("append", "retract", "upsert")), "How changes are written.", "append", scope=SINK,
           why="the connector's type decides it; a mode that does not fit the type is refused when the table is written to", status=NO_EFFECT),
)  # fmt: skip
