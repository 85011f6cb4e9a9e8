"""Statements that answer rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, temporary
from sluice.options.query_settings import JOIN_NULLS
from sluice.session import show, system
from sluice.session.direct import Reading
from sluice.session.frames import Limit, answered, collect, frame, guarded
from sluice.session.named import find_collection
from sluice.session.relations import Relations, check_dialect, find
from sluice.session.result import Result, ResultColumn
from sluice.session.running import planning
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.session.engine import Engine
    from sluice.sql import ir
    from sluice.types import Type

_STRING = m.String()
_DESCRIBED = [
    (name, _STRING) for name in ("name", "type", "default_type", "default_expression", "comment")
]


def answer(
    columns: Sequence[tuple[str, Type]], rows: Iterable[tuple[Any, ...]], format_: str | None
) -> Result:
    """A result that was made without Spark."""
    return Result(tuple(ResultColumn(n, t) for n, t in columns), list(rows), format_)


def select(engine: Engine, statement: ir.Select, database: str) -> Result:
    """SELECT."""
    from sluice.sql.clickhouse.causes import located

    try:
        with Reading(engine, statement.query, statement.settings) as reading:
            rows, types = _typed(engine, statement.query, database, reading)
            result = collect(engine, rows, statement.format, types, Limit.of(statement.settings))
            reading.commit()
    except errors.SluiceError as bad:
        raise located(bad, statement.query.tree) from bad
    return result


def describe(engine: Engine, statement: ir.Describe, database: str) -> Result:
    """DESCRIBE TABLE."""
    within = statement.name.database or database
    if (made := system.find_system(within, statement.name.table)) is not None:
        own = [(n, str(t), "", "", "") for n, t in made.columns]
        return answer(_DESCRIBED, own, statement.format)
    table = find(engine.catalog, statement.name, database)
    rows = [(c.name, str(c.type), *show.default_of(c), c.comment) for c in table.columns]
    return answer(_DESCRIBED, rows, statement.format)


def describe_query(engine: Engine, statement: ir.DescribeQuery, database: str) -> Result:
    """DESCRIBE (SELECT …): nothing is read; Spark is asked for what only it can tell."""
    from sluice.sql.clickhouse import lower_query

    query = statement.query
    lowered = lower_query(query, Relations(engine.catalog, database).resolve, database=database)
    if None in lowered.types:
        with Reading(engine, query, {}) as reading:
            found = answered(*_typed(engine, query, database, reading))
    else:
        found = [(n, t or _STRING) for n, t in zip(lowered.columns, lowered.types, strict=True)]
    return answer(_DESCRIBED, [(n, str(t), "", "", "") for n, t in found], statement.format)


def exists(engine: Engine, statement: ir.Exists, database: str) -> Result:
    """EXISTS TABLE."""
    within = statement.name.database or database
    own = temporary.named(statement.name.database, statement.name.table)
    table = own or engine.catalog.find(within, statement.name.table)
    there = table is not None and table.attached
    if within in system.DATABASES:
        there = system.find_system(within, statement.name.table) is not None
    if there and statement.kind == "VIEW":
        there = table is not None and table.kind == "view"
    return answer([("result", m.Int(8, signed=False))], [(int(there),)], statement.format)


def show_databases(engine: Engine, statement: ir.ShowDatabases, _: str) -> Result:
    """SHOW DATABASES."""
    test = system.like(statement.like)
    rows = [(name,) for name in system.all_databases(engine) if test(name)]
    return answer([("name", _STRING)], rows, statement.format)


def show_tables(engine: Engine, statement: ir.ShowTables, database: str) -> Result:
    """SHOW TABLES."""
    within, test = statement.database or database, system.like(statement.like)
    known = system.all_databases(engine)
    if within not in known:
        raise errors.UNKNOWN_DATABASE(database=within, hint=errors.nearest(within, known))
    if within in system.DATABASES:
        names = sorted(system.DATABASES[within])
    else:
        tables = engine.catalog.tables()
        names = [t.name for t in tables if t.database == within and t.attached]
    return answer([("name", _STRING)], [(n,) for n in names if test(n)], statement.format)


def show_create(engine: Engine, statement: ir.ShowCreate, database: str) -> Result:
    """SHOW CREATE TABLE."""
    if statement.kind == "NAMED COLLECTION":
        held = find_collection(engine.catalog, statement.name.table, statement.name.place)
        text = show.collection_statement(held)
    else:
        table = find(engine.catalog, statement.name, database)
        check_dialect(table, statement.name.place)
        inner = engine.catalog.find(*table.target) if table.target and table.owns_target else None
        text = show.create_statement(table, inner)
    return answer([("statement", _STRING)], [(text,)], statement.format)


def show_collections(engine: Engine, statement: ir.ShowNamedCollections, _: str) -> Result:
    """SHOW NAMED COLLECTIONS."""
    test = system.like(statement.like)
    rows = [(c.name, show.shown(c)) for c in engine.catalog.collections() if test(c.name)]
    columns = [("name", _STRING), ("collection", m.Map(_STRING, _STRING))]
    return answer(columns, rows, statement.format)


def lowered(engine: Engine, query: ir.Query, database: str, reading: Reading) -> DataFrame:
    """The query as Spark will run it, in a session of its own so that its names are its own."""
    return _typed(engine, query, database, reading)[0]


def _typed(
    engine: Engine, query: ir.Query, database: str, reading: Reading
) -> tuple[DataFrame, Sequence[Type | None]]:
    """The same, and the types of its columns as far as they are known before it runs."""
    from sluice.sql.clickhouse import lower_query

    relations = Relations(engine.catalog, database)
    nulls = bool(reading.settings.get(JOIN_NULLS))
    lowered = lower_query(query, relations.resolve, database=database, join_nulls=nulls)
    spark = engine.spark().newSession()

    def prepare() -> DataFrame:
        with planning(engine):
            for name, table in relations.found.items():
                if table.kind == KAFKA:
                    rows = reading.rows(spark, table, lowered.sql)
                else:
                    rows = engine.store.read(spark, table)
                rows.createOrReplaceTempView(name)
            for name, made in relations.system.items():
                system_rows(engine, spark, made).createOrReplaceTempView(name)
            return spark.sql(lowered.sql)

    return guarded(prepare), lowered.types


def system_rows(engine: Engine, spark: SparkSession, made: system.SystemTable) -> DataFrame:
    """A table of the system's as it is now."""
    if made.frame:
        return made.frame(engine, spark)
    # In one part: a query over it shuffles nothing, which on a full disk it could not.
    return frame(spark, made.columns, made.rows(engine)).coalesce(1)
