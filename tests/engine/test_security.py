"""Tables over brokers that ask who comes: both clients, from the DDL to the rows."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from secured import KEY_PASSWORD, PASSWORD, WRONG

from engine.lab import Lab, configure, keys
from sluice.config import load
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from secured import Secured

    from sluice.session import Session

LOGIN = {
    "kafka_security_protocol": "sasl_plaintext",
    "kafka_sasl_mechanism": "PLAIN",
    "kafka_sasl_username": "alice",
    "kafka_sasl_password": PASSWORD,
}


@pytest.fixture
def guarded(session: Session, secured: Secured) -> Iterator[Lab]:
    """A lab whose topics are made through the broker's plain listener."""
    cluster = Cluster({"bootstrap.servers": secured.broker.address})
    yield Lab(session, cluster, secured.at("LOGIN"))
    cluster.close()


@pytest.fixture
def config(session: Session, tmp_path: Path) -> Iterator[Path]:
    """A configuration file that the engine has while the test runs, once `use` was called."""
    before = session._engine.config
    yield tmp_path / "config.xml"
    configure(session, before)


def use(session: Session, path: Path, text: str) -> None:
    path.write_text(f"<clickhouse>{text}</clickhouse>")
    configure(session, load(path))


def test_a_user_and_a_password_in_the_ddl(
    guarded: Lab, topic: str, session: Session, config: Path
) -> None:
    """CH-18, and CH-19: what the configuration says of users does not matter then."""
    wrong = (
        "<security_protocol>sasl_plaintext</security_protocol>"
        f"<sasl_username>mallory</sasl_username><sasl_password>{WRONG}</sasl_password>"
        "<sasl_mechanism>SCRAM-SHA-256</sasl_mechanism>"
    )
    use(session, config, f"<kafka>{wrong}<consumer>{wrong}</consumer></kafka>")
    guarded.pipe(topic, "key Int64, value String", **LOGIN)
    guarded.produce(topic, {"key": 1, "value": "test123"})
    guarded.arrives("SELECT key, value FROM v", [(1, "test123")])
    ((shown,),) = guarded.sql("SHOW CREATE TABLE q")
    assert PASSWORD not in shown
    lag = f"SELECT lag, state FROM system.kafka_consumers WHERE database = '{guarded.database}'"
    guarded.arrives(lag, [(0, "RUNNING")])


def test_a_wrong_password_is_reported_and_can_be_corrected(guarded: Lab, topic: str) -> None:
    guarded.pipe(topic, **{**LOGIN, "kafka_sasl_password": WRONG})
    guarded.produce(topic, *keys(2))
    said = guarded.becomes("WAITING(KAFKA_LOGIN_FAILED)")
    assert "Invalid username or password" in said
    for table in ("kafka_consumers", "pipelines", "errors", "query_log", "tables", "views"):
        assert WRONG not in str(guarded.sql(f"SELECT * FROM system.{table}")), table
    guarded.sql(f"ALTER TABLE q MODIFY SETTING kafka_sasl_password = '{PASSWORD}'")
    guarded.counted("v", 2)


def test_scram_over_tls_from_a_collection(guarded: Lab, topic: str, secured: Secured) -> None:
    name = f"c_{guarded.database}"
    values = {
        **LOGIN,
        "kafka_broker_list": secured.at("BOTH"),
        "kafka_security_protocol": "sasl_ssl",
        "kafka_sasl_mechanism": "SCRAM-SHA-512",
        "kafka_ssl_ca_pem": secured.ca.read_text(),
        "kafka_topic_list": topic,
        "kafka_group_name": topic,
        "kafka_format": "JSONEachRow",
    }
    pairs = ", ".join(f"{key} = '{value}'" for key, value in values.items())
    guarded.make_topic(topic)
    guarded.sql(f"CREATE NAMED COLLECTION {name} AS {pairs}")
    guarded.sql(f"CREATE TABLE q (key UInt64) ENGINE = Kafka({name})")
    guarded.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    guarded.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    guarded.produce(topic, *keys(3))
    guarded.counted("v", 3)
    guarded.arrives("SELECT count() FROM q", [(0,)])
    guarded.sql("DROP TABLE q")
    guarded.sql(f"DROP NAMED COLLECTION {name}")


