"""ClickHouse's configuration files, as XML and as YAML, alone and in folders."""
# ruff: noqa: E501 - a file is a line

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from options.tables import NEEDED, clickhouse

import sluice
from sluice.config import Tls, load
from sluice.errors import SluiceError
from sluice.options.client import CONSUMER, PRODUCER
from sluice.parameters.secret import Secret
from sluice.planner.source import kafka_source

ROOT = Path(__file__).parents[2]

KAFKA_XML = """
<clickhouse>
  <kafka>
    <debug>cgrp</debug>
    <statistics_interval_ms>3000</statistics_interval_ms>
    <kafka_topic>
        <name>logs</name>
        <statistics_interval_ms>4000</statistics_interval_ms>
    </kafka_topic>
    <consumer>
        <auto_offset_reset>smallest</auto_offset_reset>
        <kafka_topic>
            <name>logs</name>
            <fetch_min_bytes>100000</fetch_min_bytes>
        </kafka_topic>
        <kafka_topic>
            <name>stats</name>
            <fetch_min_bytes>50000</fetch_min_bytes>
        </kafka_topic>
    </consumer>
    <producer>
        <kafka_topic>
            <name>logs</name>
            <retry_backoff_ms>250</retry_backoff_ms>
        </kafka_topic>
        <kafka_topic>
            <name>stats</name>
            <retry_backoff_ms>400</retry_backoff_ms>
        </kafka_topic>
    </producer>
  </kafka>
  <listen_host>::</listen_host>
</clickhouse>
"""

