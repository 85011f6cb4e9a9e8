"""Messages in text, one by one: their rows or errors, and what rows become, as ClickHouse has them.

A line of `messages/read.jsonl` is a case: the format, the columns, the settings, the message, and
its rows or its error. ClickHouse, which is asked each time, has the same rows, or an error too.
`messages/scalars.jsonl` has more of the types that Spark lacks. `messages/read_otherwise.jsonl` and
`messages/scalars_otherwise.jsonl` have what ClickHouse reads otherwise, with the reason behind it:
a value that does not fit its type is an error here and never another value, and some things are
read here that ClickHouse refuses.

`messages/written.jsonl` and `messages/written_json.jsonl` have a format, settings and the message
of the rows below, `messages/scalars_written.jsonl` the type and a value in TabSeparated as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from format_cases import COLUMNS, FLOATS, FLOATS_32

from formats.convert import EXACTLY, SHOWN, Wrong, codec
from sluice.errors import SluiceError
from sluice.formats.registry import of_dialect
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from formats.convert import Converter
    from formats.peer import Peer

    Asked = tuple[str, list[list[str]], dict[str, Any], str]

FOLDER = Path(__file__).parent / "messages"
TEXT = "s String"


def cases(name: str) -> list[list[Any]]:
    """The lines of a file."""
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def declared(columns: list[list[str]]) -> str:
    """Columns as a table has them."""
    return ", ".join(f"`{name}` {type_}" for name, type_ in columns)


def read(reader: Converter | Peer, columns: str, format_: str, settings: Any, data: bytes) -> Any:
    """The rows of a message, or its error."""
    try:
        shown = reader.rows(columns, format_, settings, data).decode("utf-8", "surrogateescape")
    except Wrong as bad:
        return str(bad)
    return [json.loads(line) for line in shown.split("\n") if line]


def both(ours: Converter, peer: Peer, asked: Asked) -> tuple[Any, Any, bool]:
    """Our answer and ClickHouse's, and whether they are the same, or both are errors."""
    format_, columns, settings, message = asked
    given = declared(columns), format_, settings, message.encode()
    found, theirs = read(ours, *given), read(peer, *given)
    return found, theirs, found == theirs or (isinstance(found, str) and isinstance(theirs, str))


@pytest.mark.parametrize("name", ["read", "scalars"])
def test_as_clickhouse_reads(name: str, ours: Converter, peer: Peer) -> None:
    """What is read as ClickHouse reads it."""
    wrong = []
    for *asked, wanted in cases(name):
        found, theirs, same = both(ours, peer, asked)  # type: ignore[arg-type]
        if not same or found != wanted:
            wrong.append((asked, wanted, found, theirs))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", ["read_otherwise", "scalars_otherwise"])
def test_otherwise_on_purpose(name: str, ours: Converter, peer: Peer) -> None:
    """What ClickHouse reads otherwise: once it does not, the case belongs to the others."""
    wrong = []
    for *asked, wanted, why in cases(name):
        found, theirs, same = both(ours, peer, asked)  # type: ignore[arg-type]
        if same or found != wanted:
            wrong.append((asked, why, wanted, found, theirs))
    assert not wrong, "\n".join(map(str, wrong))


def test_st_08_allowed_errors(ours: Converter) -> None:
    """ST-08: so many bad rows, or such a share of them, are skipped."""
    one, two = "1\nx\n3\n", "1\nx\ny\n4\n5\n"
    good: list[tuple[str, dict[str, Any], list[int]]] = [
        (one, {"input_format_allow_errors_num": 1}, [1, 3]),
        (one, {"input_format_allow_errors_ratio": 0.5}, [1, 3]),
        (two, {"input_format_allow_errors_num": 2}, [1, 4, 5]),
        (two, {"input_format_allow_errors_ratio": 0.67}, [1, 4, 5]),
    ]
    for message, settings, wanted in good:
        found = read(ours, "a UInt8", "TSV", settings, message.encode())
        assert found == [[n] for n in wanted], settings
    for name, value in (("num", 1), ("ratio", 0.4)):
        settings = {f"input_format_allow_errors_{name}": value}
        assert isinstance(read(ours, "a UInt8", "TSV", settings, two.encode()), str)


def test_bytes_that_are_no_text(ours: Converter, peer: Peer) -> None:
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
        found = read(ours, TEXT, format_, {}, message)
        assert found == read(peer, TEXT, format_, {}, message) == [["a\udcffb"]], format_


def test_a_table_must_fit(ours: Converter) -> None:
    """Formats for one text refuse other tables, in ClickHouse's words."""
    for format_ in ("JSONAsString", "LineAsString", "RawBLOB"):
        with pytest.raises(SluiceError, match="single column of type String but the number"):
            read(ours, f"{TEXT}, t String", format_, {}, b"x")
        with pytest.raises(SluiceError, match="but the column type is UInt8"):
            read(ours, "n UInt8", format_, {}, b"x")


