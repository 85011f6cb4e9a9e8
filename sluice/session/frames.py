"""Between Spark and answers: rows made in Python, rows collected, and Spark's errors translated."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sluice import errors
from sluice.engine import faults
from sluice.engine.sources.decode import bad_message
from sluice.engine.spark import typed
from sluice.formats import encoded_values
from sluice.formats.result import Result, ResultColumn
from sluice.options.query_settings import MAX_ROWS, MEMORY, OVERFLOW
from sluice.session import spark_errors, typed_answers
from sluice.session.running import executing
from sluice.types import model as m
from sluice.types.encoded import Encoded
from sluice.types.semistructured import Json, is_typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.engine import Engine
    from sluice.types import Type

T = TypeVar("T")

_SMALL = 4 << 20
"""Bytes of rows that are sent to the JVM without a file."""
_LARGE = 512 << 20
"""Bytes of an answer's rows, which this process holds, where `max_memory_usage` does not say."""

log = logging.getLogger(__name__)


def guarded(
    run: Callable[[], T], told: Callable[[BaseException], errors.SluiceError] = spark_errors.failed
) -> T:
    """Call Spark; `told` turns its exception into an error without a stack trace."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return run()
    except (PySparkException, Py4JError) as fault:
        log.debug("a query failed", exc_info=fault)
        bad = bad_message("\n".join(faults.messages(fault))) or faults.no_space(fault)
        raise bad or faults.no_memory(fault) or told(fault) from fault


def frame(
    spark: SparkSession, columns: Sequence[tuple[str, Type]], rows: Iterable[tuple[Any, ...]]
) -> DataFrame:
    """Rows made in Python as a table for Spark, each column saying its type.

    They go as Arrow: as a plain list they would go through a Python worker. Few of them go through
    the connection to the JVM, and need no file and no room on the disk for it.
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
    table = pa.Table.from_arrays(arrays, schema=schema)
    small = table.nbytes <= _SMALL
    frame = _in_memory(spark, table, ddl) if small else spark.createDataFrame(table)
    return frame.select(
        *(typed.mark(F.col(c), n, t) for c, (n, t) in zip(names, columns, strict=True))
    )


def _in_memory(spark: SparkSession, table: pa.Table, ddl: str) -> DataFrame:
    """An Arrow table as a DataFrame, without the file that PySpark would write."""
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    data, schema = stream.getvalue().to_pybytes(), StructType.fromDDL(ddl).json()
    jvm: Any = spark._jvm
    made = jvm.sluice.spark.ArrowRows.of(data, schema, spark._jsparkSession)
    return DataFrame(made, spark)


def answered(rows: DataFrame, types: Sequence[Type | None] = ()) -> list[tuple[str, Type]]:
    """The columns of an answer: of the types given, else of those that Spark's columns tell."""
    fields = rows.schema.fields
    given = types or [None] * len(fields)
    return [(f.name, t or typed.type_of(f)) for f, t in zip(fields, given, strict=True)]


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows an answer may have, 0 for any number, and whether more of them are a fault.

    `memory` are the bytes that the rows may take together, and what computes them; 0 if nobody
    has said.
    """

    rows: int = 0
    throws: bool = True
    memory: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limit:
        """What the settings of a query say."""
        throws = settings.get(OVERFLOW, "throw") == "throw"
        return cls(settings.get(MAX_ROWS, 0), throws, int(settings.get(MEMORY) or 0))

    def check(self, found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows, or the first of them.

        Raises:
            SluiceError: TOO_MANY_ROWS_OR_BYTES.
        """
        if not self.rows or len(found) <= self.rows:
            return found
        if self.throws:
            raise errors.TOO_MANY_ROWS_OR_BYTES(limit=self.rows)
        return found[: self.rows]


NO_LIMIT = Limit()


def collect(
    engine: Engine,
    rows: DataFrame,
    format_: str | None,
    types: Sequence[Type | None] = (),
    limit: Limit = NO_LIMIT,
    told: Callable[[BaseException], errors.SluiceError] = spark_errors.failed,
) -> Result:
    """Run a query and take its rows as plain Python values; a state is a text of JSON."""
    rows = rows.limit(limit.rows + 1) if limit.rows else rows
    fields, shown = rows.schema.fields, answered(rows, types)
    columns = tuple(
        ResultColumn(n, m.String() if isinstance(t, m.AggregateState) else t) for n, t in shown
    )
    rows = rows.toDF(*(f"c{at}" for at in range(len(fields))))
    exact = [
        typed.as_stored(f"c{at}", field.dataType, type_)
        for at, (field, (_, type_)) in enumerate(zip(fields, shown, strict=True))
    ]
    if exact != rows.columns:
        rows = rows.selectExpr(*exact)
    table = guarded(lambda: _table(engine, rows, limit.memory), told)
    lists = [_values(column) for column in table.columns]
    fixed = [
        _plain(engine, column.type, values) for column, values in zip(columns, lists, strict=True)
    ]
    found = list(zip(*fixed, strict=True)) if fixed else []
    return Result(columns, limit.check(found), format_)


