"""EXPLAIN MIGRATION: what would become of a statement and of each of its options.

The statement is tried in a data folder of its own that has the same tables and nothing in them, so
whatever would refuse it does so here too, and nothing is made.
"""

from __future__ import annotations

import re
import tempfile
import uuid
from contextlib import closing, contextmanager
from dataclasses import astuple, fields, replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import DEFAULT_DATABASE, KAFKA, STORED, TOPIC
from sluice.engine.engine import Engine
from sluice.parameters.option import HONOURED, REFUSED
from sluice.planner import definitions, table_engines
from sluice.planner.explain import AS_SINK, CHANGED, ROLES, Explained, explain
from sluice.planner.flink_tables import DIALECT, check_catalog, table_of
from sluice.planner.job_planner import plan_job
from sluice.planner.named_collections import find_collection
from sluice.planner.planning import Planning
from sluice.planner.relations import Relations, find
from sluice.session import changes, clickhouse_mutations, flink, sql_functions
from sluice.session.constraints import read_settings
from sluice.session.context import Context
from sluice.session.jobs import inserts_of, new_job
from sluice.session.queries import known_database, texts
from sluice.sql import ir
from sluice.sql.clickhouse.queries import check_read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.catalog import Table
    from sluice.formats.result import Result

WHOLE = "(the statement)"

_EXPLAIN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\s+MIGRATION\b", re.I | re.S)
_MOST = 50
"""How many unknown types of one statement are told."""


def explain_migration(context: Context, statement: ir.ExplainMigration) -> Result:
    """A row for each option: honoured, changed (how) or refused (why), and its default."""
    engine, database = context.engine, context.database
    with trial(engine, database) as tried:
        rows = explained(tried, statement.statement, statement.dialect, statement.problems)
    names = [each.name for each in fields(Explained)]
    return texts(names, map(astuple, rows), statement.format)


class Trial:
    """Statements tried one after another in a catalog of their own: without Spark, without data."""

    def __init__(self, engine: Engine, database: str = DEFAULT_DATABASE) -> None:
        self.engine = engine
        self.database = database

    def run(self, statement: ir.Statement, dialect: str) -> None:
        """Carry out as much of a statement as possible.

        Raises:
            SluiceError: what is wrong with it.
        """
        if isinstance(statement, ir.Use):
            self.database = known_database(self.engine, statement.database)
        elif isinstance(statement, ir.Set):
            read_settings(statement, dialect)
        elif isinstance(statement, _DEFINES):
            check_catalog(statement)
            if isinstance(statement, ir.CreateTable) and statement.query is not None:
                statement = replace(statement, empty=True)
            if dialect != DIALECT:
                statement = sql_functions.lasting(self.engine, statement)
            changes.apply(self._context(dialect), statement)
        elif isinstance(statement, ir.UseCatalog):
            flink.use_catalog(self._context(dialect), statement)
        elif dialect == DIALECT:
            _try_flink(self._context(dialect), statement)
        elif isinstance(statement, ir.AlterInSteps):
            for step in statement.steps:
                self.run(step, dialect)
        elif isinstance(statement, ir.Mutation):
            for each in (statement, *statement.more):
                clickhouse_mutations.checked(self._context(dialect), each)
        elif isinstance(statement, ir.Insert | ir.Select):
            _try_query(self.engine, statement, self.database)

    def _context(self, dialect: str) -> Context:
        return Context(self.engine, self.database, dialect)


@contextmanager
def trial(engine: Engine | None = None, database: str = DEFAULT_DATABASE) -> Iterator[Trial]:
    """A trial in a folder of its own, with the tables of an engine's catalog."""
    config = engine.config if engine is not None else None
    with (
        tempfile.TemporaryDirectory(prefix="sluice-migrate-") as folder,
        closing(Engine(folder, master="local[*]", pipelines=False, config=config)) as own,
    ):
        if engine is not None:
            copied = own.catalog
            for name in {*engine.catalog.databases()} - {*copied.databases()}:
                copied.add_database(name)
            copied.add(*engine.catalog.tables())
            for collection in engine.catalog.collections():
                copied.put_collection(collection)
        yield Trial(own, database)


def read(
    parse: Callable[[str], ir.Statement], text: str
) -> tuple[ir.Statement | None, tuple[errors.SluiceError, ...]]:
    """A statement, and what is wrong with it.

    Unknown types are read as String, so that what comes after them is looked at too. Without a
    statement the last problem is why there is none.
    """
    problems: list[errors.SluiceError] = []
    while len(problems) < _MOST:
        try:
            return parse(text), tuple(problems)
        except errors.SluiceError as bad:
            problems.append(bad)
            mended = _without_type(text, bad)
            if mended is None:
                return None, tuple(problems)
            text = mended
    return None, tuple(problems)


def _without_type(text: str, bad: errors.SluiceError) -> str | None:
    """The text with the unknown type that an error is about as String; None if it is no such."""
    if bad.condition.name != "UNKNOWN_TYPE" or bad.place is None:
        return None
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: bad.place.line - 1])) + bad.place.column - 1
    word = str(bad.params["type"])
    at = text.find(word, start)
    if at < 0:
        return None
    end = at + len(word)
    depth = 0
    while end < len(text) and (depth or text[end] == "("):  # its arguments
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return f"{text[:at]}String{text[end:]}"


