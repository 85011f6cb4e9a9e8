"""The process that runs ClickHouse for one query at a time: `python worker.py FD FOLDER`.

It is started by `pool.Worker` and imports nothing of Sluice. Over a socket it gets statements as
JSON, each message after its length, and answers in the same way. A message may come with the end
for writing of a pipe: the result goes there, as ClickHouse writes it in the format and the
compression of the statement, and the pipe is closed before the message is answered.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = struct.Struct("!I")
PROGRESS = struct.Struct("!3Q")
"""Rows and bytes that a statement has read, and the rows that it is known to read."""
PROGRESS_FILE = "progress"
_KILLED_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_EXPENDABLE = 500
"""How much sooner a system without memory ends this process than others, up to 1000."""
_RESET_PEAK = b"5"
_STATUS = 1 << 14
"""Bytes that are read of what the system tells about the process: more than there are."""
NICENESS = 10
"""Of a statement that takes long, alone. Ingestion is half as nice: it gets most of the time."""
_NICEST = 19
_PATIENCE_S = 0.1
"""Time for which a statement comes before ingestion, at least and at most twice as long. Most have
ended by then, and would wait for the ends of its bursts otherwise."""


def receive(connection: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """The next message, None if the other side has closed the connection; its file descriptors."""
    head, fds, _, _ = socket.recv_fds(connection, _LENGTH.size, 1)
    rest = _exactly(connection, _LENGTH.size - len(head)) if head else None
    body = None if rest is None else _exactly(connection, _LENGTH.unpack(head + rest)[0])
    return json.loads(body) if body else None, list(fds)


def send(connection: socket.socket, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
    """Send a message, with file descriptors of this process."""
    body = json.dumps(message).encode("utf-8", "surrogateescape")
    whole = _LENGTH.pack(len(body)) + body
    if fds:
        whole = whole[socket.send_fds(connection, [whole], fds) :]
    connection.sendall(whole)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    chunks = []
    while size:
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def answered(
    session: Any, memory: Memory, message: dict[str, Any], fds: list[int]
) -> dict[str, Any]:
    """What a message's statements return, or their error."""
    try:
        return _run(session, memory, message, fds)
    except Exception as failed:  # noqa: BLE001 - whatever it is, the parent has to know
        with suppress(RuntimeError):  # takes what the failed one has written: chdb keeps it
            session.query("SELECT 1", "Null")
        return {"error": str(failed)}


def _run(session: Any, memory: Memory, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """Run the statements of a message in order; the answer has what the last one returned."""
    for statement in message.get("before", ()):
        session.query(statement, "Null")
    if not fds:
        found = session.query(message["sql"], message["format"])
        return {"text": found.bytes().decode("utf-8", "surrogateescape")}
    before = memory.now()
    memory.reset_peak()
    target = f"INTO OUTFILE '/dev/fd/{fds[0]}' TRUNCATE"
    found = session.query(f"{message['sql']} {target} {message['clauses']}")
    return {
        "memory_usage": max(memory.peak() - before, 0),
        "read_rows": found.storage_rows_read(),
        "read_bytes": found.storage_bytes_read(),
        "result_rows": found.rows_read(),
        "result_bytes": found.bytes_read(),
    }


class Progress:
    """What the statement that runs has read so far, in a file that the parent looks into."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        self.total = 0
        """The rows that the sources which know how many they have will make."""

    def reset(self) -> None:
        """Forget a statement: who runs the next one must not see what it has read."""
        self({})

    def __call__(self, told: dict[str, int]) -> None:
        """Note what ClickHouse tells, ten times a second and at the end."""
        self.total = told.get("total_rows_to_read", 0)
        now = (told.get("read_rows", 0), told.get("read_bytes", 0), self.total)
        os.pwrite(self._file, PROGRESS.pack(*now), 0)


class Priority:
    """How this process competes for processors: before ingestion, until a statement takes long.

    A process without the right to undo that keeps the lower priority, and reports it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: float | None = None
        self._behind = NICENESS
        self._own = self._niceness = os.getpriority(os.PRIO_PROCESS, 0)
        self.lowered = False
        """Whether its priority is below ingestion from now on."""
        threading.Thread(target=self._watch, name="priority", daemon=True).start()

    @contextmanager
    def statement(self, *, first: bool, behind: int) -> Iterator[None]:
        """Run a statement, above ingestion in priority for a while, or so far below it."""
        with self._lock:
            self._since = time.monotonic()
            self._behind = behind
            self._be(self._own + (0 if first else behind))
        try:
            yield
        finally:
            with self._lock:
                self._since = None

    def _watch(self) -> None:
        while True:
            time.sleep(_PATIENCE_S)
            with self._lock:
                if self._since is not None and time.monotonic() - self._since > _PATIENCE_S:
                    self._be(self._own + self._behind)

    def _be(self, niceness: int) -> None:
        """Give threads another niceness, but those to which ClickHouse has given one of its own.

        Threads that come later have that of who starts them.
        """
        niceness = min(niceness, _NICEST)
        if niceness == self._niceness or (self.lowered and niceness < self._niceness):
            return
        before, self._niceness = self._niceness, niceness
        for thread in [int(each.name) for each in Path("/proc/self/task").iterdir()]:
            try:
                if os.getpriority(os.PRIO_PROCESS, thread) == before:
                    os.setpriority(os.PRIO_PROCESS, thread, niceness)
            except ProcessLookupError:  # it has just ended
                continue
            except PermissionError:
                self.lowered = True
                return


class Memory:
    """The memory of this process; the files that tell of it stay open."""

    def __init__(self) -> None:
        self._status = os.open("/proc/self/status", os.O_RDONLY)
        self._clear = -1
        with suppress(OSError):
            self._clear = os.open("/proc/self/clear_refs", os.O_WRONLY)

    def now(self) -> int:
        """Bytes that it has."""
        return self._bytes(b"VmRSS:")

    def peak(self) -> int:
        """The most bytes that it has had since the last reset."""
        return self._bytes(b"VmHWM:")

    def reset_peak(self) -> None:
        """Let the peak be what it has now, where the system can do that."""
        if self._clear >= 0:
            with suppress(OSError):
                os.write(self._clear, _RESET_PEAK)

    def _bytes(self, name: bytes) -> int:
        _, _, found = os.pread(self._status, _STATUS, 0).partition(name)
        return int(found.split(maxsplit=1)[0]) << 10 if found else 0


def main(fd: int, folder: str) -> None:
    """Answer messages until the connection is closed."""
    ctypes.CDLL(None).prctl(_KILLED_WITH_PARENT, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_EXPENDABLE), "ascii")
    connection = socket.socket(fileno=fd)
    from chdb.session import Session

    start: Any = Session
    session = start(f"{folder}/data?config-file={folder}/server.xml")
    memory, priority = Memory(), Priority()
    progress = Progress(f"{folder}/{PROGRESS_FILE}")
    session._conn.set_progress_callback(progress)
    send(connection, {"ready": True})
    while True:
        message, fds = receive(connection)
        if message is None:
            return
        before = time.process_time()
        with priority.statement(first=message["first"], behind=message["behind"]):
            answer = answered(session, memory, message, fds)
        if "read_rows" in answer:
            answer["total_rows_to_read"] = progress.total
        progress.reset()
        answer["lowered"] = priority.lowered
        answer["seconds"] = time.process_time() - before
        for fd in fds:
            os.close(fd)
        try:
            send(connection, answer)
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
