"""A real `sluice serve`, which a test may kill."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

from quick import SPARK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

READY = re.compile(r"ready on (http://[^\s/]+)")
PATIENCE = 300.0


class Server:
    """`sluice serve` on a data folder, as a process group of its own."""

    def __init__(
        self,
        data: Path,
        failpoints: str = "",
        config: Path | None = None,
        arguments: Sequence[str] = (),
        **env: str,
    ) -> None:
        command = [sys.executable, "-m", "sluice.cli", "serve", "--port", "0", "--data", str(data)]
        command += ["--config", str(config)] if config is not None else []
        command += arguments
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={
                **os.environ,
                "SLUICE_FAILPOINTS": failpoints,
                "SLUICE_DRIVER_MEMORY": "2g",
                "SPARK_SUBMIT_OPTS": " ".join(SPARK),
                **env,
            },
        )
        self.url = ""
        self.said = ""
        self.rest = ""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def await_ready(self) -> bool:
        """Wait for the line that says it is ready; False if it ended instead."""
        assert self._process.stdout is not None
        timer = threading.Timer(PATIENCE, self._process.kill)
        timer.start()
        self.said = self._process.stdout.readline()
        timer.cancel()
        found = READY.search(self.said)
        self.url = found[1] if found else ""
        return found is not None

    def ends(self, within: float) -> bool:
        """Whether it ends by itself in some seconds."""
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def sql(
        self, text: str, dialect: str = "clickhouse", settings: Mapping[str, str] | None = None
    ) -> list[Any]:
        """Run a statement; the answer is its rows."""
        given = {"default_format": "JSONCompactEachRow", "dialect": dialect, **(settings or {})}
        url = f"{self.url}/?{urllib.parse.urlencode(given)}"
        request = urllib.request.Request(url, text.encode(), method="POST")  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
                return [json.loads(line) for line in answer.read().decode().splitlines()]
        except urllib.error.HTTPError as refused:
            with refused:
                raise AssertionError(refused.read().decode()) from None

    def kill(self) -> None:
        """`kill -9` of the server alone; its JVM notices and ends."""
        self._process.kill()
        self.await_end()

    def abandon(self) -> None:
        """`kill -9` of the server alone, whose JVM may not end."""
        self._process.kill()
        self._process.wait(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def kill_all(self) -> None:
        """`kill -9` of the server and its JVM at once."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self.await_end()

    def signal(self, number: int) -> None:
        """Send a signal to the server alone."""
        self._process.send_signal(number)

    def stop(self) -> int:
        """SIGTERM; the answer is its status."""
        self.signal(signal.SIGTERM)
        return self.await_end()

    def await_end(self, patience: float = PATIENCE) -> int:
        """Wait for its end; the answer is its status, and `rest` what it printed last."""
        status = self._process.wait(patience)
        assert self._process.stdout is not None
        with self._process.stdout as out:
            self.rest = out.read()
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill_all()
