"""The data of an INSERT that ClickHouse reads: formats, and expressions that Spark has not."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import allowed, syntax, typed_values
from sluice.engine.spark import typed
from sluice.options.clickhouse_settings import is_passed
from sluice.session.clickhouse_select import clauses, literal, taken
from sluice.session.frames import guarded
from sluice.types import model as m
from sluice.types import quote_name, quote_string
from sluice.types.semistructured import Json, is_typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from sluice.clickhouse.pool import Worker
    from sluice.session.context import Context
    from sluice.types import Type


def rows(
    context: Context,
    columns: Sequence[tuple[str, Type]],
    format_: str,
    data: str,
    read_as: Sequence[tuple[str, Type | str]] = (),
    **settings: str,
) -> tuple[DataFrame, int]:
    """The rows of some data, which ClickHouse reads, perhaps as other types; and their count."""
    folder = _folder(context)
    given = folder / "data"
    given.write_bytes(data.encode("utf-8", "surrogateescape"))
    structure = _structure(read_as or columns)
    of = [quote_string(str(given)), quote_name(format_), quote_string(structure)]
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        return _handed_over(context, worker, folder, f"file({', '.join(of)})", columns, settings)


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
        return _handed_over(context, worker, _folder(context), f"({query.text})", columns, {})


def constants(
    context: Context, columns: Sequence[tuple[str, Type]], text: str
) -> tuple[DataFrame, int]:
    """The same, with constants read by the types of their columns if there is nothing else.

    A number that does not fit is an error: ClickHouse would wrap it around.

    Raises:
        SluiceError: as `values`.
    """
    wide = [(name, _widest(type_)) for name, type_ in columns]
    with suppress(errors.SluiceError):
        return rows(context, columns, "Values", text, wide, **_CONSTANTS)
    return values(context, columns, text)


def _widest(type_: Type) -> Type | str:
    return "Nullable(Int256)" if isinstance(_whole(type_), m.Int) else type_


def _whole(type_: Type) -> Type:
    return type_.item if isinstance(type_, m.Nullable) else type_


def _folder(context: Context) -> Path:
    """A folder that lives until the statement has ended."""
    folder = Path(tempfile.mkdtemp(prefix="insert-", dir=context.engine.folder.path / "tmp"))
    noted = context.engine.activity.current()
    if noted is not None:
        noted.remove_at_end(folder)
    return folder


def _structure(columns: Sequence[tuple[str, Type | str]]) -> str:
    return ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)


def _handed_over(
    context: Context,
    worker: Worker,
    folder: Path,
    source: str,
    columns: Sequence[tuple[str, Type]],
    settings: Mapping[str, str],
) -> tuple[DataFrame, int]:
    """Rows that ClickHouse reads and hands over as a Parquet file; their count."""
    made = folder / "rows.parquet"
    selected = ", ".join(f"{_handed(name, type_)} AS {quote_name(name)}" for name, type_ in columns)
    how = clauses("Parquet", {**_settings(context), **settings})
    stream = worker.stream(f"SELECT {selected} FROM {source}", how)
    with closing(stream), made.open("wb") as file:
        file.writelines(stream)
    spark = context.engine.spark().newSession()
    found = guarded(lambda: spark.read.parquet(str(made)))
    marked = found.select(*(typed.mark(found[typed.quoted(n)], n, t) for n, t in columns))
    return marked, stream.statistics.get("read_rows", 0)


def _handed(name: str, type_: Type) -> str:
    """The value of a column as it is handed over."""
    if is_typed(type_):
        return typed_values.text_of(f"CAST({quote_name(name)}, {quote_string(str(type_))})")
    value = quote_name(name)
    whole = _whole(type_)
    if isinstance(whole, m.Int):  # NULL where there is none is the column's DEFAULT
        value = f"accurateCast({value}, 'Nullable({whole})')"
        type_ = m.Nullable(whole)
    return f"CAST({value}, {quote_string(plain(type_))})"


def _settings(context: Context) -> dict[str, str]:
    """The settings of how data is read."""
    given = {
        name: literal(value)
        for name, value in context.settings.items()
        if is_passed(name, reads=False)
        and (not is_passed(name, reads=True) or name.startswith("format_"))
    }
    return given | _KEPT


_CONSTANTS = {"input_format_values_interpret_expressions": "0"}
"""With this nothing is computed that was not looked at."""

_KEPT = {"output_format_json_escape_forward_slashes": "0"}
"""Texts of JSON are kept without them."""


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
        case m.Enum() | m.Uuid() | m.FixedString() | Json():
            return "String"
        case m.Date():
            return "Date32"
        case m.DateTime():
            return "DateTime64(6, 'UTC')"
        case m.Int(bits=64, signed=False):
            return "Decimal(20, 0)"
        case _:
            return str(type_)
