"""Formats of text: generated columns and rows, and values that are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.convert import EXACTLY, SHOWN, codec
from formats.generated import SCALARS, generated, schemas
from sluice.formats.registry import FORMATS
from sluice.parameters.kinds import CLICKHOUSE
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

FAMILIES = ("json", "csv", "tsv", "tskv")
TEXTS = [
    f.name
    for f in FORMATS
    if f.dialect == CLICKHOUSE and f.family in FAMILIES and f.decoder and f.encoder
    if f.name != "JSONAsString" and not f.registry
]
READ = [
    f.name
    for f in FORMATS
    if f.dialect == CLICKHOUSE and f.family == "json" and f.decoder and f.written_by == "ClickHouse"
]
"""Formats that ClickHouse writes, and we read."""
BYTES = "FixedString"
"""Generated values of it are no UTF-8, which these formats do not hold."""
LOSSLESS = EXACTLY | {"output_format_csv_header_serialize_tuple_into_separate_columns": 0}
"""What is written can be read: by default NaN is null in JSON, and a header of CSV names the
elements of a tuple, which ClickHouse does not read."""


def test_ch_58_every_type(ours: Converter, peer: Peer) -> None:
    """One column of each type."""
    names = [*SCALARS, *(f"Nullable({each})" for each in SCALARS)]
    _both_ways(names, "", 1, 20, ours, peer)
    _both_ways([each for each in names if BYTES not in each], "", 1, 20, ours, peer)


def test_ch_58_generated(ours: Converter, peer: Peer) -> None:
    """What ClickHouse writes is read, and what is written is what ClickHouse writes."""

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas, st.text(max_size=9), st.integers(0, 2**63), st.integers(1, 4))
    def check(given_: list[str], text: str, seed: int, count: int) -> None:
        _both_ways(given_, text, seed, count, ours, peer)

    check()


LONG = 10 << 20


def test_long_values(ours: Converter, peer: Peer) -> None:
    """A value of ten megabytes is one like any other."""
    text = quote_string("'é\n\t\"\\,=")
    long = f"concat({text}, repeat(repeat('x', 1024), {LONG // 1024}))"
    query = f"SELECT {long} AS s"
    shown = peer.written(query, SHOWN, {})
    for format_ in (
        "JSONEachRow",
        "JSONStringsEachRow",
        "CSV",
        "TabSeparated",
        "BSONEachRow",
        *READ,
    ):
        written = peer.written(query, format_, {})
        assert ours.rows("s String", format_, {}, written) == shown, format_


def _both_ways(
    given_: list[str], text: str, seed: int, count: int, ours: Converter, peer: Peer
) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(given_))
    query = generated(columns, seed, count)
    query = f"SELECT *, {quote_string(text)} AS text FROM ({query})"
    columns += ", text String"
    shown = peer.written(query, SHOWN, EXACTLY)
    for format_ in (*TEXTS, *READ):
        if "Raw" in format_ and b"\\" in shown:  # it escapes nothing, so not everything can be read
            continue
        if BYTES in columns and format_ in READ:
            continue
        written = peer.written(query, format_, LOSSLESS)
        assert ours.rows(columns, format_, LOSSLESS, written) == shown, format_
        if format_ in READ:
            continue
        plain: Any = codec(format_, LOSSLESS)
        assert ours.convert(columns, plain, plain, written) == written, format_
