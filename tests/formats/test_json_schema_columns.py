"""What columns a JSON Schema has."""

from __future__ import annotations

from typing import Any

import pytest

from sluice.formats.json_schema_columns import columns

STRING = {"type": "string"}
CASES: list[tuple[Any, str]] = [
    ({"type": "integer"}, "Int64"),
    ({"type": "integer", "connect.type": "int16"}, "Int16"),
    ({"type": "number"}, "Float64"),
    ({"type": ["string", "null"]}, "Nullable(String)"),
    ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, "Nullable(Bool)"),
    (
        {"oneOf": [{"type": "null"}, {"type": "array", "items": {"type": "string"}}]},
        "Array(String)",
    ),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "Map(String, Float64)"),
    ({"type": "object", "properties": {"x": {"type": "string"}}}, "Tuple(x String)"),
]


@pytest.mark.parametrize(("schema", "type_"), CASES)
def test_types(schema: Any, type_: str) -> None:
    ((name, found),) = columns({"type": "object", "properties": {"a": schema}})
    assert (name, str(found)) == ("a", type_)


def test_what_no_column_can_have() -> None:
    deep: Any = {"type": "string"}
    for _ in range(60):
        deep = {"type": "array", "items": deep}
    for schema, says in (
        ({"$ref": "#/definitions/x"}, "there is no #/definitions/x"),
        ({"$ref": "other.json"}, "other.json is no schema that it refers to"),
        ({"$ref": "#name"}, "#name is not the path of a schema"),
        ({"$ref": "#/properties"}, "there is no type for None"),
        ({"$ref": "#"}, "it contains itself"),
        ({"$ref": "#/properties/a"}, "it contains itself"),
        ({"type": "array", "items": {"$ref": "#/properties/a"}}, "it contains itself"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "it may be of several types"),
        ({"type": "object"}, "it is no object with properties"),
        ({"type": "null"}, "there is no type for null"),
        (deep, "it is too deep"),
        (7, "only types"),
    ):
        with pytest.raises(ValueError, match="property a") as bad:
            columns({"properties": {"a": schema}})
        assert says in str(bad.value)
    with pytest.raises(ValueError, match="no object"):
        columns([])


ADDRESS = {
    "$id": "http://registry.test/address.json",
    "type": "object",
    "properties": {"street": STRING, "country": {"$ref": "#/$defs/country"}},
    "$defs": {"country": {"oneOf": [{"type": "null"}, {"$ref": "country.json#/definitions/code"}]}},
}
REFERENCES = {
    "http://registry.test/address.json": ADDRESS,
    "country.json": {"definitions": {"code": STRING}},
}
SEVERAL = {
    "$id": "http://registry.test/order.json",
    "$ref": "#/definitions/order",
    "definitions": {
        "order": {
            "type": "object",
            "properties": {
                "id": {"$ref": "#/definitions/a~1b%20~0c"},
                "to": {"allOf": [{"$ref": "address.json"}]},
                "items": {"type": "array", "items": {"$ref": "order.json#/definitions/item"}},
                "seen": {"type": "object", "additionalProperties": {"$ref": "#/definitions/item"}},
            },
        },
        "item": {"type": "object", "properties": {"sku": STRING, "n": {"$ref": "#/$defs/n"}}},
        "a/b ~c": {"type": "integer"},
    },
    "$defs": {"n": {"type": "integer", "connect.type": "int32"}},
}


def test_references() -> None:
    """Parts of a schema, and other schemas of the registry, by their names or their addresses."""
    found = {name: str(type_) for name, type_ in columns(SEVERAL, REFERENCES)}
    item = "Tuple(sku String, n Int32)"
    assert found == {
        "id": "Int64",
        "to": "Tuple(street String, country Nullable(String))",
        "items": f"Array({item})",
        "seen": f"Map(String, {item})",
    }


def test_references_that_multiply() -> None:
    """A few lines may stand for billions of types."""
    parts: dict[str, Any] = {"0": STRING}
    for level in range(1, 40):
        below = {"$ref": f"#/definitions/{level - 1}"}
        parts[str(level)] = {"type": "object", "properties": {"x": below, "y": below}}
    with pytest.raises(ValueError, match="too many types"):
        columns({"properties": {"a": {"$ref": "#/definitions/39"}}, "definitions": parts})
