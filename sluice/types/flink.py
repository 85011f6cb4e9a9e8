"""Types as Flink spells them, for SHOW CREATE and for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import model as m
from sluice.types.model import Type, bare, is_nullable
from sluice.types.semistructured import Dynamic, Json, Variant

if TYPE_CHECKING:
    from collections.abc import Callable


def write_type(type_: Type) -> str:
    """A type as Flink spells it, so that it is read back as the same one."""
    plain = bare(type_)
    text = _WRITERS[type(plain)](plain)
    return text if is_nullable(type_) else f"{text} NOT NULL"


def summary(type_: Type) -> str:
    """The same without NOT NULL, as errors name it."""
    return write_type(type_).removesuffix(" NOT NULL")


def quote(name: str) -> str:
    """A name in back-quotes."""
    return "`" + name.replace("`", "``") + "`"


def _write_text(t: m.Text) -> str:
    return f"{'CHAR' if t.fixed else 'VARCHAR'}({t.length})"


def _write_bytes(t: m.Bytes) -> str:
    if t.length is None:
        return "BYTES"
    return f"{'BINARY' if t.fixed else 'VARBINARY'}({t.length})"


def _write_row(t: m.Tuple) -> str:
    names = t.names or tuple(f"f{n}" for n in range(len(t.items)))
    fields = [f"{quote(n)} {write_type(i)}" for n, i in zip(names, t.items, strict=True)]
    return f"ROW<{', '.join(fields)}>"


def _write_int(t: m.Int) -> str:
    """An unsigned number of another dialect is the type that holds all its values."""
    if t.signed:
        return {8: "TINYINT", 16: "SMALLINT", 32: "INT", 64: "BIGINT"}[t.bits]
    return {8: "SMALLINT", 16: "INT", 32: "BIGINT", 64: "DECIMAL(20, 0)"}[t.bits]


_WRITERS: dict[type[Type], Callable[[Any], str]] = {
    m.Int: _write_int,
    m.Float: lambda t: "DOUBLE" if t.bits == 64 else "FLOAT",
    m.Decimal: lambda t: f"DECIMAL({t.precision}, {t.scale})",
    m.Bool: lambda t: "BOOLEAN",
    m.String: lambda t: "STRING",
    m.FixedString: lambda t: "STRING",
    m.Uuid: lambda t: "STRING",
    m.Enum: lambda t: "STRING",
    m.Text: _write_text,
    m.Bytes: _write_bytes,
    m.Date: lambda t: "DATE",
    m.TimeOfDay: lambda t: f"TIME({t.precision})",
    m.LocalDateTime: lambda t: f"TIMESTAMP({t.precision})",
    m.DateTime: lambda t: f"TIMESTAMP_LTZ({t.precision or 0})",
    m.Interval: lambda t: f"INTERVAL {t.fields}",
    m.Array: lambda t: f"ARRAY<{write_type(t.item)}>",
    m.Map: lambda t: f"MAP<{summary(t.key)}, {write_type(t.value)}>",
    m.Multiset: lambda t: f"MULTISET<{summary(t.item)}>",
    m.Tuple: _write_row,
    Json: lambda t: "STRING",
    Variant: str,
    Dynamic: str,
    m.Nothing: lambda t: "NULL",
    m.Inferred: lambda t: "(unknown)",
}
"""Types of ClickHouse too: its tables can be shown in this dialect."""
