"""ClickHouse statements with what they mean, what Spark gets to run, and what SHOW CREATE says.

A file is a list of cases between lines of dashes. The tables that a file creates can be read by the
queries that follow. `pytest tests/golden --accept` rewrites the expected parts. In the files of
whole documents each case begins with the document's name and the line it stands in.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from golden.files import RULE, check, statements
from golden.show import show
from sluice import errors
from sluice.catalog import Collection, Column, Table, Value
from sluice.planner import definitions, views
from sluice.planner.ddl_text import collection_statement, create_statement
from sluice.sql import ir
from sluice.sql.clickhouse import lower_expression, lower_query, parse
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import parse_type

FILES = sorted((Path(__file__).parent / "clickhouse").glob("*.sql"))
DOCUMENTS = {"kafka-table-engine": 23, "kafka": 13}
"""Documents that are here as a whole, and how many statements they have."""

UUID = "00000000-0000-0000-0000-000000000001"
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
        self.made: dict[str, Table] = {}

    def add(self, table: ir.CreateTable) -> None:
        if table.like is not None:
            columns = [c for c in self.resolve(table.like).columns if not c.virtual]
        else:
            columns = [RelationColumn(c.name, c.type, c.alias) for c in table.columns]
        if table.engine.name == "Kafka":
            columns += [RelationColumn(n, parse_type(t), None, True) for n, t in VIRTUAL.items()]
        self.known[str(table.name)] = Relation(f"view of {table.name}", tuple(columns))

    def alter(self, statement: ir.AlterTable) -> None:
        table = self.known.get(str(statement.name))
        for change in statement.changes:
            if table is not None and isinstance(change, ir.AddColumn):
                new = RelationColumn(change.column.name, change.column.type)
                table = replace(table, columns=(*table.columns, new))
                self.known[str(statement.name)] = table

    def resolve(self, name: ir.Name) -> Relation:
        if str(name) not in self.known:
            raise errors.UNKNOWN_TABLE(table=str(name), hint="", place=name.place)
        return self.known[str(name)]

    def shown(self, statement: ir.Statement) -> str:
        """What SHOW CREATE says of what a statement makes; "" if it makes nothing."""
        if isinstance(statement, ir.CreateNamedCollection):
            values = {k: Value(v.value, v.overridable) for k, v in statement.values.items()}
            return collection_statement(Collection(statement.name, values))
        if isinstance(statement, ir.CreateTable | ir.CreateMaterializedView):
            return create_statement(*self.defined(statement))
        return ""

    def defined(
        self, statement: ir.CreateTable | ir.CreateMaterializedView
    ) -> tuple[Table, Table | None]:
        """The table or view that is made, and the view's own table."""
        key = (statement.name.database or "default", statement.name.table)
        if isinstance(statement, ir.CreateTable):
            like = self.made[str(statement.like)] if statement.like else None
            selected: tuple[Column, ...] = ()
            if statement.query is not None and like is None and not statement.columns:
                selected = views.columns_selected(lower_query(statement.query, self.resolve), None)
            table = definitions.table_of(statement, key, UUID, like, selected)
            self.made[str(statement.name)] = table
            return settled(table), None
        view = definitions.view_of(statement, key, UUID, "default")
        if statement.inner is None:
            return settled(view), None
        lowered = lower_query(statement.query, self.resolve)
        selected = views.columns_selected(lowered, None) if not statement.inner.columns else ()
        return settled(view), settled(definitions.inner_of(statement, view, selected))


def settled(table: Table) -> Table:
    """A table without the time it was made."""
    return replace(table, created=datetime(2024, 1, 1, tzinfo=UTC))


def answer(text: str, tables: Tables) -> str:
    """The expected parts of a case."""
    try:
        statement = parse(text)
        if isinstance(statement, ir.CreateTable):
            tables.add(statement)
        if isinstance(statement, ir.AlterTable):
            tables.alter(statement)
        spark = spark_of(statement, tables)
    except errors.SluiceError as error:
        return f"---- error\n{error.condition.name}: {error}\n"
    try:
        create = tables.shown(statement)
    except errors.SluiceError as error:
        return f"---- ir\n{show(statement)}\n---- refused\n{error.condition.name}: {error}\n"
    if create:
        check_again(statement, create, tables)
    parts = {"ir": show(statement), "spark": spark, "show create": create}
    return "".join(f"---- {name}\n{part}\n" for name, part in parts.items() if part)


def check_again(statement: ir.Statement, create: str, tables: Tables) -> None:
    """What SHOW CREATE says means the same as the statement, secrets apart."""
    again = parse(create)
    assert type(again) is type(statement)
    assert tables.shown(again) == create
    if isinstance(statement, ir.CreateTable | ir.CreateMaterializedView):
        assert isinstance(again, ir.CreateTable | ir.CreateMaterializedView)
        first, second = tables.defined(statement), tables.defined(again)
        for one, other in zip(first, second, strict=True):
            assert (one is None) == (other is None)
            if one is not None and other is not None and "[HIDDEN]" not in create:
                assert one == other


def spark_of(statement: ir.Statement, tables: Tables) -> str:
    query = getattr(statement, "query", None)
    if query is not None:
        lowered = lower_query(query, tables.resolve)
        return re.sub(r" (FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT) ", r"\n\1 ", lowered.sql)
    if isinstance(statement, ir.Insert) and statement.rows:
        return "\n".join(
            ", ".join(lower_expression(item).sql for item in row) for row in statement.rows
        )
    return ""


def render(text: str) -> str:
    tables = Tables()
    return f"{RULE}\n".join(
        f"{statement.rstrip()}\n{answer(statement, tables)}" for statement in statements(text)
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, accept: bool) -> None:
    check(path, render(path.read_text("utf-8")), accept=accept)


@pytest.mark.parametrize(("document", "count"), DOCUMENTS.items())
def test_documents_are_whole(document: str, count: int) -> None:
    path = Path(__file__).parent / "clickhouse" / f"{document}.sql"
    cases = statements(path.read_text("utf-8"))
    assert len(cases) == count
    assert all(re.match(rf"-- {document}:\d+\n", case) for case in cases)
