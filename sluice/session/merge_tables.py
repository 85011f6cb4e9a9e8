"""`FROM merge('database', 'pattern')`: the rows of all tables whose names fit a pattern.

They are a view of the statement alone. A table that lacks a column of another has the default of
its type there; if their types differ, the column has the type that ClickHouse has for values of
both.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import QUERY, STORED, VIEW, Column, Table
from sluice.clickhouse.tokens import unquoted
from sluice.options.patterns import checked
from sluice.planner.query_views import PARAMETERS
from sluice.planner.relations import Relations
from sluice.sql.ir import Name
from sluice.types import model as m
from sluice.types import parse_type, quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sluice.clickhouse.view_calls import Merge
    from sluice.session.context import Context

    Key = tuple[str, str]
    Describe = Callable[[str], Sequence[tuple[str, str]]]

_VIRTUAL = ("_database", "_table")
"""Columns that say which table a row is from; `*` leaves them out."""


def of(context: Context, describe: Describe, call: Merge, key: Key) -> Table:
    """The view that a call stands for, under a name; `describe` tells the columns of a query.

    Raises:
        SluiceError: INVALID_TABLE_FUNCTION, CANNOT_COMPILE_REGEXP, NO_TABLES_TO_MERGE.
    """
    found = list(_found(context, call))
    if not found:
        raise errors.NO_TABLES_TO_MERGE(pattern=", ".join(call.arguments))
    types = _types(describe, [table for _, table in found])
    hidden = {c.name for _, table in found for c in table.columns if _is_hidden(c)}
    columns = [_hidden(name, type_) for name, type_ in types.items() if name in hidden]
    columns += [_hidden(n, m.LowCardinality(m.String())) for n in _VIRTUAL if n not in types]
    shown = [Column(name, type_) for name, type_ in types.items() if name not in hidden]
    return Table(
        uuid="",
        database=key[0],
        name=key[1],
        kind=QUERY,
        columns=(*shown, *columns),
        created=datetime.now(UTC),
        query=" UNION ALL ".join(_selected(named, table, types) for named, table in found),
        temporary=True,  # nobody is granted anything on it: rights on its tables are checked
    )


def _found(context: Context, call: Merge) -> Iterator[tuple[Key, Table]]:
    """The tables whose names fit and that the user sees, by name."""
    *database, pattern = call.arguments
    fits_database = _databases(database[0] if database else "", context.database)
    compiled = checked(_text(pattern, "a regular expression"), None)
    catalog = context.engine.catalog
    for table in sorted(catalog.tables(), key=lambda table: table.key):
        is_read = table.kind in (STORED, VIEW, QUERY) and table.dialect == "clickhouse"
        if not is_read or not table.attached or table.temporary or PARAMETERS in table.settings:
            continue
        named = fits_database(table.database) and compiled.search(table.name) is not None
        if named and context.access.shows_table(*table.key):
            relations = Relations(catalog, table.database)
            yield table.key, relations.table(Name(table.name, table.database))


def _databases(argument: str, current: str) -> Callable[[str], bool]:
    """Which databases an argument means: one by name, the current one, or REGEXP('…')."""
    if not argument or argument.lower() in ("currentdatabase()", "database()"):
        return lambda name: name == current
    if argument.upper().startswith("REGEXP(") and argument.endswith(")"):
        compiled = checked(_text(argument[len("REGEXP(") : -1], "a regular expression"), None)
        return lambda name: compiled.search(name) is not None
    given = unquoted(argument)
    return lambda name: name == given


def _text(argument: str, what: str) -> str:
    if not argument.startswith("'"):
        problem = f"takes {what} in quotes, not {argument}"
        hint = "Write merge('database', 'regular expression')."
        raise errors.INVALID_TABLE_FUNCTION(function="merge", problem=problem, hint=hint)
    return unquoted(argument)


def _types(describe: Describe, tables: Sequence[Table]) -> dict[str, m.Type]:
    """The columns of all tables, each with a type for the values of all."""
    given: dict[str, m.Type] = {}
    for table in tables:
        for column in table.columns:
            given.setdefault(column.name, column.type)
    differ = {
        column.name
        for table in tables
        for column in table.columns
        if column.type != given[column.name]
    }
    if not differ:
        return given
    own = [{**given, **{c.name: c.type for c in table.columns}} for table in tables]
    nothing = (
        ", ".join(f"{quote_name(name)} {types[name]}" for name in sorted(differ)) for types in own
    )
    sources = (f"null({quote_string(each)})" for each in nothing)
    union = " UNION ALL ".join(f"SELECT * FROM {source}" for source in sources)  # noqa: S608
    common = describe(f"{union} SETTINGS use_variant_as_common_type = 1")
    return given | {name: parse_type(text) for name, text in common}


def _is_hidden(column: Column) -> bool:
    """Whether `*` leaves a column out."""
    return column.alias is not None or column.default_kind == "MATERIALIZED"


def _hidden(name: str, type_: m.Type) -> Column:
    value = f"defaultValueOfTypeName({quote_string(str(type_))})"
    return Column(name, type_, default=value, default_kind="MATERIALIZED")


def _selected(key: Key, table: Table, types: Mapping[str, m.Type]) -> str:
    """A table's rows with the columns of all."""
    own = {column.name: column.type for column in table.columns}
    values = [_value(name, type_, own.get(name)) for name, type_ in types.items()]
    places = zip(_VIRTUAL, key, strict=True)
    values += [f"{quote_string(text)} AS {name}" for name, text in places if name not in types]
    source = f"{quote_name(key[0])}.{quote_name(key[1])}"
    return f"SELECT {', '.join(values)} FROM {source}"  # noqa: S608 - quoted


def _value(name: str, type_: m.Type, own: m.Type | None) -> str:
    if own == type_:
        return quote_name(name)
    text = quote_string(str(type_))
    if own is None:
        return f"defaultValueOfTypeName({text}) AS {quote_name(name)}"
    return f"CAST({quote_name(name)}, {text}) AS {quote_name(name)}"
