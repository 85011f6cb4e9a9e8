"""Schemas in a registry, and messages with their ids."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import httpx

PLACE = {"type": "record", "name": "Place", "fields": [{"name": "x", "type": "int"}]}
ROW: dict[str, Any] = {
    "type": "record",
    "name": "shop.Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "place", "type": PLACE},
    ],
}


def register(url: str, subject: str, schema: Any, **more: Any) -> int:
    given = {"schema": json.dumps(schema), **more}
    found = httpx.post(f"{url}/subjects/{subject}/versions", json=given)
    return int(found.raise_for_status().json()["id"])


def framed(id_: int, schema: Any, *records: dict[str, Any]) -> bytes:
    """Records one after another, each with the id of its schema."""
    made = io.BytesIO()
    for record in records:
        made.write(b"\0" + id_.to_bytes(4, "big"))
        fastavro.schemaless_writer(made, fastavro.parse_schema(schema), record)
    return made.getvalue()


def order(id_: int) -> dict[str, Any]:
    at = 1_700_000_000_000 + id_
    return {"id": id_, "name": None, "at": at, "tags": ["a"], "place": {"x": id_}}
