"""A statement as text that a person can review, with the statements and parts inside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sluice.sql import ir
from sluice.types import Type

if TYPE_CHECKING:
    from collections.abc import Iterator


def meaning(statement: ir.Statement) -> str:
    """The statement's kind, and a line for each field that is filled."""
    return "\n".join(_lines(statement, ""))


def _lines(part: Any, indent: str) -> Iterator[str]:
    yield f"{indent}{type(part).__name__}"
    indent += "  "
    for name, value in _filled(part):
        if isinstance(value, Mapping):
            yield from (f"{indent}{name[:-1]} {key} = {_text(v)}" for key, v in value.items())
        elif isinstance(value, ir.Statement):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, tuple) and value and isinstance(value[0], ir.ColumnDef):
            yield from (f"{indent}column {_column(column)}" for column in value)
        elif isinstance(value, tuple) and value and isinstance(value[0], ir.Insert):
            yield f"{indent}{name}:"
            for each in value:
                yield from _lines(each, f"{indent}  ")
        elif name == "changes":
            for each in value:
                yield from _lines(each, indent)
        else:
            yield f"{indent}{name}: {_text(value)}"


def _filled(part: Any) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name.endswith(("place", "places")) or value in (field.default, (), None):
            continue
        if not isinstance(value, Mapping) or value:
            yield field.name, value


def _column(column: ir.ColumnDef) -> str:
    words = [f"{column.name}: {column.type}"]
    words += [f"as {column.alias}"] if column.alias is not None else []
    words += [f"metadata {column.metadata!r}"] if column.metadata is not None else []
    words += ["virtual"] if column.virtual else []
    words += [f"comment {column.comment!r}"] if column.comment else []
    return " ".join(words)


def _text(value: Any) -> str:
    if isinstance(value, ir.Query):
        return " ".join(value.text.split())
    if isinstance(value, ir.ColumnDef):
        return _column(value)
    if isinstance(value, ir.Engine):
        return value.name or "(none)"
    if isinstance(value, ir.Watermark):
        return f"{value.column} as {value.delay}"
    if isinstance(value, ir.Name):
        hint = "".join(f", {key!r} = {v!r}" for key, v in value.options)
        return f"{value}{hint}"
    if isinstance(value, Type):
        return str(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        rows = value if not hasattr(value[0][0], "sql") else [[i.sql() for i in r] for r in value]
        return "; ".join(", ".join(_text(item) for item in row) for row in rows)
    return value if isinstance(value, str) else repr(value)
