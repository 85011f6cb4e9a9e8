"""Protobuf and JSON with the id of a schema, with one real registry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient

from formats.convert import Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formats.convert import Converter
    from formats.peer import Peer

COLUMNS = "id Int64, name String, at_x Nullable(Int32), tags Array(String)"
SHOP = """syntax = "proto3";
package shop;
import "place.proto";
message Unused { int32 i = 1; }
message Order {
  int64 id = 1; string name = 2; place.Place at = 3; repeated string tags = 4;
  message Line { string name = 2; int64 id = 7; }
}
"""
PLACE = 'syntax = "proto3"; package place; message Place { optional int32 x = 1; }'
ROW = b'[7,"a",5,["x","y"]]\n'
BODY = bytes.fromhex("0807 120161 1a020805 220178 220179")


@pytest.fixture(scope="module")
def client(registry: str) -> Iterator[SchemaRegistryClient]:
    """Confluent's client of the registry."""
    with SchemaRegistryClient({"url": registry}) as made:
        yield made


@pytest.fixture(scope="module")
def shop(client: SchemaRegistryClient) -> int:
    """The id of a schema that refers to another one."""
    client.register_schema("place.proto", Schema(PLACE, "PROTOBUF"))
    refers = [SchemaReference("place.proto", "place.proto", 1)]
    return int(client.register_schema("shop-value", Schema(SHOP, "PROTOBUF", refers)))


def settings(url: str, **more: Any) -> dict[str, Any]:
    return {"format_avro_schema_registry_url": url, **more}


def framed(id_: int, path: str, body: bytes) -> bytes:
    """A message: a zero, the id, the positions of its message with their count, and the record."""
    return b"\0" + id_.to_bytes(4, "big") + bytes.fromhex(path) + body


def test_protobuf_of_others(ours: Converter, registry: str, shop: int) -> None:
    """The message is the one at the positions; its types come from a schema that it refers to."""
    known = settings(registry)
    for path, body, row in (
        ("02 02", BODY, ROW),  # one position: 1
        ("04 02 00", bytes.fromhex("120161 3807"), b'[7,"a",null,[]]\n'),  # two: 1, and in it 0
    ):
        found = ours.rows(COLUMNS, "ProtobufConfluent", known, framed(shop, path, body))
        assert found == row.replace(b",", b", ").replace(b'"x", "y"', b'"x","y"')
    found = ours.rows("i Int32", "ProtobufConfluent", known, framed(shop, "00", b"\x08\x05"))
    assert found == b"[5]\n"  # no positions: the first message


DESCRIPTOR = (
    "Cgtjcm9zcy5wcm90bxIFY3Jvc3MiVwoFT3V0ZXISCQoBaRgBIAEoBRpDCgNSb3cSCgoCaWQYASABKAMSDAoEbmFt"
    "ZRgCIAEoCRIMCgR0YWdzGAMgAygJEgkKAW4YBCADKBESCQoBZBgFIAEoAWIGcHJvdG8z"
)
"""What Confluent's serializer for Python registers instead of a text."""


def test_protobuf_of_confluent(ours: Converter, registry: str) -> None:
    """What Confluent's serializer for Python has registered and written."""
    given = {"schema": DESCRIPTOR, "schemaType": "PROTOBUF"}
    answer = httpx.post(f"{registry}/subjects/cross-value/versions", json=given)
    id_ = int(answer.raise_for_status().json()["id"])
    record = "08fbffffffffffffffff011202c3bc1a01611a01622204010ad80429000000000000f83f"
    columns = "id Int64, name String, tags Array(String), n Array(Int32), d Float64, more String"
    message = framed(id_, "04 00 00", bytes.fromhex(record))
    found = ours.rows(columns, "ProtobufConfluent", settings(registry), message)
    assert json.loads(found) == [-5, "ü", ["a", "b"], [-1, 5, 300], 1.5, ""]


