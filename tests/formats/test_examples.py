"""Every ClickHouse format that is implemented, by the example messages of its file.

A format is added by its descriptor, and by `examples/NAME.toml`, whose keys `examples/__init__.py`
lists: without this file these tests fail. Messages pass through the decoders and encoders of Java
in a JVM without Spark, and through ClickHouse, and the rows are compared as JSONCompactEachRow.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from formats.convert import Wrong
from formats.examples import example
from sluice.formats.registry import FORMATS, find_format
from sluice.parameters.kinds import CLICKHOUSE

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

IMPLEMENTED = [f for f in FORMATS if f.dialect == CLICKHOUSE and not f.changes]
READ = [f.name for f in IMPLEMENTED if f.reads and not example(f.name).elsewhere]
WRITTEN = [f.name for f in IMPLEMENTED if f.writes and not example(f.name).elsewhere]
BOTH = [name for name in READ if name in WRITTEN]
MANY = 70_000
"""More rows than a block of ClickHouse has."""

GARBAGE = "Broken message\nBroken message\nBroken message\n"


def answered(reader: Converter | Peer, *asked: Any) -> tuple[bool, str]:
    """Whether a message has rows, and these, or its error."""
    try:
        return True, reader.rows(*asked).decode("utf-8", "surrogateescape")
    except Wrong as bad:
        return False, str(bad)


def message(format_: str, count: int, ours: Converter, peer: Peer) -> tuple[bytes, bytes]:
    """A message of so many rows, by ClickHouse if it writes the format; and its rows, shown."""
    known = example(format_)
    columns = f"SELECT * FROM ({known.query(count)})"
    shown = peer.written(columns, "JSONCompactEachRow", known.settings)
    if peer.formats().get(known.written_as, (False, False))[1]:
        return peer.written(columns, known.written_as, known.settings), shown
    return ours.written(known.columns, format_, known.ours, shown), shown


@pytest.mark.parametrize("format_", READ)
def test_ch_58_rows(format_: str, ours: Converter, peer: Peer) -> None:
    """CH-58: one row, and fifteen rows in one message."""
    known = example(format_)
    for count in (1,) if known.one else (1, 15):
        data, shown = message(format_, count, ours, peer)
        assert answered(ours, known.columns, format_, known.ours, data) == (True, shown.decode())
        if find_format(format_, CLICKHOUSE).read_twice:
            assert ours.read_by == "JVM"


@pytest.mark.parametrize("format_", READ)
def test_ch_60_empty(format_: str, ours: Converter) -> None:
    """CH-60: a message of no bytes has no rows, or is wrong."""
    known = example(format_)
    good, text = answered(ours, known.columns, format_, known.ours, b"")
    assert (good, text if good else "") == (known.empty == "nothing", ""), text


@pytest.mark.parametrize("format_", READ)
def test_ch_78_bad_value(format_: str, ours: Converter, peer: Peer) -> None:
    """CH-78: a value that is none of its type is wrong, and the error names it."""
    known = example(format_)
    if known.bad is None:
        assert known.garbage == "rows", "a format whose bytes may be wrong needs [bad]"
        return
    data = known.bad.data
    if known.bad.query:
        data = peer.written(known.bad.query, known.written_as, known.settings)
    good, text = answered(ours, known.bad.columns, format_, known.ours, data)
    assert not good, text
    assert known.bad.error is not None
    assert known.bad.error in text


@pytest.mark.parametrize("format_", READ)
def test_ch_80_ch_82_garbage(format_: str, ours: Converter) -> None:
    """CH-80, CH-82: what is no message of its format is one error."""
    known = example(format_)
    for text in ("qwertyuiop", "poiuytrewq", "zxcvbnm", GARBAGE, "\0" * 9, "\xff" * 40):
        data = text.encode("latin-1")
        good, found = answered(ours, known.columns, format_, known.ours, data)
        expected = known.zeros if not text.strip("\0") else known.garbage
        assert good == (expected == "rows"), (text, found)


@pytest.mark.parametrize("format_", READ)
def test_ch_80_truncated(format_: str, ours: Converter, peer: Peer) -> None:
    """A message that breaks off somewhere has the rows before, or is wrong."""
    known = example(format_)
    data, _ = message(format_, 1 if known.one else 3, ours, peer)
    step = 1 if find_format(format_, CLICKHOUSE).read_by == "JVM" else max(1, len(data) // 25)
    for end in range(0, len(data), step):
        answered(ours, known.columns, format_, known.ours, data[:end])


@pytest.mark.parametrize("format_", WRITTEN)
def test_ch_82_ch_91_written(format_: str, ours: Converter, peer: Peer) -> None:
    """CH-82, CH-91: what is written is what ClickHouse writes, and ClickHouse reads it."""
    known = example(format_)
    for count in (1,) if known.one else (1, 15):
        theirs, shown = message(format_, count, ours, peer)
        data = ours.written(known.columns, format_, known.ours, shown)
        if not known.differs:
            assert data == theirs
        if peer.formats().get(format_, (False, False))[0]:
            assert peer.rows(known.columns, format_, known.settings, data) == shown


@pytest.mark.parametrize("format_", BOTH)
def test_ch_80_many_rows(format_: str, ours: Converter, peer: Peer) -> None:
    """CH-80: more rows in one message than a block of ClickHouse has."""
    known = example(format_)
    if known.one:
        return
    data, shown = message(format_, MANY, ours, peer)
    assert ours.rows(known.columns, format_, known.ours, data) == shown


_MARKED = {
    "format_template_row_format": "<${a:Escaped}>",
    "format_template_resultset_format": "${data}",
    "format_template_rows_between_delimiter": ";",
}
_DOCUMENTS = b'{"a":1}\nx\n{"a":3}\n{"a":4}\n'
_RECORD = {
    "format_schema_source": "string",
    "format_schema_message_name": "M",
    "format_schema": 'syntax = "proto3"; message M { int32 a = 1; }',
}
ERRING: dict[str, tuple[str, dict[str, Any], bytes]] = {
    "JSONAsString": ("String", {}, _DOCUMENTS),
    "JSONAsObject": ("JSON", {}, _DOCUMENTS),
    "Regexp": ("UInt8", {"format_regexp": "(.*)"}, b"1\nx\n3\n4\n"),
    "Template": ("UInt8", _MARKED, b"<1>;<x>;<3>;<4>"),
    "TemplateIgnoreSpaces": ("UInt8", _MARKED, b"<1>;<x>;<3>;<4>"),
    "ProtobufList": ("UInt8", _RECORD, b"\x0c\x0a\x02\x08\x01\x0a\x02\x14\x00\x0a\x02\x08\x03"),
}
"""A bad row where ClickHouse's own writer makes none: type of a column `a`, settings, bytes."""

