"""Where lineage events are sent: a file, or a URL."""

from __future__ import annotations

import ipaddress
import os
import socket
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from sluice import errors
from sluice.config import check_url
from sluice.parameters.kinds import hide_in_url

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.config import Hosts
    from sluice.parameters.secret import Secret

_TIMEOUT_S = 10.0
_PAUSES_S = (0.0, 1.0, 5.0)
"""Before each attempt to send an event."""


class Transport(Protocol):
    """Takes events, one after the other, from one thread."""

    def send(self, event: str) -> None:
        """Send an event, as JSON; a failure is raised."""


class FileTransport:
    """Adds events to a file of its owner's, one in a line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, event: str) -> None:
        """Write a line."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self._path, flags, 0o600), "a", encoding="utf-8") as file:
            file.write(f"{event}\n")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An answer that leads elsewhere is an error: the host there was not checked."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class HttpTransport:
    """Posts events to an address on a host that is allowed, directly and without redirects.

    Raises:
        SluiceError: UNACCEPTABLE_URL or INVALID_URL.
    """

    def __init__(self, url: str, hosts: Hosts | None, key: Secret | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            reason = "expected http://HOST[:PORT]/PATH or https://…, without a user"
            raise errors.INVALID_URL(url=hide_in_url(url), reason=reason)
        check_url(url, hosts)
        self._url = url
        self._host, self._port = parts.hostname, parts.port
        self._listed = hosts is not None
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key.reveal()}"
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())

    def send(self, event: str) -> None:
        """Post an event; a server that does not answer is asked again, twice."""
        for n, pause in enumerate(_PAUSES_S, 1):
            time.sleep(pause)
            try:
                self._post(event)
            except urllib.error.HTTPError as refused:
                if refused.code < 500 or n == len(_PAUSES_S):
                    raise
            except OSError:
                if n == len(_PAUSES_S):
                    raise
            else:
                return

    def _post(self, event: str) -> None:
        self._check_address()
        made = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self._url, event.encode(), self._headers, method="POST"
        )
        with self._opener.open(made, timeout=_TIMEOUT_S) as answer:
            answer.read(1 << 16)

    def _check_address(self) -> None:
        """Refuse a name that resolves to a private address, unless the operator lists it."""
        if self._listed:
            return
        for *_, address in socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM):
            if not ipaddress.ip_address(address[0]).is_global:
                reason = f"it resolves to {address[0]}, which is private"
                raise errors.UNACCEPTABLE_URL(host=self._host, reason=reason)
