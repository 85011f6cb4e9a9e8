"""SHOW CREATE: a table as the statement that makes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.catalog import DICTIONARY, KAFKA, QUERY, VIEW
from sluice.options.kafka import KAFKA as KAFKA_OPTIONS
from sluice.parameters.secret import HIDDEN
from sluice.planner import dictionaries
from sluice.planner.query_views import PARAMETERS, SECURITY
from sluice.planner.table_engines import engine_of
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.catalog import Collection, Column, Table

_SECRET = re.compile("password|secret|token|credential|private", re.I)
"""What keys are called that hold a secret, in a collection for something else than Kafka."""


def create_statement(table: Table, inner: Table | None = None) -> str:
    """The statement that would make the table again, with secrets hidden.

    `inner` is the table that a view has for itself.
    """
    if table.kind == VIEW:
        return _view(table, inner)
    if table.kind == QUERY:
        return _query(table)
    if table.kind == DICTIONARY:
        head = f"CREATE DICTIONARY {_full(table.key)}"
        lines = dictionaries.definition(table, dictionaries.source_of(table))
        return "\n".join([head, *lines, *_comment(table)])
    head = f"CREATE TABLE {_full(table.key)}"
    if table.temporary:
        head = f"CREATE TEMPORARY TABLE {quote_name(table.name)}"
    return "\n".join([head, *_columns(table), *_storage(table), *_comment(table)])


def _view(view: Table, inner: Table | None) -> str:
    head = f"CREATE MATERIALIZED VIEW {_full(view.key)}"
    if inner is not None:
        lines = [head, *_columns(inner), *_storage(inner)]
    else:
        lines = [f"{head} TO {_full(view.target)}" if view.target else head]
    return "\n".join([*lines, f"AS {view.query}", *_comment(view)])


def _query(view: Table) -> str:
    """A view that is a named query."""
    security = filter(None, [view.settings.get(SECURITY)])
    columns = [] if PARAMETERS in view.settings else _columns(view)
    head = [f"CREATE VIEW {_full(view.key)}", *columns, *security, *_comment(view)]
    return "\n".join([*head, f"AS {view.query}"])


def _columns(table: Table) -> list[str]:
    ordered = sorted(table.elements, key=lambda each: each.rank)
    more = (f"    {each.kind} {_name(each.name)} {each.text}" for each in ordered)
    return ["(", ",\n".join([*map(_column, table.columns), *more]), ")"]


def _storage(table: Table) -> Iterator[str]:
    yield f"ENGINE = {_engine(table)}"
    if table.partition_by:
        yield f"PARTITION BY {table.partition_by}"
    if table.primary_key and table.primary_key != table.order_by:
        yield f"PRIMARY KEY {_keys(table.primary_key)}"
    if engine_of(table).keyed:
        yield f"ORDER BY {_keys(table.order_by)}"
    if table.sample_by:
        yield f"SAMPLE BY {table.sample_by}"
    if table.ttl:
        yield f"TTL {table.ttl}"
    if table.settings:
        yield f"SETTINGS {_pairs(table.settings)}"


def _engine(table: Table) -> str:
    if table.kind != KAFKA:
        return (
            f"{table.engine}({', '.join(table.engine_args)})"
            if table.engine_args
            else (table.engine)
        )
    if table.collection is None:
        return table.engine
    overrides = table.engine_args[1]
    args = [_name(table.collection), *([_pairs(overrides)] if overrides else [])]
    return f"{table.engine}({', '.join(args)})"


def _keys(keys: tuple[str, ...]) -> str:
    if not keys:
        return "tuple()"
    return keys[0] if len(keys) == 1 else f"({', '.join(keys)})"


def _comment(table: Table) -> list[str]:
    return [f"COMMENT {quote_string(table.comment)}"] if table.comment else []


def default_of(column: Column) -> tuple[str, str]:
    """What kind of expression a column has, and which."""
    if column.alias is not None:
        return "ALIAS", column.alias
    return column.default_kind, column.default or ""


def _column(column: Column) -> str:
    parts = [f"    {quote_name(column.name)} {column.type}", *filter(None, default_of(column))]
    if column.comment:
        parts.append(f"COMMENT {quote_string(column.comment)}")
    if column.codec:
        parts.append(f"CODEC({column.codec})")
    if column.ttl:
        parts.append(f"TTL {column.ttl}")
    return " ".join(parts)


def system_statement(key: tuple[str, str], columns: Iterable[tuple[str, object]]) -> str:
    """What would make a system table, if that were possible; tools ask for it."""
    lines = ",\n".join(f"    {quote_name(name)} {type_}" for name, type_ in columns)
    return f"CREATE TABLE {_full(key)}\n(\n{lines}\n)\nENGINE = System"


def database_statement(name: str, comment: str = "") -> str:
    """The statement that would make a database again."""
    head = f"CREATE DATABASE {_name(name)}\nENGINE = Atomic"
    return f"{head}\nCOMMENT {quote_string(comment)}" if comment else head


def collection_statement(collection: Collection) -> str:
    """The statement that would make a named collection again, with secrets hidden."""
    words = {True: " OVERRIDABLE", False: " NOT OVERRIDABLE", None: ""}
    values = _hidden({key: entry.value for key, entry in collection.values.items()})
    pairs = [
        f"{_name(key)} = {_literal(value)}{words[collection.values[key].overridable]}"
        for key, value in values.items()
    ]
    return f"CREATE NAMED COLLECTION {_name(collection.name)} AS " + ", ".join(pairs)


def shown(collection: Collection) -> dict[str, str]:
    """What a collection holds, as texts, with secrets hidden."""
    values = _hidden({key: entry.value for key, entry in collection.values.items()})
    return {
        key: value if isinstance(value, str) else _literal(value) for key, value in values.items()
    }


def _hidden(settings: Mapping[str, Any]) -> dict[str, Any]:
    known = KAFKA_OPTIONS.named("clickhouse")
    return {
        name: HIDDEN if name not in known and _SECRET.search(name) else value
        for name, value in KAFKA_OPTIONS.shown(settings, "clickhouse").items()
    }


def _pairs(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{_name(n)} = {_literal(v)}" for n, v in _hidden(settings).items())


def _full(key: tuple[str, str]) -> str:
    return ".".join(map(_name, key))


def _name(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else quote_name(name)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_string(value) if isinstance(value, str) else str(value)
