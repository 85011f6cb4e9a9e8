"""Columns of a JSON Schema: the types of ClickHouse that its properties have."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin

from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.types import Type

_DEEPEST, _MOST = 50, 10_000
"""Of types: how many may be within each other, and how many there may be."""

_NUMBERS: dict[str, Type] = {
    **{f"int{bits}": m.Int(bits) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": m.Float(bits) for bits in (32, 64)},
}
_PLAIN: dict[str, Type] = {
    "integer": m.Int(64),
    "number": m.Float(64),
    "string": m.String(),
    "boolean": m.Bool(),
}


def columns(schema: Any, references: Mapping[str, Any] | None = None) -> list[tuple[str, Type]]:
    """The columns of an object, whose schema may refer to others, which have names.

    Raises:
        ValueError: For a property that no type can hold, with its name.
    """
    return _Reader(references or {}).properties(_Part(schema, schema))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a document."""

    document: Any
    schema: Any

    def of(self, schema: Any) -> _Part:
        """Another part of the same."""
        return _Part(self.document, schema)


@dataclass(slots=True)
class _Reader:
    """Reads the types of one schema."""

    references: Mapping[str, Any]
    open: list[int] = field(default_factory=list)
    """The schemas that are being read: one that refers to itself has no type."""
    left: int = _MOST

    def properties(self, given: _Part) -> list[tuple[str, Type]]:
        """The properties of an object."""
        part = self._resolved(given)
        properties = part.schema.get("properties") if isinstance(part.schema, dict) else None
        if not isinstance(properties, dict) or not properties:
            raise ValueError("it is no object with properties")
        found = []
        with self._within(part):
            for name, each in properties.items():
                try:
                    found.append((name, self._type(part.of(each))))
                except ValueError as bad:
                    raise ValueError(f"{bad} (property {name})") from None
        return found

    @contextmanager
    def _within(self, part: _Part) -> Iterator[None]:
        if id(part.schema) in self.open:
            raise ValueError("it contains itself")
        if len(self.open) > _DEEPEST:
            raise ValueError("it is too deep")
        self.open.append(id(part.schema))
        yield
        self.open.pop()

    def _resolved(self, part: _Part) -> _Part:
        """What a part refers to, if it does."""
        for _ in range(_DEEPEST):
            schema = part.schema
            every = schema.get("allOf") if isinstance(schema, dict) else None
            if isinstance(every, list) and len(every) == 1:
                part = part.of(every[0])
            elif isinstance(schema, dict) and "$ref" in schema:
                part = self._referred(part, str(schema["$ref"]))
            else:
                return part
        raise ValueError("it contains itself")

    def _referred(self, part: _Part, ref: str) -> _Part:
        name, pointer = urldefrag(ref)
        document = part.document
        if name:
            own = document.get("$id", "") if isinstance(document, dict) else ""
            whole = urljoin(str(own), name)
            found = next((each for each in (name, whole) if each in self.references), None)
            if found is None and whole != own:
                raise ValueError(f"{ref} is no schema that it refers to")
            document = document if found is None else self.references[found]
        return _Part(document, _pointed(document, unquote(pointer), ref))

    def _type(self, given: _Part) -> Type:
        self.left -= 1
        if self.left < 0:
            raise ValueError("it has too many types")
        part = self._resolved(given)
        schema = part.schema
        if not isinstance(schema, dict):
            raise ValueError("only types that are written out are understood")
        either = schema.get("oneOf") or schema.get("anyOf")
        kind = schema.get("type")
        if isinstance(kind, list):
            either = [{**schema, "type": each} for each in kind]
        with self._within(part):
            if isinstance(either, list):
                return self._either(part, either)
            if kind == "array":
                return m.Array(self._type(part.of(schema.get("items"))))
        if kind == "object":
            return self._object(part)
        found = _NUMBERS.get(str(schema.get("connect.type"))) or _PLAIN.get(str(kind))
        if found is None:
            raise ValueError(f"there is no type for {kind}")
        return found

    def _either(self, part: _Part, either: list[Any]) -> Type:
        others = [each for each in either if not _is_null(each)]
        if len(others) != 1:
            raise ValueError("it may be of several types")
        inner = self._type(part.of(others[0]))
        plain = len(others) == len(either) or isinstance(inner, m.Array | m.Map | m.Tuple)
        return inner if plain or isinstance(inner, m.Nullable) else m.Nullable(inner)

    def _object(self, part: _Part) -> Type:
        values = part.schema.get("additionalProperties")
        if not part.schema.get("properties") and isinstance(values, dict):
            with self._within(part):
                return m.Map(m.String(), self._type(part.of(values)))
        inside = self.properties(part)
        return m.Tuple(tuple(type_ for _, type_ in inside), tuple(name for name, _ in inside))


def _pointed(document: Any, pointer: str, ref: str) -> Any:
    """The part of a document that a JSON Pointer names."""
    found = document
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{ref} is not the path of a schema")
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif (
            isinstance(found, list) and name.isascii() and name.isdigit() and int(name) < len(found)
        ):
            found = found[int(name)]
        else:
            raise ValueError(f"there is no {ref}")
    return found


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"
