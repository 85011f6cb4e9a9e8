"""Binary formats with generated columns and rows, between our own and ClickHouse."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.convert import EXACTLY, SHOWN, codec
from formats.generated import NESTED, SCALARS, generated, schemas
from formats.test_examples import answered
from sluice.formats.registry import is_read

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

FORMATS = (
    "RowBinary",
    "RowBinaryWithNames",
    "RowBinaryWithNamesAndTypes",
    "MsgPack",
    "BSONEachRow",
    "Native",
    "Buffers",
)


@pytest.mark.parametrize("format_", FORMATS)
def test_ch_58_every_type(format_: str, ours: Converter, peer: Peer) -> None:
    """One column of each type, and rows of each type with others."""
    names = [*SCALARS, *(f"Nullable({each})" for each in SCALARS)]
    _both_ways(format_, names, 1, 20, ours, peer)


@pytest.mark.parametrize("format_", FORMATS)
def test_ch_58_generated(format_: str, ours: Converter, peer: Peer) -> None:
    """What ClickHouse writes is read, and what is written is what ClickHouse writes."""

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas, st.integers(0, 2**63), st.integers(1, 5))
    def check(given_: list[str], seed: int, count: int) -> None:
        _both_ways(format_, given_, seed, count, ours, peer)

    check()


@pytest.mark.parametrize("format_", FORMATS)
def test_damaged(format_: str, ours: Converter, peer: Peer) -> None:
    """Any bytes changed, lengths and kinds among them: rows or an error, and nothing else."""
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate([*SCALARS, *NESTED]))
    whole = peer.written(generated(columns, 2, 2), format_, {})
    chosen = random.Random(format_)  # noqa: S311
    for _ in range(100):
        made = bytearray(whole)
        for _ in range(chosen.choice((1, 1, 4))):
            made[chosen.randrange(len(made))] = chosen.choice((0, 1, 4, 0x7F, 0x80, 0xFF))
        answered(ours, columns, format_, {}, bytes(made))


def test_types_in_bytes(ours: Converter, peer: Peer) -> None:
    """Every type in the binary encoding of a header."""
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate([*SCALARS, *NESTED]))
    query, format_ = generated(columns, 1, 1), "RowBinaryWithNamesAndTypes"
    write = {"output_format_binary_encode_types_in_binary_format": 1}
    read = {"input_format_binary_decode_types_in_binary_format": 1}
    written = peer.written(query, format_, write)
    assert ours.convert(columns, codec(format_, read), codec(format_, write), written) == written


def test_types_names_and_defaults(ours: Converter, peer: Peer) -> None:
    """RowBinaryWithNamesAndTypesAndDefaults, which ClickHouse only reads."""
    data = b"\x02\1b\1a\6String\5UInt8" + b"\0\1x\0\7" + b"\1\1" + b"\0\0\1"
    asked: Any = ("a UInt8, b String", "RowBinaryWithNamesAndTypesAndDefaults", {}, data)
    assert ours.rows(*asked) == peer.rows(*asked) == b'[7, "x"]\n[0, ""]\n[0, ""]\n'
    for end in range(1, len(data)):
        answered(ours, *asked[:3], data[:end])


OBJECTS = [
    '{"a":{"b":1,"c":"x"},"d":[1,null],"e":1.5,"f":true,"g":18446744073709551615}',
    '{"a":[],"b":[[1],["x"]],"c":[{"k":1},{"k":{"l":[null,2.5,"s"]}}],"d":[1,2.5],"e":[true,1]}',
    '{"t":{"a":300,"b":"y"},"u":-9223372036854775808,"v":"q\\"ü","w":[[{"z":[]}]],"x":1e300}',
    "{}",
]


@pytest.mark.parametrize("format_", ["RowBinary", "RowBinaryWithNamesAndTypes"])
@pytest.mark.parametrize("type_", ["JSON", "JSON(t.a UInt16, a.b Nullable(Int8), SKIP f)"])
def test_objects(format_: str, type_: str, ours: Converter, peer: Peer) -> None:
    """JSON by its paths: what we write ClickHouse reads."""
    columns = f"j {type_}"
    for each in OBJECTS:
        shown = peer.written(f"SELECT '{each}'::{type_} AS j".replace("\\", "\\\\"), SHOWN, {})
        data = ours.written(columns, format_, {}, shown)
        assert peer.rows(columns, format_, {}, data) == shown
        assert ours.rows(columns, format_, {}, data) == shown


def test_depth(ours: Converter) -> None:
    """Values within each other whose types are in the message: an error, and no overflow."""
    for deep in (
        b"\x1e\x2b\x20\x01",
        b"\x1e" * 200 + b"\x2b\x20" + b"\1" * 200,
        b"\x30\0\0\0\0\0\0\1\1a",
    ):
        data = b"\1\1a" + deep * 5_000
        good, text = answered(ours, "j JSON", "RowBinary", {}, data)
        assert not good
        assert "300" in text, text[:200]


def test_much_of_nothing(ours: Converter) -> None:
    """Values without bytes are not counted: a few bytes would be billions of them."""
    head = b"\2\1a\1x\5UInt8\x1cArray(Array(Array(Nothing)))"
    data = head + b"\7" + b"\x7f" * 400
    good, text = answered(ours, "a UInt8", "RowBinaryWithNamesAndTypes", {}, data)
    assert not good
    assert "Values without bytes cannot be counted" in text
    many = b"\xff\xff\x3f" + b"\0" * 2_000_000
    good, text = answered(ours, "a UInt8", "RowBinaryWithNamesAndTypes", {}, many)
    assert not good
    assert "Suspiciously many columns in header: 1048575" in text


def test_data_of_inserts() -> None:
    """Binary data of an INSERT is read by ClickHouse, which knows more types."""
    assert not any(map(is_read, FORMATS))
    assert is_read("JSONEachRow")


def _both_ways(
    format_: str, given_: list[str], seed: int, count: int, ours: Converter, peer: Peer
) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(given_))
    query = generated(columns, seed, count)
    shown = peer.written(query, SHOWN, EXACTLY)
    written = peer.written(query, format_, {})
    assert ours.rows(columns, format_, {}, written) == shown
    plain: Any = codec(format_, {})
    again = ours.convert(columns, plain, plain, written)
    if format_ in ("Native", "Buffers"):  # there are bytes without a meaning where a value is NULL
        read = peer.rows(columns, format_, {}, again)
        assert read == shown
    else:
        assert again == written
