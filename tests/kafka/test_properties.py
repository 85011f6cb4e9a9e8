from __future__ import annotations

from dataclasses import replace

import pytest

from sluice.errors import UserError
from sluice.kafka.properties import Connection
from sluice.parameters.secret import Secret

SASL = Connection(
    "b:9092",
    security_protocol="sasl_ssl",
    sasl_mechanism="plain",
    sasl_username="me",
    sasl_password=Secret("S3CR3T"),
    client_id="sluice",
)


def test_a_plain_connection() -> None:
    assert Connection("a:1,b:2").librdkafka() == {"bootstrap.servers": "a:1,b:2"}
    assert Connection("a:1,b:2").spark() == {"kafka.bootstrap.servers": "a:1,b:2"}


def test_sasl_for_librdkafka() -> None:
    assert SASL.librdkafka() == {
        "bootstrap.servers": "b:9092",
        "security.protocol": "SASL_SSL",
        "client.id": "sluice",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "me",
        "sasl.password": "S3CR3T",
    }


def test_sasl_for_spark() -> None:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    assert SASL.spark() == {
        "kafka.bootstrap.servers": "b:9092",
        "kafka.security.protocol": "SASL_SSL",
        "kafka.client.id": "sluice",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": f'{module} required username="me" password="S3CR3T";',
    }


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "scram-sha-512"])
def test_scram_has_its_own_module(mechanism: str) -> None:
    settings = replace(SASL, sasl_mechanism=mechanism).spark()
    assert settings["kafka.sasl.mechanism"] == mechanism.upper()
    assert ".scram.ScramLoginModule " in settings["kafka.sasl.jaas.config"]


@pytest.mark.parametrize(
    ("password", "quoted"),
    [
        ('a"b', r'"a\"b"'),
        ("a\\b", r'"a\\b"'),
        ("a;b 'c' // d", "\"a;b 'c' // d\""),
        ("a\nb\rc", r'"a\nb\rc"'),
        ('"; evil.LoginModule required;', r'"\"; evil.LoginModule required;"'),
    ],
)
def test_a_password_stays_inside_its_quotes(password: str, quoted: str) -> None:
    jaas = replace(SASL, sasl_password=Secret(password)).spark()["kafka.sasl.jaas.config"]
    assert jaas.endswith(f" password={quoted};")


@pytest.mark.parametrize(
    ("connection", "says"),
    [
        (Connection(" "), "empty"),
        (replace(SASL, security_protocol="tls"), "Bad value 'tls' for security.protocol"),
        (replace(SASL, sasl_mechanism="GSSAPI"), "GSSAPI takes no user name"),
        (replace(SASL, sasl_password=None), "user name and password"),
        (replace(SASL, sasl_username=""), "user name and password"),
        (replace(SASL, security_protocol=""), "PLAINTEXT"),
    ],
)
def test_parts_that_do_not_fit(connection: Connection, says: str) -> None:
    for build in (connection.librdkafka, connection.spark):
        with pytest.raises(UserError, match=says) as caught:
            build()
        assert "S3CR3T" not in str(caught.value)


def test_a_connection_does_not_print_its_password() -> None:
    assert "S3CR3T" not in f"{SASL} {SASL!r}"
