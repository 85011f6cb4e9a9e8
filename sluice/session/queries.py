"""Statements that answer rows."""

from __future__ import annotations

import logging
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors, system
from sluice.catalog import DICTIONARY, KAFKA, QUERY, VIEW, temporary
from sluice.catalog.system_tables import DATABASES, find_system
from sluice.formats.result import Result, ResultColumn
from sluice.options import query_settings
from sluice.options.query_settings import ENGINE, JOIN_NULLS, SPARK
from sluice.planner import ddl_text, query_views
from sluice.planner.named_collections import find_collection
from sluice.planner.relations import Relations, check_dialect, find
from sluice.session import (
    clickhouse_explain,
    clickhouse_prepared,
    clickhouse_select,
    needed,
    read_limits,
)
from sluice.session.clickhouse_views import UseSpark
from sluice.session.direct import Reading
from sluice.session.frames import Limit, answered, collect, frame, guarded
from sluice.session.reads import check_unfiltered, filtered_rows
from sluice.session.running import counted, planning
from sluice.sql import ir
from sluice.sql.clickhouse.queries import check_read
from sluice.sql.clickhouse.sql_functions import inlined, of_query
from sluice.sql.core.name_patterns import like
from sluice.system import visibility
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.access import Access
    from sluice.catalog.system_tables import SystemTable
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.types import Type

PATIENCE_S = 30.0
"""How long KILL QUERY … SYNC waits for a query to end."""

_STRING = m.String()
log = logging.getLogger(__name__)
_DESCRIBED = (
    "name", "type", "default_type", "default_expression", "comment", "codec_expression",
    "ttl_expression",
)  # fmt: skip


def answer(
    columns: Sequence[tuple[str, Type]], rows: Iterable[tuple[Any, ...]], format_: str | None
) -> Result:
    """A result that was made without Spark."""
    return Result(tuple(ResultColumn(n, t) for n, t in columns), list(rows), format_)


def texts(
    names: Iterable[str], rows: Iterable[tuple[Any, ...]], format_: str | None = None
) -> Result:
    """A result whose columns are all strings."""
    return answer([(name, _STRING) for name in names], rows, format_)


def names_like(names: Iterable[str], pattern: str | None, format_: str | None = None) -> Result:
    """Those of the names that match LIKE, as one column."""
    test = like(pattern)
    return texts(["name"], [(name,) for name in names if test(name)], format_)


def select(context: Context, statement: ir.Select) -> Result:
    """SELECT: by ClickHouse's own engine if it can read all tables, else by Spark."""
    if context.settings.get(ENGINE) != SPARK:
        try:
            return clickhouse_select.select(context, statement)
        except UseSpark as why:
            log.debug("query %s runs on Spark: %s", context.query_id, why)
    return _select_by_spark(context, statement)


def _select_by_spark(context: Context, statement: ir.Select) -> Result:
    engine, database = context.engine, context.database
    from sluice.sql.clickhouse.causes import located

    query = for_spark(context, statement.query)
    query_settings.check_spark(context.asked, query.setting_places)
    needed.check_reads(context.access, query, engine.catalog, database)
    try:
        with (
            counted(engine),
            Reading(engine, query, context.settings, context.access) as reading,
        ):
            rows, types = typed_rows(engine, query, database, reading)
            result = collect(engine, rows, statement.format, types, Limit.of(context.settings))
            reading.commit()
    except errors.SluiceError as bad:
        raise located(bad, query.tree) from bad
    return result


def describe(context: Context, statement: ir.Describe) -> Result:
    """DESCRIBE TABLE."""
    engine, database = context.engine, context.database
    within = statement.name.database or database
    if (made := find_system(within, statement.name.table)) is not None:
        rows = [(n, str(t), "", "", made.comments.get(n, ""), "", "") for n, t in made.columns]
    else:
        table = find(engine.catalog, statement.name, database)
        rows = [
            (c.name, str(c.type), *ddl_text.default_of(c), c.comment, c.codec or "", c.ttl or "")
            for c in table.columns
        ]
    if statement.compact or context.settings.get("describe_compact_output"):
        return texts(_DESCRIBED[:2], (row[:2] for row in rows), statement.format)
    return texts(_DESCRIBED, rows, statement.format)


def describe_query(context: Context, statement: ir.DescribeQuery) -> Result:
    """DESCRIBE (SELECT …): nothing is read; Spark is asked for what only it can tell."""
    if context.dialect == "clickhouse" and context.settings.get(ENGINE) != SPARK:
        with suppress(UseSpark):
            return clickhouse_explain.describe(context, statement)
    found = described(context, statement.query)
    return texts(_DESCRIBED, [(*each, *[""] * 5) for each in found], statement.format)


