"""The process that runs ClickHouse for one query at a time: `python worker.py FD FOLDER`.

It is started by `pool.Worker` and imports nothing of Sluice. Over a socket it gets statements as
JSON, each message after its length, and answers in the same way. The result of a statement with
`"stream": true` goes through a pipe, whose end for reading is sent along with the answer
`{"started": true}`; ClickHouse writes into it in the format and the compression of the statement.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_LENGTH = struct.Struct("!I")
_KILLED_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_RESET_PEAK = "5"
_NICENESS = 5
"""Below ingestion: a query that takes all processors leaves a pipeline most of them."""


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """The next message; None if the other side has closed the connection."""
    head = _exactly(connection, _LENGTH.size)
    body = _exactly(connection, _LENGTH.unpack(head)[0]) if head else None
    return json.loads(body) if body else None


def send(connection: socket.socket, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
    """Send a message, with file descriptors of this process."""
    body = json.dumps(message).encode("utf-8", "surrogateescape")
    connection.sendall(_LENGTH.pack(len(body)))
    if fds:
        sent = socket.send_fds(connection, [body], fds)
        body = body[sent:]
    connection.sendall(body)


def receive_fds(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The next message, with the file descriptors that came along."""
    head = _exactly(connection, _LENGTH.size)
    if head is None:
        return {}, []
    size = _LENGTH.unpack(head)[0]
    body, fds, _, _ = socket.recv_fds(connection, size, 1)
    rest = _exactly(connection, size - len(body))
    return json.loads(body + (rest or b"")), list(fds)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    chunks = []
    while size:
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _run(session: Any, connection: socket.socket, message: dict[str, Any]) -> dict[str, Any]:
    """Run the statements of a message in order; the answer has what the last one returned."""
    for statement in message.get("before", ()):
        session.query(statement, "Null")
    if not message.get("stream"):
        found = session.query(message["sql"], message["format"])
        return {"text": found.bytes().decode("utf-8", "surrogateescape")}
    before = _memory("VmRSS")
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK, "ascii")
    reading, writing = os.pipe()
    try:
        send(connection, {"started": True}, (reading,))
    finally:
        os.close(reading)
    try:
        target = f"INTO OUTFILE '/dev/fd/{writing}' TRUNCATE"
        found = session.query(f"{message['sql']} {target} {message['clauses']}")
    finally:
        os.close(writing)
    return {
        "memory_usage": max(_memory("VmHWM") - before, 0),
        "read_rows": found.storage_rows_read(),
        "read_bytes": found.storage_bytes_read(),
        "result_rows": found.rows_read(),
    }


def _memory(name: str) -> int:
    """Bytes of memory of this process: VmRSS has them now, VmHWM the most since the last reset."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    found = next((line for line in lines if line.startswith(name)), "")
    return int(found.split()[1]) << 10 if found else 0


def main(fd: int, folder: str) -> None:
    """Answer messages until the connection is closed."""
    ctypes.CDLL(None).prctl(_KILLED_WITH_PARENT, signal.SIGKILL)
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    connection = socket.socket(fileno=fd)
    from chdb.session import Session

    start: Any = Session
    session = start(f"{folder}/data?config-file={folder}/server.xml")
    send(connection, {"ready": True})
    while (message := receive(connection)) is not None:
        try:
            answer = _run(session, connection, message)
        except BrokenPipeError:
            return
        except Exception as failed:  # noqa: BLE001 - whatever it is, the parent has to know
            answer = {"error": str(failed)}
        send(connection, answer)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