KAFKA_YAML = """
kafka:
  debug: cgrp
  statistics_interval_ms: 3000
  kafka_topic:
    - name: logs
      statistics_interval_ms: 4000
  consumer:
    auto_offset_reset: smallest
    kafka_topic:
      - {name: logs, fetch_min_bytes: 100000}
      - {name: stats, fetch_min_bytes: 50000}
  producer:
    kafka_topic:
      - {name: logs, retry_backoff_ms: 250}
      - {name: stats, retry_backoff_ms: 400}
listen_host: "::"
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"), [("a.xml", KAFKA_XML), ("a.yaml", KAFKA_YAML), ("a.yml", KAFKA_YAML)]
)
def test_sections_and_topics(tmp_path: Path, name: str, text: str) -> None:
    config = load(written(tmp_path, name, text))
    everywhere = {"debug": "cgrp", "statistics.interval.ms": "3000"}
    logs = {"debug": "cgrp", "statistics.interval.ms": "4000"}
    reading = {"auto.offset.reset": "earliest"}
    assert config.properties(CONSUMER, ["other"]) == everywhere | reading
    assert config.properties(CONSUMER, ["logs"]) == logs | reading | {"fetch.min.bytes": "100000"}
    assert config.properties(PRODUCER, ["logs"]) == logs | {"retry.backoff.ms": "250"}
    assert config.properties(PRODUCER, ["stats"]) == everywhere | {"retry.backoff.ms": "400"}
    assert config.ignored == ("listen_host",)


def test_the_older_way_to_name_a_topic(tmp_path: Path) -> None:
    text = "<yandex><kafka><retries>1</retries></kafka><kafka_logs><retries>2</retries></kafka_logs></yandex>"
    config = load(written(tmp_path, "a.xml", text))
    assert config.properties(PRODUCER, ["logs"]) == {"retries": "2"}
    assert config.properties(PRODUCER, ["x"]) == {"retries": "1"}


TRANSLATED = [
    ("fetch_wait_max_ms", "500", CONSUMER, "fetch.wait.max.ms", "fetch.max.wait.ms", "500"),
    ("fetch_message_max_bytes", "9", CONSUMER, "max.partition.fetch.bytes", "max.partition.fetch.bytes", "9"),
    ("socket_receive_buffer_bytes", "8", CONSUMER, "socket.receive.buffer.bytes", "receive.buffer.bytes", "8"),
    ("queue_buffering_max_kbytes", "2", PRODUCER, "queue.buffering.max.kbytes", "buffer.memory", "2048"),
    ("queue_buffering_max_ms", "5", PRODUCER, "linger.ms", "linger.ms", "5"),
    ("message_max_bytes", "7", PRODUCER, "message.max.bytes", "max.request.size", "7"),
    ("request_required_acks", "-1", PRODUCER, "acks", "acks", "all"),
    ("message_timeout_ms", "6", PRODUCER, "message.timeout.ms", "delivery.timeout.ms", "6"),
    ("compression_codec", "lz4", PRODUCER, "compression.type", "compression.type", "lz4"),
    ("check_crcs", "true", CONSUMER, "check.crcs", "check.crcs", "true"),
    ("ssl_ca_location", "/ca.pem", CONSUMER, "ssl.ca.location", "ssl.truststore.location", "/ca.pem"),
]  # fmt: skip


@pytest.mark.parametrize(("tag", "given", "role", "ours", "java", "value"), TRANSLATED)
def test_each_client_gets_its_own_names(
    tmp_path: Path, tag: str, given: str, role: str, ours: str, java: str, value: str
) -> None:
    text = f"<clickhouse><kafka><{tag}>{given}</{tag}></kafka></clickhouse>"
    config = load(written(tmp_path, "a.xml", text))
    made = kafka_source(clickhouse(NEEDED), config=config).connection
    assert made.librdkafka(role)[ours] == ("all" if ours == "acks" else given)
    assert made.spark(role)[f"kafka.{java}"] == value


def test_what_one_client_lacks_is_left_out_there(tmp_path: Path) -> None:
    text = "<clickhouse><kafka><debug>all</debug></kafka></clickhouse>"
    made = kafka_source(clickhouse(NEEDED), config=load(written(tmp_path, "a.xml", text)))
    assert made.connection.librdkafka()["debug"] == "all"
    assert "kafka.debug" not in made.connection.spark()


def test_certificates_for_java_say_what_they_are(tmp_path: Path) -> None:
    text = """<clickhouse><kafka><security_protocol>ssl</security_protocol>
        <ssl_ca_location>/ca.pem</ssl_ca_location><ssl_keystore_location>/k.p12</ssl_keystore_location>
        <ssl_keystore_password>S3CR3T</ssl_keystore_password></kafka></clickhouse>"""
    made = kafka_source(clickhouse(NEEDED), config=load(written(tmp_path, "a.xml", text)))
    java = made.connection.spark()
    assert java["kafka.security.protocol"] == "SSL"
    assert java["kafka.ssl.truststore.type"] == "PEM"
    assert java["kafka.ssl.keystore.type"] == "PKCS12"
    assert java["kafka.ssl.keystore.password"] == "S3CR3T"
    assert "S3CR3T" not in repr(made)


KERBEROS = """<clickhouse><kafka>
  <security_protocol>SASL_PLAINTEXT</security_protocol>
  <sasl_kerberos_keytab>/home/kafkauser/kafkauser.keytab</sasl_kerberos_keytab>
  <sasl_kerberos_principal>kafkauser/kafkahost@EXAMPLE.COM</sasl_kerberos_principal>
</kafka></clickhouse>"""


def test_kerberos_with_a_keytab(tmp_path: Path) -> None:
    config = load(written(tmp_path, "a.xml", KERBEROS))
    made = kafka_source(clickhouse(NEEDED), config=config).connection
    ours = made.librdkafka()
    own = json.loads(ours.pop("sluice.java"))  # it is Java's client that asks
    assert ours == {
        "bootstrap.servers": "b:9092",
        "security.protocol": "SASL_PLAINTEXT",
        "client.id": "sluice-d.q",
        "sasl.mechanism": "GSSAPI",
        "sasl.kerberos.keytab": "/home/kafkauser/kafkauser.keytab",
        "sasl.kerberos.principal": "kafkauser/kafkahost@EXAMPLE.COM",
    }
    java = made.spark()
    assert {f"kafka.{name}": value for name, value in own.items()} == java
    assert java["kafka.sasl.kerberos.service.name"] == "kafka"
    assert java["kafka.sasl.jaas.config"] == (
        "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
        'doNotPrompt=true keyTab="/home/kafkauser/kafkauser.keytab" '
        'principal="kafkauser/kafkahost@EXAMPLE.COM";'
    )


def test_a_protocol_alone_means_kerberos(tmp_path: Path) -> None:
    """As librdkafka has it, when nobody names a user; a table's own user is not lost by it."""
    text = "<clickhouse><kafka><security_protocol>sasl_ssl</security_protocol></kafka></clickhouse>"
    config = load(written(tmp_path, "a.xml", text))
    made = kafka_source(clickhouse(NEEDED), config=config).connection
    assert made.librdkafka()["sasl.mechanism"] == "GSSAPI"
    user = {"kafka_sasl_username": "me", "kafka_sasl_password": "x"}
    made = kafka_source(clickhouse(NEEDED | user), config=config).connection
    assert made.librdkafka()["sasl.mechanism"] == "PLAIN"


