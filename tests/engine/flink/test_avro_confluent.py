"""The format avro-confluent: records with the id of a schema that a registry knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.messages import columns, half, spark, written
from engine.flink.registry import Registry, registry
from engine.flink.test_avro import schema
from sluice.engine.faults import classify

if TYPE_CHECKING:
    from sluice.formats.codec import Codec
    from sluice.session import Session

FIELDS = "id INT NOT NULL, name STRING"
PRIVATE = (
    "127.0.0.1", "127.1", "2130706433", "10.1.2.3", "172.16.0.1", "192.168.1.1", "0.0.0.1",
    "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::",
    "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0::",
)  # fmt: skip


def confluent(at: Registry, **options: Any) -> Codec:
    """The format over a registry."""
    return half("avro-confluent", url=at.url, subject="t-value", **options)


def shown(format_: Codec, fields: str, message: bytes) -> str:
    """The row of a message as Avro's JSON, or what is wrong with it."""
    row = format_.decoder(spark(), columns(fields)).row(message)
    if not row.isNullAt(0):
        return str(row.getUTF8String(0))
    text = half("avro", encoding="json").encoder(spark(), columns(f"error STRING, {fields}"))
    return bytes(text.row(row)).decode().replace('"error":null,', "")


def fault(format_: Codec, message: bytes) -> Any:
    """What a job is told when a message cannot be read for the registry's sake."""
    with pytest.raises(Exception, match=r"SCHEMA_|UNACCEPTABLE") as raised:
        shown(format_, FIELDS, message)
    return classify(raised.value, "t", "b")


def test_messages_and_their_schemas(engine: Session) -> None:
    """FL-20, FL-79: written by the table's schema, read from that of whoever wrote them."""
    with registry() as known:
        given = confluent(known)
        message = written(given, FIELDS, "7, 'x'")
        assert message == b"\x00\x00\x00\x00\x01\x0e\x02\x02x"
        assert json.loads(known.schemas[0]) == json.loads(schema(FIELDS).toString())
        assert written(given, FIELDS, "8, NULL") == b"\x00\x00\x00\x00\x01\x10\x00"
        assert known.subjects == {"t-value": [1]}
        assert shown(given, FIELDS, message) == '{"id":7,"name":{"string":"x"}}'

        # another order, a wider number, one field more and one less
        other = {
            "type": "record",
            "name": "other",
            "fields": [
                {"name": "more", "type": {"type": "array", "items": "string"}},
                {"name": "id", "type": "int"},
                {"name": "last", "type": ["null", "long"]},
            ],
        }
        id_ = known.add(json.dumps(other))
        foreign = b"\x00\x00\x00\x00" + bytes([id_]) + b"\x02\x02a\x00\x0e\x02\x02"
        fields = "id BIGINT NOT NULL, name STRING"
        assert shown(given, fields, foreign) == '{"id":7,"name":null}'
        assert shown(given, fields, foreign) == '{"id":7,"name":null}'
        failed = "Failed to deserialize Avro record. "
        wrong = [
            (b"", "Unknown data format. Magic number does not match"),
            (b"\x01\x00\x00\x00\x01\x0e\x00", "Unknown data format. Magic number does not match"),
            (b"\x00\x00", "The message ends within its record"),
            (message[:-1], "The message ends within its record"),
            (message + b"x", "1 bytes follow the record"),
            (foreign[:-1], "The message ends within its record"),
        ]
        for bad, reason in wrong:
            assert shown(given, fields if bad == foreign[:-1] else FIELDS, bad) == failed + reason
        assert shown(given, fields, foreign) == '{"id":7,"name":null}'  # after a wrong one too
        assert "Found int, expecting string" in shown(given, "id STRING NOT NULL", foreign)


