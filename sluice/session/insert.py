"""INSERT: rows from values, a query or data, into a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import STORED
from sluice.formats.decode import DECODERS, decoded
from sluice.pipelines.fan_out import write_block
from sluice.session.engines import check_insert, written_columns
from sluice.session.frames import guarded
from sluice.session.queries import lowered
from sluice.session.relations import check_dialect, find
from sluice.session.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.sql import ir


def insert(engine: Engine, statement: ir.Insert, database: str) -> Result:
    """INSERT INTO a stored table."""
    table = find(engine.catalog, statement.name, database)
    check_dialect(table, statement.name.place)
    if table.kind != STORED:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"INSERT INTO {table.full_name}, which is no MergeTree table,",
            hint="Insert into the table behind it.",
            place=statement.name.place,
        )
    known = written_columns(table)
    names = statement.columns or tuple(c.name for c in table.columns if c.name in known)
    check_insert(table, names, statement.name.place)
    for name in names:
        if name not in known:
            hint = errors.nearest(name, known)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)
    if statement.query is not None:
        rows = lowered(engine, statement.query, database)
    elif statement.rows is not None:
        rows = _values(engine, statement.rows, len(names), statement)
    else:
        rows = _data(engine, table, names, statement)
    if len(rows.columns) != len(names):
        reason = f"{len(names)} columns are to be filled, {len(rows.columns)} are given"
        raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
    plans = engine.feeds(table)
    guarded(lambda: write_block(engine.store, rows.toDF(*names), table, plans))
    return Result()


def _values(
    engine: Engine, rows: Sequence[Sequence[Any]], width: int, statement: ir.Insert
) -> DataFrame:
    from sluice.sql.clickhouse import lower_scalar

    for row in rows:
        if len(row) != width:
            reason = f"{width} values are expected in each row, {len(row)} are given"
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
    spark = engine.spark().newSession()
    selects = ["SELECT " + ", ".join(lower_scalar(value) for value in row) for row in rows]
    return guarded(lambda: spark.sql(" UNION ALL ".join(selects)))


def _data(engine: Engine, table: Table, names: Sequence[str], statement: ir.Insert) -> DataFrame:
    """Data behind `FORMAT`, read like a message of that format."""
    from pyspark.sql import functions as F

    types = {c.name: c.type for c in table.columns}
    given = statement.format or ""
    known = {name.lower(): name for name in DECODERS}
    if given.lower() not in known:
        hint = errors.nearest(given, DECODERS) or "Data can be read as JSONEachRow."
        raise errors.UNKNOWN_FORMAT(format=given, hint=hint, place=statement.name.place)
    spark = engine.spark().newSession()
    columns = [(name, types[name]) for name in names]
    data = F.lit(statement.data or "").cast("binary")
    found = decoded(spark, known[given.lower()], columns, data)
    rows = spark.range(1).select(found.alias("__row")).where(F.col("__row").isNotNull())
    wrong = F.col("__row.__error")
    stop = F.raise_error(wrong).cast("boolean")
    good = rows.where(F.when(wrong.isNull(), F.lit(True)).otherwise(stop))
    return good.select("__row.*").drop("__error")
