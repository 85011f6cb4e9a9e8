"""`sluice serve` as a process of its own."""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from typing import Self

PATIENCE_S = 300.0
_WORKER = "sluice/clickhouse/worker.py"
KEPT_S = 2.0
"""How long a connection without requests is used again: the server closes it after a while."""


class Client:
    """One connection to a server, which is kept."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
        self._used = time.monotonic()

    def run(self, statement: str, dialect: str = "clickhouse", database: str = "default") -> str:
        """Run a statement."""
        where = f"/?dialect={dialect}&database={quote(database)}"
        if time.monotonic() - self._used > KEPT_S:
            self._connection.close()  # the next request opens it
        self._connection.request("POST", where, statement.encode())
        with self._connection.getresponse() as answer:
            text = answer.read().decode().strip()
            self._used = time.monotonic()
            if answer.status != http.client.OK:
                raise SystemExit(f"{statement[:200]}: {text}")
            return text

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Server(Client):
    """A server on a folder, and a connection to it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "sluice.cli", "serve", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--data", str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        found = re.search(r"ready on (\S+)", self._process.stdout.readline())
        if found is None:
            raise SystemExit("Sluice did not start")
        super().__init__(urlsplit(found[1]).netloc)

    @property
    def pids(self) -> dict[str, int]:
        """Python's process, its JVM's, and those of the workers that run queries."""
        me = self._process.pid
        children = Path(f"/proc/{me}/task/{me}/children").read_text("utf-8").split()
        found = {"python": me}
        for line in subprocess.check_output(["ps", "-eo", "pid,ppid,args"], text=True).splitlines():
            pid, parent, command = line.split(None, 2)
            if command.split()[0].endswith("java") and (parent == str(me) or parent in children):
                found["jvm"] = int(pid)
            elif _WORKER in command and parent == str(me):
                found[f"worker {len(found)}"] = int(pid)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)
