"""SHOW CREATE: a table as the statement that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.catalog import KAFKA, VIEW
from sluice.options.kafka import KAFKA as KAFKA_OPTIONS
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from sluice.catalog import Column, Table


def create_statement(table: Table) -> str:
    """The statement that would make the table again, with secrets hidden."""
    if table.kind == VIEW:
        return _view(table)
    lines = [f"CREATE TABLE {_full(table.key)}\n(", ",\n".join(map(_column, table.columns)), ")"]
    lines.append(f"ENGINE = {table.engine}")
    if table.partition_by:
        lines.append(f"PARTITION BY {table.partition_by}")
    if table.kind != KAFKA:
        keys = table.order_by
        lines.append(
            f"ORDER BY {keys[0] if len(keys) == 1 else '(' + ', '.join(keys) + ')'}"
            if keys
            else "ORDER BY tuple()"
        )
    shown = KAFKA_OPTIONS.shown(table.settings, "clickhouse")
    if shown:
        lines.append("SETTINGS " + ", ".join(f"{n} = {_literal(v)}" for n, v in shown.items()))
    if table.comment:
        lines.append(f"COMMENT {quote_string(table.comment)}")
    return "\n".join(lines)


def _view(table: Table) -> str:
    target = f" TO {_full(table.target)}" if table.target else ""
    comment = f"\nCOMMENT {quote_string(table.comment)}" if table.comment else ""
    return f"CREATE MATERIALIZED VIEW {_full(table.key)}{target}\nAS {table.query}{comment}"


def _column(column: Column) -> str:
    alias = f" ALIAS {column.alias}" if column.alias is not None else ""
    comment = f" COMMENT {quote_string(column.comment)}" if column.comment else ""
    return f"    {quote_name(column.name)} {column.type}{alias}{comment}"


def _full(key: tuple[str, str]) -> str:
    return ".".join(
        part if part.isidentifier() and part.isascii() else quote_name(part) for part in key
    )


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_string(value) if isinstance(value, str) else str(value)
