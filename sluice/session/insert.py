"""INSERT: rows from values, a query or data, into a table."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.catalog import KAFKA, STORED
from sluice.engine import faults
from sluice.engine.sinks.fan_out import write_rows
from sluice.engine.spark import nested, typed
from sluice.formats import format_schemas
from sluice.formats.codec import Codec
from sluice.formats.decode import decoded
from sluice.formats.registry import find_format, is_read, must_work
from sluice.formats.result import Result
from sluice.formats.settings import among
from sluice.options import query_settings
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner import insert_columns
from sluice.planner.named_collections import source_of
from sluice.planner.query import QuerySpec
from sluice.planner.relations import check_dialect, find
from sluice.planner.sink import check_written, kafka_sink, writable_columns
from sluice.planner.table_engines import written_columns
from sluice.session import clickhouse_data, input_rows, query_rows
from sluice.session.answer_schemas import names_file
from sluice.session.defaults import omitted, with_defaults
from sluice.session.frames import guarded
from sluice.session.running import executing, planning
from sluice.types import bare, is_nullable
from sluice.types.encoded import is_encoded
from sluice.types.semistructured import Json, is_opaque, is_typed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.engine.storage.commits import Written
    from sluice.planner.query import Output
    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type


def insert(context: Context, statement: ir.Insert) -> Result:
    """INSERT INTO a stored table, or into the topic of a Kafka table."""
    engine, database = context.engine, context.database
    table, place = find(engine.catalog, statement.name, database), statement.name.place
    check_dialect(table, place)
    if table.kind not in (STORED, KAFKA):
        raise errors.INSERT_TARGET_UNSUPPORTED(table=table.full_name, place=place)
    stored = table.kind == STORED
    known = _stored_columns(table) if stored else writable_columns(table)
    listed = insert_columns.named(statement, table)
    insert_columns.check(statement, listed)
    names = listed or tuple(name for name in insert_columns.filled(table) if name in known)
    sink = None if stored else kafka_sink(source_of(engine.environment, table), context.asked)
    if sink is not None:
        must_work(find_format(sink.value.name, CLICKHOUSE), place, writes=True)
        check_written(sink, names, place)
    for name in names:
        if name not in known:
            hint = errors.nearest(name, known)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)
    if statement.query is None:
        query_settings.check_insert(context.asked)
    with ExitStack() as stack:
        columns = _Columns(names, known, {c.name for c in table.columns if c.default is not None})
        selected = None
        if statement.query is not None:
            query = statement.query
            if statement.data is not None:
                context, query = input_rows.of(context, statement, query, columns.typed())
            selected = stack.enter_context(query_rows.selected(context, query))
            given = len(selected.columns)
            if given != len(names):
                raise errors.COLUMN_COUNT_MISMATCH(
                    expected=len(names), rows="query", given=given, place=place
                )
            rows, count = selected.rows([known[name] for name in names])
            rows = rows.toDF(*names)
        elif statement.rows is not None:
            rows, count = _values(context, statement.rows, columns, statement), len(statement.rows)
        elif statement.constants is not None:
            rows = _constants(context, statement.constants, columns, statement)
            count = len(statement.constants)
        else:
            rows, count = _data(context, columns, statement)
        complete = with_defaults(nested.completed(rows, table), table)
        if sink is not None and (statement.query is None or statement.query.tree.args.get("order")):
            complete = complete.coalesce(1)  # rows that are in an order are sent in that order
        with engine.feeding.into(table, engine.planner.feeds if stored else _no_views) as views:
            written = write(engine, QuerySpec.of_rows(table, sink, views), complete, table)
        if selected is not None:
            selected.commit()
    return Result(written=written.rows or count, written_bytes=written.bytes)


def _no_views(_: Table) -> tuple[Output, ...]:
    return ()


def write(engine: Engine, spec: QuerySpec, rows: DataFrame, table: Table) -> Written:
    """Write the rows of a statement to its table, and to what the views make of them."""
    return guarded(lambda: _write(engine, spec, rows, table))


def _write(engine: Engine, spec: QuerySpec, rows: DataFrame, table: Table) -> Written:
    if table.keeps_rows:
        with planning(engine):  # a pipeline waits for whoever makes the table
            engine.store.ensure(rows.sparkSession, table)
    named = partial(faults.classify, table=table.full_name, brokers="")
    with executing(engine, rows):
        return write_rows(engine.store, named, spec, rows)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns that an INSERT fills, all that may be filled, and those that have a DEFAULT."""

    names: Sequence[str]
    types: Mapping[str, Type]
    computed: Collection[str]

    def typed(self) -> list[tuple[str, Type]]:
        """Those that are filled, with their types."""
        return [(name, self.types[name]) for name in self.names]

    def opaque(self) -> list[int]:
        """The positions of those that Spark has no values of."""
        return [at for at, (_, type_) in enumerate(self.typed()) if is_opaque(type_)]

    def flagged(self) -> list[str]:
        """Those whose NULL may be a value, so that a row has to say that it omits them."""
        return [
            name for name, type_ in self.typed() if name in self.computed and is_nullable(type_)
        ]


