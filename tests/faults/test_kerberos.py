"""A Kafka table whose broker asks for a Kerberos ticket, with a real key distribution centre."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kerberos import REALM, kerberos
from waiting import eventually

from faults.server import Server
from sluice.broker import Broker, Listener
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """
<clickhouse><kafka>
  <security_protocol>SASL_PLAINTEXT</security_protocol>
  <sasl_mechanism>GSSAPI</sasl_mechanism>
  <sasl_kerberos_service_name>kafka</sasl_kerberos_service_name>
  <sasl_kerberos_keytab>{keytab}</sasl_kerberos_keytab>
  <sasl_kerberos_principal>{principal}</sasl_kerberos_principal>
</kafka></clickhouse>
"""


@pytest.mark.slow
def test_a_keytab_of_the_configuration(tmp_path: Path) -> None:
    service = f"kafka/localhost@{REALM}"
    with kerberos(tmp_path / "realm") as realm:
        listener = Listener(
            "TICKETS",
            "SASL_PLAINTEXT",
            ("GSSAPI",),
            keytab=realm.keytab("kafka/localhost"),
            principal=service,
            host="localhost",
        )
        options = [f"-Djava.security.krb5.conf={realm.config}"]
        with Broker(tmp_path / "broker", listeners=[listener], java_options=options) as broker:
            plain = Cluster({"bootstrap.servers": broker.address})
            plain.create_topic("t", 2)
            produce(plain, "t", [Message(b'{"key": %d}' % key) for key in range(10)])
            right, wrong = tmp_path / "right.xml", tmp_path / "wrong.xml"
            keytab, me = realm.keytab("sluice"), f"sluice@{REALM}"
            right.write_text(CONFIG.format(keytab=keytab, principal=me))
            stranger = f"stranger@{REALM}"
            wrong.write_text(CONFIG.format(keytab=keytab, principal=stranger))
            env = {"KRB5_CONFIG": str(realm.config)}
            _says_who_is_not_known(tmp_path / "data", wrong, broker.address_of("TICKETS"), env)
            with Server(tmp_path / "data", config=right, **env) as server:
                assert server.await_ready(), server.said
                count = "SELECT count(), uniqExact(key) FROM v"
                eventually(lambda: server.sql(count), lambda rows: rows == [[10, 10]], 120)
                eventually(lambda: plain.committed("g", ["t"]), bool)
                assert sum(plain.committed("g", ["t"])["t"].values()) == 10
                state = "SELECT state, lag_seconds FROM system.kafka_consumers"
                assert server.sql(state)[0][0] == "RUNNING"
                assert server.stop() == 0
            plain.close()


def _says_who_is_not_known(data: Path, config: Path, brokers: str, env: dict[str, str]) -> None:
    """The tables are made by a server whose principal has no key in the keytab."""
    with Server(data, config=config, **env) as server:
        assert server.await_ready(), server.said
        server.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
        server.sql(
            "CREATE TABLE q (key UInt64) ENGINE = Kafka "
            f"SETTINGS kafka_broker_list = '{brokers}', kafka_topic_list = 't', "
            "kafka_group_name = 'g', kafka_format = 'JSONEachRow'"
        )
        server.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
        state = "SELECT state FROM system.pipelines"
        eventually(
            lambda: server.sql(state), lambda rows: rows == [["WAITING(KAFKA_LOGIN_FAILED)"]], 120
        )
        assert server.stop() == 0
