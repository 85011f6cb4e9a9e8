"""Parsing of HTTP requests, within limits."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from sluice import errors
from sluice.formats.answers import DEFAULT, find_answer
from sluice.server.answers import Delivery
from sluice.server.compression import accepted, decompressed, unblocked
from sluice.server.external import read_form
from sluice.server.sessions import SessionAsk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from sluice.session.context import ExternalTable

STATEMENT_LIMIT = 1 << 20
"""Bytes of a statement, and of the request's head."""
DATA_LIMIT = 64 << 20
"""Bytes of an INSERT together with its data."""

NOT_SETTINGS = frozenset({
    "query", "dialect", "default_format", "database", "query_id", "user", "password", "quota_key",
    "readonly", "role", "session_id", "session_timeout", "session_check", "close_session",
    "buffer_size", "wait_end_of_query", "http_wait_end_of_query", "send_progress_in_http_headers",
    "http_headers_progress_interval_ms",
    "add_http_cors_header", "compress", "decompress", "client_protocol_version",
    "stacktrace",
})  # fmt: skip
"""URL parameters of the HTTP interface; all others are settings of the statement."""

WRITING = ("POST", "PUT")
"""Methods of requests that may change something."""

PARAMETER = "param_"
"""What URL parameters begin with that have a value for `{name:Type}` in a query."""

_INSERT = re.compile(rb"(?:\s|--[^\n]*\n|/\*.*?\*/)*INSERT\b", re.IGNORECASE | re.DOTALL)
_QUERY_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Ask:
    """A statement and how to run and answer it."""

    statement: str
    dialect: str
    database: str | None
    format: str
    readonly: bool
    settings: Mapping[str, str]
    session: SessionAsk | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = field(default_factory=Delivery)
    revision: int = 0
    external: Sequence[ExternalTable] = ()


def query_id(request: Request) -> str:
    """The name the client gave the request, or a new one."""
    given = request.query_params.get("query_id") or request.headers.get("x-clickhouse-query-id", "")
    return given if _QUERY_ID.fullmatch(given) else str(uuid.uuid4())


async def read_ask(request: Request) -> Ask:
    """Read the request; what is not allowed is refused before anything runs."""
    params, headers = dict(request.query_params), request.headers
    external: Sequence[ExternalTable] = ()
    is_form = headers.get("content-type", "").lower().startswith("multipart/form-data")
    if is_form:
        params, external = await read_form(request, params, STATEMENT_LIMIT, DATA_LIMIT)
    format_name = headers.get("x-clickhouse-format") or params.get("default_format") or DEFAULT
    find_answer(format_name)
    compresses = _flag(params, "enable_http_compression")
    writes = request.method in WRITING and params.get("readonly", "0") == "0"
    described = {f"{t.name}_{part}" for t in external for part in ("format", "types", "structure")}
    return Ask(
        statement=await _statement(request, params, has_body=not is_form),
        dialect=_dialect(params.get("dialect", "clickhouse")),
        database=headers.get("x-clickhouse-database") or params.get("database") or None,
        format=format_name,
        readonly=not writes,
        settings={
            name: value
            for name, value in params.items()
            if name not in NOT_SETTINGS | described and not name.startswith(PARAMETER)
        },
        session=SessionAsk.of(params),
        parameters={
            name.removeprefix(PARAMETER): value
            for name, value in params.items()
            if name.startswith(PARAMETER)
        },
        delivery=Delivery(
            blocks=_flag(params, "compress"),
            encoding=accepted(headers.get("accept-encoding", "")) if compresses else "",
            waits=_flag(params, "wait_end_of_query") or _flag(params, "http_wait_end_of_query"),
            progress=_flag(params, "send_progress_in_http_headers"),
            progress_s=max(_number(params, _INTERVAL, "100"), _LEAST_MS) / 1000,
        ),
        revision=_number(params, "client_protocol_version"),
        external=external,
    )


def _flag(params: Mapping[str, str], name: str) -> bool:
    return params.get(name, "0").lower() not in ("0", "false", "")


_INTERVAL = "http_headers_progress_interval_ms"
_LEAST_MS = 10


def _number(params: Mapping[str, str], name: str, default: str = "0") -> int:
    text = params.get(name, default)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = "an integer is expected"
        raise errors.INVALID_REQUEST_PARAMETER(parameter=name, value=text[:20], reason=reason)
    return int(text)


def _dialect(name: str) -> str:
    known = ("clickhouse", "flink")
    if name not in known:
        raise errors.INVALID_REQUEST_PARAMETER(
            parameter="dialect", value=name, reason=f"one of {', '.join(known)} is expected"
        )
    return name


async def _statement(request: Request, params: Mapping[str, str], *, has_body: bool) -> str:
    """The query parameter, the body, or both with a line break between, as for INSERT … FORMAT."""
    query, body = params.get("query", ""), b""
    if has_body and request.method in WRITING:
        body = await _body(request, query.encode())
    is_insert = _INSERT.match(query.encode()[:_HEAD] or body[:_HEAD])
    try:
        text = body.decode("utf-8", "surrogateescape" if is_insert else "strict")
    except UnicodeDecodeError as bad:
        raise errors.STATEMENT_NOT_UTF8(position=bad.start + 1) from bad
    statement = f"{query}\n{text}" if query and text else query or text
    if not statement.strip() and params.get("close_session") != "1":
        raise errors.SYNTAX_ERROR(reason="the statement is empty")
    return statement


async def _body(request: Request, query: bytes) -> bytes:
    encoding = request.headers.get("content-encoding", "identity")
    in_blocks = _flag(request.query_params, "decompress")
    packed = in_blocks or encoding != "identity"
    kept, size, limit = bytearray(), 0, DATA_LIMIT if packed else STATEMENT_LIMIT
    async for chunk in request.stream():
        if not packed and size <= STATEMENT_LIMIT < size + len(chunk):
            head = query or bytes(kept[:_HEAD]) or chunk
            limit = DATA_LIMIT if _INSERT.match(head[:_HEAD]) else STATEMENT_LIMIT
        size += len(chunk)
        if size > DATA_LIMIT:
            break
        if size <= limit:
            kept += chunk
    if size > limit:
        raise errors.QUERY_TOO_LARGE(size=size, limit=limit)
    if not packed:
        return bytes(kept)
    body = await anyio.to_thread.run_sync(decompressed, bytes(kept), encoding, DATA_LIMIT)
    if in_blocks:
        body = await anyio.to_thread.run_sync(unblocked, body, DATA_LIMIT)
    if len(body) > STATEMENT_LIMIT and not _INSERT.match(query or body[:_HEAD]):
        raise errors.QUERY_TOO_LARGE(size=len(body), limit=STATEMENT_LIMIT)
    return body
