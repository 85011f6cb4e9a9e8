"""The data of an INSERT that ClickHouse reads: formats, and expressions that Spark has not."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import allowed, encoded, syntax
from sluice.engine.spark import typed
from sluice.options.clickhouse_settings import is_passed
from sluice.session.clickhouse_select import clauses, literal, taken
from sluice.session.frames import guarded
from sluice.types import model as m
from sluice.types import quote_name, quote_string
from sluice.types.encoded import Encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from sluice.clickhouse.pool import Worker
    from sluice.session.context import Context
    from sluice.types import Type


def rows(
    context: Context, columns: Sequence[tuple[str, Type]], format_: str, data: str
) -> tuple[DataFrame, int]:
    """The rows of some data, which ClickHouse reads, and their count."""
    folder = _folder(context)
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        source = _file(folder, columns, format_, data)
        return _handed_over(context, worker, folder, source, columns)


def values(
    context: Context, columns: Sequence[tuple[str, Type]], text: str
) -> tuple[DataFrame, int]:
    """The rows of VALUES, given as their text, with expressions that ClickHouse computes.

    Raises:
        SluiceError: FUNCTION_NOT_ALLOWED and the like; UNSUPPORTED_EXPRESSION for one that reads.
    """
    source = f"values({quote_string(_structure(columns))}, {text})"
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        query = syntax.read(worker, f"SELECT * FROM {source}", context.parameters)
        allowed.check(query)
        if query.tables or query.perhaps or query.table_functions != {"values"} or query.inner:
            raise errors.UNSUPPORTED_EXPRESSION(expression="A query in VALUES", hint="")
        folder = _folder(context)
        # A number in a query has the digits of a Float64 at most, one in data all that are written.
        of_data = not context.parameters
        source = _file(folder, columns, "Values", text) if of_data else f"({query.text})"
        return _handed_over(context, worker, folder, source, columns)


def _file(folder: Path, columns: Sequence[tuple[str, Type]], format_: str, data: str) -> str:
    """Data as a table function that reads it."""
    given = folder / "data"
    given.write_bytes(data.encode("utf-8", "surrogateescape"))
    of = [quote_string(str(given)), quote_name(format_), quote_string(_structure(columns))]
    return f"file({', '.join(of)})"


def _folder(context: Context) -> Path:
    """A folder that lives until the statement has ended."""
    folder = Path(tempfile.mkdtemp(prefix="insert-", dir=context.engine.folder.path / "tmp"))
    noted = context.engine.activity.current()
    if noted is not None:
        noted.remove_at_end(folder)
    return folder


def _structure(columns: Sequence[tuple[str, Type]]) -> str:
    return ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)


def _handed_over(
    context: Context,
    worker: Worker,
    folder: Path,
    source: str,
    columns: Sequence[tuple[str, Type]],
) -> tuple[DataFrame, int]:
    """Rows that ClickHouse reads and hands over as a Parquet file; their count."""
    made = folder / "rows.parquet"
    selected = ", ".join(
        f"CAST({encoded.encoded(quote_name(name), type_)}, {quote_string(plain(type_))})"
        f" AS {quote_name(name)}"
        for name, type_ in columns
    )
    how = clauses("Parquet", _settings(context))
    stream = worker.stream(f"SELECT {selected} FROM {source}", how)
    with closing(stream), made.open("wb") as file:
        file.writelines(stream)
    spark = context.engine.spark().newSession()
    found = guarded(lambda: spark.read.parquet(str(made)))
    marked = found.select(*(typed.mark(found[typed.quoted(n)], n, t) for n, t in columns))
    return marked, stream.statistics.get("read_rows", 0)


def _settings(context: Context) -> dict[str, str]:
    """The settings of how data is read."""
    return {
        name: literal(value)
        for name, value in context.settings.items()
        if is_passed(name, reads=False)
        and (not is_passed(name, reads=True) or name.startswith("format_"))
    }


def plain(type_: Type) -> str:
    """The type that a value has in Parquet files which Spark reads as it would store it."""
    match type_:
        case m.Nullable(item):
            inner = plain(item)
            return inner if isinstance(item, m.Array | m.Map | m.Tuple) else f"Nullable({inner})"
        case m.LowCardinality(item) | m.SimpleAggregate(item=item):
            return plain(item)
        case m.Array(item):
            return f"Array({plain(item)})"
        case m.Map(key, value):
            return f"Map({plain(key)}, {plain(value)})"
        case m.Tuple():
            fields = (f"{quote_name(name)} {plain(item)}" for name, item in type_.struct)
            return f"Tuple({', '.join(fields)})"
        case m.Enum() | m.Uuid() | m.FixedString():
            return "String"
        case Encoded():
            return encoded.stored_as(type_)
        case m.Date():
            return "Date32"
        case m.DateTime():
            return "DateTime64(6, 'UTC')"
        case m.Int(bits=64, signed=False):
            return "Decimal(20, 0)"
        case _:
            return str(type_)