def _stored_columns(table: Table) -> dict[str, Type]:
    known = written_columns(table)
    return {column.name: column.type for column in table.columns if column.name in known}


def _values(
    context: Context, rows: Sequence[Sequence[Any]], columns: _Columns, statement: ir.Insert
) -> DataFrame:
    """Rows of expressions; for `DEFAULT` there is NULL, and a flag where that may be a value.

    Those that Spark has not are computed by ClickHouse, if it can, and values of types that Spark
    has not are read by it first.
    """
    from sluice.sql.clickhouse.constants import is_default
    from sluice.sql.clickhouse.insert import values_text

    _check_width(rows, len(columns.names), statement)
    if columns.opaque() and not _texts_of_json(rows, columns):
        return _by_clickhouse(context, columns)
    has_default = any(is_default(value) for row in rows for value in row)
    by_clickhouse = context.dialect == "clickhouse" and not has_default
    text = values_text(context.text) if by_clickhouse else ""
    ways: list[Callable[[], DataFrame]] = [partial(_lowered_values, context.engine, rows, columns)]
    if text:
        ways.append(lambda: clickhouse_data.values(context, columns.typed(), text)[0])
    if any(is_encoded(type_) for _, type_ in columns.typed()):
        ways.reverse()
    problems = []
    for way in ways:
        try:
            return way()
        except errors.SluiceError as bad:
            problems.append(bad)
    raise problems[0]


def _by_clickhouse(context: Context, columns: _Columns) -> DataFrame:
    from sluice.sql.clickhouse.insert import values_text

    return clickhouse_data.constants(context, columns.typed(), values_text(context.text))[0]


def _texts_of_json(rows: Sequence[Sequence[Any]], columns: _Columns) -> bool:
    """Whether all that Spark cannot compute is texts of JSON, which are kept as they are."""
    from sluice.sql.clickhouse.constants import is_default, is_text

    at = columns.opaque()
    given = [row[each] for row in rows for each in at]
    texts = (
        value is None or isinstance(value, str)
        if not isinstance(value, exp.Expr)
        else is_default(value) or is_text(value)
        for value in given
    )
    kinds = (bare(columns.types[columns.names[each]]) for each in at)
    return all(isinstance(kind, Json) for kind in kinds) and all(texts)


def _lowered_values(engine: Engine, rows: Sequence[Sequence[Any]], columns: _Columns) -> DataFrame:
    from sluice.sql.clickhouse.constants import is_default

    spark = engine.spark().newSession()
    flagged = [columns.names.index(name) for name in columns.flagged()]
    selects = []
    for row in rows:
        pairs = zip(row, columns.typed(), strict=True)
        found = [_lowered(value, type_) for value, (_, type_) in pairs]
        found += [str(is_default(row[at])) for at in flagged]
        selects.append("SELECT " + ", ".join(found))
    made = guarded(lambda: spark.sql(" UNION ALL ".join(selects)))
    return made.toDF(*columns.names, *map(omitted, columns.flagged()))