def test_kerberos_with_a_ticket(tmp_path: Path) -> None:
    text = """<clickhouse><kafka><security_protocol>sasl_plaintext</security_protocol>
        <sasl_kerberos_service_name>broker</sasl_kerberos_service_name></kafka></clickhouse>"""
    made = kafka_source(clickhouse(NEEDED), config=load(written(tmp_path, "a.xml", text)))
    java = made.connection.spark()
    assert "useTicketCache=true" in java["kafka.sasl.jaas.config"]
    assert java["kafka.sasl.kerberos.service.name"] == "broker"


def test_collections_profiles_and_macros(tmp_path: Path) -> None:
    text = """<clickhouse>
      <named_collections><k1>
        <kafka_broker_list>x:1</kafka_broker_list><kafka_sasl_password>S3CR3T</kafka_sasl_password>
        <kafka><retries>3</retries><consumer><fetch_min_bytes>4</fetch_min_bytes></consumer></kafka>
      </k1></named_collections>
      <profiles><base><max_insert_block_size>9</max_insert_block_size></base>
        <default><profile>base</profile><stream_flush_interval_ms>8</stream_flush_interval_ms></default>
      </profiles>
      <macros><replica>r1</replica></macros>
    </clickhouse>"""
    config = load(written(tmp_path, "a.xml", text))
    collection = config.collections["k1"]
    assert collection.options["kafka_broker_list"] == "x:1"
    assert collection.options["kafka_sasl_password"] == Secret("S3CR3T")
    assert config.properties(CONSUMER, [], "k1") == {"retries": "3", "fetch.min.bytes": "4"}
    assert config.settings() == {"max_insert_block_size": "9", "stream_flush_interval_ms": "8"}
    assert config.macros == {"replica": "r1"}


def test_a_profile_built_on_itself(tmp_path: Path) -> None:
    text = """<clickhouse><profiles><a><profile>b</profile></a><b><profile>a</profile><x>1</x></b>
        </profiles></clickhouse>"""
    assert load(written(tmp_path, "a.xml", text)).settings("a") == {"x": "1"}


def test_a_folder_is_merged_in_order(tmp_path: Path) -> None:
    head, tail = "<clickhouse><kafka>", "</kafka></clickhouse>"
    written(
        tmp_path, "config.xml", f"{head}<retries>1</retries><debug>all</debug><acks>1</acks>{tail}"
    )
    written(tmp_path, "config.d/10.xml", f"{head}<retries>2</retries><debug remove='1'/>{tail}")
    written(tmp_path, "config.d/20.yaml", "kafka: {retries: 3}")
    written(tmp_path, "config.d/30.txt", "not read")
    written(
        tmp_path,
        "users.d/a.xml",
        "<clickhouse><profiles><default><x>1</x></default></profiles></clickhouse>",
    )
    config = load(tmp_path)
    assert config.properties(PRODUCER, []) == {"acks": "1", "retries": "3"}
    assert config.settings() == {"x": "1"}
    assert [Path(file).name for file in config.files] == [
        "config.xml",
        "10.xml",
        "20.yaml",
        "a.xml",
    ]


