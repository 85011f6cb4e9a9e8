"""What statements did: those that run, counters, and a log of bounded size in the data folder."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import threading
import time
import uuid
from collections import Counter
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.access.clients import LOCAL
from sluice.engine.statistics import Histogram
from sluice.errors import SluiceError
from sluice.sql.masking import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from sluice.access.clients import Client
    from sluice.engine.statistics import Statistics


_LARGEST = 4 << 20
"""Bytes of a file of the log; there are two, the newer and the older."""
_LONGEST = 10_000
"""Letters of a statement that are kept."""
_AT_ONCE = 100
"""SELECTs and INSERTs that may run at a time."""
_AGAIN_S = 0.2
"""Between two attempts to cancel the jobs of a statement: it may be about to start another."""

COUNTED = ("Select", "Insert")
"""The kinds of statements that are counted one by one, and limited in number."""

LONG = (*COUNTED, "CreateTable", "CreateMaterializedView", "Mutation", "AlterInSteps", "CheckTable")
"""The kinds that may take long."""

QUERIES_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
"""Limits of the buckets for durations of statements."""

UNKNOWN_KIND = "Invalid"
"""The kind of a statement that cannot be parsed."""

_numbers = itertools.count(1)
_CURRENT: ContextVar[Statement | None] = ContextVar("statement", default=None)


@dataclass(slots=True)
class Statement:
    """A statement that runs, or ran."""

    text: str = field(repr=False)
    database: str
    dialect: str
    id: str
    started: datetime
    clock: float
    kind: str = ""
    rows: int = 0
    answered_bytes: int = 0
    """Those of the columns of its answer, as ClickHouse has them in memory."""
    read: int = 0
    read_bytes: int = 0
    written: int = 0
    written_bytes: int = 0
    memory: int = 0
    client: Client = LOCAL
    understood: bool = False
    deferred: bool = False
    number: int = field(default_factory=lambda: next(_numbers))
    user: str = "default"
    address: str = ""
    at_end: Callable[[Statement, BaseException | None], None] | None = field(
        default=None, repr=False
    )
    cancelled: SluiceError | None = None
    to_read: dict[str, int] = field(default_factory=dict)
    """The rows of each stored table that it reads, by the table's id."""
    others_to_read: int = 0
    """The rows that its other sources made, which are known to whoever ran it."""
    on_spark: bool = False
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)
    _cancel_jobs: Callable[[], None] | None = field(default=None, repr=False)
    _watched: Callable[[], Mapping[str, int]] | None = field(default=None, repr=False)
    _cancelling: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _folders: list[Path] = field(default_factory=list, repr=False)

    def shown(self) -> str:
        """Its text, without secrets."""
        text = masked(self.text[: 2 * _LONGEST], understood=self.understood)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    def leave_out(self, data: str | None) -> None:
        """What an INSERT brings along is no part of its text."""
        at = self.text.find(data) if data else -1
        if at >= 0:
            self.text = self.text[:at]

    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.clock

    def on_cancel(self, jobs: Callable[[], None] | None) -> None:
        """Set how the jobs that run for it now are cancelled; None once none runs.

        When it returns, an earlier cancellation has been done or never will be: a worker that
        another statement gets next is not killed.
        """
        with self._cancelling:
            self._cancel_jobs = jobs

    def watch(self, running: Callable[[], Mapping[str, int]] | None) -> None:
        """Say who tells what it has read by now; None if nobody does."""
        self._watched = running

    def count_read(self, told: Mapping[str, int]) -> None:
        """Note what it has read, now that this has ended."""
        self.read = told.get("read_rows", 0)
        self.read_bytes = told.get("read_bytes", 0)
        self.others_to_read = told.get("total_rows_to_read", 0)

    def progress(self) -> dict[str, int]:
        """What it has read and written so far, under the names that ClickHouse's headers have."""
        watched = self._watched
        now = {} if watched is None else watched()
        read = max(self.read, now.get("read_rows", 0))
        others = max(self.others_to_read, now.get("total_rows_to_read", 0))
        total = sum(self.to_read.values()) + others
        return {
            "read_rows": read,
            "read_bytes": max(self.read_bytes, now.get("read_bytes", 0)),
            "written_rows": self.written,
            "written_bytes": self.written_bytes,
            "total_rows_to_read": max(total, read),
            **self.result(),
        }

    def result(self) -> dict[str, int]:
        """How much it has answered; what an INSERT has written is its result."""
        wrote = self.kind == "Insert"
        return {
            "result_rows": self.written if wrote else self.rows,
            "result_bytes": self.written_bytes if wrote else self.answered_bytes,
        }

    def remove_at_end(self, folder: Path) -> None:
        """Delete a folder when it has ended."""
        self._folders.append(folder)

    def cancel(self, why: SluiceError) -> None:
        """Let it end soon, with this error; the first one counts."""
        if self.cancelled is None:
            self.cancelled = why
            threading.Thread(target=self._keep_cancelling, name="cancel", daemon=True).start()

    def check(self) -> None:
        """Raise what it was cancelled with, if it was."""
        if self.cancelled is not None:
            raise self.cancelled

    def join(self, patience: float) -> bool:
        """Wait until it has ended; False if it takes longer than that."""
        return self._ended.wait(patience)

    @contextmanager
    def limited(self, seconds: float, late: SluiceError | None = None) -> Iterator[None]:
        """Cancel it when it has run for so long, with TIMEOUT_EXCEEDED or `late`; 0 is for ever."""
        if not seconds:
            yield
            return
        late = late or errors.TIMEOUT_EXCEEDED(seconds=f"{seconds:g}")
        timer = threading.Timer(max(0.0, seconds - self.seconds()), self.cancel, [late])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def ended(self, fault: BaseException | None) -> None:
        """Note that nothing of it runs in this process; what it left in Spark is cancelled."""
        if fault is not None and not isinstance(fault, Exception):
            self._end_jobs()  # an interrupt: nobody waits for the jobs any more
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)
        self._ended.set()

    def _keep_cancelling(self) -> None:
        self._end_jobs()
        while not self._ended.wait(_AGAIN_S):
            self._end_jobs()

    def _end_jobs(self) -> None:
        with self._cancelling:
            if self._cancel_jobs is not None:
                with suppress(Exception):  # the JVM may have ended, and the jobs with it
                    self._cancel_jobs()


