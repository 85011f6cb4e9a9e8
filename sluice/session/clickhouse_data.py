"""Rows that ClickHouse makes and Spark stores: of data in a format, of values, of a query."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import allowed, encoded, syntax
from sluice.engine.spark import typed
from sluice.formats import typed_values
from sluice.options.clickhouse_settings import is_passed, refused
from sluice.session.clickhouse_prepared import clauses, literal, prepared, taken
from sluice.session.clickhouse_views import UseSpark
from sluice.session.frames import guarded
from sluice.sql.clickhouse.sql_functions import inlined
from sluice.types import bare, parse_type, quote_name, quote_string
from sluice.types import model as m
from sluice.types.encoded import Encoded, is_encoded
from sluice.types.semistructured import Json, is_typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

    from sluice.clickhouse.pool import Worker
    from sluice.session.clickhouse_prepared import Ready
    from sluice.session.context import Context
    from sluice.sql import ir
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
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        source = _file(folder_of(context), read_as or columns, format_, data)
        return _read(context, worker, source, columns, settings)


def values(
    context: Context, columns: Sequence[tuple[str, Type]], text: str
) -> tuple[DataFrame, int]:
    """The rows of VALUES, given as their text, with expressions that ClickHouse computes.

    Raises:
        SluiceError: FUNCTION_NOT_ALLOWED and the like; UNSUPPORTED_EXPRESSION for one that reads.
    """
    text = inlined(text, context.engine.catalog.functions())
    source = f"values({quote_string(structure(columns))}, {text})"
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        query = syntax.read(worker, f"SELECT * FROM {source}", context.parameters)
        allowed.check(query)
        made = replace(query, table_functions=query.table_functions - {"values"})
        if not made.reads_nothing or query.inner:
            raise errors.UNSUPPORTED_EXPRESSION(expression="A query in VALUES", hint="")
        source = f"({query.text})"
        checked = {}
        by_type = any(is_encoded(type_) or is_typed(type_) for _, type_ in columns)
        if by_type and not context.parameters:
            # In data a number has all of its digits, and a value its own type.
            source = _file(folder_of(context), _widened(columns), "Values", text)
            checked = {"input_format_values_interpret_expressions": "1"}
        return _read(context, worker, source, columns, checked)


def _file(folder: Path, columns: Sequence[tuple[str, Type | str]], format_: str, data: str) -> str:
    """Data as a table function that reads it."""
    given = folder / "data"
    given.write_bytes(data.encode("utf-8", "surrogateescape"))
    of = [quote_string(str(given)), quote_name(format_), quote_string(structure(columns))]
    return f"file({', '.join(of)})"


def constants(
    context: Context, columns: Sequence[tuple[str, Type]], text: str
) -> tuple[DataFrame, int]:
    """The same, with constants read by the types of their columns if there is nothing else.

    A number that does not fit is an error: ClickHouse would wrap it around.

    Raises:
        SluiceError: as `values`.
    """
    with suppress(errors.SluiceError):
        return rows(context, columns, "Values", text, _widened(columns), **_CONSTANTS)
    return values(context, columns, text)


def _widened(columns: Sequence[tuple[str, Type]]) -> list[tuple[str, Type | str]]:
    """Columns whose integers are read whole: one that does not fit would be wrapped around."""
    return [
        (name, "Nullable(Int256)" if isinstance(_whole(type_), m.Int) else type_)
        for name, type_ in columns
    ]


def _whole(type_: Type) -> Type:
    return type_.item if isinstance(type_, m.Nullable) else type_


@dataclass(frozen=True, slots=True)
class _Selected:
    """A query that a worker can run; its types are as texts what ClickHouse tells."""

    context: Context
    ready: Ready
    columns: Sequence[tuple[str, Type | None]]
    held: ExitStack

    def rows(self, into: Sequence[Type]) -> tuple[DataFrame, int]:
        """Its rows, in the order of its columns; the worker is given back."""
        handed = [
            (name, _handed(own, type_), "CAST" if own is not None else "accurateCast")
            for (name, own), type_ in zip(self.columns, into, strict=True)
        ]
        settings = {
            name: value
            for name, value in self.ready.settings.items()
            if not name.startswith(_OF_ANSWERS)
        }
        worker, source = self.ready.worker, f"({self.ready.text})"
        with self.held:
            found = _handed_over(self.context, worker, source, handed, settings)
        if (noted := self.context.engine.activity.current()) is not None:
            noted.count_read(found.statistics)
        return found.rows, found.statistics.get("result_rows", 0)

    def commit(self) -> None:
        """Nothing to do: what it read stays as it is."""


_OF_ANSWERS = ("max_result_", "result_overflow", "output_format_", "limit", "offset", "extremes")
"""What settings begin with that are for answers alone."""


@contextmanager
def selected(context: Context, query: ir.Query) -> Iterator[_Selected]:
    """A query whose rows ClickHouse computes.

    Raises:
        UseSpark: if only Spark can read what it reads, or keep what it returns.
        SluiceError: ClickHouse's errors, and what is refused before it runs.
    """
    if not context.engine.is_local:
        reason = "its tasks run on other machines"
        raise UseSpark(reason)
    with ExitStack() as stack:
        ready = prepared(context, taken(context.engine, stack), query.text)
        columns = [(name, known_type(type_)) for name, type_ in ready.described()]
        if any(m.holds(type_, m.AggregateState) for _, type_ in columns):
            reason = "it returns states of aggregate functions"
            raise UseSpark(reason)
        yield _Selected(context, ready, columns, stack)


def known_type(text: str) -> Type | None:
    """The type that ClickHouse tells; None for one that tables cannot have."""
    try:
        return parse_type(text)
    except errors.SluiceError:
        return None


def _handed(type_: Type | None, into: Type) -> Type:
    """The type in which values of a query are handed over for a column."""
    is_text = isinstance(type_ and bare(type_), m.String)
    if type_ is None or is_typed(into) or (isinstance(bare(into), Json) and not is_text):
        return into  # which ClickHouse alone can make
    if isinstance(bare(type_), m.Nothing):
        return m.Nullable(m.String())
    return into if m.holds(type_, m.Nothing) else type_


def folder_of(context: Context) -> Path:
    """A folder that lives until the statement has ended."""
    folder = Path(tempfile.mkdtemp(prefix="insert-", dir=context.engine.folder.path / "tmp"))
    noted = context.engine.activity.current()
    if noted is not None:
        noted.remove_at_end(folder)
    return folder


def structure(columns: Sequence[tuple[str, Type | str]]) -> str:
    """Names and types, as table functions take them."""
    return ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)


def _read(
    context: Context,
    worker: Worker,
    source: str,
    columns: Sequence[tuple[str, Type]],
    settings: Mapping[str, str],
) -> tuple[DataFrame, int]:
    """Rows of these columns, and how many were read."""
    handed = [(name, type_, "CAST") for name, type_ in columns]
    found = _handed_over(context, worker, source, handed, {**reading_settings(context), **settings})
    return found.rows, found.statistics.get("read_rows", 0)


@dataclass(frozen=True, slots=True)
class _Handed:
    """Rows as Spark reads them, and what ClickHouse tells of them."""

    rows: DataFrame
    statistics: Mapping[str, int]


def _handed_over(
    context: Context,
    worker: Worker,
    source: str,
    columns: Sequence[tuple[str, Type, str]],
    settings: Mapping[str, str],
) -> _Handed:
    """Rows that ClickHouse hands over as a Parquet file, each column cast by a function to a type.

    Names are put back by Spark: in the file they need not be different.
    """
    made = folder_of(context) / "rows.parquet"
    values = [(f"c{at}", _value(*column)) for at, column in enumerate(columns)]
    statistics = _write(worker, source, values, settings, made)
    read = [(f"c{at}", name, type_) for at, (name, type_, _) in enumerate(columns)]
    return _Handed(_frame(context, made, read), statistics)


def write(
    worker: Worker,
    source: str,
    columns: Sequence[tuple[str, Type]],
    settings: Mapping[str, str],
    path: Path,
) -> None:
    """Write rows of a worker's to a Parquet file as Spark reads them."""
    values = [(name, _value(name, type_, "CAST")) for name, type_ in columns]
    _write(worker, source, values, settings, path)


