"""The columns that a lowered query reads of each of its tables, which is part of its result."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from golden.test_flink import Tables

from sluice.catalog import Column, Table
from sluice.planner.query import Input, Output, QuerySpec
from sluice.sql import ir
from sluice.sql.flink import lower_query, parse
from sluice.sql.flink.lowering import lower_expression
from sluice.sql.relation import RelationColumn
from sluice.types import parse_type
from sql.cases import DialectCase


class TestClickHouse(DialectCase):
    def uses(self, text: str, **columns: str) -> None:
        expected = {f"v {table}": frozenset(names.split()) for table, names in columns.items()}
        assert self.lowered(text).uses == expected, text

    def test_columns(self) -> None:
        self.uses("SELECT 1")
        self.uses("SELECT count() FROM t", t="")
        self.uses("SELECT id, '`name`' AS ts FROM t WHERE ok", t="id ok")
        self.uses("SELECT x.id FROM t AS x ORDER BY x.day", t="id day")
        self.uses("SELECT shout FROM t", t="name")  # an ALIAS column is what it is computed from
        self.uses("SELECT _topic FROM t", t="_topic")
        self.uses("SELECT * FROM u", u="id label")
        self.uses("SELECT * EXCEPT (label) FROM u", u="id")
        self.uses("SELECT label FROM t JOIN u USING (id)", t="id", u="id label")
        self.uses("SELECT a.b, pair.x FROM t", t="a.b pair")
        self.uses("SELECT 1 FROM t WHERE id IN (SELECT id FROM u)", t="id", u="id")
        self.uses("WITH c AS (SELECT id, label FROM u) SELECT id FROM c", u="id label")
        self.uses("SELECT arrayMap(name -> upper(name), tags) FROM t", t="tags")


def test_columns_of_a_flink_query() -> None:
    tables = Tables()
    table = parse("CREATE TABLE t (id INT, name STRING, r ROW<a INT>, ts TIMESTAMP(3))")
    assert isinstance(table, ir.CreateTable)
    tables.add(table)

    def uses(text: str) -> set[str]:
        statement = parse(text)
        assert isinstance(statement, ir.Select)
        (found,) = lower_query(statement.query, tables.resolve).uses.values()
        return set(found)

    assert uses("SELECT COUNT(*) FROM t") == set()
    assert uses("SELECT id AS name FROM t WHERE 'ts' = 'r'") == {"id"}
    assert uses("SELECT t.r.a, (SELECT MAX(x.id) FROM t AS x WHERE x.ts = t.ts) FROM t") == {
        "id", "r", "ts"
    }  # fmt: skip
    assert uses("SELECT * FROM t") == {"id", "name", "r", "ts"}
    columns = [RelationColumn(name, parse_type("Int32")) for name in ("a", "b", "c")]
    assert lower_expression("a + ABS(b)", columns).uses == {"a", "b"}


def test_a_record_of_an_earlier_version_is_recognized() -> None:
    columns = tuple(Column(name, parse_type("Int32")) for name in ("id", "total", "up", "x"))
    table = Table("u", "d", "t", "topic", columns, datetime(2026, 1, 1, tzinfo=UTC))
    given = Input("v", table, None, (("up", "`id` + 1"),), {"up": frozenset({"id"})})
    sql = "SELECT sum(`up`) AS `total` FROM `v`"
    query = QuerySpec("q", (given,), (Output(sql, table, uses={"v": frozenset({"up"})}),))
    record = query.record(1)
    earlier = replace(record, fingerprint="fb6edaa8eade406179bb377ac34ca562")
    assert query.continues(record)
    assert query.continues(earlier)
    other = replace(query.outputs[0], sql="SELECT sum(`x`) AS `total` FROM `v`")
    assert not replace(query, outputs=(other,)).continues(earlier)
    wider = replace(columns[3], type=parse_type("Int64"))  # no query reads x
    changed = replace(given, table=replace(table, columns=(*columns[:3], wider)))
    assert replace(query, inputs=(changed,)).continues(record)
