"""States that are made of what files have are those that ClickHouse makes of the rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import chdb.session
import pytest
from state_cases import ALL, RAW, State

from sluice.catalog import STORED, Column, Table
from sluice.clickhouse import encoded, states
from sluice.clickhouse.data_files import DataFile, Snapshot
from sluice.clickhouse.tables import View, view_of
from sluice.planner.merging import merging_of
from sluice.session.clickhouse_data import plain
from sluice.types import model as m
from sluice.types import parse_type, quote_string
from sluice.types.states import base

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_VALUE = "{0}OrNullIf({1}, {c})"
KEPT = {
    "count": "toInt64(countIf({1} IS NOT NULL AND {c}))",
    "sum": "sumOrNullIf({1}, {c})",
    "avg": "tuple(sumOrNullIf(toFloat64({1}), {c}), toInt64(countIf({1} IS NOT NULL AND {c})))",
    **dict.fromkeys(("min", "max", "any", "anyLast", "groupBitAnd", "groupBitOr"), _VALUE),
    "argMin": "tuple(argMinOrNullIf({1}, {2}, {c}), minOrNullIf({2}, {1} IS NOT NULL AND {c}))",
    "argMax": "tuple(argMaxOrNullIf({1}, {2}, {c}), maxOrNullIf({2}, {1} IS NOT NULL AND {c}))",
    "uniqExact": "groupUniqArrayIf({1}, {c})",
    "groupArray": "groupArrayIf({1}, {c})",
    "groupUniqArray": "groupUniqArrayIf({1}, {c})",
    "quantileExact": "groupArrayIf({1}, {c})",
    "medianExact": "groupArrayIf({1}, {c})",
}
"""What is kept of rows for a function, {0}, of arguments, in ClickHouse's SQL."""


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    start: Any = chdb.session.Session
    with start() as session:
        yield session


def kept(state: State) -> str:
    """What Spark writes into a file for the rows of a group."""
    type_ = parse_type(state.type)
    assert isinstance(type_, m.AggregateState)
    stored = states.stored(type_)
    assert stored is not None, state.type
    function = base(type_.function)
    args = state.arguments.split(", ") if state.arguments else ["1"]
    condition = args.pop() if function != type_.function else "1"
    args = args or ["1"]
    value = KEPT[function].format(function, *args, c=condition)
    whole = f"CAST(tuple({value}), {quote_string(str(stored))})"
    whole = f"CAST({encoded.encoded(whole, stored)}, {quote_string(plain(stored))})"
    return f"{whole} AS {state.name}"


def table(engine: str, **more: Any) -> Table:
    columns = [Column("k", parse_type("UInt8"))]
    columns += [Column(each.name, parse_type(each.type)) for each in ALL]
    now = datetime.now(UTC)
    return Table("u", "d", "t", STORED, tuple(columns), now, engine=engine, **more)


def test_states_are_those_of_the_rows(peer: Any, tmp_path: Path) -> None:
    """Of each function in the table, by blocks that are merged by key or not, and of no rows."""
    tested = {base(each.function) for each in ALL}
    assert tested == KEPT.keys() == states._FUNCTIONS.keys()
    columns = ", ".join(f"{name} {type_}" for name, (type_, _) in RAW.items())
    peer.query(f"CREATE TABLE raw ({columns}) ENGINE = Memory")
    peer.query(f"INSERT INTO raw SELECT {', '.join(v for _, v in RAW.values())} FROM numbers(120)")
    own = ", ".join(map(kept, ALL))
    blocks = ("u8 < 60 GROUP BY k", "u8 >= 60 GROUP BY k", "k > 9")
    for at, block in enumerate(blocks):
        key = "k" if at < 2 else "toUInt8(9) AS k"
        found = peer.query(f"SELECT {key}, {own} FROM raw WHERE {block}", "Parquet")
        (tmp_path / f"f{at}").write_bytes(found.bytes())
    snapshot = Snapshot(tmp_path, 0, tuple(DataFile(f"f{at}") for at in range(len(blocks))))
    for name, given in {
        "rows": table("MergeTree"),
        "merged": table("AggregatingMergeTree", order_by=("k",)),
    }.items():
        view = view_of(given, snapshot, merging_of(given), tmp_path)
        assert isinstance(view, View), view
        peer.query(f"CREATE VIEW {name} ({view.columns}) AS {view.query}")

    def shown(query: str) -> list[tuple[str, ...]]:
        lines = str(peer.query(query, "TSVWithNamesAndTypes")).splitlines()
        return list(zip(*(line.split("\t") for line in lines), strict=True))

    def same(query: str, expected: str) -> None:
        pairs = zip(shown(query), shown(expected), strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []

    built = ", ".join(f"{each.build} AS {each.name}" for each in ALL)
    no_rows = f"SELECT 9 AS k, {built} FROM raw WHERE k > 9"
    groups = f"SELECT k, {built} FROM raw GROUP BY k UNION ALL {no_rows}"
    merges = ", ".join(f"{each.merge} AS v{each.name}" for each in ALL)
    totals = ", ".join(each.merge for each in ALL if not each.is_of_any)
    finals = ", ".join(f"{each.final} AS v{each.name}" for each in ALL)
    for name in ("rows", "merged"):
        same(
            f"SELECT k, {merges} FROM {name} GROUP BY k ORDER BY k",
            f"SELECT k, {merges} FROM ({groups}) GROUP BY k ORDER BY k",
        )
        same(f"SELECT {totals} FROM {name}", f"SELECT {totals} FROM ({groups})")
    same(
        f"SELECT k, {finals} FROM merged ORDER BY k",
        f"SELECT k, {finals} FROM ({groups}) ORDER BY k",
    )
    hexes = ", ".join(f"hex({each.name}) AS v{each.name}" for each in ALL if each.is_ordered)
    same(
        f"SELECT k, {hexes} FROM merged ORDER BY k",
        f"SELECT k, {hexes} FROM ({groups}) ORDER BY k",
    )
