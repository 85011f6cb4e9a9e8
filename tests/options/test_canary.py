"""A secret is planted wherever one can be written, and looked for in all that is shown."""
# ruff: noqa: E501 - a way is a line

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import sluice
from options.tables import DLI, FLINK, NEEDED, clickhouse, flink
from sluice.config import Config, Layer, load
from sluice.errors import SluiceError
from sluice.options import docs
from sluice.options.client import EVERY, find
from sluice.options.kafka import KAFKA
from sluice.parameters.secret import Secret
from sluice.planner.explain import explain
from sluice.planner.source import check_create, kafka_source
from sluice.planner.topic_sink import flink_sink
from sluice.planner.topic_source import flink_source

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.catalog import Table

CANARY = "S3CR3T-canary"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"

LOGINS = [
    f'{PLAIN} required username="me" password="{CANARY}";',
    f"{PLAIN} required username='me' password='{CANARY}';",
    f"{PLAIN} required username=me password={CANARY};",
    f'evil.Module required password="{CANARY}";',
    f'{PLAIN} required username="me" password="{CANARY}" debug="true";',
    CANARY,
]

CLICKHOUSE_WAYS: list[dict[str, Any]] = [
    {"kafka_security_protocol": "sasl_ssl", "kafka_sasl_username": "u", "kafka_sasl_password": CANARY},
    {"kafka_sasl_username": "u", "kafka_sasl_password": CANARY},
    {"kafka_security_protocol": "sasl_ssl", "kafka_sasl_password": CANARY},
    {"kafka_security_protocol": "nonsense", "kafka_sasl_password": CANARY},
    {"kafka_sasl_passwort": CANARY},
    {"kafka_ssl_key_password": CANARY},
    {"format_avro_schema_registry_url": f"http://me:{CANARY}@registry:8081"},
    {"kafka_format_avro_schema_registry_url": f"http://me:{CANARY}@registry:8081"},
    {"format_avro_schema_registry_url": f"ftp://me:{CANARY}@registry:8081"},
]  # fmt: skip

FLINK_WAYS: list[dict[str, Any]] = [
    *({"properties.security.protocol": "SASL_SSL", "properties.sasl.jaas.config": j} for j in LOGINS),
    *({"properties.sasl.jaas.config": j} for j in LOGINS),
    {"properties.ssl.key.password": CANARY},
    {"properties.ssl.keystore.password": CANARY},
    {"properties.ssl.truststore.password": f"${{{CANARY}}}"},
    {"properties.ssl.keystore.key": CANARY},
    {"properties.sasl.password": CANARY},
    {"properties.sasl.oauthbearer.client.secret": CANARY},
    {"properties.basic.auth.user.info": CANARY},
    {"properties.my.api-key": CANARY},
    {"format": "avro-confluent", "avro-confluent.url": f"http://me:{CANARY}@r"},
    {"format": "avro-confluent", "avro-confluent.url": f"gopher://me:{CANARY}@r"},
    {"format": "avro-confluent", "avro-confluent.url": "http://r", "avro-confluent.basic-auth.user-info": f"me:{CANARY}"},
    {"format": "avro-confluent", "avro-confluent.url": "http://r", "avro-confluent.bearer-auth.token": CANARY},
    {"format": "avro-confluent", "avro-confluent.url": "http://r", "avro-confluent.ssl.keystore.password": CANARY},
    {"avro-confluent.basic-auth.user-info": CANARY},
    {"value.avro-confluent.bearer-auth.token": CANARY},
]  # fmt: skip


def dli(ways: dict[str, Any]) -> dict[str, Any]:
    return {
        f"connector.{name}" if name.startswith("properties.") else name: value
        for name, value in ways.items()
        if name.startswith("properties.")
    }


TABLES: list[Table] = [
    *(clickhouse({**NEEDED, **way}) for way in CLICKHOUSE_WAYS),
    *(flink({**FLINK, **way}) for way in FLINK_WAYS),
    *(flink({**DLI, **dli(way)}) for way in FLINK_WAYS if dli(way)),
    *(
        flink({**DLI, "connector.properties.0.key": name, "connector.properties.0.value": CANARY})
        for name in ("sasl.jaas.config", "ssl.key.password", "my.token")
    ),
    flink(
        {
            **DLI,
            "connector.properties.0.key": "ssl.key.password",
            "connector.properties.1.value": CANARY,
            "connector.properties.1.key": "sasl.password",
        }
    ),
]


def shown(table: Table, caplog: pytest.LogCaptureFixture) -> str:
    """Everything that can be seen of a table."""
    dialect = "clickhouse" if table.dialect == "clickhouse" else "flink"
    if "connector.type" in table.settings:
        dialect = "dli"
    seen: list[object] = [KAFKA.shown(table.settings, dialect), explain(table)]
    log = logging.getLogger("canary")
    for use in (
        (kafka_source, check_create) if dialect == "clickhouse" else (flink_source, flink_sink)
    ):
        try:
            made = use(table)
        except SluiceError as error:
            seen += [error, error.text(), error.clickhouse_text(), error.params, repr(error)]
            log.info("%s", error, exc_info=error)
        else:
            seen += [made, made.connection]
            log.info("%s %r", made, made.connection)
    with suppress(SluiceError):
        seen.append(KAFKA.read(table.settings, dialect))
    return " ".join(f"{each} {each!r}" for each in seen) + caplog.text


