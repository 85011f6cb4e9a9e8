"""Messages as rows, against what ClickHouse reads from the same messages.

`formats/read.jsonl` has a case in each line: the format, the columns, the settings, the message,
and its rows or its error. ClickHouse gives the same rows, or an error too.
`formats/scalars.jsonl` has more of the types that Spark lacks. `formats/read_otherwise.jsonl` and
`formats/scalars_otherwise.jsonl` have those that are read otherwise on purpose, with ClickHouse's
answer behind ours (null if it has none): a value that does not fit its type is an error here and
never another value, and some things are read here that ClickHouse refuses.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sluice.errors import SluiceError
from sluice.formats.codec import Codec
from sluice.formats.registry import FORMAT_SETTINGS
from sluice.types import parse_type

if TYPE_CHECKING:
    from sluice.session import Session

FOLDER = Path(__file__).parent / "formats"
KINDS = {option.key: option.kind for option in FORMAT_SETTINGS}
ERROR = ("__error", parse_type("Nullable(String)"))

Case = list[Any]


def cases(file: str) -> list[Case]:
    lines = (FOLDER / file).read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def read(format_: str, columns: Any, settings: dict[str, Any], message: bytes | str) -> Any:
    """The rows of a message, or its error."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    typed = [(name, parse_type(text)) for name, text in columns]
    default = {"date_time_input_format": "basic"}  # that of the ClickHouse that was asked, 25.8
    given = {name: KINDS[name].read(value) for name, value in (default | settings).items()}
    raw = message.encode() if isinstance(message, str) else message
    rows = Codec.named(format_, "clickhouse", given).decoder(spark, typed).decode(raw)
    shown = Codec.named("JSONCompactEachRow", "clickhouse", {}).encoder(spark, [ERROR, *typed])
    lines = bytes(shown.encode(rows)).decode("utf-8", "surrogateescape").split("\n")
    found = [json.loads(line) for line in lines if line]
    return found[0][0] if found and found[0][0] is not None else [row[1:] for row in found]


@pytest.mark.parametrize("file", ["read.jsonl", "scalars.jsonl"])
def test_as_clickhouse_reads(engine: Session, file: str) -> None:
    """Every case that ClickHouse was asked about."""
    wrong = [
        (format_, columns, settings, message, wanted, found)
        for format_, columns, settings, message, wanted in cases(file)
        if (found := read(format_, columns, settings, message)) != wanted
    ]
    assert wrong == []


@pytest.mark.parametrize("file", ["read_otherwise.jsonl", "scalars_otherwise.jsonl"])
def test_otherwise_on_purpose(engine: Session, file: str) -> None:
    """What is read otherwise than ClickHouse reads it."""
    for format_, columns, settings, message, wanted, theirs in cases(file):
        assert read(format_, columns, settings, message) == wanted, message
        assert isinstance(wanted, str) != (theirs is None) or wanted != theirs


TEXT = [["s", "String"]]


def test_ch_60_empty_messages(engine: Session) -> None:
    """CH-60: an empty message is no row, or for some formats an error."""
    columns = [["id", "Int64"], ["s", "String"]]
    for format_ in ("JSONEachRow", "JSONCompactEachRow", "CSV", "TSV", "TSVWithNames"):
        assert read(format_, columns, {}, "") == [], format_
    for format_ in ("CSVWithNames", "TSKV"):
        assert isinstance(read(format_, columns, {}, ""), str), format_
    for format_ in ("JSONAsString", "LineAsString", "RawBLOB"):
        assert read(format_, TEXT, {}, "") == [], format_


GARBAGE = "Broken message\nBroken message\nBroken message\n"


def test_ch_80_ch_82_garbage(engine: Session) -> None:
    """CH-80, CH-82: what is no message of its format is one error."""
    columns = [["key", "Int64"], ["value", "Int64"]]
    formats = (
        *("JSONEachRow", "JSONCompactEachRow", "JSONLines", "NDJSON", "CSV", "CSVWithNames"),
        *("TSV", "TabSeparated", "TSVWithNames", "TSKV"),
    )
    for format_ in formats:
        for message in ("qwertyuiop", "asdfghjkl", "zxcvbnm", GARBAGE):
            found = read(format_, columns, {}, message)
            assert isinstance(found, str), (format_, found)
    assert isinstance(read("JSONAsString", TEXT, {}, GARBAGE), str)


def test_st_08_allowed_errors(engine: Session) -> None:
    """ST-08: so many bad rows, or such a share of them, are skipped."""
    columns = [["a", "UInt8"]]
    one, two = "1\nx\n3\n", "1\nx\ny\n4\n5\n"
    good: list[tuple[str, dict[str, Any], list[int]]] = [
        (one, {"input_format_allow_errors_num": 1}, [1, 3]),
        (one, {"input_format_allow_errors_ratio": 0.5}, [1, 3]),
        (two, {"input_format_allow_errors_num": 2}, [1, 4, 5]),
        (two, {"input_format_allow_errors_ratio": 0.67}, [1, 4, 5]),
    ]
    for message, settings, wanted in good:
        assert read("TSV", columns, settings, message) == [[n] for n in wanted], settings
    for name, value in (("num", 1), ("ratio", 0.4)):
        settings = {f"input_format_allow_errors_{name}": value}
        assert isinstance(read("TSV", columns, settings, two), str)


def test_bytes_that_are_no_text(engine: Session) -> None:
    """A text keeps bytes that are no UTF-8."""
    for format_, message in (
        ("JSONEachRow", b'{"s":"a\xffb"}'),
        ("CSV", b"a\xffb\n"),
        ("CSV", b'"a\xffb"\n'),
        ("TSV", b"a\xffb\n"),
        ("TSV", b"a\\xffb\n"),
        ("LineAsString", b"a\xffb"),
        ("RawBLOB", b"a\xffb"),
    ):
        assert read(format_, TEXT, {}, message) == [["a\udcffb"]], format_


def test_a_table_must_fit(engine: Session) -> None:
    """Formats for one text refuse other tables, in ClickHouse's words."""
    for format_ in ("JSONAsString", "LineAsString", "RawBLOB"):
        with pytest.raises(SluiceError, match="single column of type String but the number"):
            read(format_, [*TEXT, ["t", "String"]], {}, "x")
        with pytest.raises(SluiceError, match="but the column type is UInt8"):
            read(format_, [["n", "UInt8"]], {}, "x")
