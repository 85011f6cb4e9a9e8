"""Statements as text that a person can review."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from sluice.sql import ir
from sluice.types import Type

if TYPE_CHECKING:
    from collections.abc import Iterator


def show(statement: ir.Statement) -> str:
    """The statement's kind, and a line for each field that is filled."""
    return "\n".join([type(statement).__name__, *_lines(statement)])


def _lines(statement: Any) -> Iterator[str]:
    for field in dataclasses.fields(statement):
        value = getattr(statement, field.name)
        if value in (None, "", (), False, field.default) or value == {}:
            continue
        if field.name.endswith("place"):
            continue
        if field.name == "columns" and isinstance(statement, ir.CreateTable):
            yield from (f"  column {_column(column)}" for column in value)
        elif field.name in ("settings", "setting_places"):
            kind = field.name.removesuffix("s").removesuffix("_place")
            yield from (
                f"  {kind} {name} = {_value(v)}" for name, v in _settings(statement, field.name)
            )
        else:
            yield f"  {field.name}: {_value(value)}"


def _settings(statement: Any, field: str) -> list[tuple[str, Any]]:
    return list(getattr(statement, field).items()) if field == "settings" else []


def _column(column: ir.ColumnDef) -> str:
    alias = f" alias {column.alias}" if column.alias else ""
    comment = f" comment {column.comment!r}" if column.comment else ""
    return f"{column.name}: {column.type}{alias}{comment}"


def _value(value: Any) -> str:
    if isinstance(value, ir.Query):
        return " ".join(value.text.split())
    if isinstance(value, ir.Engine):
        return f"{value.name}{value.args!r}" if value.args else value.name
    if isinstance(value, ir.Name | Type):
        return str(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return f"{len(value)} of {len(value[0])} values"
    return repr(value)