def is_explain(text: str) -> bool:
    """Whether a text is an EXPLAIN MIGRATION."""
    return _EXPLAIN.match(text) is not None


def explained(
    trial: Trial,
    statement: ir.Statement,
    dialect: str,
    problems: tuple[errors.SluiceError, ...] = (),
) -> list[Explained]:
    """What becomes of a statement, which is carried out in the trial if it can be."""
    rows = [Explained(_kind_of(bad), "", REFUSED, bad.text(), "") for bad in problems]
    options: list[Explained] = []
    if isinstance(statement, ir.CreateTable):
        try:
            options = _options(trial.engine, statement, trial.database)
        except errors.SluiceError as bad:
            return [*rows, Explained(WHOLE, "", REFUSED, bad.text(), "")]
    try:
        trial.run(statement, dialect)
    except errors.SluiceError as bad:
        if not any(row.outcome == REFUSED for row in options):
            rows.append(Explained(WHOLE, "", REFUSED, bad.text(), ""))
    else:
        outcome = REFUSED if rows else HONOURED
        if outcome == HONOURED:
            rows.append(Explained(WHOLE, "", outcome, "it runs as it is written", ""))
    return [*rows, *options]


def _kind_of(bad: errors.SluiceError) -> str:
    return "(a type)" if bad.condition.name == "UNKNOWN_TYPE" else WHOLE


def _options(engine: Engine, statement: ir.CreateTable, database: str) -> list[Explained]:
    """What becomes of the options of a table."""
    if statement.query is not None and not statement.columns:  # those of the query are not known
        return []
    table = _table(engine, statement, database)
    if table.kind in (KAFKA, TOPIC):
        collection = None
        if table.collection is not None:
            held = find_collection(engine.catalog, table.collection, statement.engine.place)
            values = {key: entry.value for key, entry in held.values.items()}
            collection = values | dict(table.engine_args[1])
        return _by_role(explain(table, config=engine.config, collection=collection))
    if table.kind == STORED and table.dialect != DIALECT:
        return list(_stored(table))
    return []


def _by_role(rows: list[Explained]) -> list[Explained]:
    """A table that can be read only, or written only, is not refused for the other."""
    roles = [row for row in rows if row.option in ROLES]
    if len(roles) != 1:
        return rows
    only = "read" if roles[0].option == AS_SINK else "written"
    changed = replace(roles[0], outcome=CHANGED, how=f"it can only be {only}: {roles[0].how}")
    return [changed if row is roles[0] else row for row in rows]


def _stored(table: Table) -> Iterator[Explained]:
    """What becomes of the clauses of a stored table."""
    kept = "kept; Sluice's tables are Delta tables, and it changes no result"
    yield Explained("ENGINE", table.engine, HONOURED, "a Delta table", "")
    if not table_engines.engine_of(table).keyed and table.engine.lower() == "memory":
        yield Explained("ENGINE", table.engine, CHANGED, "its rows are stored, and stay", "")
    for name, value in table.settings.items():
        yield Explained(name, str(value), CHANGED, kept, "")


def _table(engine: Engine, statement: ir.CreateTable, database: str) -> Table:
    key = (statement.name.database or database, statement.name.table)
    if statement.dialect == DIALECT:
        return table_of(engine.catalog, statement, key, database)
    like = find(engine.catalog, statement.like, database) if statement.like is not None else None
    return definitions.table_of(statement, key, str(uuid.uuid4()), like)


_DEFINES = (
    ir.CreateDatabase, ir.AlterDatabase, ir.DropDatabase, ir.CreateTable,
    ir.CreateMaterializedView, ir.Drop, ir.Detach, ir.Attach, ir.CreateNamedCollection,
    ir.AlterNamedCollection, ir.DropNamedCollection, ir.AlterTable, ir.RenameTables,
    ir.ExchangeTables, ir.CreateView, ir.AlterView, ir.CreateCatalog, ir.DropCatalog,
    ir.CreateDictionary, ir.CreateFunction, ir.DropFunction, ir.RenameDatabase,
)  # fmt: skip
"""What changes names and settings alone, so that it can be carried out without data."""


def _try_query(engine: Engine, statement: ir.Insert | ir.Select, database: str) -> None:
    from sluice.sql.clickhouse import lower_query

    if isinstance(statement, ir.Insert):
        find(engine.catalog, statement.name, database)
    if statement.query is not None:
        check_read(statement.query)
        resolve = Relations(engine.catalog, database).resolve
        lower_query(statement.query, resolve, database=database)


def _try_flink(context: Context, statement: ir.Statement) -> None:
    environment = context.engine.environment
    if isinstance(statement, ir.Insert | ir.StatementSet):
        plan_job(environment, new_job(context, statement), inserts_of(statement))
    elif isinstance(statement, ir.Select):
        from sluice.sql.flink import lower_query

        lower_query(statement.query, Planning(environment, context.database).ended)
