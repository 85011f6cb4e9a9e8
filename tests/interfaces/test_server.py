"""The server's life: taking a port, being busy, stopping."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from waiting import eventually

from interfaces.fakes import FakeSession, result
from sluice import errors
from sluice.server import run
from sluice.server.app import WORKERS
from sluice.server.protocol import Connection
from sluice.server.run import Server

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.formats.result import Result


def get(url: str) -> httpx.Response:
    with httpx.Client(trust_env=False, timeout=30) as client:
        return client.get(url)


def test_a_port_in_use_is_reported_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(errors.SluiceError, match=f"127.0.0.1:{port}: the port is in use") as e:
            Server(port=port)
    assert e.value.condition.name == "CANNOT_LISTEN"


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("127.0.0.1", -1)])
def test_an_impossible_port(host: str, port: int) -> None:
    with pytest.raises(errors.SluiceError, match="Cannot listen"):
        Server(host, port)


def test_the_body_of_an_answer_does_not_wait_for_the_acknowledgement_of_its_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    connected = Connection.connection_made

    def noted(self: Connection, transport: Any) -> None:
        connected(self, transport)
        found = transport.get_extra_info("socket")
        seen.append(found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(Connection, "connection_made", noted)
    with Server(port=0).start(FakeSession(tmp_path).as_session()) as server:
        assert get(f"{server.url}/ping").text == "Ok.\n"
    assert seen == [1]


def test_ping_answers_while_all_workers_are_busy(tmp_path: Path) -> None:
    release, entered = threading.Event(), threading.Semaphore(0)

    def wait() -> Result:
        entered.release()
        release.wait(20)
        return result("x UInt8", (1,))

    session = FakeSession(tmp_path, {"SELECT slow": wait})
    with (
        Server(port=0).start(session.as_session()) as server,
        ThreadPoolExecutor(WORKERS + 1) as pool,
    ):
        url = f"{server.url}/?query=SELECT+slow"
        slow = [pool.submit(get, url) for _ in range(WORKERS + 1)]
        for _ in range(WORKERS):
            assert entered.acquire(timeout=10)
        assert get(f"{server.url}/ping").text == "Ok.\n"
        assert not entered.acquire(timeout=0.2), "more statements run than there are workers"
        release.set()
        assert [each.result().text for each in slow] == ["1\n"] * (WORKERS + 1)


def test_stop_lets_a_statement_finish(tmp_path: Path) -> None:
    entered = threading.Event()

    def short() -> Result:
        entered.set()
        time.sleep(0.5)
        return result("x UInt8", (1,))

    session = FakeSession(tmp_path, {"SELECT short": short})
    server = Server(port=0).start(session.as_session())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(get, f"{server.url}/?query=SELECT+short")
        assert entered.wait(10)
        server.stop()
        assert answer.result().text == "1\n"
    with pytest.raises(httpx.ConnectError):
        get(f"{server.url}/ping")


def test_stop_cuts_a_statement_that_does_not_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE_S", 1)
    entered, release = threading.Event(), threading.Event()

    def endless() -> Result:
        entered.set()
        release.wait(30)
        return result("x UInt8", (1,))

    session = FakeSession(tmp_path, {"SELECT endless": endless})
    server = Server(port=0).start(session.as_session())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(get, f"{server.url}/?query=SELECT+endless")
        assert entered.wait(10)
        server.stop()
        assert not release.is_set()
        assert answer.exception(10) is not None or "(QUERY_WAS_CANCELLED)" in answer.result().text
        assert [why for _, why in session.shared.cancelled] == [": the server stops"]
        release.set()


def test_a_client_that_leaves_cancels_its_statement(tmp_path: Path) -> None:
    entered, release = threading.Event(), threading.Event()

    def endless() -> Result:
        entered.set()
        release.wait(30)
        return result("x UInt8", (1,))

    session = FakeSession(tmp_path, {"SELECT endless": endless})
    with Server(port=0).start(session.as_session()) as server:
        for head in (
            "GET /?query=SELECT+endless&query_id=one HTTP/1.1\r\n",
            "POST /?query_id=two HTTP/1.1\r\nContent-Length: 14\r\n",
        ):
            entered.clear()
            body = "SELECT endless" if head.startswith("POST") else ""
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(f"{head}Host: 127.0.0.1\r\n\r\n{body}".encode())
                assert entered.wait(10)
        why = ": its client has closed the connection"
        eventually(lambda: session.shared.cancelled == [("one", why), ("two", why)])
        release.set()


def test_stop_is_harmless_twice_and_before_start() -> None:
    server = Server(port=0)
    server.stop()
    server.stop()