@pytest.fixture
def written(ours: Converter, peer: Peer) -> Callable[..., str]:
    """Rows that are read in one format and written in another, as ClickHouse does it too."""

    def write(columns: str, source: str, rows: str, format_: str, settings: Any) -> str:
        found = ours.convert(columns, codec(source, {}), codec(format_, settings), rows.encode())
        given = ", ".join(map(quote_string, (columns, rows)))
        theirs = peer.written(f"SELECT * FROM format({source}, {given})", format_, settings)
        assert found == theirs, (format_, settings)
        return found.decode()

    return write


def test_as_clickhouse_writes(written: Callable[..., str], peer: Peer) -> None:
    """Every type in every format, and what the settings change."""
    columns = declared([[name, type_] for name, type_ in COLUMNS.items()])
    texts = {format_: message for format_, settings, message in cases("written") if not settings}
    given = ", ".join(map(quote_string, (columns, texts["TSV"])))
    rows = peer.written(f"SELECT * FROM format(TSV, {given})", SHOWN, EXACTLY).decode()
    for format_, settings, message in cases("written"):
        assert written(columns, SHOWN, rows, format_, settings) == message, (format_, settings)


DOCUMENT = (
    '{"a":{"b":1.0},"c":["x\'\\\\\\\\q/\\\\n,\\\\t",18446744073709551615,36893488147419103232],'
    '"f":150.0,"n":-7}'
)  # in TabSeparated


def test_json_as_clickhouse_writes_it(written: Callable[..., str]) -> None:
    """An object that is stored as its text, alone and within other values."""
    columns = "j JSON, a Array(JSON), m Map(String, JSON), t Tuple(x JSON), n Nullable(JSON)"
    quoted = "'" + DOCUMENT.replace("x'", "x\\'") + "'"
    row = "\t".join([DOCUMENT, f"[{quoted}]", f"{{'k':{quoted}}}", f"({quoted})", "\\N"])
    for format_, settings, message in cases("written_json"):
        assert written(columns, "TSV", f"{row}\n", format_, settings) == message, settings


def test_scalars_as_clickhouse_writes(written: Callable[..., str]) -> None:
    """The types that Spark lacks."""
    for format_, type_, settings, value, message in cases("scalars_written"):
        assert written(f"x {type_}", "TSV", f"{value}\n", format_, settings) == message, type_


def test_floats(written: Callable[..., str]) -> None:
    """The shortest text that is the same number."""
    for type_, texts in (
        ("Float64", [text for _, text in FLOATS]),
        ("Float32", FLOATS_32.values()),
    ):
        rows = "".join(f"{text}\n" for text in texts)
        assert written(f"x {type_}", "TSV", rows, "TSV", {}) == rows


def test_texts_alone(written: Callable[..., str]) -> None:
    """A text as it is: a line each, or with nothing between them."""
    assert written(TEXT, "TSV", "a\\nb\n" * 2, "RawBLOB", {}) == "a\nba\nb"
    assert written(TEXT, "TSV", "a\\tb\n" * 2, "LineAsString", {}) == "a\tb\na\tb\n"


def test_json_as_string(ours: Converter) -> None:
    """Written as it is, which ClickHouse does not."""
    row = '{"a" : 1}\n'
    found = ours.convert(TEXT, codec("TSV", {}), codec("JSONAsString", {}), row.encode() * 2)
    assert found.decode() == row * 2


def test_names_are_escaped(ours: Converter, peer: Peer) -> None:
    """The names of columns, where a message has them."""
    wanted = {
        "TSKV": "a\\=b\\tc/=q\te'f\"=1\n",
        "TSVWithNames": "a=b\\tc/\te\\'f\"\nq\t1\n",
        "CSVWithNames": '"a=b\tc/","e\'f"""\n"q",1\n',
        "JSONEachRow": '{"a=b\\tc\\/":"q","e\'f\\"":1}\n',
    }
    query = "SELECT 'q' AS `a=b\tc/`, toUInt8(1) AS `e'f\"`"
    columns = "`a=b\tc/` String, `e'f\"` UInt8"
    for format_, message in wanted.items():
        found = ours.convert(columns, codec("TSV", {}), codec(format_, {}), b"q\t1\n")
        assert found == peer.written(query, format_, {}) == message.encode()


def test_what_is_not_written(ours: Converter) -> None:
    """A format that nothing is written by is refused."""
    read_only = next(f.name for f in of_dialect("clickhouse") if f.reads and not f.writes)
    with pytest.raises(SluiceError, match=f"Writing messages as {read_only} is not implemented"):
        ours.convert("n UInt8", codec("TSV", {}), codec(read_only, {}), b"1\n")