def _plain(engine: Engine, type_: Type, values: list[Any]) -> list[Any]:
    """The values of a column as plain Python values."""
    if is_typed(type_):
        return typed_answers.values_of(engine, type_, values)
    fix = _reader(type_)
    return values if fix is None else [fix(value) for value in values]


def _table(engine: Engine, rows: DataFrame, memory: int) -> pa.Table:
    with executing(engine, rows, memory):
        return _bounded(rows, memory or _LARGE)


def _bounded(rows: DataFrame, memory: int) -> pa.Table:
    """The rows as `toArrow` has them, unless they take more memory: then the query ends early.

    Raises:
        SluiceError: MEMORY_LIMIT_EXCEEDED.
    """
    import pyarrow as pa
    from pyspark.sql.pandas.serializers import ArrowCollectSerializer
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.util import _load_from_socket

    frame: Any = rows
    port, secret, server = frame._jdf.collectAsArrowToPython()
    found: list[Any] = []
    taken = 0
    connect: Any = _load_from_socket
    serializer: Any = ArrowCollectSerializer
    with connect((port, secret), serializer()) as batches:
        for each in batches:
            found.append(each)
            taken += each.nbytes if isinstance(each, pa.RecordBatch) else 0
            if taken > memory:
                reason = f"the rows of its answer have more than {memory} bytes"
                raise errors.MEMORY_LIMIT_EXCEEDED(reason=reason)
    server.getResult()
    *given, order = found
    return pa.Table.from_batches(
        [given[at] for at in order], to_arrow_schema(rows.schema, timezone="UTC")
    )


def _values(column: pa.ChunkedArray) -> list[Any]:
    """A column's values; bytes that are no UTF-8 are in the text as Python's `surrogateescape`."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_text(value) for value in column.cast(_as_bytes(column.type)).to_pylist()]


def _as_bytes(type_: pa.DataType) -> pa.DataType:
    """Arrow's type with bytes for every text in it."""
    import pyarrow as pa

    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return pa.binary()
    if pa.types.is_list(type_):
        return pa.list_(_as_bytes(type_.value_type))
    if pa.types.is_map(type_):
        return pa.map_(_as_bytes(type_.key_type), _as_bytes(type_.item_type))
    if pa.types.is_struct(type_):
        return pa.struct([field.with_type(_as_bytes(field.type)) for field in type_])
    return type_


def _text(value: Any) -> Any:
    match value:
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case list():
            return [_text(each) for each in value]
        case tuple():
            return tuple(_text(each) for each in value)
        case dict():
            return {name: _text(each) for name, each in value.items()}
        case _:
            return value


def _reader(type_: Type) -> Any:
    """How a value from Arrow becomes the plain Python value of a type; None if it is one."""
    match type_:
        case m.Nullable(item) | m.LowCardinality(item) | m.SimpleAggregate(item=item):
            inner = _reader(item)
            return inner and (lambda v: None if v is None else inner(v))
        case m.Int(bits=64, signed=False):
            return lambda v: None if v is None else int(v)
        case Json():
            return lambda v: None if v is None else json.loads(v)
        case Encoded():
            of_stored = encoded_values.of_stored(type_)
            return lambda v: None if v is None else of_stored(v)
        case m.Array(item):
            inner = _reader(item)
            return inner and (lambda v: None if v is None else [inner(x) for x in v])
        case m.Map(key, value):
            of_key, of_value = _reader(key) or _same, _reader(value) or _same
            return lambda v: None if v is None else {of_key(k): of_value(x) for k, x in v}
        case m.Multiset(item):
            return _reader(m.Map(item, m.Int(32)))
        case m.Tuple(items):
            readers = [_reader(item) or _same for item in items]
            return lambda v: (
                None if v is None else tuple(f(x) for f, x in zip(readers, v.values(), strict=True))
            )
        case _:
            return None


def _same(value: Any) -> Any:
    return value
