"""Worker processes with ClickHouse in them, each for one query at a time.

A process can be killed in the middle of a query, and has limits of its own: nothing that a query
does reaches this process, Spark or another query.
"""

from __future__ import annotations

import fcntl
import logging
import math
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.clickhouse import worker as process
from sluice.clickhouse.failures import reported
from sluice.clickhouse.kept_columns import KeptColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - folders in it are made by mkdtemp
_PREFIX = "clickhouse-"
"""What the folder of a worker begins with; then comes the process that has started it."""
_LOG = "stderr.log"
_MEMORY, _OWN = 4 << 30, 512 << 20
"""Bytes that a query may take, and those that a worker takes besides."""
_IDLE = 2
"""Workers that are kept for the next query."""
_SURPLUS_S = 5.0
"""Time for which others are kept: clients that ask without pause need them again."""
_SHORT = 4
"""Workers for what takes no time: SHOW and KILL QUERY work while queries have all the others."""
_PIPE = 1 << 20
_SOON_S = 0.005
"""An answer that is not complete by then is read while it is written."""
_RENEWAL_S = 60.0
"""Time after which a worker whose priority is permanently below ingestion is replaced."""
_SHARE = 3
"""Statements come before ingestion for one part in so many of all processor time."""
_AHEAD_S = 0.2
"""Processor time of a statement for which it may have come before ingestion."""
_SHOWN = 2000
"""Bytes that a worker wrote before it ended which are logged."""
_SET_PIPE_SIZE = 1031
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR")
"""Variables that a worker gets; others may hold secrets."""

_CONFIG = """<clickhouse>
  <path>{folder}/data/</path>
  <tmp_path>{folder}/tmp/</tmp_path>
  <user_files_path>{folder}/files/</user_files_path>
  <format_schema_path>{folder}/schemas/</format_schema_path>
  <users_config>{folder}/users.xml</users_config>
  <timezone>UTC</timezone>
  <max_server_memory_usage>{memory}</max_server_memory_usage>
  <mark_cache_size>16777216</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
</clickhouse>
"""

_USERS = """<clickhouse>
  <profiles><default>{settings}</default></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password></password>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants>
      <query>GRANT SELECT, SHOW, CREATE DATABASE, CREATE VIEW, DROP VIEW, DROP TABLE ON *.*</query>
      <query>GRANT CREATE TEMPORARY TABLE ON *.*</query>
      <query>GRANT CREATE DICTIONARY, DROP DICTIONARY, dictGet ON *.*</query>
      <query>GRANT CREATE FUNCTION, DROP FUNCTION ON *.*</query>
      <query>GRANT READ ON FILE</query>
      <query>GRANT CREATE TABLE, INSERT, DROP TABLE ON {kept}.*</query>
    </grants>
  </default></users>
</clickhouse>
"""

log = logging.getLogger(__name__)


def _profile(memory: int) -> dict[str, object]:
    return {
        "max_memory_usage": memory,
        "max_threads": os.cpu_count() or 1,
        "max_query_size": 64 << 20,
        "max_ast_elements": 1_000_000,
        "log_queries": 0,
        "session_timezone": "UTC",
        "use_hive_partitioning": 0,
        # Nobody has looked at the functions in a text: `file` is among them.
        "input_format_values_interpret_expressions": 0,
        "input_format_values_deduce_templates_of_expressions": 0,
        "schema_inference_make_columns_nullable": 0,
        "allow_suspicious_low_cardinality_types": 1,  # a table that exists can be read
    }


