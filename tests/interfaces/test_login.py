"""Logins over HTTP and HTTPS, against a real session."""

from __future__ import annotations

import base64
import re
import shutil
import ssl
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import clickhouse_connect
import httpx
import pytest
from certificates import Authority
from waiting import eventually

import sluice
from sluice import errors
from sluice.config import Tls
from sluice.server import guard, login, run
from sluice.server.run import Server
from sluice.server.tls import Certificates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.session import Session


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with sluice.connect(tmp_path_factory.mktemp("login"), pipelines=False) as session:
        for text in (
            "CREATE DATABASE db",
            "CREATE TABLE db.t (a UInt8) ENGINE = MergeTree ORDER BY a",
            "CREATE USER alice IDENTIFIED BY 'S3CR3T-pw' DEFAULT DATABASE db",
            "CREATE USER bob IDENTIFIED BY 'other'",
            "CREATE ROLE reader",
            "GRANT SELECT ON db.* TO reader",
            "GRANT reader TO alice",
            "CREATE USER carol IDENTIFIED WITH ssl_certificate CN 'carol'",
            "ALTER USER default IDENTIFIED BY 'admin'",
        ):
            session.execute(text)
        yield session


@pytest.fixture(scope="module")
def server(root: Session) -> Iterator[Server]:
    with Server(port=0) as running:
        yield running.start(root)


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
        yield client


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


PASSWORD = "S3CR3T-pw"  # noqa: S105 - of a test
KEY = {"X-ClickHouse-User": "alice", "X-ClickHouse-Key": PASSWORD}

GOOD: list[dict[str, Any]] = [
    {"headers": KEY},
    {"headers": basic("alice", PASSWORD)},
    {"params": {"user": "alice", "password": PASSWORD}},
]
BAD: list[dict[str, Any]] = [
    {},
    {"headers": {"X-ClickHouse-User": "alice"}},
    {"headers": {"X-ClickHouse-User": "nobody", "X-ClickHouse-Key": "x"}},
    {"headers": basic("alice", "x")},
    {"headers": basic("alice", "")},
    {"headers": {"Authorization": "Bearer abc"}},
    {"headers": {"Authorization": "Basic !!"}},
    {"params": {"user": "alice", "password": ""}},
    {"headers": KEY | basic("alice", PASSWORD)},
    {"headers": KEY, "params": {"user": "alice", "password": PASSWORD}},
    {"headers": basic("alice", PASSWORD), "params": {"user": "default"}},
    {"headers": {"X-ClickHouse-User": "carol", "X-ClickHouse-SSL-Certificate-Auth": "on"}},
]


@pytest.mark.parametrize("given", GOOD)
def test_ways_to_log_in(http: httpx.Client, given: dict[str, Any]) -> None:
    answer = http.post("/", content="SELECT currentUser(), currentDatabase()", **given)
    assert (answer.status_code, answer.text) == (200, "alice\tdb\n")


@pytest.mark.parametrize("given", BAD)
def test_wrong_logins(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, root: Session, given: dict[str, Any]
) -> None:
    monkeypatch.setattr(login, "FAILURE_S", 0.05)
    root._engine.logins._failed.clear()
    began = time.monotonic()
    answer = http.post("/", content="SELECT 1", **given)
    assert time.monotonic() - began >= 0.05
    assert answer.status_code == 403
    assert answer.headers["x-clickhouse-exception-code"] == "516"
    assert "AUTHENTICATION_FAILED" in answer.text
    assert PASSWORD not in answer.text


def test_too_many_failures(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, root: Session
) -> None:
    monkeypatch.setattr(login, "FAILURE_S", 0.0)
    statuses = [
        http.post("/", content="SELECT 1", headers=basic("alice", str(n))).status_code
        for n in range(35)
    ]
    assert statuses[0] == 403
    assert statuses[-1] == 429
    root._engine.logins._failed.clear()


def test_sessions_belong_to_users(http: httpx.Client, root: Session) -> None:
    first: dict[str, Any] = {"headers": KEY, "params": {"session_id": "mine"}}
    http.post("/", content="SET max_result_rows = 1", **first)
    other: dict[str, Any] = {"headers": basic("bob", "other"), "params": {"session_id": "mine"}}
    assert http.post("/", content="SELECT number FROM numbers(2)", **other).text == "0\n1\n"
    assert http.post("/", content="SELECT number FROM numbers(2)", **first).status_code != 200
    check: dict[str, Any] = {
        "headers": basic("bob", "other"),
        "params": {"session_id": "x", "session_check": "1"},
    }
    assert http.post("/", content="SELECT 1", **check).status_code == 404


