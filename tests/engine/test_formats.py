"""Formats through Kafka: from a topic to rows, from rows to a topic and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.lab import Lab

COLUMNS = "id Int64, blockNo UInt16, val1 String, val2 Float32, val3 UInt8"
NAMES = "id,blockNo,val1,val2,val3"

JSON = '{{"id":"{0}","blockNo":{1},"val1":"AM","val2":0.5,"val3":1}}\n'
LIST = '["{0}", {1}, "AM", 0.5, 1]\n'
TSKV = "id={0}\tblockNo={1}\tval1=AM\tval2=0.5\tval3=1\n"
CSV = '{0},{1},"AM",0.5,1\n'
TSV = "{0}\t{1}\tAM\t0.5\t1\n"
TABS = NAMES.replace(",", "\t") + "\n"

FORMATS = {
    "JSONEachRow": ("", JSON),
    "JSONCompactEachRow": ("", LIST),
    "TSKV": ("", TSKV),
    "CSV": ("", CSV),
    "TSV": ("", TSV),
    "CSVWithNames": (NAMES + "\n", CSV),
    "TSVWithNames": (TABS, TSV),
}
"""What stands before the rows of a message, and a row."""

ROWS = [(0, 0, 0), *((n, 0, 1) for n in range(1, 16)), (0, 0, 2)]


@pytest.mark.parametrize("format_", FORMATS)
def test_ch_58_ch_78_formats(lab: Lab, topic: str, format_: str) -> None:
    """CH-58, CH-78: rows keep their message's offset; a bad message is named, with its value."""
    topic = f"{topic}-{format_}"
    head, row = FORMATS[format_]
    one = head + row.format(0, 0)
    many = head + "".join(row.format(n, 0) for n in range(1, 16))
    bad = head + row.format(0, '"BAD"' if "JSON" in format_ else "BAD")
    lab.produce(topic, one, many, one)
    lab.queue("q", topic, COLUMNS, kafka_format=format_)
    query = "SELECT id, blockNo, _offset FROM q ORDER BY _offset, id"
    assert lab.sql(query) == ROWS
    lab.produce(topic, bad)
    with pytest.raises(SluiceError, match=r"'BAD' as UInt16 .*blockNo.*offset: 3"):
        lab.sql(query)


def _packed(row: int, number: bytes) -> bytes:
    return bytes([row]) + number + b"\xc4\x02AM" + b"\xca\x3f\0\0\0" + b"\x01"


def _row_binary(row: int, number: bytes) -> bytes:
    return row.to_bytes(8, "little") + number + b"\2AM" + b"\0\0\0\x3f" + b"\1"


BINARY = {
    # format: how a row is written, its number, one that is none, and the error
    "RowBinary": (_row_binary, b"\0\0", b"", "Cannot read all data. .*column val1"),
    "MsgPack": (_packed, b"\0", b"\xa3BAD", "MessagePack string into column .*UInt16.*blockNo"),
}


@pytest.mark.parametrize("format_", BINARY)
def test_ch_58_ch_78_ch_79_binary_formats(lab: Lab, topic: str, format_: str) -> None:
    """CH-58, CH-78, CH-79: the same of bytes; a bad message is kept byte by byte."""
    topic = f"{topic}-{format_}"
    row, good, wrong, error = BINARY[format_]
    one, many = row(0, good), b"".join(row(n, good) for n in range(1, 16))
    bad = row(0, wrong)
    lab.produce(topic, one, many, one, bad)
    lab.queue("q", topic, COLUMNS, kafka_format=format_, kafka_handle_error_mode="stream")
    found = lab.sql("SELECT id, blockNo, _offset, _error, _raw_message FROM q ORDER BY _offset, id")
    assert found[:-1] == [(*each, "", "") for each in ROWS]
    assert found[-1][:3] == (0, 0, 3)
    assert re.search(error, found[-1][3])
    assert found[-1][4].encode("utf-8", "surrogateescape") == bad


def test_ch_62_ch_63_csv(lab: Lab, topic: str) -> None:
    """CH-62, CH-63: blanks before a number; the table's own delimiter, through a view."""
    lab.produce(f"{topic}-a", *(f"{n}, {n}" for n in range(50)))
    lab.queue("spaced", f"{topic}-a", "a UInt64, b UInt64", kafka_format="CSV")
    rows = lab.sql("SELECT a, b FROM spaced ORDER BY a")
    assert rows == [(n, n) for n in range(50)]
    lab.produce(topic, "1|foo", "2|bar", "42|answer", "100|multi\n101|row\n103|message")
    lab.pipe(topic, "a UInt64, b String", kafka_format="CSV", format_csv_delimiter="|")
    wanted = [
        *((1, "foo"), (2, "bar"), (42, "answer")),
        *((100, "multi"), (101, "row"), (103, "message")),
    ]
    lab.arrives("SELECT a, b FROM v ORDER BY a", wanted)


