"""EXPLAIN MIGRATION: what would become of a statement and of each of its options.

The statement is tried in a data folder of its own that has the same tables and nothing in them, so
whatever would refuse it does so here too, and nothing is made.
"""

from __future__ import annotations

import re
import tempfile
import uuid
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, TOPIC
from sluice.options.option import HONOURED, REFUSED
from sluice.plan import explain
from sluice.plan.explain import AS_SINK, CHANGED, ROLES, Explained
from sluice.session import definitions, engines, flink, named
from sluice.session.queries import answer
from sluice.session.relations import Relations, find
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.session.result import Result
    from sluice.session.session import Session

_COLUMNS = ("option", "given", "outcome", "how", "default")
WHOLE = "(the statement)"

_EXPLAIN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\s+MIGRATION\b", re.I | re.S)
_MOST = 50
"""How many unknown types of one statement are told."""


def explain_migration(engine: Engine, statement: ir.ExplainMigration, database: str) -> Result:
    """A row for each option: honoured, changed (how) or refused (why), and its default."""
    with trial(engine, database) as session:
        rows = explained(session, statement.statement, statement.dialect, statement.problems)
    shown = [(row.option, row.given, row.outcome, row.how, row.default) for row in rows]
    return answer([(name, m.String()) for name in _COLUMNS], shown, statement.format)


@contextmanager
def trial(engine: Engine | None = None, database: str = "default") -> Iterator[Session]:
    """A session without Spark in a folder of its own, with the tables of an engine's catalog."""
    from sluice.session.session import connect

    config = engine.config if engine is not None else None
    with (
        tempfile.TemporaryDirectory(prefix="sluice-migrate-") as folder,
        connect(folder, pipelines=False, config=config) as session,
    ):
        if engine is not None:
            copied = session._engine.catalog
            for name in {*engine.catalog.databases()} - {*copied.databases()}:
                copied.add_database(name)
            copied.add(*engine.catalog.tables())
            for collection in engine.catalog.collections():
                copied.put_collection(collection)
        session.database = database
        yield session


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
    session: Session,
    statement: ir.Statement,
    dialect: str,
    problems: tuple[errors.SluiceError, ...] = (),
) -> list[Explained]:
    """What becomes of a statement, which is carried out in the session if it can be."""
    rows = [Explained(_kind_of(bad), "", REFUSED, bad.text(), "") for bad in problems]
    engine, database = session._engine, session.database
    options: list[Explained] = []
    if isinstance(statement, ir.CreateTable):
        try:
            options = _options(engine, statement, database)
        except errors.SluiceError as bad:
            return [*rows, Explained(WHOLE, "", REFUSED, bad.text(), "")]
    try:
        _try(session, statement, dialect)
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
    table = _table(engine, statement, database)
    if table.kind in (KAFKA, TOPIC):
        collection = None
        if table.collection is not None:
            held = named.find_collection(engine.catalog, table.collection, statement.engine.place)
            values = {key: entry.value for key, entry in held.values.items()}
            collection = values | dict(table.engine_args[1])
        return _by_role(explain(table, config=engine.config, collection=collection))
    if table.kind == STORED and table.dialect != flink.DIALECT:
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
    if not engines.engine_of(table).keyed and table.engine.lower() == "memory":
        yield Explained("ENGINE", table.engine, CHANGED, "its rows are stored, and stay", "")
    for name, value in table.settings.items():
        yield Explained(name, str(value), CHANGED, kept, "")


def _table(engine: Engine, statement: ir.CreateTable, database: str) -> Table:
    key = (statement.name.database or database, statement.name.table)
    if statement.dialect == flink.DIALECT:
        return flink.table_of(engine, statement, key, database)
    like = find(engine.catalog, statement.like, database) if statement.like is not None else None
    return definitions.table_of(statement, key, str(uuid.uuid4()), like)


_DEFINES = (
    ir.CreateDatabase, ir.DropDatabase, ir.CreateTable, ir.CreateMaterializedView, ir.Drop,
    ir.Detach, ir.Attach, ir.CreateNamedCollection, ir.AlterNamedCollection,
    ir.DropNamedCollection, ir.AlterTable, ir.RenameTables, ir.ExchangeTables, ir.CreateView,
    ir.AlterView, ir.CreateCatalog, ir.DropCatalog, ir.Use, ir.UseCatalog, ir.Set, ir.Reset,
)  # fmt: skip
"""What changes names and settings alone, so that it can be carried out without data."""


def _try(session: Session, statement: ir.Statement, dialect: str) -> None:
    """Carry a statement out as far as that goes without Spark and without data."""
    engine, database = session._engine, session.database
    if isinstance(statement, _DEFINES):
        session._execute(statement, dialect, {}, database)
    elif dialect == flink.DIALECT:
        _try_flink(engine, statement, database)
    elif isinstance(statement, ir.Insert | ir.Select):
        if isinstance(statement, ir.Insert):
            find(engine.catalog, statement.name, database)
        if statement.query is not None:
            from sluice.sql.clickhouse import lower_query

            resolve = Relations(engine.catalog, database).resolve
            lower_query(statement.query, resolve, database=database)


def _try_flink(engine: Engine, statement: ir.Statement, database: str) -> None:
    from sluice.session.jobs import inserts_of, new_job
    from sluice.session.planning import Planning, planned

    if isinstance(statement, ir.Insert | ir.StatementSet):
        planned(engine, new_job(statement, database), inserts_of(statement))
    elif isinstance(statement, ir.Select):
        from sluice.sql.flink import lower_query

        lower_query(statement.query, Planning(engine, database).ended)
