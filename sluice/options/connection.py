"""Options that choose the brokers and topics of a table. A new one is one row."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.parameters.kinds import Integer, ListOf, Text
from sluice.parameters.option import CONNECTORS, NO_EFFECT, REFUSED, SINK, SOURCE, Option

CONNECTION = (
    Option("connector", {"flink": "connector", "dli": "connector.type"}, Text(CONNECTORS, exact=True),
           "The connector: a stream of messages, or the latest message of each key.", required=("flink", "dli")),
    Option("version", {"dli": "connector.version"}, Text(), "The version of the brokers.", status=NO_EFFECT,
           why="clients negotiate the version with the brokers"),
    Option("property_version", {"dli": "connector.property-version"}, Integer(1), "The version of these keys.", 1, status=NO_EFFECT,
           why="there is one version"),
    Option("brokers", {"clickhouse": "kafka_broker_list", "flink": "properties.bootstrap.servers", "dli": "connector.properties.bootstrap.servers"},
           Text(), "Comma-separated list of brokers, as host:port.", required=("clickhouse", "flink", "dli")),
    Option("topic", {"clickhouse": "kafka_topic_list", "flink": "topic", "dli": "connector.topic"}, ListOf(),
           "The topics to read (separated by commas in ClickHouse, by semicolons in Flink), or the topic to write.", required=("clickhouse", "dli")),
    Option("topic_pattern", {"flink": "topic-pattern"}, Text(), "A regular expression that must match the complete name of the topics to read.",
           scope=SOURCE),
    Option("group", {"clickhouse": "kafka_group_name", "flink": "properties.group.id", "dli": "connector.properties.group.id"},
           Text(), "The consumer group to which offsets are committed.", required=("clickhouse",), scope=SOURCE),
    Option("client_id", {"clickhouse": "kafka_client_id", "flink": "properties.client.id", "dli": "connector.properties.client.id"},
           Text(), "The client id sent to the brokers; sluice-<database>.<table> if empty.", "", theirs={"clickhouse": "ClickHouse-<host>-<database>-<table>"}),
    Option("autodetect_client_rack", {"clickhouse": "kafka_autodetect_client_rack"}, Text(), "The cloud provider whose metadata service tells the client's rack.", "",
           status=REFUSED, why="Sluice does not query metadata services of cloud providers; set client_rack in the configuration file instead"),
    Option("partition_shard_num", {"clickhouse": "kafka_partition_shard_num"}, Integer(), "The shard of the partitions that this server reads.", status=REFUSED, scope=SOURCE,
           why="one pipeline reads all partitions of a table, distributed over Spark's executors"),
    Option("shard_count", {"clickhouse": "kafka_shard_count"}, Integer(), "The number of shards that the partitions are divided into.", status=REFUSED, scope=SOURCE,
           why="one pipeline reads all partitions of a table, distributed over Spark's executors"),
    Option("foreign_table", {"dli": "connector.table"}, Text(), "A table of another database.", status=REFUSED,
           why="it belongs to other connectors; a Kafka table names its topic with connector.topic"),
    Option("update_mode", {"dli": "update-mode"}, Text(("append", "retract", "upsert")),
           "How an upsert-kafka table writes changes: upsert (its default) writes the last change of each key in a batch, retract every change, append takes rows that never change; a kafka table is append.", scope=SINK),
)  # fmt: skip