ALWAYS = {"LineAsString", "RawBLOB"}
"""Formats of any bytes."""

LENIENT = {"Protobuf"}
"""Where Sluice skips the rows that ClickHouse should: `ProtobufTest` in Java."""


def test_st_08_allowed_errors(ours: Converter, peer: Peer) -> None:
    """ST-08: of four rows the second is bad; it is skipped where ClickHouse skips it."""
    query = "SELECT arrayJoin(['1', 'x', '3', '4']) AS a"
    wrong, skipped = [], set()
    for format_ in READ:
        known = example(format_)
        if known.one or format_ in ALWAYS | LENIENT:
            continue
        type_, settings, data = ERRING.get(format_, ("UInt8", known.settings, b""))
        data = data or peer.written(query, known.written_as, settings)
        if not format_.startswith("RowBinary"):  # whose types have their length before them
            data = data.replace(b"String", b"UInt8")
        for allowed in ({}, {"num": 1}, {"ratio": 0.5}):
            more = {f"input_format_allow_errors_{name}": value for name, value in allowed.items()}
            asked = f"a {type_}", format_, settings | more, data
            found, theirs = answered(ours, *asked), answered(peer, *asked)
            if found != theirs and (found[0] or theirs[0]):
                wrong.append((format_, more, found, theirs))
            if found[0] and found[1].count("\n") == 3:
                skipped.add(format_)
    assert not wrong, "\n".join(map(str, wrong))
    lines = {f"{name}{more}" for name in ("CSV", "TabSeparated") for more in ("", "WithNames")}
    assert skipped >= lines | {"JSONEachRow", "JSONAsObject", "Template", "TSKV", "CustomSeparated"}


