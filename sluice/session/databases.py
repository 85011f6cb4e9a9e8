"""CREATE, ALTER, DROP, RENAME and TRUNCATE DATABASE, and TRUNCATE ALL TABLES."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import DEFAULT_DATABASE, DICTIONARY, KAFKA, QUERY, STORED, VIEW
from sluice.catalog.system_tables import DATABASES
from sluice.planner.dictionaries import SOURCE_DATABASE
from sluice.planner.named_collections import keeps_topics, source_of
from sluice.session import ddl, jobs
from sluice.sql.clickhouse.reading import tokenize
from sluice.sql.core.name_patterns import like

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.sql import ir


def create(context: Context, statement: ir.CreateDatabase) -> None:
    """CREATE DATABASE."""
    engine = context.engine
    if statement.name in (*engine.catalog.databases(), *DATABASES):
        if statement.if_not_exists:
            return
        raise errors.DATABASE_ALREADY_EXISTS(database=statement.name)
    engine.catalog.add_database(statement.name, statement.comment)


def alter(context: Context, statement: ir.AlterDatabase) -> None:
    """ALTER DATABASE … MODIFY COMMENT."""
    engine = context.engine
    if _is_known(engine, statement.name, place=statement.place):
        engine.catalog.comment_database(statement.name, statement.comment)


def drop(context: Context, statement: ir.DropDatabase) -> None:
    """DROP DATABASE, with everything in it."""
    engine = context.engine
    if _is_known(engine, statement.name, optional=statement.if_exists):
        _empty(engine, statement.name)
        engine.catalog.remove_database(statement.name)
        engine.sync()


def truncate(context: Context, statement: ir.TruncateDatabase) -> None:
    """TRUNCATE DATABASE: everything in it is dropped, as in ClickHouse."""
    engine = context.engine
    if _is_known(engine, statement.name, optional=statement.if_exists, place=statement.place):
        _empty(engine, statement.name)
        engine.sync()


def truncate_tables(context: Context, statement: ir.TruncateTables) -> None:
    """TRUNCATE ALL TABLES: those that keep rows lose them."""
    engine, name = context.engine, statement.database
    if not _is_known(engine, name, optional=statement.if_exists, place=statement.place):
        return
    test = like(statement.like, any_case=statement.any_case)
    for table in engine.catalog.tables():
        is_meant = table.database == name and test(table.name) != statement.negated
        if is_meant and table.kind == STORED and engine.store.exists(table):
            engine.store.truncate(engine.spark(), table)


def _empty(engine: Engine, name: str) -> None:
    """Drop everything in a database."""
    tables = [table for table in engine.catalog.tables() if table.database == name]
    jobs.check_unused(engine, tables, None)
    owned = {table.target for table in tables if table.owns_target}
    for table in tables:
        if table.key not in owned:
            ddl.drop_tables(engine, table)


def _is_known(
    engine: Engine, name: str, *, optional: bool = False, place: errors.Place | None = None
) -> bool:
    """Whether there is a database of users.

    Raises:
        SluiceError: UNKNOWN_DATABASE, unless it is `optional`; SYSTEM_DATABASE_READ_ONLY.
    """
    known = engine.catalog.databases()
    if name in known:
        return True
    if name in DATABASES:
        raise errors.SYSTEM_DATABASE_READ_ONLY(place=place)
    if optional:
        return False
    hint = errors.nearest(name, known)
    raise errors.UNKNOWN_DATABASE(database=name, hint=hint, place=place)


def rename(context: Context, statement: ir.RenameDatabase) -> None:
    """RENAME DATABASE: its tables stay what they are, and views find them where they are now."""
    engine, old, new = context.engine, statement.name, statement.to
    with errors.at(statement.place):
        if not _is_known(engine, old, optional=statement.if_exists):
            return
        if new in (*engine.catalog.databases(), *DATABASES):
            raise errors.DATABASE_ALREADY_EXISTS(database=new)
        if old == DEFAULT_DATABASE:
            raise errors.DATABASE_NOT_RENAMED(database=old, reason="sessions begin in it")
        tables = [table for table in engine.catalog.tables() if not table.temporary]
        jobs.check_unused(engine, [table for table in tables if table.database == old], None)
        moved = [_moved(engine, table, old, new) for table in tables]
    engine.catalog.rename_database(old, new, [t for t in moved if t is not None])
    engine.sync()


def _moved(engine: Engine, table: Table, old: str, new: str) -> Table | None:
    """A table with another name for a database; None if it has nothing to do with that.

    Raises:
        SluiceError: DATABASE_NOT_RENAMED if its query names the database.
    """

    def within(key: tuple[str, str] | None) -> tuple[str, str] | None:
        return (new, key[1]) if key is not None and key[0] == old else key

    if table.kind in (VIEW, QUERY) and _names(table.query or "", old):
        reason = f"the query of {table.full_name} names it; drop or alter the view first"
        raise errors.DATABASE_NOT_RENAMED(database=old, reason=reason)
    database = new if table.database == old else table.database
    made = replace(
        table, database=database, source=within(table.source), target=within(table.target)
    )
    if table.kind == DICTIONARY and table.settings.get(SOURCE_DATABASE) == old:
        made = replace(made, settings={**table.settings, SOURCE_DATABASE: new})
    if table.kind == KAFKA and made != table:
        keeps_topics(
            engine.environment,
            source_of(engine.environment, table),
            source_of(engine.environment, made),
            None,
        )
    return made if made != table else None


def _names(text: str, database: str) -> bool:
    """Whether a query may name something of a database: `database.` stands in it."""
    texts = [token.text for token in tokenize(text)]
    return any(pair == (database, ".") for pair in pairwise(texts))
