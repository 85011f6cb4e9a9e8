"""The format csv: what a line says, what is wrong with one, and how rows become lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.messages import columns, half, spark, written
from sluice.errors import SluiceError
from sluice.formats.registry import find_format, must_fit

if TYPE_CHECKING:
    from sluice.session import Session

PLAIN = half("csv", field_delimiter="|", disable_quote_character="true", null_literal="NULL")
"""Shows rows: nothing is in quotes, and bars stand between columns."""

NULLS = {"null_literal": "null"}
OWN = {
    "escape_character": "*",
    "quote_character": "'",
    "array_element_delimiter": ":",
    "field_delimiter": ";",
}
LENIENT = {"ignore_parse_errors": "true"}
ROW = "ROW<f0 STRING, f1 INT, f2 BOOLEAN>"


def rows(options: dict[str, Any], fields: str, message: bytes | str) -> str | None:
    """The row of a message, shown; None for no row, the error after `!`."""
    typed = columns(fields)
    given = message.encode() if isinstance(message, str) else message
    row = half("csv", **options).decoder(spark(), typed).row(given)
    if row is None:
        return None
    if not row.isNullAt(0):
        assert all(row.isNullAt(i + 1) for i in range(len(typed)))
        before = f"Failed to deserialize CSV row '{given.decode(errors='replace')[:200]}'. "
        error = str(row.getUTF8String(0))
        assert error.startswith(before)
        return "!" + error.removeprefix(before)
    shown = PLAIN.encoder(spark(), columns(f"error STRING, {fields}"))
    return bytes(shown.row(row)).decode().removeprefix("NULL|")


def differing(cases: list[tuple[dict[str, Any], str, Any, Any]]) -> list[Any]:
    """Those that do not read as they should, with what they read as."""
    found = [(case, rows(*case[:3])) for case in cases]
    return [(case, got) for case, got in found if got != case[3]]


BOTH_WAYS = [
    ("BOOLEAN", "true"),
    ("TINYINT", "-12"),
    ("SMALLINT", "10000"),
    ("INT", "1234567"),
    ("BIGINT", "-9223372036854775808"),
    ("FLOAT", "0.33333334"),
    ("DOUBLE", "0.33333333332"),
    ("DOUBLE", "1.0E-10"),
    ("DOUBLE", "NaN"),
    ("DECIMAL(38, 25)", "1234.0000000000000000000000001"),
    ("DECIMAL(38, 0)", "123400000000000000000000000001"),
    ("STRING", "hallo"),
    ("STRING", '"with a blank"'),
    ("STRING", '"a, b and ""c"""'),
    ("STRING", '"two\nlines"'),
    ("STRING", '"back\\slash"'),
    ("STRING", "ünï-cødé-ohne-Blanks"),
    ("STRING", '"more_than_twenty_four_characters"'),
    ("VARCHAR(3)", "abcdef"),
    ("DATE", "2018-10-12"),
    ("TIME", "12:12:12"),
    ("TIME(3)", "12:12:12.232"),
    ("TIME(2)", "12:12:12.23"),
    ("TIME(1)", "12:12:12.2"),
    ("TIMESTAMP(0)", '"2018-10-12 12:12:12.123"'),
    ("TIMESTAMP(3)", '"2018-10-12 12:12:12"'),
    ("TIMESTAMP(6)", '"0001-01-01 00:00:00.000001"'),
    ("TIMESTAMP_LTZ(3)", '"1970-01-01 00:02:03.456Z"'),
    ("BYTES", "awML"),
    ("BYTES", "AAECAwQFBgcICQoLDA0ODxA="),
    (ROW, "Hello;42;false"),
    (ROW, '"Hello world;42;false"'),
    ("ARRAY<STRING>", "a;b;c"),
    ("ARRAY<TINYINT>", "12;4;null"),
    ("ARRAY<TIMESTAMP(3)>", '"2018-10-12 12:12:12.1;null"'),
    ("STRING", "null"),
]


def test_every_type_both_ways(engine: Session) -> None:
    """FL-80: what a field says is read, and written as it was, NULL by its literal."""
    differ = []
    given = half("csv", **NULLS)
    for type_, text in BOTH_WAYS:
        fields = f"f0 STRING, f1 {type_}, f2 STRING"
        message = f"BEGIN,{text},END".encode()
        row = given.decoder(spark(), columns(fields)).row(message)
        made = bytes(given.encoder(spark(), columns(f"error STRING, {fields}")).row(row))
        if made != b"null," + message:
            differ.append((type_, text, made))
    assert differ == []