def described(context: Context, query: ir.Query) -> list[tuple[str, str]]:
    """The columns of a query with their types; Spark is asked for what only it can tell."""
    engine, database = context.engine, context.database
    if context.settings.get(ENGINE) != SPARK:
        try:
            with ExitStack() as stack:
                worker = clickhouse_prepared.taken(engine, stack)
                return clickhouse_prepared.prepared(context, worker, query.text).described()
        except UseSpark as why:
            log.debug("query %s is described by Spark: %s", context.query_id, why)
    from sluice.sql.clickhouse import lower_query

    query = for_spark(context, query)
    needed.check_reads(context.access, query, engine.catalog, database)
    plain = query_views.expanded(engine.catalog, query, database)
    lowered = lower_query(plain, Relations(engine.catalog, database).resolve, database=database)
    if None not in lowered.types:
        return [(n, str(t)) for n, t in zip(lowered.columns, lowered.types, strict=True)]
    with Reading(engine, query, {}, context.access) as reading:
        found = answered(*typed_rows(engine, query, database, reading))
    return [(name, str(type_)) for name, type_ in found]


def for_spark(context: Context, query: ir.Query) -> ir.Query:
    """A query that Spark can run: with the expressions of functions in the place of their calls.

    Its tree is its own: that of a query that was asked before belongs to all who ask it.

    Raises:
        SluiceError: why a query has no tree.
    """
    if functions := context.engine.catalog.functions():
        query = of_query(query, lambda text: inlined(text, functions))
    check_read(query)
    return replace(query, tree=query.tree.copy())


def exists(context: Context, statement: ir.Exists) -> Result:
    """EXISTS TABLE, VIEW or DATABASE."""
    engine, database = context.engine, context.database
    within = statement.name.database or database
    own = temporary.named(statement.name.database, statement.name.table)
    table = own or engine.catalog.find(within, statement.name.table)
    there = table is not None and table.attached and (own is not None or not statement.temporary)
    if within in DATABASES:
        there = find_system(within, statement.name.table) is not None
    if statement.kind == "DATABASE":
        there = statement.name.table in system.all_databases(engine)
    if there and statement.kind == "VIEW":
        there = table is not None and table.kind in (VIEW, QUERY)
    if there and statement.kind == "DICTIONARY":
        there = table is not None and table.kind == DICTIONARY
    return answer([("result", m.Int(8, signed=False))], [(int(there),)], statement.format)


def show_databases(context: Context, statement: ir.ShowDatabases) -> Result:
    """SHOW DATABASES."""
    names = filter(context.access.shows_database, system.all_databases(context.engine))
    return names_like(names, statement.like, statement.format)


def known_database(engine: Engine, name: str) -> str:
    """The name of a database that exists.

    Raises:
        SluiceError: UNKNOWN_DATABASE with the nearest names.
    """
    known = system.all_databases(engine)
    if name not in known:
        raise errors.UNKNOWN_DATABASE(database=name, hint=errors.nearest(name, known))
    return name


def show_tables(context: Context, statement: ir.ShowTables) -> Result:
    """SHOW TABLES."""
    access, within = context.access, statement.database or context.database
    if access.shows_database(within):
        known_database(context.engine, within)
    if within in DATABASES:
        names = sorted(DATABASES[within])
    else:
        tables = context.engine.catalog.tables()
        names = [t.name for t in tables if t.database == within and t.attached]
    shown = (name for name in names if access.shows_table(within, name))
    return names_like(shown, statement.like, statement.format)


def show_create(context: Context, statement: ir.ShowCreate) -> Result:
    """SHOW CREATE TABLE, DATABASE or NAMED COLLECTION."""
    engine, database = context.engine, context.database
    if statement.kind == "NAMED COLLECTION":
        held = find_collection(engine.catalog, statement.name.table, statement.name.place)
        text = ddl_text.collection_statement(held)
    elif statement.kind == "DATABASE":
        name = known_database(engine, statement.name.table)
        text = ddl_text.database_statement(name, engine.catalog.database_comment(name))
    elif made := find_system(within := statement.name.database or database, statement.name.table):
        text = ddl_text.system_statement((within, made.name), made.columns)
    else:
        table = find(engine.catalog, statement.name, database)
        check_dialect(table, statement.name.place)
        inner = engine.catalog.find(*table.target) if table.target and table.owns_target else None
        text = ddl_text.create_statement(table, inner)
    return texts(["statement"], [(text,)], statement.format)


