"""Columns of an Avro schema: those of Flink, and the file that shows ClickHouse a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.types import Type

_SYNC = bytes(16)
_DEEPEST = 50


def file(schema: str) -> bytes:
    """An Avro file with a schema and no records."""
    parts = ("avro.codec", "null", "avro.schema", schema)
    return b"Obj\1\4" + b"".join(map(_text, parts)) + b"\0" + _SYNC


def _text(given: str) -> bytes:
    data = given.encode()
    length, left = bytearray(), len(data) << 1
    while left > 0x7F:
        length.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*length, left]) + data


def flink(schema: dict[str, Any], *, legacy: bool) -> list[tuple[str, Type]]:
    """The columns of a record, as Flink reads them.

    Raises:
        ValueError: for a field that no Flink type can hold.
    """
    return _Flink(legacy).fields(schema, "", 0)


class _Flink:
    """Flink's types; named types are known after their definition."""

    def __init__(self, legacy: bool) -> None:
        self._known: dict[str, Any] = {}
        self._instants = ("timestamp-millis",) if legacy else ("local-timestamp-millis",)

    def fields(self, record: dict[str, Any], space: str, depth: int) -> list[tuple[str, Type]]:
        """The fields of a record."""
        space = self._note(record, space)
        found = []
        for field in record["fields"]:
            try:
                found.append((str(field["name"]), self.of(field["type"], space, depth + 1)))
            except ValueError as bad:
                raise ValueError(f"{bad} (field {field['name']})") from None
        return found

    def _note(self, named: dict[str, Any], space: str) -> str:
        """Remember a named type by its full name; the namespace within it."""
        name = str(named["name"])
        space = str(named.get("namespace", space))
        full = name if "." in name or not space else f"{space}.{name}"
        self._known[full] = named
        return full.rpartition(".")[0]

    def of(self, schema: Any, space: str, depth: int) -> Type:
        """The type of a schema."""
        if depth > _DEEPEST:
            raise ValueError("it contains itself")
        if isinstance(schema, list):
            return self._union(schema, space, depth)
        if isinstance(schema, str):
            if schema in _PLAIN:
                return _PLAIN[schema]
            known = self._known.get(schema) or self._known.get(f"{space}.{schema}")
            if known is None:
                raise ValueError(f"{schema} is unknown")
            return self.of(known, space, depth + 1)
        kind = schema.get("type")
        made = _NESTED.get(kind) if isinstance(kind, str) else None
        if made is not None:
            return made(self, schema, space, depth)
        return self._logical(schema) or self.of(kind, space, depth + 1)

    def _union(self, branches: list[Any], space: str, depth: int) -> Type:
        others = [each for each in branches if each != "null"]
        if len(others) != 1:
            raise ValueError("it is a union of several types")
        found = self.of(others[0], space, depth)
        return m.Nullable(m.bare(found)) if len(others) < len(branches) else found

    def _logical(self, schema: dict[str, Any]) -> Type | None:
        logical = schema.get("logicalType")
        if logical in self._instants:
            return m.LocalDateTime(3)
        if logical == "decimal" and schema["type"] == "bytes":
            return m.Decimal(int(schema["precision"]), int(schema.get("scale", 0)))
        return _LOGICAL.get(str(logical))

    def record(self, schema: dict[str, Any], space: str, depth: int) -> Type:
        """ROW."""
        fields = self.fields(schema, space, depth)
        return m.Tuple(tuple(t for _, t in fields), tuple(name for name, _ in fields))

    def array(self, schema: dict[str, Any], space: str, depth: int) -> Type:
        """ARRAY."""
        return m.Array(self.of(schema["items"], space, depth + 1))

    def map(self, schema: dict[str, Any], space: str, depth: int) -> Type:
        """MAP."""
        return m.Map(m.String(), self.of(schema["values"], space, depth + 1))

    def refused(self, schema: dict[str, Any], space: str, depth: int) -> Type:
        """A type whose values Flink's avro does not read."""
        raise ValueError(f"the type {schema['type']} has no Flink type")


_PLAIN: dict[str, Type] = {
    "boolean": m.Bool(),
    "int": m.Int(32),
    "long": m.Int(64),
    "float": m.Float(32),
    "double": m.Float(64),
    "string": m.String(),
    "bytes": m.Bytes(),
}
_LOGICAL: dict[str, Type] = {"date": m.Date(), "time-millis": m.TimeOfDay(3)}
_NESTED: dict[str, Callable[[_Flink, dict[str, Any], str, int], Type]] = {
    "record": _Flink.record,
    "array": _Flink.array,
    "map": _Flink.map,
    "enum": _Flink.refused,
    "fixed": _Flink.refused,
}
