"""Flink and DLI statements with what they mean, in files one can read.

A file is a list of cases between lines of dashes; a case may begin with a comment that says where
its statement is from. SHOW CREATE of every table and view is printed, and read again as the same
statement. In the files of `lowered` the tables that a file creates can be read by what follows, and
what Spark gets to run is printed. `pytest tests/golden --accept` rewrites the expected parts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from golden.files import RULE, check, statements
from golden.meaning import meaning
from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import lower_expression, lower_query, parse
from sluice.sql.flink.show import create_table, create_view
from sluice.sql.flink.watermarks import delay_of
from sluice.sql.relation import BY_KEY, FULL, Relation, RelationColumn
from sluice.types import model as m

FOLDER = Path(__file__).parent / "flink"
FILES = sorted(FOLDER.rglob("*.sql"))


def changelog(table: ir.CreateTable) -> str:
    """Whether the rows of a table are changes, as the planner tells it."""
    changes = "upsert" in table.engine.name or table.settings.get("format") == "debezium-json"
    return (BY_KEY if table.primary_key else FULL) if changes else ""


class Tables:
    """The tables of one file."""

    def __init__(self) -> None:
        self.known: dict[str, Relation] = {}

    def add(self, table: ir.CreateTable) -> None:
        columns = tuple(
            RelationColumn(c.name, c.type, c.alias, clock=c.alias == "PROCTIME()")
            for c in table.columns
        )
        mark = table.watermark
        self.known[str(table.name)] = Relation(
            f"view of {table.name}",
            columns,
            watermark=(mark.column, delay_of(mark.column, mark.delay)) if mark else None,
            stream="kafka" in table.engine.name,
            key=table.primary_key,
            changelog=changelog(table),
            partial=table.settings.get("format") == "debezium-json",
        )

    def add_view(self, view: ir.CreateView) -> None:
        found = lower_query(view.query, lambda name: replace(self.resolve(name), stream=False))
        names = [n for n, _ in view.columns] or found.columns
        columns = tuple(
            RelationColumn(n, t or m.Inferred()) for n, t in zip(names, found.types, strict=True)
        )
        self.known[str(view.name)] = Relation("", columns, query=view.query)

    def resolve(self, name: ir.Name) -> Relation:
        if str(name) not in self.known:
            raise errors.UNKNOWN_TABLE(table=str(name), hint="", place=name.place)
        return self.known[str(name)]


def answer(text: str, tables: Tables | None = None) -> str:
    """The expected parts of a case."""
    try:
        statement = parse(text)
        if tables is not None and isinstance(statement, ir.CreateView):
            tables.add_view(statement)
            return "---- ir\nCreateView\n"
        if tables is not None and not isinstance(statement, ir.CreateTable):
            return lowered(statement, tables)
    except errors.SluiceError as error:
        return f"---- error\n{error.condition.name}: {error if error.place else 'no place'}\n"
    shown = f"---- ir\n{meaning(statement)}\n"
    create = shown_create(statement)
    if create:
        assert parse(create) == statement, create
        shown += f"---- show create\n{create}\n"
    if tables is not None and isinstance(statement, ir.CreateTable):
        tables.add(statement)
        return "---- ir\nCreateTable\n"
    return shown


def lowered(statement: ir.Statement, tables: Tables) -> str:
    """What Spark gets to run."""
    if isinstance(statement, ir.Insert) and statement.rows:
        rows = [", ".join(lower_expression(item).sql for item in row) for row in statement.rows]
        return "---- spark\n" + "\n".join(rows) + "\n"
    query = getattr(statement, "query", None)
    assert query is not None
    found = lower_query(query, tables.resolve, normalizes=False)
    sql = re.sub(r" (FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT) ", r"\n\1 ", found.sql)
    windows = "".join(f"{window}\n" for window in found.windows)
    steps = "".join(f"{step}\n".replace(", state=None)", ")") for step in found.steps)
    shape = f"{found.shape}\n" if found.shape.stream else ""
    if found.shape.changelog:
        flavour = "unkeyed" if found.shape.unkeyed else f"keys {found.shape.keys}"
        shape += f"{found.shape.changelog} changelog, {flavour}\n"
    hints = "".join(f"{table}: {table.options}\n" for table in found.tables if table.options)
    return f"---- spark\n{steps}{sql}\n{shape}{windows}{hints}"


def shown_create(statement: ir.Statement) -> str:
    if isinstance(statement, ir.CreateTable):
        return create_table(statement)
    return create_view(statement) if isinstance(statement, ir.CreateView) else ""


def render(path: Path) -> str:
    tables = Tables() if path.parent.name == "lowered" else None
    return f"{RULE}\n".join(
        f"{case.rstrip()}\n{answer(case, tables)}" for case in statements(path.read_text("utf-8"))
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, accept: bool) -> None:
    check(path, render(path), accept=accept)
