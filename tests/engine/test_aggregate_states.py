"""States of aggregate functions, which Spark writes, are ClickHouse's own where it reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from answers import answer
from state_cases import ALL, RAW

from sluice.errors import SluiceError
from sluice.session import queries

if TYPE_CHECKING:
    from sluice.formats.result import Result
    from sluice.session import Session
    from sluice.session.context import Context
    from sluice.sql import ir

SPARK = {"sluice_engine": "spark"}
SPARK_LACKS = {"ip", "ip6", "wide", "ns"}
"""Columns whose types Spark only passes on."""


def listed(texts: list[str]) -> str:
    return ", ".join(texts)


def lines(session: Session, query: str, **given: object) -> list[str]:
    """Names, types and the rows of an answer, these in order."""
    names, types, *rows = answer(session, query, "TSVWithNamesAndTypes", **given).splitlines()
    return [names, types, *sorted(rows)]


def check_same(found: list[str], expected: list[str]) -> None:
    """Compare two answers by their columns."""
    ours, theirs = (list(zip(*map(_cells, each), strict=True)) for each in (found, expected))
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []


def _cells(line: str) -> list[str]:
    return line.split("\t")


def run(session: Session, *statements: str) -> None:
    for statement in statements:
        session.execute(statement)


@pytest.fixture
def by_clickhouse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a query fail that falls to Spark and does not ask for it."""
    select = queries._select_by_spark

    def asked(context: Context, statement: ir.Select) -> Result:
        assert context.settings.get("sluice_engine") == "spark", "Spark runs the query"
        return select(context, statement)

    monkeypatch.setattr(queries, "_select_by_spark", asked)


@pytest.mark.slow
@pytest.mark.usefixtures("by_clickhouse")
def test_states_of_all_functions(session: Session) -> None:
    """Made by Spark, as a view makes them; read by both, and compared with ClickHouse's own."""
    raw = listed([f"{name} {type_}" for name, (type_, _) in RAW.items()])
    values = listed([value for _, value in RAW.values()])
    columns = listed([f"{each.name} {each.type}" for each in ALL])
    builds = listed([each.build for each in ALL])
    run(session, f"CREATE TABLE r ({raw}) ENGINE = MergeTree ORDER BY k")
    for name, engine in {
        "rows": "MergeTree ORDER BY k",
        "merged": "AggregatingMergeTree PARTITION BY k % 2 ORDER BY k",
    }.items():
        run(session, f"CREATE TABLE {name} (k UInt8, {columns}) ENGINE = {engine}")
    for first in (0, 60):
        run(session, f"INSERT INTO r SELECT {values} FROM numbers({first}, 60)")
        block = f"FROM r WHERE u8 BETWEEN {first} AND {first + 59} GROUP BY k"
        run(session, f"INSERT INTO rows SELECT k, {builds} {block}")
    run(session, f"INSERT INTO rows SELECT 9, {builds} FROM r WHERE k > 9")
    run(session, "INSERT INTO merged SELECT * FROM rows")
    merges = listed([each.merge for each in ALL])
    totals = listed([each.merge for each in ALL if not each.is_of_any])
    finals = listed([each.final for each in ALL if not SPARK_LACKS & {*each.arguments.split(", ")}])
    for query in (
        f"SELECT k, {merges} FROM rows GROUP BY k",
        f"SELECT {totals} FROM merged",
        f"SELECT k, {finals} FROM merged",
    ):
        check_same(lines(session, query), lines(session, query, settings=SPARK))
    ordered = [each for each in ALL if each.is_ordered]
    stored = listed([f"hex({each.name}) AS {each.name}" for each in ordered])
    own = listed([f"hex({each.build}) AS {each.name}" for each in ordered])
    found = lines(session, f"SELECT k, {stored} FROM merged WHERE k < 9")
    check_same(found, lines(session, f"SELECT k, {own} FROM r GROUP BY k"))


@pytest.mark.usefixtures("by_clickhouse")
def test_states_that_only_spark_reads(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that uses none of them is ClickHouse's; tables show what they are as before."""
    run(
        session,
        "CREATE TABLE t (k UInt8, c AggregateFunction(count), u AggregateFunction(uniq, UInt64))"
        " ENGINE = AggregatingMergeTree ORDER BY k",
    )
    for first in (0, 5):
        block = f"FROM numbers({first}, 10) GROUP BY number % 3"
        run(session, f"INSERT INTO t SELECT number % 3, countState(), uniqState(number) {block}")
    counted = "SELECT k, countMerge(c) FROM t GROUP BY k ORDER BY k"
    assert session.execute(counted).fetchall() == [(0, 7), (1, 6), (2, 7)]
    assert session.execute("SELECT count() FROM t FINAL").fetchall() == [(3,)]
    run(session, "ALTER TABLE t ADD COLUMN total AggregateFunction(sum, UInt64)")
    run(session, "INSERT INTO t (k, total) SELECT 1, sumState(number) FROM numbers(4)")
    summed = "SELECT k, countMerge(c), sumMerge(total) FROM t GROUP BY k ORDER BY k"
    assert session.execute(summed).fetchall() == [(0, 7, 0), (1, 6, 6), (2, 7, 0)]
    assert session.execute(summed, settings=SPARK).fetchall() == [(0, 7, 0), (1, 6, 6), (2, 7, 0)]
    assert session.execute(f"EXPLAIN {counted}").fetchall()
    with pytest.raises(SluiceError, match="countMrge"):
        session.execute("SELECT countMrge(c) FROM t")
    with pytest.raises(SluiceError, match="nowhere"):
        session.execute("SELECT nowhere FROM t")
    with pytest.raises(SluiceError, match="column u is AggregateFunction"):
        session.execute("EXPLAIN SELECT uniqMerge(u) FROM t")
    monkeypatch.undo()
    assert session.execute("SELECT uniqMerge(u) FROM t").fetchall() == [(15,)]
    ((_, kind, *_), *_) = session.execute("DESCRIBE TABLE t").fetchall()[1:]
    assert kind == "AggregateFunction(count)"
