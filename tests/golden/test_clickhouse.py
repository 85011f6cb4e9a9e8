"""ClickHouse statements with what they mean and what Spark gets to run, in files one can read.

A file is a list of cases between lines of dashes. The tables that a file creates can be read by the
queries that follow. `pytest tests/golden --accept` rewrites the expected parts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from golden.show import show
from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, lower_scalar, parse
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import parse_type

FILES = sorted((Path(__file__).parent / "clickhouse").glob("*.sql"))
RULE = "-" * 80
VIRTUAL = {
    "_topic": "LowCardinality(String)",
    "_key": "String",
    "_offset": "UInt64",
    "_timestamp": "Nullable(DateTime)",
    "_partition": "UInt64",
    "_headers.name": "Array(String)",
}
CONSUMERS = {"database": "String", "table": "String", "assignments.partition_id": "Array(Int32)"}


class Tables:
    """The tables of one file."""

    def __init__(self) -> None:
        consumers = tuple(RelationColumn(n, parse_type(t)) for n, t in CONSUMERS.items())
        self.known = {"system.kafka_consumers": Relation("system_kafka_consumers", consumers)}

    def add(self, table: ir.CreateTable) -> None:
        if table.like is not None:
            columns = [c for c in self.resolve(table.like).columns if not c.virtual]
        else:
            columns = [RelationColumn(c.name, c.type, c.alias) for c in table.columns]
        if table.engine.name == "Kafka":
            columns += [RelationColumn(n, parse_type(t), None, True) for n, t in VIRTUAL.items()]
        self.known[str(table.name)] = Relation(f"view of {table.name}", tuple(columns))

    def resolve(self, name: ir.Name) -> Relation:
        if str(name) not in self.known:
            raise errors.UNKNOWN_TABLE(table=str(name), hint="", place=name.place)
        return self.known[str(name)]


def answer(text: str, tables: Tables) -> str:
    """The expected parts of a case."""
    try:
        statement = parse(text)
        if isinstance(statement, ir.CreateTable):
            tables.add(statement)
        spark = spark_of(statement, tables)
    except errors.SluiceError as error:
        return f"---- error\n{error.condition.name}: {error}\n"
    shown = f"---- ir\n{show(statement)}\n"
    return shown + (f"---- spark\n{spark}\n" if spark else "")


def spark_of(statement: ir.Statement, tables: Tables) -> str:
    query = getattr(statement, "query", None)
    if query is not None:
        lowered = lower_query(query, tables.resolve)
        return re.sub(r" (FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT) ", r"\n\1 ", lowered.sql)
    if isinstance(statement, ir.Insert) and statement.rows:
        return "\n".join(", ".join(lower_scalar(item) for item in row) for row in statement.rows)
    return ""


def render(text: str) -> str:
    tables = Tables()
    cases = [case for case in re.split(r"^-{20,}\n", text, flags=re.M) if case.strip()]
    statements = [re.split(r"^---- ", case, maxsplit=1, flags=re.M)[0] for case in cases]
    return f"{RULE}\n".join(
        f"{statement.rstrip()}\n{answer(statement, tables)}" for statement in statements
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, accept: bool) -> None:
    expected = path.read_text("utf-8")
    found = render(expected)
    if accept:
        path.write_text(found, "utf-8")
    assert found == expected or accept
