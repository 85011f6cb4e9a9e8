"""The data of an INSERT in a format that ClickHouse reads and Sluice's decoders do not."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.engine.spark import typed
from sluice.options.clickhouse_settings import is_passed
from sluice.session.clickhouse_select import clauses, literal, taken
from sluice.session.frames import guarded
from sluice.types import model as m
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from sluice.session.context import Context
    from sluice.types import Type


def rows(
    context: Context, columns: Sequence[tuple[str, Type]], format_: str, data: str
) -> DataFrame:
    """The rows of some data, which ClickHouse reads and hands over as a Parquet file.

    The file is in a folder that lives as long as the server does not need it any more: until the
    statement has ended.
    """
    engine = context.engine
    folder = Path(tempfile.mkdtemp(prefix="insert-", dir=engine.folder.path / "tmp"))
    noted = engine.activity.current()
    if noted is not None:
        noted.remove_at_end(folder)
    given, made = folder / "data", folder / "rows.parquet"
    given.write_bytes(data.encode("utf-8", "surrogateescape"))
    structure = ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)
    source = f"file({quote_string(str(given))}, {quote_name(format_)}, {quote_string(structure)})"
    selected = ", ".join(
        f"CAST({quote_name(name)}, {quote_string(plain(type_))}) AS {quote_name(name)}"
        for name, type_ in columns
    )
    with ExitStack() as stack, made.open("wb") as file:
        how = clauses("Parquet", _settings(context))
        stream = taken(engine, stack).stream(f"SELECT {selected} FROM {source}", how)
        stack.callback(stream.close)
        file.writelines(stream)
    spark = engine.spark().newSession()
    found = guarded(lambda: spark.read.parquet(str(made)))
    return found.select(*(typed.mark(found[typed.quoted(n)], n, t) for n, t in columns))


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
        case m.Date():
            return "Date32"
        case m.DateTime():
            return "DateTime64(6, 'UTC')"
        case m.Int(bits=64, signed=False):
            return "Decimal(20, 0)"
        case _:
            return str(type_)