def test_ch_64_nested_json(lab: Lab, topic: str) -> None:
    """CH-64: a column e.x is filled from inside e."""
    lab.produce(topic, *['{"t": 123, "e": {"x": "woof"} }'] * 2, '{"t":124,"e":{"x":"test"}}')
    lab.queue("q", topic, "t UInt64, `e.x` String", input_format_import_nested_json=1)
    lab.sql("CREATE TABLE v (t UInt64, x String) ENGINE = MergeTree ORDER BY tuple()")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT t, `e.x` AS x FROM q")
    wanted = [(123, "woof"), (123, "woof"), (124, "test")]
    lab.arrives("SELECT t, x FROM v ORDER BY t", wanted)


def test_ch_65_whole_objects_lines_and_messages(lab: Lab, topic: str) -> None:
    """CH-65: the text of an object, with its blanks; and that of a line, or of the message."""
    objects = ['{"t": 123, "e": {"x": "woof"} }', '{"t":124}', '{ "F1" : {"a" : [1, 2]} }']
    values = [objects[0], b"", objects[1], objects[2]]
    lab.produce(topic, *values, Message(None, key=b"xxx"))
    for format_ in ("JSONAsString", "LineAsString", "RawBLOB"):
        name = format_.lower()
        lab.queue(name, topic, "field String", kafka_format=format_, kafka_group_name=name)
        rows = lab.sql(f"SELECT field FROM {name} ORDER BY _offset")
        assert rows == [(text,) for text in objects], format_


def test_ch_13_ch_14_settings_of_a_table(lab: Lab, topic: str) -> None:
    """CH-13, CH-14: what a table says about its messages governs how they are read."""
    lab.produce(topic, '{"key": 1, "zzz": 2, "d": "2020-01-02T03:04:05+01:00"}')
    columns = "key UInt64, d DateTime('UTC')"
    freely = {"date_time_input_format": "best_effort"}
    lab.queue("a", topic, columns, **freely)
    assert lab.sql("SELECT key, toString(d) FROM a") == [(1, "2020-01-02 02:04:05")]
    lab.queue("b", topic, columns, **freely, input_format_skip_unknown_fields=0)
    with pytest.raises(SluiceError, match=r"Unknown field found while parsing .* format: zzz"):
        lab.sql("SELECT * FROM b")


def test_bytes_before_a_message(lab: Lab, topic: str) -> None:
    """kafka_schema_registry_skip_bytes: what a registry's client puts before each message."""
    lab.produce(topic, b'\x00\x00\x00\x00\x01{"key":1}', b"\x00\x00\x00\x00\x01")
    lab.queue("q", topic, kafka_schema_registry_skip_bytes=5)
    assert lab.sql("SELECT key FROM q") == [(1,)]


DATA = {
    "JSONEachRow": '{"a":1,"b":"x y"}\n{"a":2}',
    "JSONCompactEachRow": '[1,"x y"]\n[2,""]',
    "CSV": '1,"x y"\n2,',
    "CSVWithNames": 'b,a\n"x y",1\n,2',
    "TSV": "1\tx y\n2\t\n",
    "TabSeparatedWithNames": "b\ta\nx y\t1\n\t2\n",
    "TSKV": "a=1\tb=x y\na=2\n",
}


def test_data_of_an_insert(lab: Lab) -> None:
    """INSERT … FORMAT takes every format that messages have."""
    for format_, data in DATA.items():
        lab.sql(f"CREATE TABLE {format_} (a UInt8, b String) ENGINE = MergeTree ORDER BY a")
        lab.sql(f"INSERT INTO {format_} FORMAT {format_}\n{data}")
        rows = lab.sql(f"SELECT a, b FROM {format_} ORDER BY a")
        assert rows == [(1, "x y"), (2, "")], format_
    with pytest.raises(SluiceError, match="Cannot parse 'x' as UInt8"):
        lab.sql("INSERT INTO CSV FORMAT CSV\nx,1")
    with pytest.raises(SluiceError, match="Magic does not match"):
        lab.sql("INSERT INTO CSV FORMAT Avro\nx")


WRITTEN = (
    "TSV",
    "TSVWithNames",
    "TSKV",
    "CSV",
    "CSVWithNames",
    "JSONEachRow",
    "JSONCompactEachRow",
    "RowBinaryWithNamesAndTypes",
    "MsgPack",
    "CapnProto",
)


@pytest.mark.parametrize("format_", WRITTEN)
def test_ch_91_there_and_back(lab: Lab, topic: str, format_: str) -> None:
    """CH-91: ten rows are two messages of five, each complete, and come back as they went."""
    topic = f"{topic}-{format_}"
    columns = "key UInt64, value String, a Array(Nullable(Int8)), m Map(String, Float64)"
    settings = {"kafka_format": format_, "kafka_max_rows_per_message": 5}
    lab.make_topic(topic)
    lab.queue("q", topic, columns, **settings)
    source = (
        "SELECT number AS key, concat('a,b\\'\\t\"', toString(number)) AS value, "
        "[1, NULL] AS a, map('k\\n', 0.1) AS m FROM numbers(10)"
    )
    lab.sql(f"INSERT INTO q {source}")
    rows = lab.sql("SELECT key, value, a, m, _offset FROM q ORDER BY key")
    assert rows == [(n, f"a,b'\t\"{n}", [1, None], {"k\n": 0.1}, n // 5) for n in range(10)]
