"""Formats of messages, and the options that choose one. A format that begins to work is one row."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.kinds import CLICKHOUSE, DLI, FLINK, Flag, ListOf, Text, Url, Whole
from sluice.options.option import KEPT, NO_EFFECT, REFUSED, SOURCE, Option
from sluice.types.model import String, bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.errors import Place
    from sluice.types import Type

SKIP_BYTES = "schema_registry_skip_bytes"
"""The key of the option for bytes before each message; it goes with the format settings."""

FORMAT_OPTIONS = (
    Option("format", {"clickhouse": "kafka_format", "flink": "format", "dli": "format.type"}, Text(), "The format of the messages.", required=("clickhouse", "dli"),
           connectors=("kafka",)),
    Option("value_format", {"flink": "value.format"}, Text(), "The value format; a synonym of format."),
    Option("key_format", {"flink": "key.format"}, Text(), "The key format."),
    Option("key_fields", {"flink": "key.fields"}, ListOf(), "The columns of the key, in order.", connectors=("kafka",)),
    Option("key_prefix", {"flink": "key.fields-prefix"}, Text(), "A prefix that the names of key columns have in the table, but not in the key.", ""),
    Option("value_include", {"flink": "value.fields-include"}, Text(("ALL", "EXCEPT_KEY")), "Whether the value also contains the columns of the key.", "ALL",
           says="Could not parse value '{value}' for key '{name}'. Expected one of: [[ALL, EXCEPT_KEY]]"),
    Option("row_delimiter", {"clickhouse": "kafka_row_delimiter"}, Text(), "The delimiter between rows, in old tables.", status=NO_EFFECT,
           why="the format decides where a row ends"),
    Option("schema", {"clickhouse": "kafka_schema"}, Text(), "The schema of formats that need one.", "", status=KEPT),
    Option(SKIP_BYTES, {"clickhouse": "kafka_schema_registry_skip_bytes"}, Whole(0, 255), "The number of bytes to skip at the beginning of each message.", 0,
           scope=SOURCE),
    Option("registry_url", {"clickhouse": "kafka_format_avro_schema_registry_url"}, Url(), "The schema registry; a synonym of format_avro_schema_registry_url.",
           status=KEPT),
    Option("connect_key", {"flink": "record.key.include.kafka.connect.json.schema"}, Flag(), "Whether keys contain a Kafka Connect schema.", False, scope=SOURCE,
           status=REFUSED, why="messages with a Kafka Connect schema are not supported", connectors=("kafka",)),
    Option("connect_value", {"flink": "record.value.include.kafka.connect.json.schema"}, Flag(), "Whether values contain a Kafka Connect schema.", False, scope=SOURCE,
           status=REFUSED, why="messages with a Kafka Connect schema are not supported", connectors=("kafka",)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its family, whether it is read, whether it is written, and why it never will be.

    `same_as` is the name of the format that it is another name of. One that is `single` takes a
    table of one String column. `changes` is for those whose messages are changes of rows and not
    rows.
    """

    name: str
    family: str
    reads: bool = False
    writes: bool = False
    changes: bool = False
    refused: str = ""
    same_as: str = ""
    single: bool = False

    @property
    def canonical(self) -> str:
        """Its name, or the name of the format that it is another name of."""
        return self.same_as or self.name


def _works(family: str, name: str, *also: str, single: bool = False) -> tuple[Format, ...]:
    """A format that is read and written, and its other names."""
    made = Format(name, family, reads=True, writes=True, single=single)
    return (made, *(replace(made, name=other, same_as=name) for other in also))


def _family(family: str, names: str) -> tuple[Format, ...]:
    return tuple(Format(name, family) for name in names.split())


_FILES = "it is a file format, not a message format"

