"""Binary formats with generated columns and rows, between our own and ClickHouse."""

from __future__ import annotations

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

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas, st.integers(0, 2**63), st.integers(1, 5))
    def check(given_: list[str], seed: int, count: int) -> None:
        _both_ways(format_, given_, seed, count, ours, peer)

    check()


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


def test_data_of_inserts() -> None:
    """Binary data of an INSERT is read by ClickHouse, which knows more types."""
    assert not any(map(is_read, FORMATS))
    assert is_read("JSONEachRow")


def _both_ways(
    format_: str, given_: list[str], seed: int, count: int, ours: Converter, peer: Peer
) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(given_))
    query = generated(columns, seed, count)
    shown = peer.written(query, SHOWN, EXACTLY).replace(b'"-nan"', b'"nan"')
    written = peer.written(query, format_, {})
    assert ours.rows(columns, format_, {}, written) == shown
    plain: Any = codec(format_, {})
    again = ours.convert(columns, plain, plain, written)
    if format_ in ("Native", "Buffers"):  # there are bytes without a meaning where a value is NULL
        read = peer.rows(columns, format_, {}, again)
        assert read.replace(b'"-nan"', b'"nan"') == shown
    else:
        assert again == written
