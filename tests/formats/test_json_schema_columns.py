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
        (
            {"$ref": "#/definitions/x"},
            "only types that are written out",
        ),
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