CLICKHOUSE_FORMATS = (
    *_works("json", "JSONEachRow", "JSONLines", "NDJSON"),
    *_works("json", "JSONCompactEachRow"),
    *_works("json", "JSONAsString", single=True),
    *_works("csv", "CSV"),
    *_works("csv", "CSVWithNames"),
    *_works("tsv", "TabSeparated", "TSV"),
    *_works("tsv", "TabSeparatedWithNames", "TSVWithNames"),
    *_works("tskv", "TSKV"),
    *_works("line", "LineAsString", single=True),
    *_works("line", "RawBLOB", single=True),
    *_family("json", "JSON JSONStrings JSONColumns JSONColumnsWithMetadata JSONCompact JSONCompactStrings JSONCompactColumns JSONStringsEachRow JSONCompactEachRowWithNames JSONCompactEachRowWithNamesAndTypes JSONCompactStringsEachRow JSONCompactStringsEachRowWithNames JSONCompactStringsEachRowWithNamesAndTypes JSONObjectEachRow JSONAsObject"),
    *_family("csv", "CSVWithNamesAndTypes"),
    *_family("tsv", "TabSeparatedRaw TSVRaw TabSeparatedWithNamesAndTypes TSVWithNamesAndTypes TabSeparatedRawWithNames TSVRawWithNames TabSeparatedRawWithNamesAndTypes TSVRawWithNamesAndTypes"),
    *_family("custom", "CustomSeparated CustomSeparatedWithNames CustomSeparatedWithNamesAndTypes"),
    *_family("template", "Template TemplateIgnoreSpaces"),
    *_family("regexp", "Regexp"),
    *_family("values", "Values"),
    *_family("line", "LineAsStringWithNames LineAsStringWithNamesAndTypes"),
    *_family("avro", "Avro AvroConfluent"),
    *_family("protobuf", "Protobuf ProtobufSingle ProtobufList"),
    *_family("capnproto", "CapnProto"),
    *_family("msgpack", "MsgPack"),
    *_family("bson", "BSONEachRow"),
    *_family("binary", "RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes RowBinaryWithDefaults Native Buffers"),
    *_family("arrow", "Arrow ArrowStream"),
    *_family("parquet", "Parquet ParquetMetadata"),
    *_family("orc", "ORC"),
    *_family("npy", "Npy"),
    *_family("sql", "MySQLDump MySQLWire SQLInsert"),
    *_family("shown", "Form Hash Markdown Null ODBCDriver2 One Pretty PrettyCompact PrettyCompactMonoBlock PrettyCompactNoEscapes PrettyNoEscapes PrettySpace PrettyJSONEachRow Prometheus Vertical XML DWARF"),
)  # fmt: skip

FLINK_FORMATS = (
    Format("json", "json", reads=True, writes=True),
    Format("csv", "csv", reads=True, writes=True),
    Format("avro", "avro", reads=True, writes=True),
    Format("raw", "raw", reads=True, writes=True),
    Format("avro-confluent", "avro-confluent", reads=True, writes=True),
    Format("protobuf", "protobuf"),
    Format("debezium-json", "debezium-json", changes=True),
    Format("canal-json", "canal-json", changes=True),
    Format("maxwell-json", "maxwell-json", changes=True),
    Format("ogg-json", "ogg-json", changes=True),
    Format("debezium-avro-confluent", "debezium-avro-confluent", changes=True),
    Format("parquet", "parquet", refused=_FILES),
    Format("orc", "orc", refused=_FILES),
)

FORMATS: Mapping[str, tuple[Format, ...]] = {
    CLICKHOUSE: CLICKHOUSE_FORMATS,
    FLINK: FLINK_FORMATS,
    DLI: FLINK_FORMATS,
}


@cache
def _by_name(dialect: str) -> Mapping[str, Format]:
    fold = str.lower if dialect == CLICKHOUSE else str
    return {fold(each.name): each for each in FORMATS[dialect]}


def find_format(name: str, dialect: str, place: Place | None = None) -> Format:
    """The format of that name, whether it works yet or not.

    Raises:
        SluiceError: UNKNOWN_FORMAT, or OPTION_REFUSED for one that messages cannot have.
    """
    known = _by_name(dialect)
    found = known.get(name.lower() if dialect == CLICKHOUSE else name)
    if found is None:
        names = [each.name for each in FORMATS[dialect] if not each.refused]
        listed = "" if dialect == CLICKHOUSE else f" The formats are {', '.join(names)}."
        hint = f"{errors.nearest(name, names)}{listed}".strip()
        raise errors.UNKNOWN_FORMAT(format=name, hint=hint, place=place)
    if found.refused:
        raise errors.OPTION_REFUSED(option=f"format {name}", reason=found.refused, place=place)
    return found


def must_read(found: Format, dialect: str, place: Place | None = None) -> None:
    """Make sure that messages of a format can be read.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    if not found.reads:
        raise _not_yet("Reading", found, [f.name for f in FORMATS[dialect] if f.reads], place)


def must_write(found: Format, dialect: str, place: Place | None = None) -> None:
    """Make sure that messages of a format can be written.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    if not found.writes:
        raise _not_yet("Writing", found, [f.name for f in FORMATS[dialect] if f.writes], place)


def must_fit(
    found: Format, columns: Sequence[tuple[str, Type]], place: Place | None = None
) -> None:
    """Make sure that a format can fill a table of these columns.

    Raises:
        SluiceError: BAD_ARGUMENTS, in ClickHouse's words.
    """
    if not found.single:
        return
    suitable = "This input format is only suitable for tables with a single column of type String"
    if len(columns) != 1:
        reason = f"{suitable} but the number of columns is {len(columns)}"
        raise errors.BAD_ARGUMENTS(reason=f"{found.name}: {reason}", place=place)
    (_, type_) = columns[0]
    if not isinstance(bare(type_), String):
        reason = f"{suitable} but the column type is {type_}"
        raise errors.BAD_ARGUMENTS(reason=f"{found.name}: {reason}", place=place)


def _not_yet(what: str, found: Format, works: list[str], place: Place | None) -> errors.SluiceError:
    hint = f"{what} works with {', '.join(works)}." if works else ""
    return errors.NOT_IMPLEMENTED(what=f"{what} messages as {found.name}", hint=hint, place=place)
