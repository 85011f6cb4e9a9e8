"""Messages with the id of a schema: ours, ClickHouse's and Confluent's, with one real registry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from formats.convert import Wrong
from formats.test_examples import answered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formats.convert import Converter
    from formats.peer import Peer

COLUMNS = "id Int64, blockNo UInt16, val1 String, val2 Float32, val3 UInt8"
ROW = "SELECT toInt64(number) AS id, toUInt16(1) AS blockNo, 'AM' AS val1, toFloat32(0.5) AS val2, toUInt8(1) AS val3 FROM numbers({})"  # noqa: E501


@pytest.fixture(scope="module")
def client(registry: str) -> Iterator[SchemaRegistryClient]:
    """Confluent's client of the registry."""
    with SchemaRegistryClient({"url": registry}) as made:
        yield made


def settings(url: str, **more: Any) -> dict[str, Any]:
    return {"format_avro_schema_registry_url": url, **more}


def written(
    client: Any, topic: str, schema: Any, *records: Any, references: Any = ()
) -> list[bytes]:
    """What Confluent's serializer makes of records."""
    given = Schema(json.dumps(schema), "AVRO", list(references))
    serializer = AvroSerializer(client, given)
    context = SerializationContext(topic, MessageField.VALUE)
    return [serializer(record, context) for record in records]


def record(called: str, **fields: Any) -> dict[str, Any]:
    made = [{"name": name, "type": type_} for name, type_ in fields.items()]
    return {"type": "record", "name": called, "fields": made}


def rows(ours: Converter, url: str, columns: str, message: bytes, **more: Any) -> list[Any]:
    found = ours.rows(columns, "AvroConfluent", settings(url, **more), message)
    return [json.loads(line) for line in found.splitlines()]


def test_ch_58_ch_96_rows(ours: Converter, peer: Peer, registry: str) -> None:
    """CH-58, CH-96: one row and fifteen in a message, as ClickHouse writes and reads them.

    CH-95, CH-97: the schema is registered once, whoever writes.
    """
    known = settings(registry, output_format_avro_confluent_subject="matrix-value")
    for count in (1, 15):
        query = ROW.format(count)
        shown = peer.written(query, "JSONCompactEachRow", {})
        theirs = peer.written(query, "AvroConfluent", known)
        assert ours.written(COLUMNS, "AvroConfluent", known, shown) == theirs
        assert ours.rows(COLUMNS, "AvroConfluent", known, theirs) == shown
        assert theirs[0] == 0
        assert int.from_bytes(theirs[1:5], "big") > 0
        assert theirs.count(theirs[:5]) == count
    assert httpx.get(f"{registry}/subjects/matrix-value/versions").json() == [1]


def test_ch_73_ch_74_confluent(ours: Converter, registry: str, client: Any) -> None:
    """CH-73, CH-74: what Confluent's serializer writes; an int is read into UInt16."""
    fields = record("row", id="long", value="string", small="int")
    given = [{"id": i, "value": f"row_{i}", "small": 7} for i in range(3)]
    message = b"".join(written(client, "python", fields, *given))
    wanted = [[i, f"row_{i}", 7] for i in range(3)]
    assert rows(ours, registry, "id Int64, value String, small UInt16", message) == wanted


def test_confluent_reads_ours(ours: Converter, registry: str, client: Any) -> None:
    """Confluent's deserializer reads what we write."""
    known = settings(registry, output_format_avro_confluent_subject="ours-value")
    columns = "a Int64, b Nullable(String), c DateTime64(3), d Array(Int32), e Tuple(x UInt8)"
    row = b'[5,null,"2020-01-01 00:00:00.123",[1,2],[7]]\n'
    message = ours.written(columns, "AvroConfluent", known, row)
    read = AvroDeserializer(client)
    found: Any = read(message, SerializationContext("ours", MessageField.VALUE))
    assert found["c"].isoformat() == "2020-01-01T00:00:00.123000+00:00"
    assert found | {"c": 0} == {"a": 5, "b": None, "c": 0, "d": [1, 2], "e": {"x": 7}}