@pytest.mark.slow
def test_both_sides_show_a_certificate(guarded: Lab, topic: str, secured: Secured) -> None:
    """From texts in the DDL; a broker that is a stranger's is not read from."""
    mine = {
        "kafka_broker_list": secured.at("MUTUAL"),
        "kafka_security_protocol": "ssl",
        "kafka_ssl_certificate_pem": secured.client.certificate.read_text(),
        "kafka_ssl_key_pem": secured.client.key.read_text(),
    }
    guarded.pipe(topic, **mine, kafka_ssl_ca_pem=secured.ca.read_text())
    guarded.produce(topic, *keys(3))
    guarded.counted("v", 3)
    assert "PRIVATE" not in str(guarded.sql("SHOW CREATE TABLE q"))
    stranger = {**mine, "kafka_group_name": f"{topic}-other"}
    guarded.queue("s", topic, **stranger, kafka_ssl_ca_pem=secured.other_ca.read_text())
    guarded.sql("CREATE MATERIALIZED VIEW n TO v AS SELECT * FROM s")
    assert "could not be verified" in guarded.becomes("WAITING(KAFKA_LOGIN_FAILED)", "s")


def test_certificates_and_tokens_from_the_configuration(
    guarded: Lab, topic: str, secured: Secured, session: Session, config: Path
) -> None:
    mutual = (
        "<security_protocol>ssl</security_protocol>"
        f"<ssl_ca_location>{secured.ca}</ssl_ca_location>"
        f"<ssl_certificate_location>{secured.client.certificate}</ssl_certificate_location>"
        f"<ssl_key_location>{secured.client.key}</ssl_key_location>"
    )
    signed = (
        "<security_protocol>sasl_plaintext</security_protocol>"
        "<sasl_mechanism>OAUTHBEARER</sasl_mechanism>"
        "<enable_sasl_oauthbearer_unsecure_jwt>true</enable_sasl_oauthbearer_unsecure_jwt>"
        "<sasl_oauthbearer_config>principal=alice</sasl_oauthbearer_config>"
    )
    other = f"{topic}-tokens"
    use(
        session,
        config,
        f"<kafka><kafka_topic><name>{topic}</name>{mutual}</kafka_topic>"
        f"<kafka_topic><name>{other}</name>{signed}</kafka_topic></kafka>",
    )
    guarded.pipe(topic, kafka_broker_list=secured.at("MUTUAL"))
    guarded.make_topic(other)
    guarded.queue("o", other)
    guarded.sql("CREATE MATERIALIZED VIEW n TO v AS SELECT * FROM o")
    guarded.produce(topic, *keys(2))
    guarded.produce(other, *keys(2, start=10))
    guarded.counted("v", 4)
    guarded.sql("DROP TABLE q")  # while it can still log in
    guarded.sql("DROP TABLE o")


def test_a_key_with_a_password(guarded: Lab, topic: str, secured: Secured) -> None:
    guarded.pipe(
        topic,
        kafka_broker_list=secured.at("MUTUAL"),
        kafka_security_protocol="ssl",
        kafka_ssl_ca_pem=secured.ca.read_text(),
        kafka_ssl_certificate_pem=secured.locked.certificate.read_text(),
        kafka_ssl_key_pem=secured.locked.key.read_text(),
        kafka_ssl_key_password=KEY_PASSWORD,
    )
    guarded.produce(topic, *keys(1))
    guarded.counted("v", 1)


def test_no_secret_is_left(guarded: Lab, secured: Secured, folder: Path, topic: str) -> None:
    """Neither logs nor checkpoints nor plans have one; the catalog is for its owner alone."""
    guarded.pipe(topic, **LOGIN)
    guarded.produce(topic, *keys(1))
    guarded.counted("v", 1)
    key = secured.client.key.read_text().splitlines()[3].encode()
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith("catalog.sqlite"):
            held = path.read_bytes()
            assert PASSWORD.encode() not in held, path
            assert key not in held, path
    assert (folder / "catalog.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.cluster
def test_spark_answers_nobody_without_its_secret(session: Session) -> None:
    """Its RPC port deserialises Java objects: of a stranger it takes no message at all."""
    context = session._engine.spark().sparkContext
    port = int(context.getConf().get("spark.driver.port", ""))
    object_ = b"\xac\xed\x00\x05no object"
    to = b"\x00\x01\x00\x09127.0.0.1" + port.to_bytes(4) + b"\x00\x11endpoint-verifier"
    body = to + object_
    request = b"\x03" + (1).to_bytes(8) + len(body).to_bytes(4) + body
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stranger:
        stranger.sendall((len(request) + 8).to_bytes(8) + request)
        stranger.shutdown(socket.SHUT_WR)
        said = b"".join(iter(lambda: stranger.recv(65536), b""))
    assert b"StreamCorrupted" not in said, said
    assert b"Expected SaslMessage" in said, said
    secret = context.getConf().get("spark.authenticate.secret") or "(Spark's own)"
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            assert secret.encode() not in process.read_bytes()
