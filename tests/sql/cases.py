"""A tester with which a case is one line."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, parse
from sluice.sql.relation import Lowered, Relation, RelationColumn
from sluice.types import parse_type

TABLES = {
    "t": {
        "id": "UInt64",
        "ts": "DateTime",
        "day": "Date",
        "name": "String",
        "maybe": "Nullable(Int32)",
        "ok": "Bool",
        "tags": "Array(String)",
        "attrs": "Map(String, Int64)",
        "a.b": "String",
        "pair": "Tuple(x Int32, y String)",
        "size": "Enum8('small' = 1, 'big' = 2)",
    },
    "u": {"id": "UInt64", "label": "String"},
    "очередь": {"level": "String", "total": "UInt64"},
    "weird `name`": {"back`quote": "String", "emoji \U0001f600": "UInt8", "x:0": "String"},
}
VIRTUAL = RelationColumn("_topic", parse_type("String"), None, True)
ALIAS = RelationColumn("shout", parse_type("String"), "upper(name)")


def resolve(name: ir.Name) -> Relation:
    if name.table not in TABLES or name.database not in (None, "db"):
        raise errors.UNKNOWN_TABLE(table=str(name), hint="", place=name.place)
    columns = [RelationColumn(column, parse_type(t)) for column, t in TABLES[name.table].items()]
    extra = [VIRTUAL, ALIAS] if name.table == "t" else []
    return Relation(f"v {name.table}", (*columns, *extra))


class DialectCase:
    """Base of test classes for the ClickHouse front end."""

    def lowered(self, text: str) -> Lowered:
        statement = parse(text)
        assert isinstance(statement, ir.Select)
        return lower_query(statement.query, resolve)

    def lowers(self, text: str, spark: str) -> None:
        """The query becomes exactly this."""
        assert self.lowered(text).sql == spark

    def value(self, text: str, spark: str) -> None:
        """The expression, alone in a SELECT over `t`, becomes exactly this."""
        sql = self.lowered(f"SELECT {text} AS c FROM t").sql
        assert sql == f"SELECT {spark} AS `c` FROM `v t` AS `t`"

    def names(self, text: str, *columns: str) -> None:
        """The query gives columns of these names."""
        assert self.lowered(text).columns == columns

    def fails(self, text: str, condition: str, at: str | None = None, says: str = "") -> None:
        """Reading or lowering fails in this way, at `line:column`."""
        with pytest.raises(errors.SluiceError) as caught:
            self.lowered(text)
        assert caught.value.condition.name == condition, str(caught.value)
        place = caught.value.place
        assert place is not None
        assert at is None or f"{place.line}:{place.column}" == at
        assert says in str(caught.value)
