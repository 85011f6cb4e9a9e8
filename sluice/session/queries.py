"""Statements that answer rows, and INSERT."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sluice import errors
from sluice.catalog import KAFKA, STORED
from sluice.formats.decode import DECODERS, decoded
from sluice.pipelines import faults, offsets, source, typed
from sluice.pipelines.rows import Rows, bad_message
from sluice.session import show, system
from sluice.session.engines import check_insert, written_columns
from sluice.session.named import find_collection, source_of
from sluice.session.relations import Relations, check_dialect, find
from sluice.session.result import Result, ResultColumn
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.sql import ir
    from sluice.types import Type

T = TypeVar("T")

log = logging.getLogger(__name__)

_STRING = m.String()


def answer(
    columns: Sequence[tuple[str, Type]], rows: Iterable[tuple[Any, ...]], format_: str | None
) -> Result:
    """A result that was made without Spark."""
    return Result(tuple(ResultColumn(n, t) for n, t in columns), list(rows), format_)


def select(engine: Engine, statement: ir.Select, database: str) -> Result:
    """SELECT."""
    rows = _lowered(engine, statement.query, database)
    return _collect(rows, statement.format)


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
        rows = _lowered(engine, statement.query, database)
    elif statement.rows is not None:
        rows = _values(engine, statement.rows, len(names), statement)
    else:
        rows = _data(engine, table, names, statement)
    if len(rows.columns) != len(names):
        reason = f"{len(names)} columns are to be filled, {len(rows.columns)} are given"
        raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
    _guarded(lambda: engine.store.append(rows.toDF(*names), table))
    return Result()


def describe(engine: Engine, statement: ir.Describe, database: str) -> Result:
    """DESCRIBE TABLE."""
    columns = [
        (name, _STRING)
        for name in ("name", "type", "default_type", "default_expression", "comment")
    ]
    within = statement.name.database or database
    if within == "system" and statement.name.table in system.TABLES:
        own = system.TABLES[statement.name.table].columns
        return answer(columns, [(n, str(t), "", "", "") for n, t in own], statement.format)
    table = find(engine.catalog, statement.name, database)
    rows = [(c.name, str(c.type), *show.default_of(c), c.comment) for c in table.columns]
    return answer(columns, rows, statement.format)


def exists(engine: Engine, statement: ir.Exists, database: str) -> Result:
    """EXISTS TABLE."""
    within = statement.name.database or database
    table = engine.catalog.find(within, statement.name.table)
    there = table is not None and table.attached
    if within == "system":
        there = statement.name.table in system.TABLES
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
    if within == "system":
        names = sorted(system.TABLES)
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


def _lowered(engine: Engine, query: ir.Query, database: str) -> DataFrame:
    """The query as Spark will run it, in a session of its own so that its names are its own."""
    from sluice.sql.clickhouse import lower_query

    relations = Relations(engine.catalog, database)
    lowered = lower_query(query, relations.resolve, database=database)
    spark = engine.spark().newSession()

    def prepare() -> DataFrame:
        for name, table in relations.found.items():
            _rows_of(engine, spark, table).createOrReplaceTempView(name)
        for name, made in relations.system.items():
            _frame(spark, made.columns, made.rows(engine)).createOrReplaceTempView(name)
        return spark.sql(lowered.sql)

    return _guarded(prepare)


def _rows_of(engine: Engine, spark: SparkSession, table: Table) -> DataFrame:
    return (
        _messages(engine, spark, table) if table.kind == KAFKA else engine.store.read(spark, table)
    )


def _messages(engine: Engine, spark: SparkSession, table: Table) -> DataFrame:
    """What a Kafka table holds now, from its group's position to the end. Nothing is moved."""
    from sluice.kafka.cluster import Cluster

    kafka = source_of(engine, table)
    if not kafka.group:
        reason = (
            f"{table.full_name} has an empty kafka_group_name, so it has no position to read from"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)
    cluster = Cluster(kafka.connection.librdkafka())
    try:
        topics = cluster.topics(kafka.topics)
        missing = [name for name in kafka.topics if name not in topics]
        if missing:
            brokers = kafka.connection.brokers
            raise errors.KAFKA_TOPIC_MISSING(topic=", ".join(missing), brokers=brokers)
        starts = offsets.resolve(kafka, topics, cluster, engine.catalog, offsets.GROUP)
        ends = offsets.furthest(cluster.latest(topics), starts)
    finally:
        cluster.close()
    read = source.bounded(spark, kafka, offsets.to_json(starts), offsets.to_json(ends))
    return Rows(kafka, read)(read)


def _frame(
    spark: SparkSession, columns: Sequence[tuple[str, Type]], rows: Iterable[tuple[Any, ...]]
) -> DataFrame:
    """Rows made in Python as a table for Spark, each column saying its type.

    They go as Arrow: as a plain list they would go through a Python worker.
    """
    import pyarrow as pa
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    from sluice.types import spark_type

    names = [f"c{at}" for at in range(len(columns))]
    ddl = ", ".join(f"{c} {spark_type(t)}" for c, (_, t) in zip(names, columns, strict=True))
    schema = to_arrow_schema(cast("StructType", StructType.fromDDL(ddl)), timezone="UTC")
    lists = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(v, field.type) for v, field in zip(lists, schema, strict=True)]
    frame = spark.createDataFrame(pa.Table.from_arrays(arrays, schema=schema))
    return frame.select(
        *(typed.mark(F.col(c), n, t) for c, (n, t) in zip(names, columns, strict=True))
    )


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
    return _guarded(lambda: spark.sql(" UNION ALL ".join(selects)))


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


def _collect(rows: DataFrame, format_: str | None) -> Result:
    fields = rows.schema.fields
    columns = tuple(ResultColumn(field.name, typed.type_of(field)) for field in fields)
    table = _guarded(lambda: rows.toDF(*(f"c{at}" for at in range(len(fields)))).toArrow())
    lists = [column.to_pylist() for column in table.columns]
    read = [_reader(column.type) for column in columns]
    fixed = [
        values if fix is None else [fix(v) for v in values]
        for fix, values in zip(read, lists, strict=True)
    ]
    return Result(columns, list(zip(*fixed, strict=True)) if fixed else [], format_)


def _reader(type_: Type) -> Any:
    """How a value from Arrow becomes the plain Python value of a type; None if it is one."""
    match type_:
        case m.Nullable(item) | m.LowCardinality(item):
            inner = _reader(item)
            return inner and (lambda v: None if v is None else inner(v))
        case m.Int(bits=64, signed=False):
            return lambda v: None if v is None else int(v)
        case m.Array(item):
            inner = _reader(item)
            return inner and (lambda v: None if v is None else [inner(x) for x in v])
        case m.Map(key, value):
            of_key, of_value = _reader(key) or _same, _reader(value) or _same
            return lambda v: None if v is None else {of_key(k): of_value(x) for k, x in v}
        case m.Tuple(items):
            readers = [_reader(item) or _same for item in items]
            return lambda v: (
                None if v is None else tuple(f(x) for f, x in zip(readers, v.values(), strict=True))
            )
        case _:
            return None


def _same(value: Any) -> Any:
    return value


def _guarded(run: Callable[[], T]) -> T:
    """Run something of Spark's; what goes wrong is said in one sentence, without a stack."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return run()
    except (PySparkException, Py4JError) as fault:
        log.debug("a query failed", exc_info=fault)
        bad = bad_message("\n".join(faults.said(fault)))
        raise bad or errors.QUERY_FAILED(reason=faults.reason(fault)) from fault
