"""Queries that do not end, and a real server: clients leave, signals come."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from waiting import eventually

import sluice
from faults.server import PATIENCE, Server

ENDLESS = "SELECT count() FROM numbers(3000000000) a CROSS JOIN numbers(300000) b"
SHUTDOWN_S = 60.0
"""Seconds that a busy machine may take for what takes less than ten: it took as long as a query."""


def ask(server: Server, query_id: str) -> http.client.HTTPConnection:
    """A client that has sent an endless query."""
    client = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)
    client.request("POST", f"/?query_id={query_id}", ENDLESS)
    return client


def running(server: Server) -> list[str]:
    rows = server.sql("SELECT query_id FROM system.processes WHERE query_kind = 'Select'")
    return sorted(row[0] for row in rows if len(row[0]) < 30)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """`sluice sql`, which an interrupt reaches also where a shell runs tests in the background."""
    return subprocess.Popen(
        [sys.executable, "-m", "sluice.cli", "sql", *arguments, "-e", ENDLESS],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def has_worker(pid: int) -> bool:
    """Whether a process has started one that runs queries."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for task in tasks for child in task.read_text().split()]
    return any("worker.py" in Path(f"/proc/{child}/cmdline").read_text() for child in children)


@pytest.mark.slow
def test_clients_that_leave_and_a_server_that_stops(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        assert server.await_ready()
        clients = [ask(server, "a"), ask(server, "b")]
        eventually(lambda: running(server) == ["a", "b"])
        clients[0].close()
        eventually(lambda: running(server) == ["b"])
        with start("--url", server.url) as prompt:
            count = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT count() FROM n%'"
            eventually(lambda: server.sql(count) == [[2]])
            prompt.send_signal(signal.SIGINT)
            assert prompt.wait(PATIENCE) == 130
        eventually(lambda: server.sql(count) == [[1]])
        assert server.sql("SELECT 1") == [[1]]
        server.signal(signal.SIGTERM)
        assert server.ends(SHUTDOWN_S)
        assert server.await_end() == 0
        clients[1].close()


def test_an_interrupted_command_ends_its_query(tmp_path: Path) -> None:
    """In process: Ctrl-C cancels the query, and the data folder is let go of."""
    with start("--data", str(tmp_path)) as prompt:
        eventually(lambda: has_worker(prompt.pid), within=PATIENCE)
        prompt.send_signal(signal.SIGINT)
        assert prompt.wait(PATIENCE) == 130
    with sluice.connect(tmp_path, pipelines=False) as session:
        assert session.execute("SHOW DATABASES").rows