READ: list[tuple[dict[str, Any], str, Any, Any]] = [
    # FL-81: other marks than the usual ones
    (OWN, "a STRING, b STRING", "123*'4**;x", "123'4*|x"),
    (OWN, "a STRING, b STRING", "'123''4**';x", "123'4*|x"),
    (OWN, "a STRING, b STRING", "'a;b*'c';x", "a;b'c|x"),
    (OWN, "a STRING, b STRING", "a*nb*tc*;;*0", "a\nb\tc;|\0"),
    (OWN, "a INT, b STRING", "       12          ;x", "12|x"),
    (OWN, "a ROW<x STRING, y STRING>, b INT", "1:hello;2", "1;hello|2"),
    (OWN, "a STRING, b STRING", "null;", "null|"),
    (OWN, "a TIME(3), b TIME(2), c TIME(1), d TIME(0)",
     "12:12:12.232342;12:12:12.232312;12:12:12.2235;12:12:12.45",
     "12:12:12.232|12:12:12.23|12:12:12.2|12:12:12"),
    (OWN, "a TIME(3), b TIME", "12:12:12.2;12:12", "12:12:12.2|12:12:00"),
    ({"field_delimiter": "→", "quote_character": "«"}, "a STRING, b STRING", "«x→««y«→z", "x→«y|z"),
    # FL-29: a tab, or the two characters for it
    ({"field_delimiter": "\t"}, "a STRING, b INT, c BOOLEAN", "abc\t123\tfalse", "abc|123|false"),
    ({"field_delimiter": "\\t"}, "a STRING, b INT, c BOOLEAN", "abc\t123\tfalse", "abc|123|false"),
    # FL-82: errors are ignored, or not
    (LENIENT, "a STRING, b INT, c STRING", "Test,null,Test", "Test|NULL|Test"),
    (LENIENT, "a STRING, b INT, c STRING", "Test", "Test|NULL|NULL"),
    (LENIENT, "a STRING, b INT, c STRING", "Test,12,Test,Test", None),
    (LENIENT, "a STRING, b INT", '"Test,12', None),
    (LENIENT, "a STRING, b INT", b"\xff,12", None),
    (LENIENT, "a STRING", "", None),
    (LENIENT, "a ARRAY<INT>, b ROW<x INT, y INT>", "1;x;3,4", "1;NULL;3|4;NULL"),
    ({}, "a STRING, b INT, c STRING", "Test,null,Test",
     "!Fail to deserialize at field: b. Cannot parse 'null' as INT"),
    # FL-85: the field is named
    ({}, "f0 STRING, f1 INT, f2 INT", "Test,1,Test",
     "!Fail to deserialize at field: f2. Cannot parse 'Test' as INT"),
    ({}, "a ROW<x STRING, y INT>, b INT", "u;v,1",
     "!Fail to deserialize at field: a. Fail to deserialize at field: y. Cannot parse 'v' as INT"),
    ({}, "a INT, b INT, c INT", "x",
     "!Row length mismatch. 3 fields expected but was 1."),
    ({}, "a INT, b ROW<x INT, y INT>", "1,2",
     "!Fail to deserialize at field: b. Row length mismatch. 2 fields expected but was 1."),
    ({}, "a STRING", "a,b",
     '!Too many entries: expected at most 1 (value #1 (1 chars) "b")'),
    ({}, "a STRING", "",
     "!No content to map due to end-of-input"),
    ({}, "a STRING", '"a',
     "!Missing closing quote for value"),
    ({}, "a STRING, b INT", '"a" x,1',
     ("!Unexpected character ('x' (code 120)): "
      "Expected column separator character (',' (code 44)) or end-of-line")),
    ({"escape_character": "\\"}, "a STRING", "a\\",
     "!Unexpected EOF in escaped character"),
    ({}, "a TINYINT", "128",
     "!Fail to deserialize at field: a. Cannot parse '128' as TINYINT"),
    ({}, "a BYTES", "a?",
     "!Fail to deserialize at field: a. Cannot parse 'a?' as BYTES"),
    # FL-84: the five options of the parser
    ({"trim_spaces": "true"}, "a STRING, b STRING, c ARRAY<STRING>",
     "  a b , \" c \" , x ; y ", "a b| c |x;y"),
    ({}, "a STRING, b STRING", "  a b , c ", "  a b | c "),
    ({"empty_string_as_null": "true"}, "a STRING, b INT, c STRING", ',,""', "NULL|NULL|NULL"),
    ({}, "a STRING, c STRING", ',""', "|"),
    ({}, "a STRING, b STRING", "a,b,", "a|b"),
    ({}, "a STRING, b STRING", "a,b, ", "a|b"),
    ({"allow_trailing_comma": "false"}, "a STRING, b STRING", "a,b,",
     '!Too many entries: expected at most 2 (value #2 (0 chars) "")'),
    ({}, "a STRING", "a,,",
     '!Too many entries: expected at most 1 (value #1 (0 chars) "")'),
    ({"ignore_trailing_unmappable": "true"}, "a STRING, b STRING", "a,b,c,d", "a|b"),
    ({"fail_on_missing_columns": "true"}, "a STRING, b STRING", "a",
     "!Not enough column values: expected 2, found 1"),
    ({"fail_on_missing_columns": "true"} | LENIENT, "a STRING, b STRING", "a", None),
    # the rest
    ({}, "a STRING, b INT", "#Test,12", "#Test|12"),
    ({"allow_comments": "true"}, "a STRING, b INT", "#Test,12\r\n\n # x\nTest,13", "Test|13"),
    ({"allow_comments": "true"} | LENIENT, "a STRING, b INT", "#Test,12", None),
    ({"ignore_first_line": "true"}, "a STRING, b INT", "a,b\r\nTest,13", "Test|13"),
    ({"ignore_first_line": "true"}, "a STRING, b INT", "a,b", None),
    ({"disable_quote_character": "true"}, "a STRING, b INT", '"abc,1', '"abc|1'),
    ({}, "a STRING, b INT", "a,1\nb,2", "a|1"),
    ({}, "a STRING, b INT", "a,1\r\n", "a|1"),
    ({}, "a STRING", "\n", ""),
    ({}, "a STRING, b STRING", b"\xef\xbb\xbfa,b", "a|b"),
    ({}, "a STRING, b STRING", "äöü,日本", "äöü|日本"),
    ({}, "a BOOLEAN, b BOOLEAN, c BOOLEAN", " TRUE ,yes,", "true|false|false"),
    ({}, "a INT, b BIGINT, c FLOAT", "+5,-0007, 1e3 ", "5|-7|1000.0"),
    ({}, "a DECIMAL(5, 2), b DECIMAL(5, 2), c DECIMAL(5, 2)", "1.005,12345,1e2",
     "1.01|NULL|100.00"),
    ({}, "a DECIMAL(5, 2), b DECIMAL(5, 2)", "1e999999999,-1e-999999999", "NULL|0.00"),
    ({}, "a DATE, b DATE", "2018-1-2,2018-02-31", "2018-01-02|2018-03-03"),
    ({}, "a TIMESTAMP(3), b TIMESTAMP_LTZ(3)", " 2018-02-30 01:02:03 ,2018-01-01 24:00:00Z",
     "2018-02-28 01:02:03|2018-01-02 00:00:00Z"),
    ({}, "a ARRAY<INT>, b ARRAY<STRING>, c ROW<x INT, y INT>", ",;,", "|;|NULL"),
    (NULLS, "a INT, b STRING, c STRING", 'null,null,"null"', "NULL|NULL|NULL"),
]  # fmt: skip