def test_a_schema_of_ones_own(engine: Session) -> None:
    """It has to fit the columns; then it is what is registered."""
    with registry() as known:
        made = json.loads(schema(FIELDS).toString())
        own = json.dumps(made | {"name": "mine", "namespace": "shop"})
        assert written(confluent(known, schema=own), FIELDS, "1, NULL")
        assert json.loads(known.schemas[0])["namespace"] == "shop"
        with pytest.raises(Exception, match="does not match the table schema"):
            written(confluent(known, schema=own), "id BIGINT NOT NULL, name STRING", "1, NULL")
        for none in ("{", '{"type": "unheard"}'):
            with pytest.raises(Exception, match="Could not parse Avro schema string"):
                written(confluent(known, schema=none), FIELDS, "1, NULL")
        never = confluent(known, auto_register_schemas="false")
        with pytest.raises(Exception, match="The schema is not registered as t-value"):
            written(never, "id BIGINT", "1")
        assert written(confluent(known), "id BIGINT", "1") == written(never, "id BIGINT", "1")


def test_a_registry_that_cannot_be_asked(engine: Session) -> None:
    """FL-79: nothing is lost or skipped, known schemas are decoded, no password is shown."""
    with registry() as known:
        login = {"basic_auth_user_info": "me:S3CR3T", "basic_auth_credentials_source": "USER_INFO"}
        given = confluent(known, **login)
        message = written(given, FIELDS, "7, 'x'")
        assert message is not None
        assert known.logins == ["Basic bWU6UzNDUjNU"]
        second = b"\x00\x00\x00\x00\x02" + message[5:]
        assert fault(given, second).condition.name == "SCHEMA_NOT_FOUND"
        assert fault(given, second).condition.kind == "terminal"
        assert "Could not find schema with id 2 in registry" in str(fault(given, second))
        known.add(known.schemas[0] + " ")
        for broken in ((401, "{}"), (200, "<html>"), (500, "{}"), (302, "{}")):
            known.broken = broken
            away = fault(given, second)
            assert away.condition.name == "SCHEMA_REGISTRY_UNREACHABLE", broken
            assert away.condition.kind == "transient"
            assert "S3CR3T" not in str(away)
            assert "bWU6" not in str(away)
            assert "HTTP" not in str(away)
        known.broken = None
        assert shown(given, FIELDS, second) == '{"id":7,"name":{"string":"x"}}'
        in_url = half("avro-confluent", url=known.url.replace("//", "//me:S3CR3T@"), subject="s")
        assert shown(in_url, FIELDS, second)
        assert known.logins[-1] == "Basic bWU6UzNDUjNU"
    assert shown(given, FIELDS, second) == '{"id":7,"name":{"string":"x"}}'  # it is gone, and known
    third = b"\x00\x00\x00\x00\x03" + message[5:]
    away = fault(given, third)
    assert away.condition.name == "SCHEMA_REGISTRY_UNREACHABLE"
    assert "S3CR3T" not in str(away)


def test_hosts_that_may_not_be_asked(engine: Session) -> None:
    """The engine of the tests lists 127.0.0.1: by another name it is refused, unasked."""
    with registry() as known:
        message = written(confluent(known), FIELDS, "7, 'x'")
        assert message is not None
        asked = len(known.logins)
        known.url = known.url.replace("127.0.0.1", "localhost")
        refused = fault(confluent(known), message)
        assert refused.condition.name == "UNACCEPTABLE_URL"
        assert refused.condition.kind == "terminal"
        assert len(known.logins) == asked
    remote: Any = spark()._jvm.sluice.registry.RemoteHosts  # type: ignore[union-attr]
    address: Any = spark()._jvm.java.net.InetAddress  # type: ignore[union-attr]
    for host in PRIVATE:
        assert not remote.isPublic(address.getByName(host)), host
        with pytest.raises(Exception, match="its address is private"):
            remote.resolve(host, False)
        assert len(remote.resolve(host, True)) == 1
    with pytest.raises(Exception, match="its address is private"):
        remote.resolve("localhost", False)
    for host in ("8.8.8.8", "2606:4700::1111", "100.63.0.1", "172.32.0.1"):
        assert remote.isPublic(address.getByName(host)), host
    listed = "=r.lan,=127.0.0.1%3A8081,~%5Ba-z%5D%2B%5C.example"
    cases = [("R.lan", 9, True), ("127.0.0.1", 8081, True), ("x.example", -1, True),
             ("127.0.0.1", 8082, False), ("x.example.org", -1, False)]  # fmt: skip
    for host, port, found in cases:
        assert remote.isListed(listed, host, port) == found, host
