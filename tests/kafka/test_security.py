"""Every way to log in to a broker, through librdkafka; Java's client is in `engine`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import KafkaError
from secured import KEY_PASSWORD, PASSWORD, SCRAM, WRONG

from sluice.errors import SluiceError, UserError
from sluice.kafka.ages import Ages
from sluice.kafka.client import _Trouble
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce
from sluice.kafka.properties import Connection
from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    from secured import Secured

    from sluice.kafka.properties import Properties

UNSIGNED = (
    ("enable.sasl.oauthbearer.unsecure.jwt", "true"),
    ("sasl.oauthbearer.config", "principal=alice"),
)


def ways(secured: Secured) -> dict[str, Connection]:
    """A connection that works, for every way."""
    ca = (("ssl.truststore.certificates", secured.ca.read_text()),)
    login = Connection(
        secured.at("LOGIN"),
        security_protocol="sasl_plaintext",
        sasl_username="alice",
        sasl_password=Secret(PASSWORD),
    )
    tokens = Connection(
        secured.at("LOGIN"),
        security_protocol="sasl_plaintext",
        sasl_mechanism="OAUTHBEARER",
        consumer=UNSIGNED,
    )
    tls = Connection(secured.at("TLS"), security_protocol="ssl", consumer=ca)
    files: Properties = (
        ("ssl.truststore.location", str(secured.ca)),
        ("ssl.certificate.location", str(secured.locked.certificate)),
        ("ssl.key.location", str(secured.locked.key)),
        ("ssl.key.password", Secret(KEY_PASSWORD)),
    )
    return {
        "PLAIN": login,
        **{name: replace(login, sasl_mechanism=name) for name in SCRAM},
        "OAUTHBEARER": tokens,
        "TLS": tls,
        "mutual": Connection(secured.at("MUTUAL"), security_protocol="SSL", consumer=files),
        "SASL_SSL": replace(
            login,
            brokers=secured.at("BOTH"),
            security_protocol="sasl_ssl",
            sasl_mechanism=SCRAM[1],
            consumer=ca,
        ),
    }


def test_every_way_in(secured: Secured, topic: str) -> None:
    for number, (name, connection) in enumerate(ways(secured).items(), start=1):
        cluster, ages = Cluster(connection.librdkafka()), Ages(connection.librdkafka())
        if number == 1:
            cluster.create_topic(topic, 1)
        produce(cluster, topic, [Message(b"x")])
        assert cluster.latest([topic]) == {topic: {0: number}}, name
        cluster.commit(topic, {topic: {0: number}})
        assert cluster.committed(topic, [topic]) == {topic: {0: number}}, name
        oldest = ages.oldest({topic: {0: 0}}, {topic: {0: number}}, deadline=5)
        assert oldest is not None
        assert oldest > 0
        cluster.close()
        ages.close()


@pytest.mark.parametrize(
    ("way", "wrong", "says"),
    [
        ("PLAIN", {"sasl_password": Secret(WRONG)}, "Invalid username or password"),
        (SCRAM[0], {"sasl_password": Secret(WRONG)}, "invalid credentials"),
        ("SASL_SSL", {"sasl_username": "mallory"}, "invalid credentials"),
        ("TLS", {"consumer": ()}, "certificate could not be verified"),
        ("mutual", {"consumer": "ca alone"}, "certificate"),
    ],
)
def test_who_is_not_authenticated(
    secured: Secured, way: str, wrong: dict[str, object], says: str
) -> None:
    if wrong == {"consumer": "ca alone"}:
        wrong = {"consumer": (("ssl.truststore.certificates", secured.ca.read_text()),)}
    right = ways(secured)[way]
    cluster = Cluster(replace(right, **wrong).librdkafka())  # type: ignore[arg-type]
    with pytest.raises(SluiceError, match=says) as caught:
        cluster.topics(["t"], deadline=2)
    assert caught.value.condition.name == "KAFKA_LOGIN_FAILED"
    assert "S3CR3T" not in str(caught.value)
    cluster.close()


def test_an_unknown_certificate_is_not_trusted(secured: Secured) -> None:
    stranger = (("ssl.truststore.location", str(secured.other_ca)),)
    tls = replace(ways(secured)["TLS"], consumer=stranger)
    with pytest.raises(SluiceError, match="could not be verified") as caught:
        Cluster(tls.librdkafka()).topics(["t"], deadline=2)
    assert caught.value.condition.name == "KAFKA_LOGIN_FAILED"


def test_what_openssl_calls_an_unverified_certificate() -> None:
    """Which error of a failed handshake librdkafka hands out first is a race."""
    trouble = _Trouble()
    text = "ssl://b:1/bootstrap: error:0A000086:SSL routines::certificate verify failed"
    trouble.note(KafkaError(KafkaError._TRANSPORT, text))
    assert trouble.login
    assert "broker certificate could not be verified" in trouble.reason


KEY = "-----BEGIN {}PRIVATE KEY-----\nS3CR3T\n-----END {}PRIVATE KEY-----"
OLD = KEY.format("RSA ", "RSA ")
PBES2 = KEY.format("ENCRYPTED ", "ENCRYPTED ").replace("S3CR3T", "MFAGCSqGSIb3DQEFDTA=")
SASL = Connection("b:1", security_protocol="sasl_plaintext")
TLS = Connection("b:1", security_protocol="ssl")


@pytest.mark.parametrize(
    ("connection", "says"),
    [
        (replace(SASL, sasl_mechanism="OAUTHBEARER"), "sasl_oauthbearer_token_endpoint_url"),
        (replace(SASL, sasl_mechanism="OAUTHBEARER", consumer=UNSIGNED[:1]), "principal="),
        (replace(SASL, sasl_mechanism="oauthbearer", sasl_username="me"), "takes a token"),
        (replace(TLS, consumer=(("ssl.keystore.key", Secret(OLD)),)), "pkcs8"),
        (replace(TLS, consumer=(("ssl.keystore.key", Secret(PBES2)),)), "PBE-SHA1-3DES"),
        (replace(TLS, consumer=(("ssl.keystore.key", Secret("S3CR3T")),)), "not in PEM format"),
        (replace(TLS, consumer=(("ssl.key.location", "/no/such"),)), "Cannot read /no/such"),
    ],
)
def test_parts_that_do_not_fit(connection: Connection, says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        connection.spark()
    assert "S3CR3T" not in str(caught.value)


def test_tokens_from_an_endpoint() -> None:
    given: Properties = (
        ("sasl.oauthbearer.token.endpoint.url", "https://idp.invalid/token"),
        ("sasl.oauthbearer.client.id", "me"),
        ("sasl.oauthbearer.client.secret", Secret('S3"CR3T')),
        ("sasl.oauthbearer.scope", "kafka"),
    )
    made = replace(SASL, sasl_mechanism="OAUTHBEARER", consumer=given)
    ours, java = made.librdkafka(), made.spark()
    assert ours["sasl.oauthbearer.method"] == "oidc"
    assert ours["sasl.oauthbearer.client.secret"] == 'S3"CR3T'
    assert java["kafka.sasl.oauthbearer.token.endpoint.url"] == "https://idp.invalid/token"
    assert java["kafka.sasl.login.callback.handler.class"].endswith(
        "OAuthBearerLoginCallbackHandler"
    )
    assert java["kafka.sasl.jaas.config"].endswith(
        'OAuthBearerLoginModule required clientId="me" clientSecret="S3\\"CR3T" scope="kafka";'
    )


def test_files_of_pem_become_texts_for_java(secured: Secured) -> None:
    java = ways(secured)["mutual"].spark()
    assert java["kafka.ssl.truststore.certificates"].strip() == secured.ca.read_text().strip()
    assert java["kafka.ssl.keystore.certificate.chain"] == secured.locked.certificate.read_text()
    assert java["kafka.ssl.truststore.type"] == java["kafka.ssl.keystore.type"] == "PEM"
    assert not any(name.endswith(".location") for name in java)
