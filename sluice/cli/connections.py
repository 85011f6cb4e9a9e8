"""The two ways a command reaches a session: in this process, or over HTTP."""

from __future__ import annotations

import base64
import http.client
import ssl
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, Protocol
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from sluice.session import Result

_CONNECT_S = 5.0
_CANCEL_S = 10.0
_SESSION_S = 3600
_AGAIN_S = 0.1
_NO_SESSION, _LOCKED = "372", "373"
_CHUNK = 1 << 16
_HEADERS = {
    "Content-Type": "text/plain; charset=UTF-8",
    "User-Agent": f"sluice-sql/{metadata.version('sluice')}",
}
_AT_REST = ("STOPPED", "FINISHED", "SUSPENDED")


class Refused(Exception):
    """A server's error message for a statement."""


class Locked(Refused):
    """Another request uses the session."""


class Connection(Protocol):
    """Runs statements one after another, in one session."""

    def run(self, statement: str, format_name: str) -> Iterable[bytes]:
        """The result, in the statement's format or else in this one."""

    def close(self) -> None:
        """Release all resources."""


class Local:
    """A session on a data folder, in this process; it runs statements, not pipelines."""

    def __init__(self, data: Path, dialect: str, database: str | None) -> None:
        import sluice

        self._data = data
        self._dialect = dialect
        self._engine = sluice.connect(data=data, pipelines=False)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="statement")
        try:
            self._session = self._engine.child(database)
        except errors.SluiceError:
            self._engine.close()
            raise

    def run(self, statement: str, format_name: str) -> Iterable[bytes]:
        """See `Connection`."""
        return self._executed(statement, format_name).stream or ()

    def _executed(self, statement: str, format_name: str) -> Result:
        """Run a statement in a thread, so that an interrupt cancels it and nothing else."""
        id_, running = str(uuid.uuid4()), None
        try:
            running = self._thread.submit(
                self._session.execute,
                statement,
                dialect=self._dialect,
                query_id=id_,
                default_format=format_name,
                stream=True,
            )
            return running.result()
        except KeyboardInterrupt:
            self._session.cancel(id_, " by the user")
            wait([running] if running is not None else [], _CANCEL_S)
            raise

    def close(self) -> None:
        """See `Connection`; running jobs stop with this process, which is reported."""
        try:
            if self._dialect == "flink":
                self._warn_of_jobs()
        finally:
            self._engine.close()
            self._thread.shutdown(wait=False)

    def _warn_of_jobs(self) -> None:
        for row in self._engine.execute("SHOW JOBS", dialect="flink").fetchall():
            if row[2] not in _AT_REST:
                notice = (
                    f"Job {row[0]} stops with this command, after its current batch. A server on "
                    f"the data folder resumes it: sluice serve --data {self._data}"
                )
                print(notice, file=sys.stderr)


class Remote:
    """A server, over HTTP."""

    def __init__(
        self,
        url: str,
        dialect: str,
        database: str | None,
        login: tuple[str, str] | None = None,
        authority: Path | None = None,
    ) -> None:
        self.url = url
        self._login = _headers(login)
        self._authority = authority
        self._parts = _parts(url)
        self._dialect = dialect
        self._database = database
        self._session = {"session_id": str(uuid.uuid4()), "session_timeout": str(_SESSION_S)}

    def run(self, statement: str, format_name: str) -> Iterator[bytes]:
        """See `Connection`."""
        if self._database is not None:
            list(self._asked(f"USE {_quoted(self._database)}"))
            self._database = None
        until = time.monotonic() + _CANCEL_S
        while True:
            try:
                yield from self._asked(statement, {"default_format": format_name})
                break
            except Locked:  # by a statement that was interrupted, and is being cancelled
                if time.monotonic() > until:
                    raise
                time.sleep(_AGAIN_S)

    def _asked(self, statement: str, more: Mapping[str, str] | None = None) -> Iterator[bytes]:
        params = {**self._session, "dialect": self._dialect, **(more or {})}
        connection = self._connect()
        try:
            connection.request(
                "POST",
                f"{quote(self._parts.path) or '/'}?{urlencode(params)}",
                statement.encode("utf-8", "surrogateescape"),
                {**_HEADERS, **self._login},
            )
            yield from self._answer(connection.getresponse())
        except (OSError, http.client.HTTPException) as bad:
            raise self._unreachable(bad) from bad
        finally:
            connection.close()

    def answers(self) -> bool:
        """Whether a server answers."""
        try:
            connection = self._connect()
        except errors.SluiceError:
            return False
        try:
            connection.request("GET", "/ping")
            return connection.getresponse().read(8) == b"Ok.\n"
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def close(self) -> None:
        """See `Connection`; the session ends on the server, too."""
        if "session_check" in self._session:
            with suppress(errors.SluiceError, Refused):
                list(self._asked("", {"close_session": "1"}))

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        connection = http.client.HTTPConnection(host, port, timeout=_CONNECT_S)
        if self._parts.scheme == "https":
            context = ssl.create_default_context(cafile=self._authority)
            connection = http.client.HTTPSConnection(
                host, port, timeout=_CONNECT_S, context=context
            )
        try:
            connection.connect()
        except OSError as bad:
            raise self._unreachable(bad) from bad
        connection.sock.settimeout(None)  # a statement may take as long as it takes
        return connection

    def _answer(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        if response.status != http.HTTPStatus.OK:
            text = response.read(_CHUNK).decode("utf-8", "replace").strip()
            shown = text if text.startswith("Code:") else text.partition("\n")[0][:200]
            code = response.getheader("X-ClickHouse-Exception-Code")
            if code == _NO_SESSION:
                self._session.pop("session_check", None)  # the next statement begins a new one
            kind = Locked if code == _LOCKED else Refused
            raise kind(shown or f"{self.url} returned {response.status} {response.reason}")
        self._session["session_check"] = "1"
        while chunk := response.read(_CHUNK):
            yield chunk

    def _unreachable(self, bad: Exception) -> errors.SluiceError:
        reason = getattr(bad, "strerror", None) or str(bad) or type(bad).__name__
        hint = "Is `sluice serve` running there?"
        return errors.SERVER_UNREACHABLE(url=self.url, reason=reason, hint=hint)


def _headers(login: tuple[str, str] | None) -> dict[str, str]:
    """Basic: it takes every letter that a name or a password can have."""
    if login is None:
        return {}
    given = base64.b64encode(":".join(login).encode()).decode()
    return {"Authorization": f"Basic {given}"}


def _quoted(name: str) -> str:
    """A name as both dialects take it."""
    return "`" + name.replace("`", "``") + "`"


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good:
        reason = "a server URL has the form http://127.0.0.1:8123"
        raise errors.INVALID_URL(url=url, reason=reason)
    return parts
