"""Options of Flink's and DLI's formats. `{format}` stands for each format that has the option."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from typing import Any

from sluice.options.kinds import Flag, Hidden, Kind, Letter, Text, Url, Whole
from sluice.options.option import BOTH, HONOURED, KEPT, NO_EFFECT, REFUSED, SINK, SOURCE, Option

_CDC = ("debezium-json", "canal-json", "maxwell-json", "ogg-json")
_JSON = ("json", *_CDC)
_REGISTRY = ("avro-confluent", "debezium-avro-confluent")
_ONE = "Option '{name}' must be a string with single character, but was: {value}"
_FILE = "only the server's configuration file may name files of the host"
_DERIVED = "the schema is derived from the columns of the table"


def _option(
    name: str, formats: tuple[str, ...], kind: Kind, doc: str, default: Any = None,
    *, dli: str = "", scope: str = BOTH, says: str = "", status: str = KEPT, why: str = "",
) -> Option:  # fmt: skip
    names = {"flink": "{format}." + name} | ({"dli": f"format.{dli}"} if dli else {})
    key = f"{formats[0]}.{name}"
    return Option(
        key,
        names,
        kind,
        doc,
        default,
        scope=scope,
        status=status,
        why=why,
        says=says,
        formats=formats,
        part="format",
    )


def _legacy(name: str, kind: Kind, doc: str, status: str, why: str) -> Option:
    return Option(
        f"format.{name}",
        {"dli": f"format.{name}"},
        kind,
        doc,
        status=status,
        why=why,
        part="format",
    )


FORMAT_ROWS = (
    _option("ignore-parse-errors", ("json", "csv", *_CDC, "protobuf"), Flag(), "true: a field that cannot be parsed is NULL, a message that cannot be parsed is skipped.", False, dli="ignore-parse-errors", scope=SOURCE, status=HONOURED),
    _option("fail-on-missing-field", ("json",), Flag(), "Whether a missing field is an error; otherwise it is NULL.", False, dli="fail-on-missing-field", scope=SOURCE, status=HONOURED),
    _option("timestamp-format.standard", _JSON, Text(("SQL", "ISO-8601"), exact=True), "The format of timestamps.", "SQL",
            status=HONOURED, says="Unsupported value '{value}' for timestamp-format.standard. Supported values are [SQL, ISO-8601]."),
    _option("map-null-key.mode", _JSON, Text(("LITERAL", "FAIL", "DROP")), "How a NULL key of a map is handled.", "FAIL", scope=SINK,
            status=HONOURED, says="Unsupported value '{value}' for option map-null-key.mode. Supported values are [LITERAL, FAIL, DROP]."),
    _option("map-null-key.literal", _JSON, Text(), "The key that is written for NULL in mode LITERAL.", "null", scope=SINK, status=HONOURED),
    _option("encode.decimal-as-plain-number", _JSON, Flag(), "Whether decimals are written without an exponent.", False, scope=SINK, status=HONOURED),
    _option("encode.ignore-null-fields", _JSON, Flag(), "Whether fields that are NULL are omitted.", False, scope=SINK, status=HONOURED),
    _option("decode.json-parser.enabled", ("json",), Flag(), "Which of Flink's two parsers is used.", True, scope=SOURCE, status=NO_EFFECT, why="Sluice has one parser"),
    _option("schema-include", ("debezium-json",), Flag(), "Whether messages contain their schema, with the change under payload.", False, scope=SOURCE),
    _option("database.include", ("canal-json",), Text(), "A regular expression: changes of other databases are skipped.", scope=SOURCE),
    _option("table.include", ("canal-json",), Text(), "A regular expression: changes of other tables are skipped.", scope=SOURCE),
    _option("field-delimiter", ("csv",), Letter(), "The delimiter between fields.", ",", dli="field-delimiter", says=_ONE, status=HONOURED),
    _option("line-delimiter", ("csv",), Text(), "The delimiter that is written after a row; none if it is not set.", dli="line-delimiter", scope=SINK, status=HONOURED),
    _option("quote-character", ("csv",), Letter(), "The quote character.", '"', dli="quote-character", says=_ONE, status=HONOURED),
    _option("disable-quote-character", ("csv",), Flag(), "Whether quoting is disabled.", False, dli="disable-quote-character", status=HONOURED),
    _option("escape-character", ("csv",), Letter(), "The escape character.", dli="escape-character", says=_ONE, status=HONOURED),
    _option("array-element-delimiter", ("csv",), Letter(), "The delimiter between the elements of arrays and rows.", ";", dli="array-element-delimiter", says=_ONE, status=HONOURED),
    _option("null-literal", ("csv",), Text(), "The string that represents NULL.", dli="null-literal", status=HONOURED),
    _option("allow-comments", ("csv",), Flag(), "Whether lines that begin with # are skipped.", False, dli="allow-comments", scope=SOURCE, status=HONOURED),
    _option("write-bigdecimal-in-scientific-notation", ("csv",), Flag(), "Whether 100000 is written as 1E+5.", False, scope=SINK, status=HONOURED),
    _option("trim-spaces", ("csv",), Flag(), "Whether whitespace around a field is trimmed.", False, scope=SOURCE, status=HONOURED),
    _option("ignore-trailing-unmappable", ("csv",), Flag(), "Whether fields beyond the last column are skipped.", False, scope=SOURCE, status=HONOURED),
    _option("allow-trailing-comma", ("csv",), Flag(), "Whether a line may end with a delimiter.", True, scope=SOURCE, status=HONOURED),
    _option("fail-on-missing-columns", ("csv",), Flag(), "Whether a line with too few fields is an error.", False, scope=SOURCE, status=HONOURED),
    _option("empty-string-as-null", ("csv",), Flag(), "Whether an empty field is NULL.", False, scope=SOURCE, status=HONOURED),
    _option("ignore-first-line", ("csv",), Flag(), "Whether the first line is skipped.", False, scope=SOURCE, status=HONOURED),
    _option("encoding", ("avro",), Text(("binary", "json")), "The encoding of the records.", "binary", status=HONOURED),
    _option("codec", ("avro",), Text(), "The compression codec of Avro files.", status=NO_EFFECT, why="a message is one record, not an Avro file"),
    _option("timestamp_mapping.legacy", ("avro", *_REGISTRY), Flag(), "Whether TIMESTAMP is written as timestamp-millis, an instant.", True, status=HONOURED),
    _option("url", _REGISTRY, Url(), "The schema registry.", status=HONOURED),
    _option("schema-registry.url", _REGISTRY, Url(), "The older name of url.", status=HONOURED),
    _option("subject", _REGISTRY, Text(), "The subject under which the sink's schema is registered; <topic>-value or <topic>-key if it is not set.", scope=SINK, status=HONOURED),
    _option("schema-registry.subject", _REGISTRY, Text(), "The older name of subject.", scope=SINK, status=HONOURED),
    _option("schema", _REGISTRY, Text(), "The schema, instead of the one derived from the columns.", status=HONOURED),
    _option("schema-registry.schema", _REGISTRY, Text(), "The older name of schema.", status=HONOURED),
    _option("auto.register.schemas", _REGISTRY, Flag(), "Whether a new schema is registered.", True, scope=SINK, status=HONOURED),
    _option("ssl.keystore.location", _REGISTRY, Text(), "The keystore file of the client.", status=REFUSED, why=_FILE),
    _option("ssl.keystore.password", _REGISTRY, Hidden(), "The password of that file.", status=REFUSED, why=_FILE),
    _option("ssl.truststore.location", _REGISTRY, Text(), "The truststore file.", status=REFUSED, why=_FILE),
    _option("ssl.truststore.password", _REGISTRY, Hidden(), "The password of that file.", status=REFUSED, why=_FILE),
    _option("basic-auth.credentials-source", _REGISTRY, Text(("USER_INFO", "URL")), "The source of the registry's user name and password.", status=HONOURED),
    _option("basic-auth.user-info", _REGISTRY, Hidden(), "The registry's user name and password, separated by a colon.", status=HONOURED),
    _option("bearer-auth.credentials-source", _REGISTRY, Text(("STATIC_TOKEN",)), "The source of the registry's token.", status=HONOURED),
    _option("bearer-auth.token", _REGISTRY, Hidden(), "The registry's token.", status=HONOURED),
    _option("message-class-name", ("protobuf",), Text(), "The name of the message in its schema."),
    _option("write-null-string-literal", ("protobuf",), Text(), "The string that is written for NULL in an array or a map.", "", scope=SINK),
    _option("read-default-values", ("protobuf",), Flag(), "Whether a missing field has its default; otherwise it is NULL.", False, scope=SOURCE),
    _option("charset", ("raw",), Text(("UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE")), "The character set of strings.", "UTF-8", status=HONOURED),
    _option("endianness", ("raw",), Text(("big-endian", "little-endian")), "The byte order of numbers.", "big-endian", status=HONOURED),
    _legacy("property-version", Whole(1), "The version of these keys.", NO_EFFECT, "there is one version"),
    _legacy("derive-schema", Flag(), "Whether the schema is derived from the columns.", NO_EFFECT, _DERIVED),
    _legacy("schema", Text(), "The schema of the messages.", NO_EFFECT, _DERIVED),
    _legacy("json-schema", Text(), "The schema of the messages as JSON Schema.", NO_EFFECT, _DERIVED),
    _legacy("avro-schema", Text(), "The schema of the messages as Avro.", NO_EFFECT, _DERIVED),
    _legacy("record-class", Text(), "A Java class with the schema.", REFUSED, "user-defined Java classes are not loaded; " + _DERIVED),
)  # fmt: skip
