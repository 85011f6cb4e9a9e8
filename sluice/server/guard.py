"""Who may talk to the server: rules against web pages that reach for a local service."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import Request

from sluice import errors
from sluice.server.answers import failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS_LIMIT = 64 << 10
"""Bytes of all headers of a request together; the statement may be in its address."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 -- compared with, not bound to


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to `host`."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def check_bind(host: str, *, insecure: bool, https: bool = False) -> None:
    """Refuse to listen on an address that other hosts can reach, but with HTTPS or if allowed."""
    if is_loopback(host) or insecure or https:
        return
    reason = (
        f"{host or 'An empty host'} can be reached from other machines, and without HTTPS everyone "
        "in between could read passwords and data. Add --https-port, --certificate and --key, "
        "leave --host out to serve this machine only, or add --insecure if the network is closed"
    )
    raise errors.ACCESS_DENIED(reason=reason)


def check_users(host: str, *, insecure: bool, remote: bool) -> None:
    """Refuse to serve other machines if nobody there could log in with a password."""
    if is_loopback(host) or insecure or remote:
        return
    reason = (
        f"{host} can be reached from other machines, and there is no user who could log in from "
        "there: one with a password or a certificate. Create one first, with `sluice sql --data`"
    )
    raise errors.ACCESS_DENIED(reason=reason)


@dataclass(frozen=True, slots=True)
class Guard:
    """Accepts a request if its Host is served here and no page of another site sent it.

    A page of another site can make a browser send requests here. It cannot choose the Host header
    (which unmasks DNS rebinding), and the browser says where the request comes from.
    """

    app: ASGIApp
    host: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, and close its connection, or pass it on."""
        if scope["type"] == "http":
            request = Request(scope)
            try:
                self.check(request)
            except errors.SluiceError as refused:
                answer = failure(refused)
                answer.headers["Connection"] = "close"
                await answer(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def check(self, request: Request) -> None:
        """Raise ACCESS_DENIED, HEADERS_TOO_LARGE or AMBIGUOUS_CONTENT_LENGTH."""
        size = sum(len(name) + len(value) for name, value in request.headers.raw)
        if size > HEADERS_LIMIT:
            raise errors.HEADERS_TOO_LARGE(size=size, limit=HEADERS_LIMIT)
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            # Proxies and servers disagree on which of them counts: request smuggling.
            raise errors.AMBIGUOUS_CONTENT_LENGTH()
        given = request.headers.get("host", "")
        name = _host_name(given)
        # With TLS the client has checked the name, which a page of another site cannot have.
        if request.scope.get("scheme") != "https" and not self._is_ours(name):
            raise errors.ACCESS_DENIED(reason=f"Host {given or '(none)'} is not served here")
        if request.method not in ("GET", "HEAD") and _is_foreign(request, given):
            raise errors.ACCESS_DENIED(reason="Requests from pages of other sites may not write")

    def _is_ours(self, name: str) -> bool:
        if name in LOOPBACK or name == self.host:
            return True
        return self.host in _WILDCARDS and _is_address(name)


def _is_foreign(request: Request, host: str) -> bool:
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return True
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != host


def _host_name(header: str) -> str:
    """The name in a Host header; none for one with a user in it, or that is not well formed."""
    found = _HOST.fullmatch(header)
    return found[1].strip("[]").lower() if found else ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