def test_roles_of_a_request(http: httpx.Client) -> None:
    read = "SELECT count() FROM db.t"
    assert http.post("/", content=read, headers=KEY).text == "0\n"
    chosen: dict[str, Any] = {"headers": KEY, "params": {"role": "reader"}}
    assert http.post("/", content=read, **chosen).text == "0\n"
    other = http.post("/", content=read, headers=KEY, params={"role": "admin"})
    assert other.headers["x-clickhouse-exception-code"] == "512"


def test_rows_of_streamed_answers_count_for_quotas(http: httpx.Client, root: Session) -> None:
    root.execute("CREATE USER greedy IDENTIFIED BY 'x'")
    root.execute("CREATE QUOTA much FOR INTERVAL 1 YEAR MAX result_rows = 100000 TO greedy")
    given: dict[str, Any] = {"headers": basic("greedy", "x")}
    assert http.post("/", content="SELECT * FROM numbers(200000)", **given).status_code == 200
    answer = http.post("/", content="SELECT 1", **given)
    assert answer.headers["x-clickhouse-exception-code"] == "201"
    root.execute("DROP QUOTA much")


def test_the_query_log_says_who_and_from_where(http: httpx.Client, root: Session) -> None:
    id_ = "logged-1"
    params = {"user": "alice", "password": PASSWORD, "query_id": id_}
    wanted = {"User-Agent": "dashboard/2.1 (lv:py/3)"}
    text = "SELECT length(arraySort(groupArray(number))) FROM numbers(4000000)"
    http.post("/", content=text, params=params, headers=wanted)
    http.post("/", content=text, params={"user": "nobody", "password": "wrong"})
    query = f"""SELECT user, initial_user, address, client_name, http_user_agent, interface,
        http_method, read_rows, read_bytes, result_rows, memory_usage > 8000000, exception_code
        FROM system.query_log WHERE query_id = '{id_}'"""
    assert root.execute(query).fetchall() == [
        ("alice", "alice", "::ffff:127.0.0.1", "dashboard", "dashboard/2.1 (lv:py/3)", 2, 2,
         4_000_000, 32_000_000, 1, True, 0)
    ]  # fmt: skip
    own = "SELECT DISTINCT interface, client_name FROM system.query_log WHERE address = '::'"
    assert root.execute(own).fetchall() == [(6, "")]
    counted = root.metrics.text()[0].decode()
    (read,) = re.findall(r'sluice_query_rows_total\{kind="Select",rows="read"\} (\d+)', counted)
    assert int(read) >= 4_000_000
    everything = str(root.execute("SELECT * FROM system.query_log").fetchall())
    assert PASSWORD not in everything
    log = root.execute("SELECT type, user FROM system.session_log").fetchall()
    assert ("LoginSuccess", "alice") in log
    assert ("LoginFailure", "nobody") in log
    for file in root.logs.glob("*.log"):
        assert PASSWORD not in file.read_text("utf-8")


def test_metrics_and_health(http: httpx.Client, root: Session) -> None:
    assert http.get("/ping").text == "Ok.\n"
    assert http.get("/health/live").status_code in (200, 503)
    assert http.get("/metrics").status_code == 403
    assert http.get("/metrics", headers=KEY).headers["x-clickhouse-exception-code"] == "497"
    assert set(http.get("/health").json()) == {"status"}
    admin = basic("default", "admin")
    assert "sluice_" in http.get("/metrics", headers=admin).text
    assert "checks" in http.get("/health", headers=admin).json()
    root._engine.logins._failed.clear()


def test_a_client_of_a_user_with_few_rights(server: Server) -> None:
    """clickhouse-connect asks for settings and the server's version when it connects."""
    client = clickhouse_connect.get_client(
        host="127.0.0.1", port=server.port, username="alice", password=PASSWORD
    )
    assert client.query("SELECT currentUser(), count() FROM db.t").result_rows == [("alice", 0)]
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError, match="497"):
        client.command("CREATE DATABASE n")
    client.close()
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError, match="516"):
        clickhouse_connect.get_client(
            host="127.0.0.1",
            port=server.port,
            username="alice",
            password="wrong",  # noqa: S106 - of a test
        )


