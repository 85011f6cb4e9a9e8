"""A server that listens, in a thread of its own."""

from __future__ import annotations

import errno
import logging
import socket
import threading
import time
from typing import TYPE_CHECKING

import uvicorn

from sluice import errors
from sluice.engine.logs import TEXT, LogFileHandler, formatter
from sluice.server.app import create_app
from sluice.server.guard import check_bind, check_users, is_loopback
from sluice.server.protocol import Connection
from sluice.server.request import STATEMENT_LIMIT
from sluice.server.tls import Certificates

if TYPE_CHECKING:
    import ssl
    from pathlib import Path
    from typing import Self

    from starlette.applications import Starlette

    from sluice.config import Tls
    from sluice.session import Session

GRACE_S = 3
"""How long running statements may take to finish once the server is told to stop."""

LOGGERS = ("sluice", "uvicorn.error")
"""Not `uvicorn.access`: addresses hold statements, and statements hold passwords."""


class Server:
    """The HTTP server of a session, and the HTTPS server if there is a certificate.

    The ports are taken when the object is made (so that a port in use is known before anything
    slow), and answered from `start` on. Port 0 takes a free one. The session stays the caller's:
    stop the server first, then close the session.

    With HTTPS, HTTP is for this machine only: `insecure` serves it elsewhere, too, and lets users
    without passwords log in from there.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 8123,
        *,
        insecure: bool = False,
        log_format: str = TEXT,
        tls: Tls | None = None,
    ) -> None:
        tls = tls if tls is not None and tls.port is not None else None
        check_bind(host, insecure=insecure, https=tls is not None)
        self._served = host
        self._insecure = insecure
        self.host = host if is_loopback(host) or insecure else "127.0.0.1"
        self._log_format = log_format
        self._certificates = Certificates(tls) if tls is not None else None
        self._logs: LogFile | None = None
        self._listeners: list[_Listener] = []
        try:
            self._listeners.append(_Listener(self.host, port))
            if tls is not None and tls.port is not None and self._certificates is not None:
                self._listeners.append(_Listener(host, tls.port, self._certificates.context))
        except errors.SluiceError:
            self.stop()
            raise
        self.port = self._listeners[0].port

    @property
    def url(self) -> str:
        """Where clients on this machine find it."""
        return f"http://{_address(self.host, self.port)}"

    @property
    def https_url(self) -> str:
        """Where clients find it by HTTPS; empty if there is none."""
        secure = self._listeners[1:]
        return f"https://{_address(secure[0].host, secure[0].port)}" if secure else ""

    def start(self, session: Session) -> Self:
        """Answer requests from now on.

        Raises:
            SluiceError: ACCESS_DENIED if other machines are served, and nobody there has a login.
        """
        if not is_loopback(self._served):
            check_users(self._served, insecure=self._insecure, remote=session.has_remote_users())
        self._logs = LogFile(session.logs / "server.log", self._log_format)
        for each in self._listeners:
            each.start(
                create_app(
                    session,
                    host=each.host,
                    closed=self._insecure,
                    connections=self._connections,
                )
            )
        return self

    def _connections(self) -> int:
        return sum(each.connections() for each in self._listeners)

    def stop(self) -> None:
        """Accept no more requests, wait a few seconds for the running ones, and stop."""
        for each in self._listeners:
            each.ask_to_stop()
        for each in self._listeners:
            each.stop()
        if self._certificates is not None:
            self._certificates.close()
        if self._logs is not None:
            self._logs.close()
            self._logs = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Listener:
    """A port, and the thread that answers on it."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None = None) -> None:
        self.host = host
        self._context = context
        self._socket = _bind(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._uvicorn: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self, app: Starlette) -> None:
        """Answer requests from now on."""
        context = self._context
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # users are bound to addresses, which a header must not change
            h11_max_incomplete_event_size=STATEMENT_LIMIT,
            timeout_graceful_shutdown=GRACE_S,
            ssl_context_factory=None if context is None else lambda *_: context,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._uvicorn.run, args=([self._socket],), name="sluice-http", daemon=True
        )
        self._thread.start()
        while self._thread.is_alive() and not self._uvicorn.started:
            time.sleep(0.01)

    def connections(self) -> int:
        """How many connections there are."""
        return 0 if self._uvicorn is None else len(self._uvicorn.server_state.connections)

    def ask_to_stop(self) -> None:
        """Accept no more requests."""
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    def stop(self) -> None:
        """Wait for the running requests, and release the port."""
        if self._thread is not None:
            self._thread.join(GRACE_S + 1)
            self._uvicorn = self._thread = None
        self._socket.close()


class LogFile:
    """Sends the loggers of Sluice and of its HTTP library to one file until it is closed."""

    def __init__(self, path: Path, log_format: str = TEXT) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handler = LogFileHandler(path, maxBytes=16 << 20, backupCount=3, delay=True)
        self._handler.setFormatter(formatter(log_format))
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self._handler)
            logger.setLevel(logging.INFO)
            logger.propagate = False

    def close(self) -> None:
        """Detach the loggers and close the file."""
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.removeHandler(self._handler)
            logger.propagate = True
        self._handler.close()


def _bind(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # asyncio sets TCP_NODELAY where the protocol is named: without it the body of an answer
        # waits for the client's delayed acknowledgement of the headers, 40 ms.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, OverflowError) as bad:
        raise _cannot_listen(host, port, bad) from bad
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as bad:
        bound.close()
        raise _cannot_listen(host, port, bad) from bad
    return bound


def _cannot_listen(host: str, port: int, bad: OSError | OverflowError) -> errors.SluiceError:
    in_use = isinstance(bad, OSError) and bad.errno == errno.EADDRINUSE
    return errors.CANNOT_LISTEN(
        address=_address(host, port),
        reason="the port is in use" if in_use else getattr(bad, "strerror", None) or bad,
        hint="Choose another one with --port, or stop the program that has it." if in_use else "",
    )


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