def test_protobuf_that_is_wrong(ours: Converter, registry: str, client: Any, shop: int) -> None:
    """Each is one error, and names what is wrong."""
    text = client.register_schema(
        "text-value", Schema('{"type": "object", "properties": {}}', "JSON")
    )
    cases = (
        (b"", "Magic number does not match"),
        (framed(shop, "0202", BODY).replace(b"\0", b"\1", 1), "Magic number does not match"),
        (b"\0\0\0", "The message ends within its record"),
        (framed(987_654, "00", b""), "no schema with the id 987654"),
        (framed(shop, "0208", b""), f"The schema with the id {shop} has no message at [4]"),
        (framed(shop, "01", b""), "a message at -1 positions"),
        (framed(shop, "fe ff ff ff 0f", b""), "a message at 2147483647 positions"),
        (framed(text, "00", b""), "The schema is one of type JSON"),
        (framed(shop, "00", b""), "does not fit: Not found matches between the names"),
        (framed(shop, "0202", BODY[:-1]), "a field of 1 bytes where 0 are left"),
    )
    for message, says in cases:
        with pytest.raises(Wrong) as bad:
            ours.rows(COLUMNS, "ProtobufConfluent", settings(registry), message)
        assert says in str(bad.value)


def test_protobuf_written(ours: Converter, peer: Peer, registry: str, client: Any) -> None:
    """The schema of the columns is registered once; the record is ClickHouse's by that schema."""
    known = settings(registry, output_format_avro_confluent_subject="ours-proto-value")
    columns = "id Int64, name String, tags Array(String), m Map(String, UInt8), t Tuple(x Int32)"
    row = b'[7,"a",["x"],{"k":1},[3]]\n'
    message = ours.written(columns, "ProtobufConfluent", known, row)
    registered = client.get_latest_version("ours-proto-value")
    assert registered.schema.schema_type == "PROTOBUF"
    given = {
        "format_schema_source": "string",
        "format_schema": registered.schema.schema_str,
        "format_schema_message_name": "row",
    }
    query = "SELECT 7 AS id, 'a' AS name, ['x'] AS tags, map('k', 1)::Map(String, UInt8) AS m"
    query += ", tuple(3)::Tuple(x Int32) AS t"
    body = peer.written(query, "ProtobufSingle", given)
    assert message == framed(registered.schema_id, "00", body)
    shown = ours.rows(columns, "ProtobufConfluent", known, message)
    assert json.loads(shown) == [7, "a", ["x"], {"k": 1}, {"x": 3}]
    assert ours.written(columns, "ProtobufConfluent", known, row) == message
    assert client.get_versions("ours-proto-value") == [1]
    with pytest.raises(Wrong, match="multiple rows"):
        ours.written(columns, "ProtobufConfluent", known, row + row)


def test_json(ours: Converter, registry: str, client: Any) -> None:
    """An object after the id of its JSON Schema."""
    known = settings(registry, output_format_avro_confluent_subject="ours-json-value")
    columns = "id Int64, name Nullable(String), tags Array(String), t Tuple(x Float64)"
    message = ours.written(columns, "JSONConfluent", known, b'[7,null,["x"],[1.5]]\n')
    registered = client.get_latest_version("ours-json-value")
    assert registered.schema.schema_type == "JSON"
    assert message[:5] == b"\0" + registered.schema_id.to_bytes(4, "big")
    assert json.loads(message[5:]) == {"id": 7, "name": None, "tags": ["x"], "t": {"x": 1.5}}
    schema = json.loads(registered.schema.schema_str)
    assert schema["properties"]["name"]["oneOf"][1] == {"type": "string"}
    assert schema["properties"]["id"]["connect.type"] == "int64"
    found = ours.rows(columns, "JSONConfluent", known, message)
    assert json.loads(found) == [7, None, ["x"], {"x": 1.5}]
    for wrong, says in (
        (message[5:], "Magic number does not match"),
        (b"\0\0", "The message ends within its record"),
        (message[:-1], "Cannot parse input"),
    ):
        with pytest.raises(Wrong) as bad:
            ours.rows(columns, "JSONConfluent", known, wrong)
        assert says in str(bad.value)
