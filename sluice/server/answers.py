"""Results and errors as HTTP answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from starlette.concurrency import iterate_in_threadpool
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from sluice.errors import SluiceError
from sluice.formats.answers import render
from sluice.formats.registry import find_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from sluice.formats.result import Result

COMMON = {"X-ClickHouse-Timezone": "UTC", "X-Content-Type-Options": "nosniff"}


def ok() -> Response:
    """The response of /ping."""
    return PlainTextResponse("Ok.\n", headers=COMMON)


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, its first chunks rendered, so that what fails early is still an error."""

    format: str
    content_type: str
    first: bytes
    second: bytes | None
    rest: Iterator[bytes]
    compression: str = ""

    @classmethod
    def of(cls, result: Result, default_format: str) -> Answer:
        """Render the head of a result; this may take time and belongs in a worker thread."""
        name = result.format or default_format
        if result.stream is None:
            name, answer = find_answer(name)
            content_type, chunks = answer.content_type, render(result, name)
        else:
            content_type, chunks = _content_type(name), iter(result.stream)
        first, second = next(chunks, b""), next(chunks, None)
        compression = result.stream.compression if result.stream is not None else ""
        return cls(name, content_type, first, second, chunks, compression)

    def response(self, query_id: str, cancel: Callable[[], object]) -> Response:
        """A whole answer if it is short, a streamed one otherwise.

        `cancel` is called if the client leaves before the end.
        """
        headers = {
            **COMMON,
            "Content-Type": self.content_type,
            "X-ClickHouse-Format": self.format,
            "X-ClickHouse-Query-Id": query_id,
        }
        if self.compression:
            headers["Content-Encoding"] = self.compression
        if self.second is None:
            return Response(self.first, headers=headers)
        chunks = chain((self.first, self.second), self.rest)
        return StreamingResponse(_watched(chunks, cancel), headers=headers)


async def _watched(chunks: Iterable[bytes], cancel: Callable[[], object]) -> AsyncIterator[bytes]:
    try:
        async for chunk in iterate_in_threadpool(chunks):
            yield chunk
    except BaseException:
        cancel()  # the thread that waits for the next chunk comes back then
        raise


_BINARY = frozenset({
    "native", "rowbinary", "rowbinarywithnames", "rowbinarywithnamesandtypes", "parquet", "arrow",
    "arrowstream", "orc", "avro", "msgpack", "npy", "protobuf", "protobufsingle", "protobuflist",
    "capnproto", "bsoneachrow", "rawblob",
})  # fmt: skip


def _content_type(format_name: str) -> str:
    """What ClickHouse calls the content of a format."""
    try:
        return find_answer(format_name)[1].content_type
    except SluiceError:
        is_binary = format_name.lower() in _BINARY
        return "application/octet-stream" if is_binary else "text/plain; charset=UTF-8"


def failure(
    error: SluiceError, query_id: str | None = None, dialect: str = "clickhouse"
) -> Response:
    """An error in the form that the clients of a dialect read."""
    headers = {**COMMON, "X-ClickHouse-Exception-Code": str(error.condition.clickhouse_code)}
    if query_id is not None:
        headers["X-ClickHouse-Query-Id"] = query_id
    return PlainTextResponse(f"{error.text_for(dialect)}\n", error.condition.http, headers)