def test_what_lines_say(engine: Session) -> None:
    """FL-29, FL-81, FL-82, FL-84, FL-85: marks, blanks, errors, missing and superfluous fields."""
    assert differing(READ) == []
    bad: list[tuple[str, str]] = [
        ("DATE", "20191112"),
        ("DATE", " 2019-11-12"),
        ("TIME", "18:00:243"),
        ("TIMESTAMP(3)", "2019-11-12T18:00:12"),
        ("TIMESTAMP(3)", "2019-11-12 18:00:12Z"),
        ("TIMESTAMP_LTZ(3)", "2019-11-12 18:00:12"),
        ("DECIMAL(5, 2)", " 12"),
        ("DECIMAL(5, 2)", "9" * 5000),
        ("DOUBLE", "112.013.123"),
        ("INT", "1.5"),
        ("INT", ""),
        ("STRING", b"\xff"),  # type: ignore[list-item]
    ]
    for type_, text in bad:
        found = rows({}, f"a {type_}", text)
        assert found is not None, (type_, text)
        assert found.startswith("!"), (type_, text, found)
    long = rows({}, "a INT", "x" * 100_000)
    assert long is not None
    assert len(long) < 1000


WRITTEN: list[tuple[dict[str, Any], str, str, str]] = [
    # FL-83
    ({}, "a STRING, b INT, c STRING", "'Test', 12, 'Hello'", "Test,12,Hello"),
    ({"quote_character": "#"}, "a STRING, b INT, c STRING", "'Test', 12, '2019-12-26 12:12:12'",
     "Test,12,#2019-12-26 12:12:12#"),
    ({"disable_quote_character": "true"}, "a STRING, b INT, c STRING",
     "'Test', 12, '2019-12-26 12:12:12'", "Test,12,2019-12-26 12:12:12"),
    ({"write_bigdecimal_in_scientific_notation": "true"}, "a DECIMAL(10, 3), b DECIMAL(10, 3)",
     "100000, 0", "1E+5,0"),
    ({"write_bigdecimal_in_scientific_notation": "false"}, "a DECIMAL(10, 3)", "100000",
     "100000.000"),
    ({}, "a DECIMAL(10, 3), b ARRAY<DECIMAL(5, 2)>", "100000, array(1, NULL)", "100000.000,1.00;"),
    # FL-81
    (OWN, "a STRING", "\"123'4*\"", "'123''4**'"),
    (OWN, "a STRING", "\"a;b'c\"", "'a;b''c'"),
    (OWN, "a INT", "12", "12"),
    (OWN, "a ROW<x STRING, y STRING>", "struct('1', 'hello')", "'1:hello'"),
    (OWN, "a STRING", "'null'", "null"),
    # FL-29
    ({"field_delimiter": "\\t"}, "a STRING, b INT, c BOOLEAN", "'abc', 123, false",
     "abc\t123\tfalse"),
    # what is in quotes
    ({}, "a STRING, b STRING, c STRING", "'a-b', 'a+b', ''", 'a-b,"a+b",'),
    ({}, "a STRING, b STRING", "'ABCDEFGHIJKLMNOPQRSTUVWX', 'ABCDEFGHIJKLMNOPQRSTUVWXY'",
     'ABCDEFGHIJKLMNOPQRSTUVWX,"ABCDEFGHIJKLMNOPQRSTUVWXY"'),
    ({}, "a STRING, b STRING", "'ääääääääääääääääääääääää', '\U0001f600'",
     "ääääääääääääääääääääääää,\U0001f600"),
    ({"field_delimiter": "→"}, "a STRING, b STRING", "'abc', '日本'", '"abc"→日本'),
    ({"quote_character": "«"}, "a STRING, b INT", "'a«b', 1", "«a««b«,1"),
    ({"escape_character": "/"}, "a STRING, b STRING", "'a/b', 'a\\\\b'", '"a//b",a\\b'),
    # NULL
    ({}, "a STRING, b INT, c ARRAY<INT>, d ROW<x INT, y INT>", "NULL, NULL, NULL, NULL", ",,,"),
    (NULLS, "a STRING, b INT, c ARRAY<INT>", "NULL, NULL, array(NULL)", "null,null,null"),
    ({"line_delimiter": "\\r\\n"}, "a STRING, b INT", "'x', 1", "x,1\r\n"),
    ({}, "a TIME(5), b TIMESTAMP(6)", "'12:30:00.12300', TIMESTAMP_NTZ'10000-01-01 00:00:00'",
     '12:30:00.123,"+10000-01-01 00:00:00"'),
]  # fmt: skip