def _lowered(value: Any, type_: Type) -> str:
    """A value of a row in Spark's SQL; one that is stored encoded as the column's type."""
    from sluice.sql.clickhouse import lower_expression
    from sluice.sql.clickhouse.constants import cast_to, read_as

    found = lower_expression(read_as(value, type_))
    if found.type is not None and is_encoded(found.type):
        found = lower_expression(cast_to(value, type_))
    return found.sql


def _check_width(rows: Sequence[Sequence[Any]], width: int, statement: ir.Insert) -> None:
    for row in rows:
        if len(row) != width:
            raise errors.COLUMN_COUNT_MISMATCH(
                expected=width, rows="row", given=len(row), place=statement.name.place
            )


def _constants(
    context: Context, rows: Sequence[Sequence[Any]], columns: _Columns, statement: ir.Insert
) -> DataFrame:
    """Many rows of constants, handed over as they are; a column of texts and numbers is texts."""
    import pyarrow as pa

    _check_width(rows, len(columns.names), statement)
    if columns.opaque() and not _texts_of_json(rows, columns):
        return _by_clickhouse(context, columns)
    arrays = []
    for column in zip(*rows, strict=True):
        whole = all(value is None or isinstance(value, int) for value in column)
        if whole and all(value is None or -(1 << 63) <= value < 1 << 63 for value in column):
            arrays.append(pa.array(column, pa.int64()))
        else:
            texts = [None if value is None else str(value) for value in column]
            arrays.append(pa.array(texts, pa.string()))
    table = pa.Table.from_arrays(arrays, list(columns.names))
    return guarded(lambda: context.engine.spark().newSession().createDataFrame(table))


def _data(context: Context, columns: _Columns, statement: ir.Insert) -> tuple[DataFrame, int]:
    """Data after `FORMAT`, read like a message of that format, or by ClickHouse, which counts."""
    from pyspark.sql import functions as F

    by_type = any(is_typed(type_) for _, type_ in columns.typed()) and not names_file(context)
    if by_type or not is_read(statement.format or ""):
        given = statement.data or ""
        return clickhouse_data.rows(context, columns.typed(), statement.format or "", given)

    spark = context.engine.spark().newSession()
    data = F.lit((statement.data or "").encode("utf-8", "surrogateescape"))
    try:
        wanted = find_format(statement.format or "", CLICKHOUSE)
        folder = context.engine.config.format_schemas if context.engine.config else None
        settings = format_schemas.found(wanted, among(context.settings), folder)
        computed = columns.computed if settings.get(_DEFAULTS, True) else ()
        made = decoded(
            spark,
            Codec.named(statement.format or "", CLICKHOUSE, settings),
            columns.typed(),
            data,
            optional=computed,
        )
    except errors.SluiceError as error:
        raise error.at(statement.name.place) from None
    rows = spark.range(1).select(made.alias("__row")).where(F.col("__row").isNotNull())
    wrong = F.col("__row.__error")
    stop = F.raise_error(wrong).cast("boolean")
    good = rows.where(F.when(wrong.isNull(), F.lit(True)).otherwise(stop))
    flagged = columns.flagged() if computed else []
    fields = {name: F.col(f"__row.{typed.quoted(name)}") for name in columns.names}
    found = good.select(
        *(
            typed.mark(fields[name]["value"] if name in flagged else fields[name], name, type_)
            for name, type_ in columns.typed()
        ),
        *(fields[name].isNull().alias(omitted(name)) for name in flagged),
    )
    return found, 0


_DEFAULTS = "input_format_defaults_for_omitted_fields"
