"""Results and errors as HTTP answers."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import tempfile
import time
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, cast

from starlette.concurrency import iterate_in_threadpool
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from sluice import errors
from sluice.errors import SluiceError
from sluice.formats.answers import find_answer
from sluice.server.compression import blocks, encoded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
    from typing import BinaryIO

    from starlette.types import Message, Send

    from sluice.formats.result import Result

log = logging.getLogger("sluice.server")

SUMMARY = (
    "read_rows", "read_bytes", "written_rows", "written_bytes", "total_rows_to_read",
    "result_rows", "result_bytes",
)  # fmt: skip
PROGRESS = "X-ClickHouse-Progress"
_IN_MEMORY = 4 << 20
"""Bytes of an answer that waits for its end which are not written to a file."""
_CHUNK = 1 << 20
_EXCEPTION = "__exception__"
_LONGEST_MESSAGE = 15 << 10
"""Bytes of an error within an answer: clients read 16 KiB."""

COMMON = {
    "X-ClickHouse-Timezone": "UTC",
    "X-ClickHouse-Server-Display-Name": socket.gethostname(),
    "X-Content-Type-Options": "nosniff",
}


def ok() -> Response:
    """The response of /ping."""
    return PlainTextResponse("Ok.\n", headers=COMMON)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a client wants its answer.

    `blocks` are ClickHouse's own compression, `encoding` is HTTP's. With `waits` nothing is sent
    before the statement has ended. With `progress` a header tells about it every `progress_s`
    seconds until the answer begins.
    """

    blocks: bool = False
    encoding: str = ""
    waits: bool = False
    progress: bool = False
    progress_s: float = 0.1
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, its first chunks written, so that what fails early is still an error."""

    format: str
    content_type: str
    first: bytes
    second: bytes | None
    rest: Iterator[bytes]
    delivery: Delivery
    zone: str
    known: Callable[[], Mapping[str, int]]

    @classmethod
    def of(cls, result: Result, default_format: str, delivery: Delivery) -> Answer:
        """Wait for the head of a result; this may take time and belongs in a worker thread."""
        found = find_answer(result.format or default_format)
        chunks: Iterator[bytes] = iter(() if result.stream is None else result.stream)
        if delivery.waits:
            chunks = _complete(chunks)
        first, second = next(chunks, b""), next(chunks, None)
        name, content_type = found.name, found.content_type
        known = result.progress
        return cls(name, content_type, first, second, chunks, delivery, result.zone, known)

    def response(self, query_id: str, cancel: Callable[[], object]) -> Response:
        """A whole answer if it is short, a streamed one otherwise.

        `cancel` is called if the client leaves before the end.
        """
        tag = secrets.token_hex(8)
        headers = {
            **COMMON,
            "Content-Type": self.content_type,
            "X-ClickHouse-Format": self.format,
            "X-ClickHouse-Query-Id": query_id,
            "X-ClickHouse-Timezone": self.zone,
            "X-ClickHouse-Summary": self._summary(),
            "X-ClickHouse-Exception-Tag": tag,
        }
        if self.delivery.progress:
            headers[PROGRESS] = headers["X-ClickHouse-Summary"]
        if self.delivery.encoding:
            headers["Content-Encoding"] = self.delivery.encoding
        if self.second is None:
            body = b"".join(self._packed([self.first] if self.first else []))
            return Response(body, headers=headers)
        chunks = _Tagged(chain((self.first, self.second), self.rest), tag)
        return Streamed(_watched(self._packed(chunks), cancel), chunks, headers)

    def _packed(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        if self.delivery.blocks:
            chunks = blocks(chunks)
        return encoded(chunks, self.delivery.encoding) if self.delivery.encoding else chunks

    def _summary(self) -> str:
        """What is known of the statement now; all of it, if it has ended."""
        return summary(self.known(), self.delivery.started)


def summary(known: Mapping[str, int], started: float) -> str:
    """What is known of a statement, as headers have it; `started` is a monotonic time."""
    found = {name: str(known.get(name, 0)) for name in SUMMARY}
    found["elapsed_ns"] = str(int((time.monotonic() - started) * 1e9))
    return json.dumps(found, separators=(",", ":"))


class _Tagged:
    """Chunks of an answer; an error in the middle is written into it, between marks of its own."""

    def __init__(self, chunks: Iterator[bytes], tag: str) -> None:
        self._chunks = chunks
        self._tag = tag
        self.failed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._chunks
        except Exception as fault:
            self.failed = True
            if not isinstance(fault, SluiceError):
                log.exception("An answer ended early")
                fault = errors.INTERNAL_ERROR(query_id="")
            text = fault.text_for("clickhouse").encode()[:_LONGEST_MESSAGE] + b"\n"
            head, tail = f"\r\n{_EXCEPTION}\r\n{self._tag}\r\n", f"{self._tag}\r\n{_EXCEPTION}\r\n"
            yield head.encode() + text + f"{len(text)} {tail}".encode()


class Streamed(StreamingResponse):
    """An answer in chunks; one that has failed has no end as HTTP wants it, so that all notice."""

    def __init__(
        self, content: AsyncIterator[bytes], tagged: _Tagged, headers: Mapping[str, str]
    ) -> None:
        super().__init__(content, headers=headers)
        self._tagged = tagged

    async def stream_response(self, send: Send) -> None:
        """Send the chunks, and an end if there is one."""

        async def unless_failed(message: Message) -> None:
            if message.get("more_body", True) or not self._tagged.failed:
                await send(message)

        await super().stream_response(unless_failed)


async def _watched(chunks: Iterable[bytes], cancel: Callable[[], object]) -> AsyncIterator[bytes]:
    try:
        async for chunk in iterate_in_threadpool(chunks):
            yield chunk
    except BaseException:
        cancel()  # the thread that waits for the next chunk comes back then
        raise


def _complete(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks once all of them are there."""
    kept = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
    try:
        kept.writelines(chunks)
    except BaseException:
        kept.close()
        raise
    kept.seek(0)
    return _read(kept)


def _read(kept: BinaryIO) -> Iterator[bytes]:
    with kept:
        while chunk := kept.read(_CHUNK):
            yield chunk


def failure(
    error: SluiceError, query_id: str | None = None, dialect: str = "clickhouse"
) -> Response:
    """An error in the form that the clients of a dialect read."""
    headers = {**COMMON, "X-ClickHouse-Exception-Code": str(error.condition.clickhouse_code)}
    if query_id is not None:
        headers["X-ClickHouse-Query-Id"] = query_id
    return PlainTextResponse(f"{error.text_for(dialect)}\n", error.condition.http, headers)
