"""The options that choose the format of messages."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.formats.codec import SKIP_BYTES
from sluice.parameters.kinds import Flag, Integer, ListOf, Text, Url
from sluice.parameters.option import NO_EFFECT, REFUSED, SOURCE, Option

FORMATS = (
    Option("format", {"clickhouse": "kafka_format", "flink": "format", "dli": "format.type"}, Text(), "The format of the messages.", required=("clickhouse", "dli"),
           connectors=("kafka",), dli_upsert=True),
    Option("value_format", {"flink": "value.format"}, Text(), "The value format; a synonym of format."),
    Option("key_format", {"flink": "key.format"}, Text(), "The key format."),
    Option("key_fields", {"flink": "key.fields"}, ListOf(), "The columns of the key, in order.", connectors=("kafka",)),
    Option("key_prefix", {"flink": "key.fields-prefix"}, Text(), "A prefix that the names of key columns have in the table, but not in the key.", ""),
    Option("value_include", {"flink": "value.fields-include"}, Text(("ALL", "EXCEPT_KEY")), "Whether the value also contains the columns of the key.", "ALL",
           says="Could not parse value '{value}' for key '{name}'. Expected one of: [[ALL, EXCEPT_KEY]]"),
    Option("row_delimiter", {"clickhouse": "kafka_row_delimiter"}, Text(), "The delimiter between rows, in old tables.", status=NO_EFFECT,
           why="the format decides where a row ends"),
    Option("schema", {"clickhouse": "kafka_schema"}, Text(), "The schema of formats that need one, file:message; a synonym of format_schema.", ""),
    Option(SKIP_BYTES, {"clickhouse": "kafka_schema_registry_skip_bytes"}, Integer(0, 255), "The number of bytes to skip at the beginning of each message.", 0,
           scope=SOURCE),
    Option("registry_url", {"clickhouse": "kafka_format_avro_schema_registry_url"}, Url(), "The schema registry; a synonym of format_avro_schema_registry_url."),
    Option("connect_key", {"flink": "record.key.include.kafka.connect.json.schema"}, Flag(), "Whether keys contain a Kafka Connect schema.", False, scope=SOURCE,
           status=REFUSED, why="messages with a Kafka Connect schema are not supported", connectors=("kafka",)),
    Option("connect_value", {"flink": "record.value.include.kafka.connect.json.schema"}, Flag(), "Whether values contain a Kafka Connect schema.", False, scope=SOURCE,
           status=REFUSED, why="messages with a Kafka Connect schema are not supported", connectors=("kafka",)),
)  # fmt: skip
