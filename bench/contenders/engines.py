"""What runs Flink SQL statements: Flink or Sluice, each in a process of its own.

Both are asked in the same way, and whoever measures is in neither's process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib import error, parse, request

if TYPE_CHECKING:
    from typing import Self

    from contenders.job import Job

_PATIENCE_S = 120
_STARTING = {"CREATED", "INITIALIZING", "STARTING", "RUNNING"}
"""States of a job that is well."""

_SETTINGS = {
    "eos": {"execution.checkpointing.interval": "1 s"},
    "groups_mini_batch": {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.allow-latency": "1 s",
        "table.exec.mini-batch.size": "50000",
        "table.optimizer.agg-phase-strategy": "TWO_PHASE",
    },
}
"""What Flink is told for a flow; its checkpoints every ten seconds cost next to nothing."""


class Engine(Protocol):
    """Runs statements; an INSERT starts a job."""

    def run(self, statement: str) -> str:
        """Run a statement; the id of the job it started, or nothing."""

    def stop(self, job: str) -> None:
        """End a job."""

    def check(self, job: str) -> None:
        """Leave with what is wrong if a job does not run."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...


def start(job: Job) -> Engine:
    """The engine that a job names."""
    return {"flink": Flink, "sluice": Sluice}[job.engine](job)


class Flink:
    """Flink's SQL with two slots, its state in memory."""

    def __init__(self, job: Job) -> None:
        settings = {
            "parallelism.default": "2",
            "taskmanager.numberOfTaskSlots": "2",
            "execution.checkpointing.interval": "10 s",
            "execution.checkpointing.dir": (Path(job.folder) / "checkpoints").as_uri(),
            "pipeline.object-reuse": "true",
            "table.local-time-zone": "UTC",
            "rest.port": "0",
            **_SETTINGS.get(job.flow, {}),
        }
        self._process = subprocess.Popen(
            [job.engine_python, "-m", "contenders.flink_process", json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, statement: str) -> str:
        """Run a statement."""
        return self._ask(sql=statement).get("job", "")

    def stop(self, job: str) -> None:
        """End a job."""
        self._ask(stop=job)

    def check(self, job: str) -> None:
        """Leave if it is not running."""
        state = self._ask(state=job)["state"]
        if state not in _STARTING:
            raise SystemExit(f"Flink's job is {state}")

    def _ask(self, **question: str) -> dict[str, str]:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, str] = json.loads(self._process.stdout.readline() or '{"error": "ended"}')
        if "error" in answer:
            raise SystemExit(f"Flink: {_cause(answer['error'])}")
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _cause(trace: str) -> str:
    """What a Java exception comes from, in one line."""
    lines = trace.strip().splitlines()
    causes = [line for line in lines if line.startswith("Caused by:")]
    return (causes or lines)[-1]


class Sluice:
    """Sluice's server with its defaults, asked over HTTP.

    A real-time job has a task of its own for every partition, so it needs more of them than cores.
    """

    def __init__(self, job: Job) -> None:
        data = f"{job.folder}/data"
        master = "local[8]" if job.flow == "realtime" else "local[*]"
        serve = [sys.executable, "-m", "sluice.cli", "serve", "--port", "0"]
        self._process: subprocess.Popen[str] = subprocess.Popen(
            [*serve, "--data", data, "--master", master],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        ready = self._process.stdout.readline()
        found = re.search(r"ready on (\S+)", ready)
        if found is None:
            raise SystemExit(f"Sluice did not start: {ready}")
        self._url = f"{found[1]}/?{parse.urlencode({'dialect': 'flink'})}"

    def run(self, statement: str) -> str:
        """Run a statement."""
        asked = request.Request(self._url, statement.encode(), method="POST")  # noqa: S310 - ours
        try:
            with request.urlopen(asked, timeout=_PATIENCE_S) as answer:  # noqa: S310
                return str(answer.read().decode().strip())
        except error.HTTPError as refused:
            raise SystemExit(f"Sluice: {refused.read().decode().strip()}") from None

    def stop(self, job: str) -> None:
        """End a job."""
        self.run(f"STOP JOB '{job}'")

    def check(self, job: str) -> None:
        """Leave if it is not running, with its error."""
        row = self.run(f"DESCRIBE JOB '{job}'").split("\t")
        if row[2] not in _STARTING:
            raise SystemExit(f"Sluice's job is {row[2]}: {row[-1]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(_PATIENCE_S)