@pytest.mark.parametrize("at", range(len(TABLES)))
def test_a_secret_of_a_table_is_never_shown(at: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    table = TABLES[at]
    assert CANARY in str(table.settings)
    assert CANARY not in shown(table, caplog)


def test_a_secret_reaches_the_clients() -> None:
    login = {"kafka_security_protocol": "sasl_ssl", "kafka_sasl_username": "u", "kafka_sasl_password": CANARY}  # fmt: skip
    made = kafka_source(clickhouse({**NEEDED, **login})).connection
    assert made.librdkafka()["sasl.password"] == CANARY
    assert CANARY in made.spark()["kafka.sasl.jaas.config"]


FILES = [
    f"<kafka><sasl_password>{CANARY}</sasl_password></kafka>",
    f"<kafka><ssl_key_password>{CANARY}</ssl_key_password></kafka>",
    f"<kafka><consumer><ssl_keystore_password>{CANARY}</ssl_keystore_password></consumer></kafka>",
    f"<kafka><sasl_password>${{{CANARY}}}</sasl_password></kafka>",
    f"<kafka><sasl_oauthbearer_client_secret>{CANARY}</sasl_oauthbearer_client_secret></kafka>",
    f"<kafka><sasl_passwort>{CANARY}</sasl_passwort></kafka>",
    f"<kafka><sasl_password><x>{CANARY}</x></sasl_password></kafka>",
    f"<kafka><sasl_password>{CANARY}</kafka>",
    f"<named_collections><k><kafka_sasl_password>{CANARY}</kafka_sasl_password></k></named_collections>",
    f"<named_collections><k><secret_access_key>{CANARY}</secret_access_key></k></named_collections>",
    f"<named_collections><k><kafka><sasl_password>{CANARY}</sasl_password></kafka></k></named_collections>",
]  # fmt: skip


@pytest.mark.parametrize("body", FILES)
@pytest.mark.parametrize("ending", ["xml", "yaml"])
def test_a_secret_of_a_file_is_never_shown(
    tmp_path: Path, body: str, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / f"a.{ending}"
    path.write_text(f"<clickhouse>{body}</clickhouse>" if ending == "xml" else f"kafka: {{a: {CANARY}")  # fmt: skip
    try:
        config = load(path)
    except SluiceError as error:
        seen = f"{error} {error!r} {error.params} {error.clickhouse_text()}"
        logging.getLogger("canary").info("%s", error, exc_info=error)
    else:
        seen = f"{config} {config!r} {config.properties('consumer', [], 'k')}"
        for name, collection in config.collections.items():
            rows = explain(clickhouse({}), config=config, collection=collection.options)
            seen += f"{collection} {name} {rows}"
        seen += str(explain(clickhouse(NEEDED), config=config))
    assert CANARY not in seen + caplog.text


def test_a_login_of_a_file_is_hidden_in_the_connection() -> None:
    properties = {
        "security.protocol": "SASL_SSL",
        "sasl.username": "u",
        "sasl.password": find("sasl.password", "librdkafka", trusted=True).read(CANARY),
        "ssl.key.password": Secret(CANARY),
    }
    made = kafka_source(clickhouse(NEEDED), config=Config((Layer(EVERY, "", properties),)))
    assert CANARY not in f"{made.connection} {made!r}"
    assert made.connection.librdkafka()["sasl.password"] == CANARY


def test_the_registry_itself_shows_no_secret() -> None:
    hidden = [option.key for option in KAFKA.options if option.secret]
    assert {"sasl_password", "sasl_jaas"} <= set(hidden)
    assert all(row["default"] == "" for row in docs.rows() if row["secret"])


def test_a_secret_in_a_statement_is_never_shown(tmp_path: Path) -> None:
    create = (
        "CREATE TABLE q (a Int8) ENGINE = Kafka('b:1', 't', 'g', 'JSONEachRow') SETTINGS "
        f"kafka_sasl_password = '{CANARY}', kafka_sasl_username = 'u'"
    )
    seen = []
    with sluice.connect(tmp_path, pipelines=False) as session:
        for statement in (create, f"{create}, kafka_security_protocol = 'sasl_ssl'"):
            with suppress(SluiceError):
                session.execute(statement)
            try:
                session.execute(statement.replace("CREATE TABLE q", "CREATE TABLE q2") + ", x = 1")
            except SluiceError as error:
                seen.append(error.clickhouse_text())
        seen.append(str(session.execute("SHOW CREATE TABLE q").fetchall()))
        engine = session._engine
        table = engine.catalog.find("default", "q")
        assert table is not None
        seen.append(repr(engine.planner.spec(table)))
        logs = "".join(path.read_text() for path in session.logs.glob("*.log"))
    assert "[HIDDEN]" in "".join(seen)
    assert CANARY not in "".join(seen) + logs