def test_the_command_line(
    server: Server, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sluice.cli.main import main

    monkeypatch.setenv("SLUICE_PASSWORD", PASSWORD)
    query = ["sql", "--url", server.url, "-e", "SELECT currentUser()"]
    assert main([*query, "--user", "alice"]) == 0
    assert capfdbinary.readouterr().out == b"alice\n"
    assert main([*query, "--user", "bob"]) == 1
    assert b"Authentication failed" in capfdbinary.readouterr().err


class TestTls:
    @pytest.fixture(scope="class")
    @classmethod
    def authority(cls, tmp_path_factory: pytest.TempPathFactory) -> Authority:
        return Authority(tmp_path_factory.mktemp("authority"), "authority")

    def test_certificates(self, root: Session, authority: Authority, tmp_path: Path) -> None:
        """HTTPS; a user who logs in with a certificate; files that are replaced."""
        first, second = authority.sign("first"), authority.sign("second")
        client = authority.sign("carol")
        key, certificate = tmp_path / "server.key", tmp_path / "server.pem"
        shutil.copy(first.key, key)
        shutil.copy(first.certificate, certificate)
        tls = Tls(0, str(certificate), str(key), str(authority.certificate))
        context = ssl.create_default_context(cafile=str(authority.certificate))
        with Server(port=0, tls=tls) as server:
            server.start(root)

            def name() -> str:
                with httpx.Client(verify=context, trust_env=False) as new:
                    answer = new.get(f"{server.https_url}/ping")
                    stream = answer.extensions["network_stream"]
                    shown = stream.get_extra_info("ssl_object").getpeercert()
                return str(dict(part[0] for part in shown["subject"])["commonName"])

            assert name() == "first"
            with httpx.Client(verify=context, trust_env=False) as http:
                answer = http.post(server.https_url, content="SELECT 1", headers=KEY)
                assert answer.text == "1\n"
            with_key = ssl.create_default_context(cafile=str(authority.certificate))
            with_key.load_cert_chain(client.certificate, client.key)
            asks = {"X-ClickHouse-User": "carol", "X-ClickHouse-SSL-Certificate-Auth": "on"}
            with httpx.Client(verify=with_key, trust_env=False) as http:
                answer = http.post(server.https_url, content="SELECT currentUser()", headers=asks)
                assert answer.text == "carol\n"
                other = http.post(
                    server.https_url,
                    content="SELECT 1",
                    headers={**asks, "X-ClickHouse-User": "alice"},
                )
                assert other.headers["x-clickhouse-exception-code"] == "516"
            shutil.copy(second.certificate, certificate)  # its key is missing: nothing changes
            time.sleep(1.5)
            assert name() == "first"
            shutil.copy(second.key, key)
            eventually(name, lambda shown: shown == "second", 10)

    def test_old_versions_are_refused(self, authority: Authority) -> None:
        signed = authority.sign("old")
        with closing(Certificates(Tls(0, str(signed.certificate), str(signed.key)))) as made:
            assert made.context.minimum_version == ssl.TLSVersion.TLSv1_2

    def test_files_that_cannot_be_used(self, tmp_path: Path) -> None:
        (tmp_path / "x.pem").write_text("no certificate")
        for file in ("x.pem", "missing.pem"):
            with pytest.raises(errors.SluiceError) as caught:
                Server(port=0, tls=Tls(0, str(tmp_path / file)))
            assert caught.value.condition.name == "TLS_REFUSED"


def test_other_machines_need_https_and_a_user(
    root: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address of this machine stands for one that others can reach."""
    for module in (guard, run):
        monkeypatch.setattr(module, "is_loopback", lambda host: host == "127.0.0.1")
    with pytest.raises(errors.SluiceError, match="--https-port"):
        Server("127.0.0.2", 0)
    signed = Authority(tmp_path, "authority").sign("server")
    tls = Tls(0, str(signed.certificate), str(signed.key))
    with Server("127.0.0.2", 0, tls=tls) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.https_url.startswith("https://127.0.0.2:")
        with (
            sluice.connect(tmp_path / "data", pipelines=False) as empty,
            pytest.raises(errors.SluiceError, match="no user"),
        ):
            server.start(empty)
    assert root.has_remote_users()