def test_evolution(ours: Converter, registry: str, client: Any) -> None:
    """The columns stay; writers add, remove, widen and reorder fields, and make them nullable."""
    first = record("e", id="int", name="string")
    later = record(
        "e", more={"type": "array", "items": "string"}, name=["null", "string"], id="long"
    )
    last = record("e", id="int")
    (one,) = written(client, "e1", first, {"id": 1, "name": "a"})
    (two,) = written(client, "e2", later, {"id": 2**40, "name": None, "more": ["x"]})
    (three,) = written(client, "e3", last, {"id": 3})
    columns = "id Int64, name String"
    assert rows(ours, registry, columns, one + two + one) == [[1, "a"], [2**40, ""], [1, "a"]]
    with pytest.raises(Wrong, match="Field name not found in Avro schema"):
        rows(ours, registry, columns, three)
    lacking = {"input_format_avro_allow_missing_fields": 1}
    assert rows(ours, registry, columns, one + three, **lacking) == [[1, "a"], [3, ""]]
    (other,) = written(
        client, "e4", record("e", id="string", name="string"), {"id": "x", "name": ""}
    )
    with pytest.raises(Wrong, match=r"Type Int64 is not compatible with Avro string.*column id"):
        rows(ours, registry, columns, other)


def test_references(ours: Converter, registry: str, client: Any) -> None:
    """A schema that names records of other subjects, which name others."""
    inner = {"type": "record", "name": "in.Inner", "fields": [{"name": "x", "type": "int"}]}
    middle = {"type": "record", "name": "mid.Middle", "fields": [{"name": "i", "type": "in.Inner"}]}
    outer = record("outer", m="mid.Middle", i="in.Inner")
    to_inner = SchemaReference("in.Inner", "inner", 1)
    to_middle = SchemaReference("mid.Middle", "middle", 1)
    client.register_schema("inner", Schema(json.dumps(inner), "AVRO"))
    client.register_schema("middle", Schema(json.dumps(middle), "AVRO", [to_inner]))
    value = {"m": {"i": {"x": 5}}, "i": {"x": 6}}
    (message,) = written(client, "refers", outer, value, references=[to_inner, to_middle])
    columns = "`m.i.x` Int32, i Tuple(x Int64)"
    assert rows(ours, registry, columns, message) == [[5, {"x": 6}]]


def test_what_the_registry_refuses(ours: Converter, registry: str) -> None:
    """An unknown id is a bad message that names it; an incompatible schema is in its words."""
    with pytest.raises(Wrong, match="has no schema with the id 4711"):
        rows(ours, registry, "a Int32", b"\0" + (4711).to_bytes(4, "big") + b"\2")
    known = settings(registry, output_format_avro_confluent_subject="strict-value")
    ours.written("a Int32", "AvroConfluent", known, b"[1]\n")
    strict = httpx.put(f"{registry}/config/strict-value", json={"compatibility": "BACKWARD"})
    assert strict.is_success
    with pytest.raises(Wrong, match=r"does not accept .* subject strict-value: .*ncompatible"):
        ours.written("a String", "AvroConfluent", known, b'["x"]\n')


@pytest.mark.parametrize("cut", [*range(1, 9)])
def test_ch_80_truncated(ours: Converter, registry: str, client: Any, cut: int) -> None:
    """A message that breaks off anywhere is one bad message."""
    (message,) = written(client, "cut", record("c", a="long", b="string"), {"a": 300, "b": "x"})
    assert len(message) == 9
    with pytest.raises(Wrong, match=r"ends within|Magic"):
        rows(ours, registry, "a Int64, b String", message + message[:cut] if cut < 9 else b"x")
    with pytest.raises(Wrong, match="Magic number does not match"):
        rows(ours, registry, "a Int64, b String", message + b"\1")


def test_st_08_allowed_errors(ours: Converter, peer: Peer, registry: str, client: Any) -> None:
    """ST-08: with a bad row the rest of its message is skipped; a schema is not forgiven."""
    one, two = written(client, "allowed", record("t", a="string"), {"a": "1"}, {"a": "x"})
    unknown = one[:1] + (1 << 30).to_bytes(4, "big") + one[5:]
    for columns, message, good in (
        ("a String", one + b"\1" + two, True),
        ("a String", one + b"\0\0", True),
        ("a String", b"\1", True),
        ("a UUID", one + two, True),
        ("a String", one + unknown + two, False),
        ("a UInt8", one, False),
    ):
        known = settings(registry, input_format_allow_errors_num=1)
        found, theirs = (
            answered(each, columns, "AvroConfluent", known, message) for each in (ours, peer)
        )
        assert found[0] == theirs[0] == good, (message, found, theirs)
        assert not good or found == theirs
        assert not answered(ours, columns, "AvroConfluent", settings(registry), message)[0]


def test_an_empty_message(ours: Converter, registry: str) -> None:
    assert rows(ours, registry, "a Int64", b"") == []