class Worker:
    """One process. Whoever has it runs statements one after another."""

    def __init__(self, parent: Path, memory: int = _MEMORY) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
        self.views: dict[tuple[str, str], object] = {}
        self.dictionaries: dict[tuple[str, str], object] = {}
        self.functions: dict[str, object] = {}
        self.kept = KeptColumns(self.run)
        self.databases = {"default"}
        self.database = "default"
        self.first = True
        """Whether its statements come before ingestion, for a moment."""
        self.lowered = False
        """Whether they cannot any more: the system does not let a process undo that it is nice."""
        self.behind = process.NICENESS
        """How far behind the server its statements stand when they do not come before ingestion."""
        self.seconds = 0.0
        """Processor time of the statements that came before ingestion."""
        self.idle_since = 0.0
        for name in ("data", "tmp", "files", "schemas", "rows"):
            (self.folder / name).mkdir()
        config = _CONFIG.format(folder=self.folder, memory=memory + _OWN)
        (self.folder / "server.xml").write_text(config, "utf-8")
        settings = "".join(f"<{k}>{v}</{k}>" for k, v in _profile(memory).items())
        (self.folder / "users.xml").write_text(
            _USERS.format(settings=settings, kept=self.kept.database), "utf-8"
        )
        self._connection, theirs = socket.socketpair()
        with theirs, (self.folder / _LOG).open("wb") as errors_to:
            self._process = subprocess.Popen(  # noqa: S603 - our own arguments, no shell
                [sys.executable, "-I", process.__file__, str(theirs.fileno()), str(self.folder)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors_to,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                cwd=self.folder,
            )
        self._broken = False

    def ready(self) -> None:
        """Wait until it takes statements.

        Raises:
            SluiceError: QUERY_WORKER_LOST.
        """
        self._receive()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def memory(self) -> int:
        """Bytes of memory that the process has; 0 if it has ended."""
        with suppress(OSError):
            resident = Path("/proc", str(self.pid), "statm").read_text("ascii").split()[1]
            return int(resident) * os.sysconf("SC_PAGE_SIZE")
        return 0

    def progress(self) -> dict[str, int]:
        """What the statement that runs has read so far."""
        with suppress(OSError, struct.error):
            told = (self.folder / process.PROGRESS_FILE).read_bytes()
            names = ("read_rows", "read_bytes", "total_rows_to_read")
            return dict(zip(names, process.PROGRESS.unpack(told), strict=True))
        return {}

    @property
    def usable(self) -> bool:
        """Whether it can take another statement."""
        return not self._broken and self._process.poll() is None

    def run(self, sql: str, before: Sequence[str] = (), lines: str = "TSVRaw") -> str:
        """The result of a statement in the format `lines`; the statements `before` have none.

        Raises:
            SluiceError: ClickHouse's own, or QUERY_WORKER_LOST.
        """
        self._send({"sql": sql, "before": before, "format": lines, **self._priority})
        return str(self._receive()["text"])

    def stream(self, sql: str, clauses: str) -> Stream:
        """Start a query whose result is read while it runs.

        `clauses` come after the output clause: the format, and settings.

        Raises:
            SluiceError: ClickHouse's own, or QUERY_WORKER_LOST.
        """
        reading, writing = os.pipe()
        with suppress(OSError):
            fcntl.fcntl(reading, _SET_PIPE_SIZE, _PIPE)
        try:
            self._send({"sql": sql, "clauses": clauses, **self._priority}, (writing,))
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return Stream(self, reading)

    @property
    def _priority(self) -> dict[str, Any]:
        return {"first": self.first, "behind": self.behind}

    def wait(self, seconds: float) -> None:
        """Wait until the statement that runs has ended, but not for long."""
        ended = select.poll()
        ended.register(self._connection, select.POLLIN)
        ended.poll(seconds * 1000)

    def finish(self) -> dict[str, int]:
        """Wait for the end of a query whose result has been read; what it has read.

        Raises:
            SluiceError: ClickHouse's own, or QUERY_WORKER_LOST.
        """
        return self._receive()

    def kill(self) -> None:
        """End the process, in the middle of whatever it does."""
        self._broken = True
        self._process.kill()

    def close(self) -> None:
        """End the process and remove its files."""
        self.kill()
        self._connection.close()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _send(self, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
        try:
            process.send(self._connection, message, fds)
        except OSError as gone:
            raise self._lost() from gone

    def _receive(self) -> dict[str, Any]:
        try:
            message, _ = process.receive(self._connection)
        except OSError as gone:
            raise self._lost() from gone
        if message is None:
            raise self._lost()
        self.lowered = message.pop("lowered", False)
        if self.first:
            self.seconds += min(message.pop("seconds", 0.0), _AHEAD_S)
        if "error" in message:
            raise reported(str(message["error"]))
        return message

    def _lost(self) -> errors.SluiceError:
        self._broken = True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        with suppress(OSError):
            written = (self.folder / _LOG).read_bytes()[-_SHOWN:].decode("utf-8", "replace")
            log.warning("worker %s ended with %s: %s", self.folder, self._process.poll(), written)
        return errors.QUERY_WORKER_LOST(status=self._process.poll())


class Stream:
    """The bytes of a result, as ClickHouse writes them."""

    def __init__(self, worker: Worker, fd: int) -> None:
        self._worker = worker
        self._fd = fd
        self._ended = False
        self.statistics: dict[str, int] = {}
        """`read_rows`, `read_bytes`, `total_rows_to_read`, `result_rows` and `result_bytes`, at the
        end."""

    def __iter__(self) -> Iterator[bytes]:
        """All chunks.

        Raises:
            SluiceError: what the query failed with, after the bytes that it wrote before.
        """
        self._worker.wait(_SOON_S)  # most answers are short: they are read once, as a whole
        while chunk := os.read(self._fd, _PIPE):
            yield chunk
        self._ended = True
        self.statistics |= self._worker.finish()

    def close(self) -> None:
        """Stop reading; a query that has more to write is ended."""
        if not self._ended:
            self._worker.kill()
        with suppress(OSError):
            os.close(self._fd)


def worker_folder(otherwise: Path) -> Path:
    """Where workers have their files: in memory, so that queries run while the disk is full."""
    usable = _MEMORY_FOLDER.is_dir() and os.access(_MEMORY_FOLDER, os.W_OK | os.X_OK)
    return _MEMORY_FOLDER if usable else otherwise


class Allowance:
    """Seconds that may be spent: so many come back in a second, up to one second's worth.

    When none are left, there are some again once half of that is there.
    """

    def __init__(self, rate: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = self._left = rate
        self._now = now
        self._at = now()
        self._none = False
        self._lock = threading.Lock()

    def spend(self, seconds: float) -> None:
        """Take some, perhaps more than there are."""
        with self._lock:
            self._refill()
            self._left -= seconds
            self._none = self._none or self._left <= 0

    def is_left(self) -> bool:
        """Whether some may be spent."""
        with self._lock:
            self._refill()
            return not self._none

    def _refill(self) -> None:
        now = self._now()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        self._none = self._none and self._left < self._rate / 2


def niceness(statements: int) -> int:
    """How nice each of so many statements is that take long.

    Processors are shared out by thread, and a step of niceness is a factor of 1.25: together they
    get about as much beside ingestion as one alone would.
    """
    return process.NICENESS + round(math.log(max(statements, 1), 1.25))


class Pool:
    """The workers of one process. They start when they are needed, and some are kept."""

    def __init__(self, folder: Path, most: int = 0) -> None:
        """At most so many at a time, below `folder`; others wait.

        There are many more than cores if not given: those whose queries take long must leave some
        to others.
        """
        self._folder = folder
        for left in folder.glob(f"{_PREFIX}*-*"):
            pid = left.name.split("-")[1]
            if not Path("/proc", pid).exists():  # it was killed
                shutil.rmtree(left, ignore_errors=True)
        self._places = threading.BoundedSemaphore(most or max(16, 4 * (os.cpu_count() or 1)))
        self._inner = threading.BoundedSemaphore(1)
        # A worker dies with the thread that has started it, so that one stays.
        self._starter = ThreadPoolExecutor(1, "query-worker-starter")
        self._short = threading.BoundedSemaphore(_SHORT)
        self._processors = os.cpu_count() or 1
        self._allowance = Allowance(self._processors / _SHARE)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: list[Worker] = []
        self._closed = False
        self._looking: threading.Timer | None = None
        """Closes workers that are not needed any more."""
        self._renewed = -_RENEWAL_S
        """When a worker was started in the place of one with a priority below ingestion."""

    @contextmanager
    def worker(self, *, inner: bool = False, short: bool = False) -> Iterator[Worker]:
        """A worker for one query; one that was killed, or failed, is replaced.

        An `inner` one is for whoever may have a worker already: it waits for none of the others.
        What is `short` has places of its own, so that it does not wait for queries.

        Raises:
            SluiceError: QUERY_WORKER_LOST if it cannot be started.
        """
        with self._inner if inner else self._short if short else self._places:
            worker = self._take()
            self._busy.append(worker)
            worker.behind = niceness(len(self._busy))
            worker.first = len(self._busy) <= self._processors and self._allowance.is_left()
            try:
                yield worker
            finally:
                self._busy.remove(worker)
                self._allowance.spend(worker.seconds)
                worker.seconds = 0.0
                self._give_back(worker)

    def memory(self) -> dict[str, list[int]]:
        """Bytes of memory that each worker has, by whether it runs a query."""
        with self._lock:
            workers = {"running": [*self._busy], "idle": [*self._idle]}
        return {state: [each.memory for each in of] for state, of in workers.items()}

    def warm(self) -> None:
        """Have a worker ready before a query asks for one."""

        def start() -> None:
            with suppress(errors.SluiceError, RuntimeError):  # the pool may be closed meanwhile
                self._give_back(self._started())

        threading.Thread(target=start, name="query-worker", daemon=True).start()

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise errors.QUERY_WAS_CANCELLED(reason=": the server stops")
            while self._idle:
                worker = self._idle.pop()
                if worker.usable:
                    self._renew(worker)
                    return worker
                worker.close()
        return self._started()

    def _renew(self, worker: Worker) -> None:
        """Replace this worker if its priority is permanently below ingestion."""
        if worker.lowered and time.monotonic() >= self._renewed + _RENEWAL_S:
            self._renewed = time.monotonic()
            self.warm()

    def _started(self) -> Worker:
        worker = self._starter.submit(Worker, self._folder).result()
        try:
            worker.ready()
        except BaseException:
            worker.close()
            raise
        return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            kept = worker.usable and not self._closed
            if kept:
                worker.idle_since = time.monotonic()
                self._idle.append(worker)
                self._idle.sort(key=lambda each: not each.lowered)  # the last is taken first
        if kept:
            self._close_surplus()
        else:
            worker.close()

    def _close_surplus(self) -> None:
        """Close workers that were not needed for a while, and look again if there are others."""
        with self._lock:
            until = time.monotonic() - _SURPLUS_S
            more = self._idle[:-_IDLE]
            old = [each for each in more if each.idle_since <= until]
            self._idle = [each for each in self._idle if each not in old]
            if len(old) < len(more) and self._looking is None and not self._closed:
                self._looking = threading.Timer(_SURPLUS_S, self._look_again)
                self._looking.daemon = True
                self._looking.start()
        for each in old:
            each.close()

    def _look_again(self) -> None:
        self._looking = None
        self._close_surplus()

    def close(self) -> None:
        """End the workers; those that run queries end with them."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            if self._looking is not None:
                self._looking.cancel()
        for worker in idle:
            worker.close()
        self._starter.shutdown(wait=False)
