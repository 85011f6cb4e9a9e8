"""INSERT: rows from values, a query or data, into a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, STORED
from sluice.formats.decode import decoded
from sluice.formats.settings import among
from sluice.options.formats import find_format, must_write
from sluice.options.kinds import CLICKHOUSE
from sluice.pipelines import typed
from sluice.pipelines.fan_out import write_block
from sluice.pipelines.kafka_sink import KafkaSink
from sluice.plan.sink import check_written, writable_columns
from sluice.session.defaults import omitted, with_defaults
from sluice.session.direct import Reading
from sluice.session.engines import written_columns
from sluice.session.frames import guarded
from sluice.session.named import source_of
from sluice.session.queries import lowered
from sluice.session.relations import check_dialect, find
from sluice.session.result import Result
from sluice.session.running import executing, planning
from sluice.types import is_nullable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.session.engine import Engine
    from sluice.sql import ir
    from sluice.types import Type


def insert(engine: Engine, statement: ir.Insert, database: str) -> Result:
    """INSERT INTO a stored table, or into the topic of a Kafka table."""
    table, place = find(engine.catalog, statement.name, database), statement.name.place
    check_dialect(table, place)
    if table.kind not in _TARGETS:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"INSERT INTO {table.full_name}, which is no table that holds rows,",
            hint="Insert into the table behind it.",
            place=place,
        )
    target = _TARGETS[table.kind]
    known = target.columns(table)
    names = statement.columns or tuple(c.name for c in table.columns if c.name in known)
    if target.check is not None:
        target.check(engine, table, names, place)
    for name in names:
        if name not in known:
            hint = errors.nearest(name, known)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)
    with Reading(engine, statement.query, statement.settings) as reading:
        columns = _Columns(names, known, {c.name for c in table.columns if c.default is not None})
        if statement.query is not None:
            rows = lowered(engine, statement.query, database, reading)
            if len(rows.columns) != len(names):
                reason = f"{len(names)} columns are to be filled, {len(rows.columns)} are given"
                raise errors.BAD_ARGUMENTS(reason=reason, place=place)
            rows = rows.toDF(*names)
        elif statement.rows is not None:
            rows = _values(engine, statement.rows, columns, statement)
        elif statement.constants is not None:
            rows = _constants(engine, statement.constants, columns, statement)
        else:
            rows = _data(engine, columns, statement)
        complete = with_defaults(rows, table)
        guarded(lambda: _write(engine, target, complete, table, statement))
        reading.commit()
    return Result()


def _write(
    engine: Engine, target: _Target, rows: DataFrame, table: Table, statement: ir.Insert
) -> None:
    if table.kind == STORED and table.keeps_rows:
        with planning(engine):  # a pipeline waits for whoever makes the table
            engine.store.ensure(rows.sparkSession, table)
    with executing(engine, rows):
        target.write(engine, rows, table, statement)


@dataclass(frozen=True, slots=True)
class _Target:
    """How rows are written to tables of a kind: their columns, a check beforehand, the writing."""

    columns: Callable[[Table], Mapping[str, Type]]
    check: Callable[[Engine, Table, Sequence[str], Place | None], None] | None
    write: Callable[[Engine, DataFrame, Table, ir.Insert], None]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns that an INSERT fills, all that may be filled, and those that have a DEFAULT."""

    names: Sequence[str]
    types: Mapping[str, Type]
    computed: Collection[str]

    def typed(self) -> list[tuple[str, Type]]:
        """Those that are filled, with their types."""
        return [(name, self.types[name]) for name in self.names]

    def flagged(self) -> list[str]:
        """Those whose NULL may be a value, so that a row has to say that it omits them."""
        return [
            name for name, type_ in self.typed() if name in self.computed and is_nullable(type_)
        ]


def _stored_columns(table: Table) -> dict[str, Type]:
    known = written_columns(table)
    return {column.name: column.type for column in table.columns if column.name in known}


def _store(engine: Engine, rows: DataFrame, table: Table, _: ir.Insert) -> None:
    write_block(engine.store, rows, table, engine.feeds(table))


