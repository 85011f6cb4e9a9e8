"""Statements as text that a person can review."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from sluice.catalog.entities import Element
from sluice.sql import ir
from sluice.types import Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Value


def show(statement: ir.Statement) -> str:
    """The statement's kind, and a line for each field that is filled."""
    return "\n".join([type(statement).__name__, *_lines(statement)])


def _lines(statement: Any) -> Iterator[str]:
    for field in dataclasses.fields(statement):
        value = getattr(statement, field.name)
        if value in (None, "", (), False, field.default) or value == {}:
            continue
        if field.name.endswith(("place", "_places")) and field.name != "setting_places":
            continue
        if field.name == "elements" and isinstance(statement, ir.CreateTable):
            yield from (f"  {_element(each)}" for each in value)
            continue
        if field.name == "declared" or (
            field.name == "columns" and isinstance(statement, ir.CreateTable)
        ):
            yield from (f"  column {_column(column)}" for column in value)
        elif field.name == "values" and not isinstance(value, tuple):
            yield from (f"  value {name} = {_entry(v)}" for name, v in value.items())
        elif field.name == "changes":
            yield from (f"  {_change(change)}" for change in value)
        elif field.name in ("inner", "statement"):
            yield from (f"  {line}" for line in show(value).splitlines())
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
    default = f" {column.default_kind.lower()} {column.default or ''}".rstrip()
    comment = f" comment {column.comment!r}" if column.comment else ""
    codec = f" codec {column.codec}" if column.codec else ""
    ttl = f" ttl {column.ttl}" if column.ttl else ""
    return f"{column.name}: {column.type}{alias}{default}{comment}{codec}{ttl}"


def _entry(entry: Value) -> str:
    words = {True: " overridable", False: " not overridable", None: ""}
    return f"{entry.value!r}{words[entry.overridable]}"


def _element(element: Element) -> str:
    return f"{element.title}: {element.text}"


def _change(change: ir.Alteration) -> str:
    parts = []
    for field in dataclasses.fields(change):
        value = getattr(change, field.name)
        if field.name in ("place", "places") or value in (None, (), False) or value == {}:
            continue
        shown = _column(value) if isinstance(value, ir.ColumnDef) else _part(value)
        shown = _element(value) if isinstance(value, Element) else shown
        parts.append(f"{field.name} {shown}")
    return f"{type(change).__name__}: {', '.join(parts)}"


def _part(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_value(part)}" for name, part in value.items())
    return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, ir.Query):
        return " ".join(value.text.split())
    if isinstance(value, ir.Engine):
        if value.collection is not None:
            return f"{value.name} of {value.collection} {dict(value.overrides)!r}"
        return f"{value.name}{value.args!r}" if value.args else value.name
    if isinstance(value, ir.Name | Type):
        return str(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        if isinstance(value[0][0], ir.Name):
            return ", ".join(f"{old} to {new}" for old, new in value)
        return f"{len(value)} of {len(value[0])} values"
    return repr(value)