def current_statement() -> Statement | None:
    """The statement that this thread runs."""
    return _CURRENT.get()


class Activity:
    """The statements of one data folder's process."""

    def __init__(self, folder: Path, statistics: Statistics) -> None:
        self._path = folder / "query_log.jsonl"
        self._statistics = statistics
        self._lock = threading.Lock()
        self._running: dict[str, Statement] = {}
        self.counts: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        """Statements that have failed, by kind."""
        self.seconds: dict[str, Histogram] = {}
        """Durations of the statements that have ended, by kind."""
        self.rows: Counter[tuple[str, str]] = Counter()
        """Rows of the statements that have ended, by kind and what they were: read, and so on."""
        self.started = datetime.now(UTC)

    @contextmanager
    def statement(
        self,
        text: str,
        database: str,
        dialect: str,
        query_id: str = "",
        user: str = "default",
        address: str = "",
        client: Client = LOCAL,
    ) -> Iterator[Statement]:
        """Record a statement while it runs; an error is counted and raised again."""
        made = Statement(
            text,
            database,
            dialect,
            query_id or str(uuid.uuid4()),
            datetime.now(UTC),
            time.monotonic(),
            user=user,
            address=address,
            client=client,
        )
        with self._lock:
            if made.id in self._running:
                raise errors.QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING(query_id=made.id)
            self._running[made.id] = made
        token = _CURRENT.set(made)
        try:
            yield made
        except BaseException as fault:
            told = fault
            if made.cancelled is not None and isinstance(fault, Exception):
                told = made.cancelled
            self._done(made, told)
            if told is fault:
                raise
            raise told from fault
        else:
            if not made.deferred:
                self._done(made, None)
        finally:
            _CURRENT.reset(token)

    def deferred(self, made: Statement) -> Callable[[BaseException | None], None]:
        """Let a statement run on while its answer is read; the result is called at the end."""
        made.deferred = True
        return lambda fault: self._done(made, fault and (made.cancelled or fault))

    def admit(self, made: Statement, of_user: int = 0) -> None:
        """Refuse a SELECT or INSERT when too many run, of all or (if not 0) of its user.

        Raises:
            SluiceError: TOO_MANY_SIMULTANEOUS_QUERIES.
        """
        if made.kind in COUNTED:
            with self._lock:
                count = sum(each.kind in COUNTED for each in self._running.values())
                own = sum(each.user == made.user for each in self._running.values())
            if count > _AT_ONCE:
                raise errors.TOO_MANY_SIMULTANEOUS_QUERIES(limit=_AT_ONCE)
            if of_user and own > of_user:
                raise errors.TOO_MANY_SIMULTANEOUS_QUERIES(limit=of_user)

    def current(self) -> Statement | None:
        """The statement that this thread runs."""
        return current_statement()

    def check(self) -> None:
        """Raise what this thread's statement was cancelled with, if it was."""
        current = self.current()
        if current is not None:
            current.check()

    def find(self, id_: str) -> Statement | None:
        """A statement that runs now, by its query_id."""
        with self._lock:
            return self._running.get(id_)

    def cancel_all(self, why: SluiceError, patience: float) -> None:
        """Cancel every statement, and wait until they have ended, but not for long."""
        until = time.monotonic() + patience
        running = self.running()
        for each in running:
            each.cancel(why)
        for each in running:
            each.join(max(0.0, until - time.monotonic()))

    def running(self) -> list[Statement]:
        """Those that run now, the oldest first."""
        with self._lock:
            return list(self._running.values())

    def uptime(self) -> float:
        """Seconds since the process has opened the data folder."""
        return (datetime.now(UTC) - self.started).total_seconds()

    def log(self) -> Iterator[dict[str, Any]]:
        """What is kept of the statements that have ended, the oldest first."""
        with self._lock:
            texts = [path.read_text("utf-8") for path in (self._older, self._path) if path.exists()]
        for text in texts:
            for line in text.splitlines():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:  # a line that a crash cut short
                    continue

    @property
    def _older(self) -> Path:
        return self._path.with_suffix(".old.jsonl")

    def _done(self, made: Statement, fault: BaseException | None) -> None:
        made.ended(fault)
        if made.at_end is not None:
            made.at_end(made, fault)
        entry = {
            "type": "QueryFinish",
            "query_id": made.id,
            "started": made.started.timestamp(),
            "ended": datetime.now(UTC).timestamp(),
            "duration_ms": round(made.seconds() * 1000),
            "query": made.shown(),
            "kind": made.kind,
            "database": made.database,
            "dialect": made.dialect,
            **made.result(),
            "read_rows": made.read,
            "read_bytes": made.read_bytes,
            "written_rows": made.written,
            "written_bytes": made.written_bytes,
            "memory": made.memory,
            "agent": made.client.agent,
            "client": made.client.name,
            "interface": made.client.interface,
            "http_method": made.client.method,
            "user": made.user,
            "address": made.address,
        }
        if fault is not None:
            entry["type"] = (
                "ExceptionWhileProcessing" if made.understood else "ExceptionBeforeStart"
            )
            if isinstance(fault, SluiceError):
                self._statistics.report(fault, made.id)
                entry["exception"] = fault.text()
                entry["exception_name"] = fault.condition.name
                entry["exception_code"] = fault.condition.clickhouse_code
            else:
                entry["exception"] = type(fault).__name__
        with self._lock:
            self._running.pop(made.id, None)
            self._count(made, failed=fault is not None)
            self._write(json.dumps(entry, ensure_ascii=False) + "\n")

    def _count(self, made: Statement, *, failed: bool) -> None:
        kinds = [name for name in COUNTED if made.kind == name]
        for name in ("", *kinds):
            self.counts[f"{name}Query"] += 1
            if failed:
                self.counts[f"Failed{name}Query"] += 1
        seconds, kind = made.seconds(), made.kind or UNKNOWN_KIND
        self.counts["QueryTimeMicroseconds"] += round(seconds * 1e6)
        self.seconds.setdefault(kind, Histogram(QUERIES_S)).observe(seconds)
        self.failed[kind] += failed
        for what, rows in (("read", made.read), ("result", made.rows), ("written", made.written)):
            if rows:
                self.rows[kind, what] += rows

    def _write(self, line: str) -> None:
        """Add a line; the log is a help, so a full disk does not make a statement fail."""
        try:
            if self._path.exists() and self._path.stat().st_size > _LARGEST:
                self._path.replace(self._older)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            with os.fdopen(os.open(self._path, flags, 0o600), "a", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            self.counts["QueryLogWriteErrors"] += 1