def _check_kafka(engine: Engine, table: Table, names: Sequence[str], place: Place | None) -> None:
    source = source_of(engine, table)
    must_write(find_format(source.format, CLICKHOUSE), CLICKHOUSE, place)
    check_written(source, names, place)


def _send(engine: Engine, rows: DataFrame, table: Table, statement: ir.Insert) -> None:
    """Write to Kafka; rows that were given in an order are sent in that order."""
    sink = KafkaSink(source_of(engine, table))
    ordered = statement.query is None or bool(statement.query.tree.args.get("order"))
    sink.write(sink.fitting(rows)(rows), ordered=ordered)


_TARGETS = {
    STORED: _Target(_stored_columns, None, _store),
    KAFKA: _Target(writable_columns, _check_kafka, _send),
}


def _values(
    engine: Engine, rows: Sequence[Sequence[Any]], columns: _Columns, statement: ir.Insert
) -> DataFrame:
    """Rows of expressions; for `DEFAULT` there is NULL, and a flag where that may be a value."""
    from sluice.sql.clickhouse import lower_scalar
    from sluice.sql.clickhouse.constants import is_default, read_as

    _check_width(rows, len(columns.names), statement)
    spark = engine.spark().newSession()
    flagged = [columns.names.index(name) for name in columns.flagged()]
    selects = []
    for row in rows:
        pairs = zip(row, columns.typed(), strict=True)
        found = [lower_scalar(read_as(value, type_)) for value, (_, type_) in pairs]
        found += [str(is_default(row[at])) for at in flagged]
        selects.append("SELECT " + ", ".join(found))
    made = guarded(lambda: spark.sql(" UNION ALL ".join(selects)))
    return made.toDF(*columns.names, *map(omitted, columns.flagged()))


def _check_width(rows: Sequence[Sequence[Any]], width: int, statement: ir.Insert) -> None:
    for row in rows:
        if len(row) != width:
            reason = f"{width} values are expected in each row, {len(row)} are given"
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)


def _constants(
    engine: Engine, rows: Sequence[Sequence[Any]], columns: _Columns, statement: ir.Insert
) -> DataFrame:
    """Many rows of constants, handed over as they are; a column of texts and numbers is texts."""
    import pyarrow as pa

    _check_width(rows, len(columns.names), statement)
    arrays = []
    for column in zip(*rows, strict=True):
        whole = all(value is None or isinstance(value, int) for value in column)
        if whole and all(value is None or -(1 << 63) <= value < 1 << 63 for value in column):
            arrays.append(pa.array(column, pa.int64()))
        else:
            texts = [None if value is None else str(value) for value in column]
            arrays.append(pa.array(texts, pa.string()))
    table = pa.Table.from_arrays(arrays, list(columns.names))
    return guarded(lambda: engine.spark().newSession().createDataFrame(table))


def _data(engine: Engine, columns: _Columns, statement: ir.Insert) -> DataFrame:
    """Data behind `FORMAT`, read like a message of that format."""
    from pyspark.sql import functions as F

    spark = engine.spark().newSession()
    data = F.lit(statement.data or "").cast("binary")
    try:
        settings = among(statement.settings)
        computed = columns.computed if settings.get(_DEFAULTS, True) else ()
        found = decoded(
            spark,
            statement.format or "",
            columns.typed(),
            data,
            settings=settings,
            optional=computed,
        )
    except errors.SluiceError as error:
        raise error.at(statement.name.place) from None
    rows = spark.range(1).select(found.alias("__row")).where(F.col("__row").isNotNull())
    wrong = F.col("__row.__error")
    stop = F.raise_error(wrong).cast("boolean")
    good = rows.where(F.when(wrong.isNull(), F.lit(True)).otherwise(stop))
    flagged = columns.flagged() if computed else []
    fields = {name: F.col(f"__row.{typed.quoted(name)}") for name in columns.names}
    return good.select(
        *(
            (field["value"] if name in flagged else field).alias(name)
            for name, field in fields.items()
        ),
        *(fields[name].isNull().alias(omitted(name)) for name in flagged),
    )


_DEFAULTS = "input_format_defaults_for_omitted_fields"