def _write(
    worker: Worker,
    source: str,
    values: Sequence[tuple[str, str]],
    settings: Mapping[str, str],
    path: Path,
) -> Mapping[str, int]:
    """Write expressions over rows under these names; what ClickHouse tells of them."""
    selected = ", ".join(f"{value} AS {quote_name(name)}" for name, value in values)
    how = clauses("Parquet", {**settings, **_KEPT})
    stream = worker.stream(f"SELECT {selected} FROM {source}", how)
    with closing(stream), path.open("wb") as file:
        file.writelines(stream)
    return stream.statistics


def frame(context: Context, path: Path, columns: Sequence[tuple[str, Type]]) -> DataFrame:
    """The rows of a file that `write` has written."""
    return _frame(context, path, [(name, name, type_) for name, type_ in columns])


def _frame(context: Context, path: Path, columns: Sequence[tuple[str, str, Type]]) -> DataFrame:
    """Columns of a file by their names there, with their own names and types."""
    spark = context.engine.spark().newSession()
    found = guarded(lambda: spark.read.parquet(str(path)))
    return found.select(
        *(typed.mark(found[typed.quoted(given)], name, type_) for given, name, type_ in columns)
    )


def _value(name: str, type_: Type, cast: str) -> str:
    """The value of a column as it is handed over."""
    value = quote_name(name)
    if is_typed(type_):
        return typed_values.text_of(f"{cast}({value}, {quote_string(str(type_))})")
    if is_encoded(type_):
        value = f"{cast}({value}, {quote_string(str(type_))})"
        return f"CAST({encoded.encoded(value, type_)}, {quote_string(plain(type_))})"
    whole = _whole(type_)
    if isinstance(whole, m.Int):  # NULL where there is none is the column's DEFAULT
        value = f"accurateCast({value}, 'Nullable({whole})')"
        type_ = m.Nullable(whole)
    return f"{cast}({value}, {quote_string(plain(type_))})"


def reading_settings(context: Context) -> dict[str, str]:
    """The settings of how data is read."""
    return {
        name: literal(value)
        for name, value in context.settings.items()
        if is_passed(name, reads=False)
        and not refused(name, context.settings)
        and (not is_passed(name, reads=True) or name.startswith("format_"))
    }


_CONSTANTS = {
    "input_format_values_interpret_expressions": "0",
    "input_format_values_deduce_templates_of_expressions": "0",
}
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
        case Encoded():
            return encoded.stored_as(type_)
        case m.Float(bits=16):
            return "Float32"
        case m.Date():
            return "Date32"
        case m.DateTime():
            return "DateTime64(6, 'UTC')"
        case m.Int(bits=64, signed=False):
            return "Decimal(20, 0)"
        case _:
            return str(type_)
