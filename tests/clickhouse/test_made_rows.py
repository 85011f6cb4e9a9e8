"""Rows made in Python as ClickHouse writes them: exact bytes per format and type."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import pytest
from format_cases import (
    COLUMNS,
    FLINK_VALUES,
    FLOATS,
    FLOATS_32,
    INSTANT,
    ROW,
    VALUES,
    texts,
    written,
)

from sluice.clickhouse import made_rows
from sluice.clickhouse.pool import Pool
from sluice.types import parse_type, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.clickhouse.pool import Worker

    Write = Callable[..., bytes]


@pytest.fixture(scope="module")
def write(worker: Worker) -> Write:
    """The bytes of rows in a format: `write(format, columns, *rows, settings=…)`."""

    def made(
        format_: str,
        columns: dict[str, str] | list[tuple[str, str]],
        *rows: tuple[Any, ...],
        settings: Mapping[str, Any] | None = None,
    ) -> bytes:
        named = columns.items() if isinstance(columns, dict) else columns
        typed = [(name, parse_type(type_)) for name, type_ in named]
        query = made_rows.query(worker.folder / "rows" / "made", typed, rows)
        given = [f"{n} = {quote_string(str(v))}" for n, v in (settings or {}).items()]
        clauses = f"FORMAT {format_}" + (f" SETTINGS {', '.join(given)}" if given else "")
        return b"".join(worker.stream(query, clauses))

    return made


def test_values(write: Write) -> None:
    for case in [*VALUES, *FLINK_VALUES]:
        type_, value, _, _, values, _ = case
        expected = {**texts(case), "Values": f"({values})"}
        found = {name: write(name, {"x": type_}, (value,)).decode() for name in expected}
        assert found == expected, type_


def test_rows_as_messages_have_them(write: Write) -> None:
    """The answer is the message that the encoder of the same format makes."""
    for format_, settings, expected in written():
        given = {name: value for name, value in settings.items() if name != "lines"}
        found = write(format_, COLUMNS, ROW, ROW, settings=given).decode()
        if format_ == "CSVWithNames":  # a newer ClickHouse names each part of a tuple
            found, expected = (text.partition("\n")[2] for text in (found, expected))
        assert found == expected, format_


def test_floats(write: Write) -> None:
    narrow = [struct.unpack("f", struct.pack("f", value))[0] for value in FLOATS_32]
    found = write("TSV", {"x": "Float64"}, *((value,) for value, _ in FLOATS)).decode()
    assert found.split() == [expected for _, expected in FLOATS]
    found = write("TSV", {"x": "Float32"}, *((value,) for value in narrow)).decode()
    assert found.split() == list(FLOATS_32.values())


def test_types_are_those_of_the_columns(write: Write) -> None:
    columns = {
        "n": "UInt8",
        "a": "Array(Map(String, UInt8))",
        "z": "DateTime('Europe/Berlin')",
        "l": "LowCardinality(Nullable(String))",
        "s": "SimpleAggregateFunction(sum, UInt64)",
        "t": "LocalDateTime(3)",
    }
    rows = (1, [{"k": 2}, {}], INSTANT, "x", 5, INSTANT.replace(tzinfo=None))
    document = json.loads(write("JSON", columns, rows))
    types = {column["name"]: column["type"] for column in document["meta"]}
    assert types == {**columns, "t": "DateTime64(3)"}
    assert document["data"][0]["z"] == "2024-01-02 04:04:05"
    assert document["rows"] == 1


def test_missing_arrays_and_maps(write: Write) -> None:
    """Flink's may be NULL, which ClickHouse's may not."""
    columns = {
        "a": "Optional(Array(Nullable(Float64)))",
        "m": "Optional(Map(String, Nullable(Int32)))",
        "t": "Optional(Tuple(x Nullable(Int32), y Optional(Array(Nullable(String)))))",
        "d": "Optional(Array(Nullable(Decimal(9, 2))))",
        "s": "Optional(Multiset(String))",
    }
    full = ([1.5, None], {"a": 1, "b": None}, (1, ["x", None]), [None], {"k": 2})
    lines = write("JSONEachRow", columns, full).decode().splitlines()
    assert lines == [
        '{"a":[1.5,null],"m":{"a":1,"b":null},"t":{"x":1,"y":["x",null]},"d":[null],"s":{"k":2}}'
    ]
    rows = [([float("nan"), 2.0], {}, (None, None), [], {}), full, (None,) * 5]
    lines = write("TSV", columns, *rows).decode().splitlines()
    assert lines == [
        "[nan,2]\t{}\t(NULL,NULL)\t[]\t{}",
        "[1.5,NULL]\t{'a':1,'b':NULL}\t(1,['x',NULL])\t[NULL]\t{'k':2}",
        "\\N\t\\N\t\\N\t\\N\t\\N",
    ]


def test_times_outside_of_what_computers_count(write: Write) -> None:
    times = [INSTANT.replace(year=year, tzinfo=None) for year in (1, 1815, 9999)]
    rows = [(time, time.date()) for time in times]
    found = write("TSV", {"t": "LocalDateTime(6)", "d": "Date32"}, *rows).decode()
    assert found.splitlines() == [
        f"{year}-01-02 03:04:05.678900\t{year}-01-02" for year in ("0001", "1815", "9999")
    ]


def test_columns_of_one_name(write: Write) -> None:
    columns = [("c1", "UInt8"), ("a", "UInt8"), ("c1", "UInt8"), ("a", "String"), ("c0", "UInt8")]
    found = write("TSVWithNames", columns, (1, 2, 1, "x", 5), (3, 4, 3, "y", 6)).decode()
    assert found == "c1\ta\tc1\ta_4\tc0\n1\t2\t1\tx\t5\n3\t4\t3\ty\t6\n"


def test_types_that_are_suspicious(write: Write) -> None:
    columns = {"l": "LowCardinality(UInt8)", "t": "LowCardinality(DateTime('Asia/Tokyo'))"}
    found = write("TSVWithNamesAndTypes", columns, (7, INSTANT)).decode().splitlines()
    assert found[1] == "LowCardinality(UInt8)\tLowCardinality(DateTime(\\'Asia/Tokyo\\'))"
    assert found[2] == "7\t2024-01-02 12:04:05"


def test_bytes_that_are_no_utf8_come_out_as_they_were(write: Write) -> None:
    held = b"\xff\xfe\tok\xc3".decode("utf-8", "surrogateescape")
    assert write("TSV", {"x": "String"}, (held,)) == b"\xff\xfe\\tok\xc3\n"
    assert write("TSV", {"x": "String"}, ("\ud800",)) == b"?\n"  # half of a surrogate pair


def test_names_that_need_quotes(write: Write) -> None:
    columns = {"имя`": "UInt8", "a'b\\": "DateTime('Asia/Tokyo')"}
    assert write("TSVWithNames", columns).decode() == "имя`\ta\\'b\\\\\n"


def test_many_rows(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rows that are written together are still read in parallel, and each keeps its own bytes."""
    path = tmp_path_factory.mktemp("rows") / "rows"
    odd = {1001: b"\xff],[\n".decode("utf-8", "surrogateescape"), 1002: "\ud800"}
    rows = [(n, odd.get(n, f'],["{n}')) for n in range(2500)]
    columns = [("n", parse_type("UInt32")), ("s", parse_type("String"))]
    table = made_rows.source(path, columns, iter(rows))
    pool = Pool(path.parent)  # whose processes may read the file
    with pool.worker() as worker:
        asked = f"SELECT count(), sum(n), countIf(s = '],[\"' || toString(n)) FROM {table}"
        how = "SETTINGS input_format_parallel_parsing = 1, min_chunk_bytes_for_parallel_parsing = "
        assert worker.run(f"{asked} {how} 2000").split() == ["2500", "3123750", "2498"]
        found = worker.run(f"SELECT hex(s) FROM {table} WHERE n IN (1001, 1002) ORDER BY n")
        assert found.split() == [b"\xff],[\n".hex().upper(), "3F"]
        made_rows.write(path, columns, [])
        assert worker.run(f"SELECT count() FROM {table}") == "0\n"
    pool.close()
