"""Columns of a JSON Schema: the types of ClickHouse that its properties have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.types import Type

_DEEPEST = 50
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


def columns(schema: Any) -> list[tuple[str, Type]]:
    """The columns of an object.

    Raises:
        ValueError: For a property that no type can hold, with its name.
    """
    return _properties(schema, 0)


def _properties(schema: Any, depth: int) -> list[tuple[str, Type]]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not properties:
        raise ValueError("it is no object with properties")
    found = []
    for name, each in properties.items():
        try:
            found.append((name, _type(each, depth + 1)))
        except ValueError as bad:
            raise ValueError(f"{bad} (property {name})") from None
    return found


def _type(schema: Any, depth: int) -> Type:
    if depth > _DEEPEST:
        raise ValueError("it is too deep")
    if not isinstance(schema, dict) or "$ref" in schema:
        raise ValueError("only types that are written out are understood")
    either = schema.get("oneOf") or schema.get("anyOf")
    given = schema.get("type")
    if isinstance(given, list):
        either = [{**schema, "type": each} for each in given]
    if isinstance(either, list):
        others = [each for each in either if not _is_null(each)]
        if len(others) != 1:
            raise ValueError("it may be of several types")
        inner = _type(others[0], depth + 1)
        plain = len(others) == len(either) or isinstance(inner, m.Array | m.Map | m.Tuple)
        return inner if plain or isinstance(inner, m.Nullable) else m.Nullable(inner)
    if given == "array":
        return m.Array(_type(schema.get("items"), depth + 1))
    if given == "object":
        return _object(schema, depth)
    found = _NUMBERS.get(str(schema.get("connect.type"))) or _PLAIN.get(str(given))
    if found is None:
        raise ValueError(f"there is no type for {given}")
    return found


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _object(schema: dict[str, Any], depth: int) -> Type:
    values = schema.get("additionalProperties")
    if not schema.get("properties") and isinstance(values, dict):
        return m.Map(m.String(), _type(values, depth + 1))
    inside = _properties(schema, depth)
    return m.Tuple(tuple(type_ for _, type_ in inside), tuple(name for name, _ in inside))