def show_collections(context: Context, statement: ir.ShowNamedCollections) -> Result:
    """SHOW NAMED COLLECTIONS."""
    test, held = like(statement.like), context.engine.catalog.collections()
    may = context.access.holds
    seen = [c for c in held if test(c.name) and may("SHOW NAMED COLLECTIONS", (c.name,))]
    rows = [(c.name, ddl_text.shown(c)) for c in seen]
    columns = [("name", _STRING), ("collection", m.Map(_STRING, _STRING))]
    return answer(columns, rows, statement.format)


def kill_query(context: Context, statement: ir.KillQuery) -> Result:
    """KILL QUERY: cancel the queries that the condition chooses, other than this one."""
    engine = context.engine
    found = select(replace(context, output=None), ir.Select(statement.query))
    own = engine.activity.current()
    rows = [
        (_killed(context, row[0], statement.mode), *row)
        for row in found.rows
        if own is None or row[0] != own.id
    ]
    return texts(("kill_status", "query_id", "user", "query"), rows, statement.format)


def kill_mutation(context: Context, statement: ir.KillMutation) -> Result:
    """KILL MUTATION: cancel the statements that change rows, of those that the condition chooses.

    It needs the privilege that the mutation needs.
    """
    found = select(replace(context, output=None), ir.Select(statement.query))
    tables = {table.uuid: table.key for table in context.engine.catalog.tables()}
    running = {
        (*tables[each.table_uuid], each.id): each.query_id
        for each in context.engine.mutations.all()
        if each.finished is None and each.table_uuid in tables
    }
    rows = []
    for row in found.rows:
        if (query_id := running.get(row[:3])) is not None:
            verb = row[3].upper().split()[0]
            context.access.check(_MUTATING.get(verb, "ALTER DELETE"), row[:2])
            rows.append((_cancelled(context, query_id, statement.mode, "KILL MUTATION"), *row))
    columns = ("kill_status", "database", "table", "mutation_id", "command")
    return texts(columns, rows, statement.format)


_MUTATING = {
    "UPDATE": "ALTER UPDATE", "CLEAR": "ALTER CLEAR COLUMN",
    "MATERIALIZE": "ALTER MATERIALIZE COLUMN",
}  # fmt: skip
"""The privilege that a mutation needs, by its first word."""


def _killed(context: Context, query_id: str, mode: str) -> str:
    """Cancel a query, one of another user only with KILL QUERY; the state that it is in then."""
    query = context.engine.activity.find(query_id)
    if query is not None and query.user != context.principal:
        context.access.check("KILL QUERY")
    return _cancelled(context, query_id, mode, "KILL QUERY")


def _cancelled(context: Context, query_id: str, mode: str, by: str) -> str:
    """Cancel a query; the state that it is in then."""
    query = context.engine.activity.find(query_id)
    if mode == "TEST":
        return "unknown_status"
    if query is None:
        return "finished"
    query.cancel(errors.QUERY_WAS_CANCELLED(reason=f" by {by}"))
    return "finished" if mode == "SYNC" and query.join(PATIENCE_S) else "waiting"


def typed_rows(
    engine: Engine, query: ir.Query, database: str, reading: Reading
) -> tuple[DataFrame, Sequence[Type | None]]:
    """The query as Spark will run it, in a session of its own so that its names are its own.

    The types of its columns are told as far as they are known before it runs.
    """
    from sluice.sql.clickhouse import lower_query

    relations = Relations(engine.catalog, database)
    nulls = bool(reading.settings.get(JOIN_NULLS))
    for view in query_views.views_in(engine.catalog, query, database):
        check_unfiltered(reading.access, view)
    query = query_views.expanded(engine.catalog, query, database)
    lowered = lower_query(query, relations.resolve, database=database, join_nulls=nulls)
    read_limits.check(engine, relations.found.values(), reading.settings)
    spark = engine.spark().newSession()

    def prepare() -> DataFrame:
        with planning(engine):
            for name, table in relations.found.items():
                if table.kind == KAFKA:
                    rows = reading.rows(spark, table, lowered.uses[name])
                else:
                    rows = engine.store.read(spark, table)
                rows = filtered_rows(reading.access, table, rows)
                rows.createOrReplaceTempView(name)
            for name, made in relations.system.items():
                rows = system_rows(engine, spark, made, reading.access)
                rows.createOrReplaceTempView(name)
            return spark.sql(lowered.sql)

    return guarded(prepare), lowered.types


def system_rows(
    engine: Engine, spark: SparkSession, made: SystemTable, access: Access
) -> DataFrame:
    """A table of the system's as it is now, as far as a user sees it.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES.
    """
    visibility.check(access, made)
    read = system.frame_of(made)
    if read is not None:
        return read(engine, spark)
    # In one part: a query over it shuffles nothing, which on a full disk it could not.
    return frame(spark, made.columns, system.rows_of(made, engine, access)).coalesce(1)