def test_a_section_is_replaced(tmp_path: Path) -> None:
    written(tmp_path, "config.xml", "<clickhouse><kafka><retries>1</retries></kafka></clickhouse>")
    text = "<clickhouse><kafka replace='replace'><acks>1</acks></kafka></clickhouse>"
    written(tmp_path, "config.d/a.xml", text)
    assert load(tmp_path).properties(PRODUCER, []) == {"acks": "1"}


def test_a_folder_of_files_without_a_main_one(tmp_path: Path) -> None:
    written(tmp_path, "kafka.xml", "<clickhouse><kafka><retries>1</retries></kafka></clickhouse>")
    assert load(tmp_path).properties(PRODUCER, []) == {"retries": "1"}


def test_values_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<clickhouse><kafka><sasl_password from_env='SLUICE_PW'/></kafka></clickhouse>"
    path = written(tmp_path, "a.xml", text)
    with pytest.raises(SluiceError, match="SLUICE_PW, which is not set"):
        load(path)
    monkeypatch.setenv("SLUICE_PW", "S3CR3T")
    assert load(path).properties(CONSUMER, []) == {"sasl.password": Secret("S3CR3T")}


BOMB = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<clickhouse><kafka><debug>&b;</debug></kafka></clickhouse>"""
OUTSIDE = """<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>
<clickhouse><kafka><debug>&a;</debug></kafka></clickhouse>"""


def inside(text: str) -> str:
    return f"<clickhouse><kafka>{text}</kafka></clickhouse>"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.xml", inside("<fetch_min_byte>1</fetch_min_byte>"), "<fetch_min_byte>: Unknown setting fetch.min.byte. Did you mean fetch.min.bytes"),
        ("a.xml", inside("<sasl_kerberos_kinit_cmd>sh</sasl_kerberos_kinit_cmd>"), "it runs a command"),
        ("a.xml", inside("<plugin_library_paths>x.so</plugin_library_paths>"), "it loads a library"),
        ("a.xml", inside("<interceptor_classes>X</interceptor_classes>"), "it runs a class"),
        ("a.xml", inside("<config_providers>X</config_providers>"), "it reads files"),
        ("a.xml", inside("<bootstrap_servers>x</bootstrap_servers>"), "the table names its brokers"),
        ("a.xml", inside("<debug>${file:/etc/passwd}</debug>"), "not allowed"),
        ("a.xml", inside("<auto_offset_reset>sometimes</auto_offset_reset>"), "one of earliest, latest, none is expected"),
        ("a.xml", inside("<other><retries>1</retries></other>"), "unknown element <other> in <kafka>"),
        ("a.xml", inside("<kafka_topic><retries>1</retries></kafka_topic>"), "needs exactly one <name>"),
        ("a.xml", "<kafka><debug>x</debug></kafka>", "has to be <clickhouse>"),
        ("a.xml", "<clickhouse><kafka>", "invalid XML"),
        ("a.xml", "", "invalid XML"),
        ("a.xml", BOMB, "entities and document types are not allowed"),
        ("a.xml", OUTSIDE, "entities and document types are not allowed"),
        ("a.xml", "<a>" * 100 + "</a>" * 100, "deep"),
        ("a.yaml", "kafka: {no_such: 1}", "Unknown setting no.such"),
        ("a.yaml", "kafka: [", "invalid YAML in line 1"),
        ("a.yaml", "- a", "a mapping"),
        ("a.yaml", "a: &x {b: 1}\nc: *x", "aliases are not allowed"),
        ("a.yaml", "kafka: !!python/object/apply:os.system ['true']", "invalid YAML"),
        ("a.xml", "<clickhouse><profiles><default><date_time_input_format>x</date_time_input_format></default></profiles></clickhouse>", "'best_effort'"),
        ("a.xml", "<clickhouse><named_collections><k><x><y>1</y></x></k></named_collections></clickhouse>", "unknown element <x> in named collection k"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_the_file(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(SluiceError) as caught:
        load(path)
    assert says in caught.value.text()
    assert caught.value.condition.name == "BAD_CONFIG"
    assert str(path) in caught.value.text()


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = written(tmp_path, "a.xml", inside("<debug>" + "x" * (5 << 20) + "</debug>"))
    with pytest.raises(SluiceError, match="larger than 4 MiB"):
        load(path)


def test_no_file_and_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(SluiceError, match="no such file or folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(SluiceError, match="has no configuration"):
        load(tmp_path)


def test_the_command_tells_a_mistake_before_anything_starts(tmp_path: Path) -> None:
    path = written(tmp_path, "a.xml", inside("<no_such>1</no_such>"))
    data = tmp_path / "data"
    command = [sys.executable, "-m", "sluice.cli", "serve", "--data", str(data), "--config", str(path)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(f"sluice: {path}: <no_such>: Unknown setting no.such")
    assert "Traceback" not in done.stderr
    assert not data.exists()


def test_the_engine_reads_with_it(tmp_path: Path) -> None:
    config = load(written(tmp_path, "a.xml", inside("<fetch_min_bytes>77</fetch_min_bytes>")))
    with sluice.connect(tmp_path / "data", pipelines=False, config=config) as session:
        session.execute("CREATE TABLE q (a Int8) ENGINE = Kafka('b:1', 't', 'g', 'JSONEachRow')")
        engine = session._engine
        table = engine.catalog.find("default", "q")
        assert table is not None
        source = engine.planner.spec(table).source
    assert source.connection.spark()["kafka.fetch.min.bytes"] == "77"


@pytest.mark.parametrize(
    ("ttl", "kept"),
    [
        ("event_date + INTERVAL 30 DAY", timedelta(days=30)),
        ("event_time + interval 12 hours DELETE", timedelta(hours=12)),
        ("", None),
    ],
)
def test_how_long_dead_letters_are_kept(tmp_path: Path, ttl: str, kept: timedelta | None) -> None:
    inner = (
        f"<ttl>{ttl}</ttl>"
        if ttl
        else "<flush_interval_milliseconds>7</flush_interval_milliseconds>"
    )
    text = f"<clickhouse><dead_letter_queue>{inner}</dead_letter_queue></clickhouse>"
    config = load(written(tmp_path, "a.xml", text))
    assert config.letters_kept == kept
    assert config.ignored == ()


def test_a_lifetime_that_is_not_understood(tmp_path: Path) -> None:
    text = "<clickhouse><dead_letter_queue><ttl>now()</ttl></dead_letter_queue></clickhouse>"
    with pytest.raises(SluiceError, match="INTERVAL 30 DAY"):
        load(written(tmp_path, "a.xml", text))


def test_https(tmp_path: Path) -> None:
    """`https_port` and the server's part of `openSSL`."""
    file = tmp_path / "config.xml"
    server = "<certificateFile>c.pem</certificateFile><privateKeyFile>k.pem</privateKeyFile><caConfig>ca.pem</caConfig>"
    file.write_text(
        f"<clickhouse><https_port>8443</https_port><openSSL><server>{server}<verificationMode>strict</verificationMode></server></openSSL></clickhouse>"
    )
    assert load(file).tls == Tls(8443, "c.pem", "k.pem", "ca.pem", strict=True)
    assert load(file).client_tls is None
    file.write_text(
        f"<clickhouse><openSSL><client>{server.replace('c.pem', 'my c.pem')}</client></openSSL></clickhouse>"
    )
    found = load(file).client_tls
    assert found == Tls(None, "my c.pem", "k.pem", "ca.pem")
    assert found.flag() == "my%20c.pem,k.pem,ca.pem"
    file.write_text("<clickhouse><https_port>x</https_port></clickhouse>")
    with pytest.raises(SluiceError, match="https_port"):
        load(file)


def test_users_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "users.xml"
    for text, told in (
        ("<a/>", "has no password"),
        ("<a><no_password/><networks><x/></networks></a>", "<networks>"),
        ("<a><no_password/><grants><query>GRANT SELEC ON *.*</query></grants></a>", "SELEC"),
    ):
        file.write_text(f"<clickhouse><users>{text}</users></clickhouse>")
        with pytest.raises(SluiceError, match=told):
            sluice.connect(tmp_path / "data", pipelines=False, config=load(file))
