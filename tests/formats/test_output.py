"""Exact bytes per format and type."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluice import errors
from sluice.formats.output import FORMATS, content_type, find_format, render
from sluice.formats.output.numbers import float32_text, float64_text
from sluice.session.result import Result, ResultColumn
from sluice.types import parse_type

UTC = dt.UTC
INSTANT = dt.datetime(2024, 1, 2, 3, 4, 5, 678900, tzinfo=UTC)


def table(columns: dict[str, str], *rows: tuple[Any, ...]) -> Result:
    return Result(
        tuple(ResultColumn(name, parse_type(type_)) for name, type_ in columns.items()), rows
    )


def text(result: Result, format_name: str) -> str:
    return b"".join(render(result, format_name)).decode()


SMALL = table({"n": "UInt8", "s": "Nullable(String)"}, (1, "a\tb'"), (20, None))

VALUES = [
    # type, value, TabSeparated, CSV, Values, JSONEachRow
    ("Int8", -5, "-5", "-5", "-5", "-5"),
    ("UInt64", 2**64 - 1, "18446744073709551615", "18446744073709551615", "18446744073709551615",
     "18446744073709551615"),
    ("UInt64", Decimal(7), "7", "7", "7", "7"),
    ("UInt8", True, "1", "1", "1", "1"),
    ("Bool", True, "true", "true", "true", "true"),
    ("Float64", 1.0, "1", "1", "1", "1"),
    ("Float64", math.inf, "inf", "inf", "inf", "null"),
    ("Float64", math.nan, "nan", "nan", "nan", "null"),
    ("Float32", 0.10000000149011612, "0.1", "0.1", "0.1", "0.1"),
    ("Decimal(10, 2)", Decimal("1.50"), "1.5", "1.5", "1.5", "1.5"),
    ("Decimal(10, 2)", Decimal("100.00"), "100", "100", "100", "100"),
    ("Decimal(38, 0)", Decimal("1E+2"), "100", "100", "100", "100"),
    ("String", "a'\\\t\n\"/", "a\\'\\\\\\t\\n\"/", '"a\'\\\t\n""/"', "'a\\'\\\\\\t\\n\"/'",
     '"a\'\\\\\\t\\n\\"\\/"'),
    ("String", "\0\b\f\r\x1f", "\\0\\b\\f\\r\x1f", '"\0\b\f\r\x1f"', "'\\0\\b\\f\\r\x1f'",
     '"\\u0000\\b\\f\\r\\u001F"'),
    ("String", "привет", "привет", '"привет"', "'привет'", '"привет"'),
    ("FixedString(3)", "a\0\0", "a\\0\\0", '"a\0\0"', "'a\\0\\0'", '"a\\u0000\\u0000"'),
    ("LowCardinality(Nullable(String))", "x", "x", '"x"', "'x'", '"x"'),
    ("Nullable(String)", None, "\\N", "\\N", "NULL", "null"),
    ("Enum8('a' = 1)", "a", "a", '"a"', "'a'", '"a"'),
    ("Date", dt.date(2024, 1, 2), "2024-01-02", '"2024-01-02"', "'2024-01-02'", '"2024-01-02"'),
    ("DateTime", INSTANT, "2024-01-02 03:04:05", '"2024-01-02 03:04:05"',
     "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("DateTime('Asia/Tokyo')", INSTANT, "2024-01-02 12:04:05", '"2024-01-02 12:04:05"',
     "'2024-01-02 12:04:05'", '"2024-01-02 12:04:05"'),
    ("DateTime64(3)", INSTANT, "2024-01-02 03:04:05.678", '"2024-01-02 03:04:05.678"',
     "'2024-01-02 03:04:05.678'", '"2024-01-02 03:04:05.678"'),
    ("DateTime64(0)", INSTANT, "2024-01-02 03:04:05", '"2024-01-02 03:04:05"',
     "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("LocalDateTime(3)", INSTANT.replace(tzinfo=None), "2024-01-02 03:04:05.678",
     '"2024-01-02 03:04:05.678"', "'2024-01-02 03:04:05.678'", '"2024-01-02 03:04:05.678"'),
    ("LocalDateTime(0)", INSTANT.replace(tzinfo=None), "2024-01-02 03:04:05",
     '"2024-01-02 03:04:05"', "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("TimeOfDay(3)", "12:00:01.5", "12:00:01.5", '"12:00:01.5"', "'12:00:01.5'", '"12:00:01.5"'),
    ("BoundedText(5)", "a", "a", '"a"', "'a'", '"a"'),
    ("Bytes", b"\xc0\xff", "x\\'c0ff\\'", "\"x'c0ff'\"", "'x\\'c0ff\\''", "\"x'c0ff'\""),
    ("Multiset(String)", {"a": 2}, "{'a':2}", "\"{'a':2}\"", "{'a':2}", '{"a":2}'),
    ("Array(String)", ["a", "b'"], "['a','b\\'']", "\"['a','b\\'']\"", "['a','b\\'']",
     '["a","b\'"]'),
    ("Array(Nullable(Int8))", [1, None], "[1,NULL]", '"[1,NULL]"', "[1,NULL]", "[1,null]"),
    ("Array(Array(Date))", [[dt.date(2024, 1, 2)], []], "[['2024-01-02'],[]]",
     "\"[['2024-01-02'],[]]\"", "[['2024-01-02'],[]]", '[["2024-01-02"],[]]'),
    ("Map(String, Float64)", {"a": 1.5, "b": math.inf}, "{'a':1.5,'b':inf}",
     "\"{'a':1.5,'b':inf}\"", "{'a':1.5,'b':inf}", '{"a":1.5,"b":null}'),
    ("Map(UInt8, UInt8)", {1: 2}, "{1:2}", '"{1:2}"', "{1:2}", '{"1":2}'),
    ("Tuple(UInt8, String)", (1, "x"), "(1,'x')", '1,"x"', "(1,'x')", '[1,"x"]'),
    ("Tuple(a UInt8, b Tuple(c String))", (1, ("x",)), "(1,('x'))", '1,"x"', "(1,('x'))",
     '{"a":1,"b":{"c":"x"}}'),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "value", "tsv", "csv", "values", "json_"), VALUES)
def test_values(type_: str, value: Any, tsv: str, csv: str, values: str, json_: str) -> None:
    result = table({"x": type_}, (value,))
    assert text(result, "TabSeparated") == f"{tsv}\n"
    assert text(result, "CSV") == f"{csv}\n"
    assert text(result, "Values") == f"({values})"
    assert text(result, "JSONEachRow") == f'{{"x":{json_}}}\n'
    assert text(result, "JSONCompactEachRow") == f"[{json_}]\n"
    assert text(result, "TSKV") == f"x={tsv}\n"


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


FLOATS = {
    1e20: "100000000000000000000",
    1e21: "1e21",
    1.2345678901234568e22: "1.2345678901234568e22",
    1e-5: "0.00001",
    1e-6: "0.000001",
    1.5e-6: "0.0000015",
    1e-7: "1e-7",
    -2.5e-9: "-2.5e-9",
    123456789.125: "123456789.125",
    1e16: "10000000000000000",
    -0.0: "-0",
    -math.inf: "-inf",
    1.7976931348623157e308: "1.7976931348623157e308",
}


@pytest.mark.parametrize(("value", "expected"), FLOATS.items())
def test_float_text(value: float, expected: str) -> None:
    assert float64_text(value) == expected


@given(st.floats(allow_nan=False))
def test_float64_reads_back(value: float) -> None:
    assert float(float64_text(value)) == value


@given(st.floats(width=32, allow_nan=False))
def test_float32_reads_back_and_is_short(value: float) -> None:
    import struct

    written = float32_text(value)
    assert struct.pack("f", float(written)) == struct.pack("f", value)
    digits = written.lstrip("-").partition("e")[0].replace(".", "").strip("0")
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


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_every_format_takes_no_rows_and_no_columns(format_: Any) -> None:
    text(table({"x": "UInt8"}), format_.name)
    assert text(Result(), format_.name) == ""


def test_names_are_found_in_any_case() -> None:
    assert find_format("jsonlines") is find_format("NDJSON") is find_format("JSONEachRow")


def test_unknown_format_is_refused_at_once() -> None:
    with pytest.raises(errors.SluiceError, match=r"Unknown format Prety\. Did you mean .*Pretty"):
        render(SMALL, "Prety")


def test_content_types() -> None:
    assert content_type("CSV") == "text/csv; charset=UTF-8; header=absent"
    assert content_type("json") == "application/json; charset=UTF-8"


def test_long_answers_come_in_chunks() -> None:
    result = table({"x": "String"}, *(("y" * 1000,) for _ in range(1000)))
    chunks = list(render(result, "TSV"))
    assert len(chunks) > 10
    assert sum(map(len, chunks)) == 1_001_000
