"""Requests as bytes on a socket: broken, slow, and too many of them."""

from __future__ import annotations

import resource
import socket
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from interfaces.fakes import result
from sluice.server import protocol

if TYPE_CHECKING:
    from interfaces.fakes import FakeSession
    from sluice.formats.result import Result
    from sluice.server.run import Server

GET = b"GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def rest(client: socket.socket) -> bytes:
    """What arrives until the server closes the connection."""
    found = b""
    try:
        while data := client.recv(65536):
            found += data
    except ConnectionResetError:
        pass
    return found


def ask(server: Server, request: bytes) -> bytes:
    """The answer to a request, after which the server closes the connection."""
    with connect(server) as client:
        client.sendall(request)
        return rest(client)


def test_a_host_is_a_name_and_a_port(server: Server) -> None:
    for host in (b"evil@127.0.0.1", b"127.0.0.1@evil", b"127.0.0.1/x", b"127.0.0.1:x"):
        request = b"GET /ping HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
        assert ask(server, request).startswith(b"HTTP/1.1 403 "), host


def test_large_headers(server: Server) -> None:
    """They are refused; a statement in the address may be as long as one in a body."""
    many = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 700) for n in range(100))
    for headers in (b"X: " + b"a" * 70_000 + b"\r\n", many):
        answer = ask(server, GET + headers + b"\r\n")
        assert answer.startswith(b"HTTP/1.1 431 "), answer[:100]
        assert b"HEADERS_TOO_LARGE" in answer
    long = b"GET /?query=SELECT+1+--" + b"a" * 500_000 + b" HTTP/1.1\r\nHost: localhost\r\n"
    assert ask(server, long + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_two_lengths(server: Server, session: FakeSession) -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n8\r\nSELECT 1\r\n0\r\n\r\n"
    answer = ask(server, chunked + GET + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert ask(server, head + b"Content-Length: 9\r\n\r\nSELECT 1").startswith(b"HTTP/1.1 400 ")
    assert not session.calls


def test_half_open_clients_are_closed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred of them: silent, in the middle of a head, and in the middle of a body."""
    monkeypatch.setattr(protocol, "HEAD_S", 2.0)
    monkeypatch.setattr(protocol, "BODY_S", 2.0)
    body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT"
    with ExitStack() as opened:
        clients = [opened.enter_context(connect(server)) for _ in range(200)]
        for at, sent in ((1, b"GET /pi"), (2, GET), (3, body)):
            for client in clients[at::4]:
                client.sendall(sent)
        assert ask(server, GET + b"Connection: close\r\n\r\n").endswith(b"Ok.\n")
        answers = [rest(client) for client in clients]
    assert set(answers[0::4]) == {b""}
    for at in (1, 2, 3):
        assert {answer[:12] for answer in answers[at::4]} == {b"HTTP/1.1 408"}


def test_a_second_request_has_a_deadline_too(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_S", 2.0)
    with connect(server) as client:
        client.sendall(GET + b"\r\n")
        answer = b""
        while not answer.endswith(b"Ok.\n"):
            received = client.recv(65536)
            assert received
            answer += received
        client.sendall(GET)
        assert rest(client).startswith(b"HTTP/1.1 408 ")


def test_a_slow_statement_is_not_a_slow_client(
    server: Server, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body has as long as its size allows, and an answer as long as it takes."""
    monkeypatch.setattr(protocol, "HEAD_S", 1.5)
    monkeypatch.setattr(protocol, "BODY_S", 1.5)
    monkeypatch.setattr(protocol, "LOWEST_RATE", 10)

    def slow() -> Result:
        time.sleep(2)
        return result("x UInt8", (1,))

    session.shared.answers["SELECT slow"] = slow
    with connect(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\nSELECT ")
        assert not session.calls
        client.sendall(b"slow")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_too_many_connections(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has waited longest makes room."""
    monkeypatch.setattr(protocol, "MOST", 5)
    with ExitStack() as opened:
        clients = [opened.enter_context(connect(server)) for _ in range(5)]
        assert ask(server, GET + b"Connection: close\r\n\r\n").endswith(b"Ok.\n")
        assert rest(clients[0]).startswith(b"HTTP/1.1 503 ")
        for client in clients[1:]:
            client.sendall(GET + b"Connection: close\r\n\r\n")
            assert rest(client).endswith(b"Ok.\n")


def test_a_thousand_idle_connections(server: Server) -> None:
    """Whoever asks is answered at once."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] != resource.RLIM_INFINITY and limits[1] < 4096:
        pytest.skip(f"a process may have only {limits[1]} open files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 4096), limits[1]))
    try:
        with ExitStack() as opened:
            for _ in range(protocol.MOST):
                opened.enter_context(connect(server))
            for _ in range(10):
                start = time.monotonic()
                assert ask(server, GET + b"Connection: close\r\n\r\n").endswith(b"Ok.\n")
                assert time.monotonic() - start < 5
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_client_that_does_not_read(
    server: Server, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "WRITE_S", 0.5)
    session.shared.answers["SELECT large"] = result("x String", *[("x" * 1_000_000,)] * 40)
    with connect(server) as client:
        client.sendall(b"GET /?query=SELECT+large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        eventually(lambda: len(session.calls), lambda count: count == 1, 10)
        assert server._listeners[0]._uvicorn is not None
        opened = server._listeners[0]._uvicorn.server_state.connections
        eventually(lambda: len(opened), lambda count: count == 0, 10)
        assert not rest(client).endswith(b"0\r\n\r\n")
