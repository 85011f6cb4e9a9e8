"""Columns of a table that was created without any."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sluice.errors import SluiceError
from sluice.session import found_columns

ORDER = """{"type": "object", "properties": {"id": {"$ref": "#/definitions/id"},
"place": {"$ref": "place.json"}}, "definitions": {"id": {"type": "integer"}}}"""
PLACE = '{"type": "object", "properties": {"x": {"$ref": "x.json#/$defs/x"}}}'
X = '{"$defs": {"x": {"type": "integer", "connect.type": "int32"}}}'


def _of_json_schema(*texts: str) -> list[tuple[str, str]]:
    """What a table of JSONConfluent has, if a registry answers with these."""
    newest = SimpleNamespace(newest=lambda _settings, _subject: list(texts))
    jvm = SimpleNamespace(sluice=SimpleNamespace(registry=SimpleNamespace(JsonSchema=newest)))
    engine = SimpleNamespace(spark=lambda: SimpleNamespace(_jvm=jvm))
    source = SimpleNamespace(
        value=SimpleNamespace(
            name="JSONConfluent", options={}, codec=SimpleNamespace(settings=lambda: "{}")
        ),
        topics=["t"],
        table=SimpleNamespace(full_name="default.q"),
        connection=SimpleNamespace(brokers="b"),
    )
    context: Any = SimpleNamespace(engine=engine)
    found = found_columns._found(context, source, found_columns._CLICKHOUSE)  # type: ignore[arg-type]
    return [(name, str(type_)) for name, type_ in found]


def test_a_schema_with_those_it_refers_to() -> None:
    """Each after its name, as Java gives them."""
    found = _of_json_schema(ORDER, "x.json", X, "place.json", PLACE)
    assert found == [("id", "Int64"), ("place", "Tuple(x Int32)")]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([], "it is no object with properties"),
        (["[" * 100_000], "it is too deep"),
        (["{"], "Expecting"),
        ([ORDER], "place.json is no schema that it refers to"),
    ],
)
def test_no_columns(texts: list[str], says: str) -> None:
    with pytest.raises(SluiceError, match="cannot be taken from the subject t-value") as bad:
        _of_json_schema(*texts)
    assert says in str(bad.value)