@pytest.mark.parametrize("format_", READ)
def test_messages(format_: str, ours: Converter, peer: Peer) -> None:
    """The further messages of a format's file, as ClickHouse reads them."""
    known = example(format_)
    wrong = []
    for each in known.messages:
        data = each.data
        if each.query:
            data = peer.written(each.query, format_, each.settings)
        theirs = answered(peer, each.columns, format_, each.settings, data)
        found = answered(ours, each.columns, format_, each.settings | known.only, data)
        expected = True
        if each.error is not None:
            expected = not found[0] and each.error in found[1]
        elif each.rows is not None:
            expected = found[1].replace(", ", ",").strip() == each.rows.strip()
        expected &= not each.by or ours.read_by == each.by
        same = found == theirs or not (found[0] or theirs[0])
        if not expected or same == bool(each.otherwise):
            wrong.append((data, each.columns, each.settings, theirs, found))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("format_", [name for name in READ if example(name).values])
def test_values(format_: str, ours: Converter, peer: Peer) -> None:
    """Values of every type: what they become, or that they are wrong."""
    known = example(format_)
    wrong = []
    for each in known.values:
        assert each.differ.keys() <= set(each.texts)
        messages = {text: (known.value % text).encode() for text in each.texts}
        asked = f"a {each.type}", format_, each.settings
        found = {text: answered(ours, *asked, data) for text, data in messages.items()}
        together = [text for text in each.texts if found[text][0] and text not in each.differ]
        lines = b"\n".join(messages[text].removesuffix(b"\n") for text in together) + b"\n"
        theirs = answered(peer, *asked, lines) if together else (True, "")
        if theirs != (True, "".join(found[text][1] for text in together)):
            wrong.append((each.type, together, theirs, [found[text] for text in together]))
        for text in each.texts:
            if text not in together:
                theirs = answered(peer, *asked, messages[text])
                same = found[text] == theirs or not (found[text][0] or theirs[0])
                if same == (text in each.differ):
                    wrong.append((each.type, [text], theirs, [found[text]]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("format_", WRITTEN)
def test_written_with_settings(format_: str, ours: Converter, peer: Peer) -> None:
    """The messages of a format's file that are written with settings, as ClickHouse writes them."""
    known = example(format_)
    for each in known.written:
        shown = peer.written(each.query, "JSONCompactEachRow", {})
        theirs = peer.written(each.query, format_, each.settings)
        found = ours.written(each.columns, format_, each.settings | known.only, shown)
        assert (found != theirs) == bool(each.otherwise), (each.settings, theirs, found)


def test_elsewhere() -> None:
    """What is tested elsewhere is tested there."""
    for each in IMPLEMENTED:
        for path in example(each.name).tests if each.reads or each.writes else ():
            assert Path(__file__).parents[2].joinpath(path).exists(), path


def test_every_format_is_known(peer: Peer) -> None:
    """What ClickHouse reads and writes is read and written, or refused with a reason."""
    by_name = {name: each for each in FORMATS if each.dialect == CLICKHOUSE for name in each.names}
    for name, (reads, writes) in peer.formats().items():
        known = by_name[name]
        if not known.refused:
            assert (known.reads or not reads, known.writes or not writes) == (True, True), name
