"""Exact bytes per format and type."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from format_cases import (
    COLUMNS,
    FLINK_VALUES,
    FLOATS,
    FLOATS_32,
    INSTANT,
    ROW,
    SCALAR_VALUES,
    VALUES,
    Case,
    texts,
    written,
)
from hypothesis import given
from hypothesis import strategies as st

from sluice import errors
from sluice.formats.answers import render
from sluice.formats.output.numbers import float32_text, float64_text
from sluice.formats.registry import FORMATS, find_answer
from sluice.formats.result import Result, ResultColumn
from sluice.types import parse_type


def table(columns: dict[str, str], *rows: tuple[Any, ...]) -> Result:
    return Result(
        tuple(ResultColumn(name, parse_type(type_)) for name, type_ in columns.items()), rows
    )


def text(result: Result, format_name: str) -> str:
    return b"".join(render(result, format_name)).decode()


SMALL = table({"n": "UInt8", "s": "Nullable(String)"}, (1, "a\tb'"), (20, None))


@pytest.mark.parametrize("case", [*VALUES, *SCALAR_VALUES, *FLINK_VALUES], ids=lambda case: case[0])
def test_values(case: Case) -> None:
    type_, value, _, _, values, _ = case
    result = table({"x": type_}, (value,))
    assert text(result, "Values") == f"({values})"
    for format_, expected in texts(case).items():
        assert text(result, format_) == expected


def test_rows_as_clickhouse_writes_them() -> None:
    """The answer is the message that the encoder of the same format makes."""
    plain = {format_: expected for format_, settings, expected in written() if not settings}
    del plain["LineAsString"]  # no answer is written so
    assert {name: text(table(COLUMNS, ROW, ROW), name) for name in plain} == plain


FORMATTED = {
    "TSV": "1\ta\\tb\\'\n20\t\\N\n",
    "TSVRaw": "1\ta\tb'\n20\t\\N\n",
    "TSVWithNames": "n\ts\n1\ta\\tb\\'\n20\t\\N\n",
    "TabSeparatedWithNamesAndTypes": "n\ts\nUInt8\tNullable(String)\n1\ta\\tb\\'\n20\t\\N\n",
    "TSVRawWithNames": "n\ts\n1\ta\tb'\n20\t\\N\n",
    "CSV": '1,"a\tb\'"\n20,\\N\n',
    "CSVWithNames": '"n","s"\n1,"a\tb\'"\n20,\\N\n',
    "CSVWithNamesAndTypes": '"n","s"\n"UInt8","Nullable(String)"\n1,"a\tb\'"\n20,\\N\n',
    "JSONEachRow": '{"n":1,"s":"a\\tb\'"}\n{"n":20,"s":null}\n',
    "JSONStringsEachRow": '{"n":"1","s":"a\\tb\'"}\n{"n":"20","s":"ᴺᵁᴸᴸ"}\n',
    "JSONCompactEachRow": '[1, "a\\tb\'"]\n[20, null]\n',
    "JSONCompactEachRowWithNames": '["n", "s"]\n[1, "a\\tb\'"]\n[20, null]\n',
    "Values": "(1,'a\\tb\\''),(20,NULL)",
    "TSKV": "n=1\ts=a\\tb\\'\nn=20\ts=\\N\n",
    "Markdown": "| n | s |\n|-:|:-|\n| 1 | a\\tb\\' |\n| 20 | \\N |\n",
    "Vertical": "Row 1:\n──────\nn: 1\ns: a\tb'\n\nRow 2:\n──────\nn: 20\ns: ᴺᵁᴸᴸ\n",
    "Null": "",
}


@pytest.mark.parametrize(("format_name", "expected"), FORMATTED.items())
def test_rows(format_name: str, expected: str) -> None:
    assert text(SMALL, format_name) == expected


def test_json_document() -> None:
    result = table(
        {"n": "UInt8", "a": "Array(Map(String, UInt8))", "z": "DateTime('Europe/Berlin')"},
        (1, [{"k": 2}, {}], INSTANT),
        (2, [], None),
    )
    assert (
        text(result, "JSON")
        == """{
\t"meta":
\t[
\t\t{
\t\t\t"name": "n",
\t\t\t"type": "UInt8"
\t\t},
\t\t{
\t\t\t"name": "a",
\t\t\t"type": "Array(Map(String, UInt8))"
\t\t},
\t\t{
\t\t\t"name": "z",
\t\t\t"type": "DateTime('Europe\\/Berlin')"
\t\t}
\t],

\t"data":
\t[
\t\t{
\t\t\t"n": 1,
\t\t\t"a": [
\t\t\t\t{
\t\t\t\t\t"k": 2
\t\t\t\t},
\t\t\t\t{}
\t\t\t],
\t\t\t"z": "2024-01-02 04:04:05"
\t\t},
\t\t{
\t\t\t"n": 2,
\t\t\t"a": [],
\t\t\t"z": null
\t\t}
\t],

\t"rows": 2
}
"""
    )


def test_json_compact_document() -> None:
    document = text(SMALL, "JSONCompact")
    assert '\t\t[1, "a\\tb\'"],\n\t\t[20, null]\n' in document
    assert json.loads(document)["rows"] == 2


WIDE = table({"n": "UInt8", "имя": "String", "日": "Array(String)"}, (1, "a\nbc", ["x"]))


def test_pretty() -> None:
    assert text(WIDE, "Pretty") == (
        "   ┏━━━┳━━━━━┳━━━━━━━┓\n"
        "   ┃ n ┃ имя ┃ 日    ┃\n"
        "   ┡━━━╇━━━━━╇━━━━━━━┩\n"
        "1. │ 1 │ a  ↴│ ['x'] │\n"
        "   │   │↳bc  │       │\n"
        "   └───┴─────┴───────┘\n"
    )


def test_pretty_compact() -> None:
    rows = [(n, "日" if n == 10 else None) for n in range(9, 12)]
    result = table({"n": "UInt8", "s": "Nullable(String)"}, *rows)
    assert text(result, "PrettyCompact") == (
        "   ┌──n─┬─s────┐\n1. │  9 │ ᴺᵁᴸᴸ │\n2. │ 10 │ 日   │\n3. │ 11 │ ᴺᵁᴸᴸ │\n   └────┴──────┘\n"
    )


def test_pretty_space() -> None:
    result = table({"n": "UInt8", "s": "String"}, (1, "x"), (20, "yz"))
    assert text(result, "PrettySpace") == "     n   s \n\n1.   1   x  \n2.  20   yz \n"


def test_pretty_measures_in_blocks() -> None:
    result = table({"n": "UInt16"}, *((n,) for n in range(1001)))
    lines = text(result, "PrettyCompact").splitlines()
    assert len(lines) == 1001 + 4
    assert lines[-2] == "1001. │ 1000 │"


@pytest.mark.parametrize("format_name", ["Pretty", "PrettyCompact", "PrettySpace", "Vertical"])
def test_control_characters_do_not_reach_the_terminal(format_name: str) -> None:
    result = table({"\x1b[1m": "String"}, ("\x1b[2Jgone",))
    assert "\x1b" not in text(result, format_name)


def test_float_text() -> None:
    assert [float64_text(value) for value, _ in FLOATS] == [expected for _, expected in FLOATS]
    narrow = [struct.unpack("f", struct.pack("f", value))[0] for value in FLOATS_32]
    assert [float32_text(value) for value in narrow] == list(FLOATS_32.values())


@given(st.floats(allow_nan=False))
def test_float64_reads_back(value: float) -> None:
    assert float(float64_text(value)) == value


@given(st.floats(width=32, allow_nan=False))
def test_float32_reads_back_and_is_short(value: float) -> None:
    shortest = float32_text(value)
    assert struct.pack("f", float(shortest)) == struct.pack("f", value)
    digits = shortest.lstrip("-").partition("e")[0].replace(".", "").strip("0")
    assert len(digits) <= 9


@given(st.text())
def test_json_strings_read_back(value: str) -> None:
    line = text(table({"x": "String"}, (value,)), "JSONEachRow")
    assert json.loads(line) == {"x": value}
    assert line.count("\n") == 1


@given(st.text())
def test_tab_separated_is_one_line(value: str) -> None:
    line = text(table({"x": "String", "y": "Array(String)"}, (value, [value])), "TSV")
    assert line.count("\n") == line.count("\t") == 1


def test_bytes_that_are_no_utf8_come_out_as_they_were() -> None:
    held = b"\xff\xfe\tok\xc3".decode("utf-8", "surrogateescape")
    answer = b"".join(render(table({"x": "String"}, (held,)), "TSV"))
    assert answer == b"\xff\xfe\\tok\xc3\n"


def test_halves_of_surrogate_pairs_do_not_break_the_answer() -> None:
    assert text(table({"x": "String"}, ("\ud800",)), "TSV") == "?\n"


@pytest.mark.parametrize("name", [f.name for f in FORMATS if f.answer is not None])
def test_every_format_takes_no_rows_and_no_columns(name: str) -> None:
    text(table({"x": "UInt8"}), name)
    assert text(Result(), name) == ""


def test_names_are_found_in_any_case() -> None:
    assert find_answer("jsonlines") == find_answer("NDJSON") == find_answer("JSONEachRow")


def test_unknown_format_is_refused_at_once() -> None:
    with pytest.raises(errors.SluiceError, match=r"Unknown format Prety\. Did you mean .*Pretty"):
        render(SMALL, "Prety")
    with pytest.raises(errors.SluiceError, match=r"Writing answers as ORC is not implemented yet"):
        render(SMALL, "ORC")


def test_content_types() -> None:
    assert find_answer("CSV")[1].content_type == "text/csv; charset=UTF-8; header=absent"
    assert find_answer("json")[1].content_type == "application/json; charset=UTF-8"


def test_long_answers_come_in_chunks() -> None:
    result = table({"x": "String"}, *(("y" * 1000,) for _ in range(1000)))
    chunks = list(render(result, "TSV"))
    assert len(chunks) > 10
    assert sum(map(len, chunks)) == 1_001_000