def test_what_rows_become(engine: Session) -> None:
    """FL-29, FL-81, FL-83: quotes where Flink's writer puts them, numbers as it writes them."""
    found = [(case, written(half("csv", **case[0]), case[1], case[2])) for case in WRITTEN]
    assert [(case, made) for case, made in found if made != case[3].encode()] == []


SIMPLE = "Only simple types are supported in the second level nesting of fields"
CLOCK = "Csv does not support TIME type with precision"
REFUSED = [
    ("m MAP<STRING, INT>", "Unsupported type 'MAP<STRING, INT>' for field 'm'."),
    ("m INTERVAL DAY", "Unsupported type 'INTERVAL DAY"),
    ("r ROW<a ROW<b STRING>>", f"{SIMPLE} 'r' but was: ROW<`b` STRING>"),
    ("r ARRAY<ARRAY<INT>>", f"{SIMPLE} 'r' but was: ARRAY<INT>"),
    ("t TIME(5)", f"{CLOCK}: 5, it only supports precision 0 ~ 3."),
    ("r ROW<t TIME(4)>", f"{CLOCK}: 4, it"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), REFUSED)
def test_columns_that_csv_does_not_have(fields: str, reason: str) -> None:
    """FL-81: refused before anything is read."""
    with pytest.raises(SluiceError, match=re.escape(reason)):
        must_fit(find_format("csv", "flink"), columns(fields), {})
