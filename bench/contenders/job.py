"""What a contender is asked and what it answers; the standard library is enough for it.

A contender is `python -m contenders.<name> <folder>`: it reads `job.json` in the folder and leaves
`answer.json` there.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine import CpuTimes, own_seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Job:
    """Topics to read, and where; `warm_up` and `statements` make the pipelines over them.

    The warm topic is read first, in the same process, and is not counted. A job from a topic to
    another has an engine that runs it and a `flow` instead of statements. `keys` are how many the
    tables have whose changes are compared.
    """

    name: str
    folder: str
    broker: str
    topic: str
    rows: int
    warm_topic: str
    warm_rows: int
    patience: float
    warm_up: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    messages: int = 0
    keys: tuple[int, ...] = ()
    engine: str = ""
    engine_python: str = ""
    flow: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """How long the rows took, the contender's own processor time, and who had the processors."""

    rows: int
    seconds: float
    own_seconds: float
    cpu: dict[str, float]
    notes: dict[str, Any] = field(default_factory=dict)


class Stopwatch:
    """Measures a block."""

    def __enter__(self) -> Self:
        self._before, self._own = CpuTimes.now(), own_seconds()
        self._began = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.monotonic() - self._began
        self.own_seconds = own_seconds() - self._own
        self.cpu = CpuTimes.now().shares_since(self._before)

    def answer(self, rows: int, **notes: Any) -> Answer:
        """What is reported of the block."""
        return Answer(rows, self.seconds, self.own_seconds, self.cpu, notes)


def wait_for(rows: int, count: Callable[[], int], patience: float) -> None:
    """Look again and again until all rows are there, and no more than those."""
    until = time.monotonic() + patience
    while (there := count()) < rows:
        if time.monotonic() > until:
            raise SystemExit(f"{there} of {rows} rows after {patience:.0f} s")
        time.sleep(POLL_S)
    expect("rows", there, rows)


def expect(what: str, found: object, wanted: object) -> None:
    """A contender that is fast and wrong has no figure."""
    if found != wanted:
        raise SystemExit(f"{what}: {wanted} wanted, {found} found")


def serve(run: Callable[[Job], Answer]) -> None:
    """Run the job in the folder that the command line names."""
    folder = Path(sys.argv[1])
    job = Job(**json.loads((folder / "job.json").read_text("utf-8")))
    answer = run(job)
    (folder / "answer.json").write_text(json.dumps(asdict(answer)), "utf-8")
