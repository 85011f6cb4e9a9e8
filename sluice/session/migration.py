"""EXPLAIN MIGRATION: what would become of each option of a CREATE TABLE; nothing is made."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, TOPIC
from sluice.plan import explain
from sluice.session import definitions, flink, named
from sluice.session.queries import answer
from sluice.session.relations import find
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.session.result import Result

_COLUMNS = ("option", "given", "outcome", "how", "default")


def explain_migration(engine: Engine, statement: ir.ExplainMigration, database: str) -> Result:
    """A row for each option: honoured, changed (how) or refused (why), and its default."""
    inner = statement.statement
    if not isinstance(inner, ir.CreateTable):
        raise errors.UNSUPPORTED_STATEMENT(
            what="EXPLAIN MIGRATION of anything but CREATE TABLE",
            hint="Other statements have no options: run them.",
        )
    table = _table(engine, inner, database)
    if table.kind not in (KAFKA, TOPIC):
        raise errors.UNSUPPORTED_STATEMENT(
            what="EXPLAIN MIGRATION of a table that reads no topic",
            hint="Run the statement: a stored table has no options of Kafka's.",
            place=inner.name.place,
        )
    collection = None
    if table.collection is not None:
        held = named.find_collection(engine.catalog, table.collection, inner.engine.place)
        values = {key: entry.value for key, entry in held.values.items()}
        collection = values | dict(table.engine_args[1])
    rows = explain(table, config=engine.config, collection=collection)
    shown = [(row.option, row.given, row.outcome, row.how, row.default) for row in rows]
    return answer([(name, m.String()) for name in _COLUMNS], shown, statement.format)


def _table(engine: Engine, statement: ir.CreateTable, database: str) -> Table:
    key = (statement.name.database or database, statement.name.table)
    if statement.dialect == flink.DIALECT:
        return flink.table_of(engine, statement, key, database)
    like = find(engine.catalog, statement.like, database) if statement.like is not None else None
    return definitions.table_of(statement, key, str(uuid.uuid4()), like)
