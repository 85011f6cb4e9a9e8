"""A session that answers from a table, and remembers what it was asked."""

from __future__ import annotations

import atexit
import math
import tempfile
import threading
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from answers import written

from sluice import errors
from sluice.access import owner
from sluice.access.clients import LOCAL
from sluice.clickhouse.pool import Pool
from sluice.formats.answers import DEFAULT, find_answer
from sluice.formats.result import Result, ResultColumn, Stream
from sluice.system.health import Check, Report
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.access import Access
    from sluice.access.clients import Client
    from sluice.access.entities import Names
    from sluice.access.logins import Credentials
    from sluice.session import Session
    from sluice.session.context import ExternalTable


class MetricsLike(Protocol):
    def text(self, accept: str, connections: int | None) -> tuple[bytes, str]: ...


class HealthLike(Protocol):
    def live(self) -> Check: ...
    def report(self) -> Report: ...


class SessionLike(Protocol):
    """What the interfaces use of a session."""

    logs: Path
    database: str

    @property
    def metrics(self) -> MetricsLike: ...
    @property
    def health(self) -> HealthLike: ...
    def execute(
        self,
        sql: str,
        *,
        dialect: str,
        readonly: bool,
        settings: Mapping[str, str],
        database: str | None,
        query_id: str,
        default_format: str,
        stream: bool,
        parameters: Mapping[str, str] | None,
        revision: int,
        external: Sequence[ExternalTable],
    ) -> Result: ...
    def child(
        self,
        database: str | None = None,
        *,
        lasting: bool = True,
        user: str | None = None,
        address: str = "",
    ) -> SessionLike: ...
    @property
    def access(self) -> Access: ...
    def known_login(self, given: Credentials) -> str | None: ...
    def login(self, given: Credentials) -> str: ...
    def has_remote_users(self) -> bool: ...
    def choose_roles(self, roles: Names | None) -> None: ...
    def end(self) -> None: ...
    def cancel(self, query_id: str, reason: str = "", user: str | None = None) -> bool: ...
    def progress(self, query_id: str, user: str) -> Mapping[str, int]: ...
    def start(self) -> None: ...
    def lost(self) -> errors.SluiceError | None: ...
    def ask_to_stop(self) -> None: ...
    def say_url(self, url: str) -> None: ...
    def close(self, patience: float = ...) -> None: ...


def result(columns: str, *rows: tuple[Any, ...], format: str | None = None) -> Result:
    """`result("a UInt8, b String", (1, "x"))`."""
    found = []
    for column in columns.split(", "):
        name, _, type_ = column.partition(" ")
        found.append(ResultColumn(name, parse_type(type_)))
    return Result(tuple(found), list(rows), format)


@dataclass
class Call:
    sql: str
    dialect: str
    readonly: bool
    settings: dict[str, str]
    database: str
    lasting: bool = True


@dataclass
class Shared:
    answers: dict[str, Any]
    calls: list[Call] = field(default_factory=list)
    query_ids: list[str] = field(default_factory=list)
    url: str = ""
    closed: threading.Event = field(default_factory=threading.Event)
    started: bool = False
    lost: errors.SluiceError | None = None
    ready: bool = True
    asked_to_stop: bool = False
    progress: dict[str, int] = field(default_factory=dict)
    cancelled: list[tuple[str, str]] = field(default_factory=list)
    ended: list[FakeSession] = field(default_factory=list)
    external: list[ExternalTable] = field(default_factory=list)


class FakeMetrics:
    """Metrics that tell what they were asked for."""

    def text(self, accept: str = "", connections: int | None = None) -> tuple[bytes, str]:
        return f"accept {accept}\nconnections {connections}\n".encode(), "text/plain"


@dataclass
class FakeHealth:
    shared: Shared

    def live(self) -> Check:
        return Check("jvm", self.shared.lost is None)

    def report(self) -> Report:
        return Report((self.live(), Check("spark", self.shared.ready)), {"WAITING": 1}, ())


class FakeSession:
    def __init__(self, logs: Path, answers: dict[str, Any] | None = None) -> None:
        self.logs = logs
        self.database = "default"
        self.lasting = True
        self.settings: dict[str, Any] = {}
        self.shared = Shared(answers or {})

    @property
    def calls(self) -> list[Call]:
        return self.shared.calls

    @property
    def external(self) -> list[ExternalTable]:
        return self.shared.external

    def as_session(self) -> Session:
        return cast("Session", self)

    @property
    def access(self) -> Access:
        return owner()

    def known_login(self, given: Credentials) -> str | None:
        return given.user

    def login(self, given: Credentials) -> str:
        return given.user

    def has_remote_users(self) -> bool:
        return False

    def choose_roles(self, roles: Names | None) -> None:
        raise NotImplementedError

    def child(
        self,
        database: str | None = None,
        *,
        lasting: bool = True,
        user: str | None = None,
        address: str = "",
    ) -> FakeSession:
        view = FakeSession(self.logs)
        view.shared, view.lasting = self.shared, lasting
        view.database = _known(database) or self.database
        return view

    def end(self) -> None:
        self.shared.ended.append(self)

    def execute(
        self,
        sql: str,
        *,
        dialect: str = "clickhouse",
        readonly: bool = False,
        settings: Mapping[str, str] | None = None,
        database: str | None = None,
        query_id: str = "",
        default_format: str | None = None,
        stream: bool = False,
        parameters: Mapping[str, str] | None = None,
        revision: int = 0,
        external: Sequence[ExternalTable] = (),
        client: Client = LOCAL,
    ) -> Result:
        self.shared.query_ids.append(query_id)
        self.shared.external.extend(external)
        given = {**self.settings, **(settings or {})}
        within = _known(database) or self.database
        self.calls.append(Call(sql, dialect, readonly, given, within, self.lasting))
        if sql.startswith("USE "):
            self.database = _known(sql.removeprefix("USE ").strip("`")) or ""
            return Result()
        if sql.startswith("SET "):
            name, value = sql.removeprefix("SET ").replace("'", "").split(" = ")
            self.settings[name] = value
            return Result()
        if readonly and sql.startswith(("INSERT", "CREATE", "DROP")):
            raise errors.READONLY(what=sql.split()[0])
        answer = self.shared.answers.get(sql, Result())
        if isinstance(answer, Exception):
            raise answer
        found = cast("Result", answer() if callable(answer) else answer)
        wanted = find_answer(found.format or default_format or DEFAULT).name
        return _written(found, wanted) if stream and found.columns else found

    @property
    def metrics(self) -> FakeMetrics:
        return FakeMetrics()

    @property
    def health(self) -> FakeHealth:
        return FakeHealth(self.shared)

    def progress(self, query_id: str, user: str) -> Mapping[str, int]:
        return dict(self.shared.progress)

    def start(self) -> None:
        self.shared.started = True

    def lost(self) -> errors.SluiceError | None:
        return self.shared.lost

    def say_url(self, url: str) -> None:
        self.shared.url = url

    def cancel(self, query_id: str, reason: str = "", user: str | None = None) -> bool:
        self.shared.cancelled.append((query_id, reason))
        return True

    def ask_to_stop(self) -> None:
        self.shared.asked_to_stop = True

    def close(self, patience: float = math.inf) -> None:
        self.shared.closed.set()


@cache
def _workers() -> Pool:
    pool = Pool(Path(tempfile.mkdtemp(prefix="sluice-fakes-")))
    atexit.register(pool.close)
    return pool


_TURN = threading.Lock()
"""A hundred answers at once would start as many processes of ClickHouse."""


def _written(made: Result, format_: str) -> Result:
    """The rows of a result as ClickHouse writes them."""
    with _TURN:
        chunks = [written(_workers(), made, format_)]
    told = {"result_rows": len(made.rows)}
    return replace(made, columns=(), rows=(), stream=Stream(iter(chunks)), progress=lambda: told)


def _known(database: str | None) -> str | None:
    if database == "nowhere":
        raise errors.UNKNOWN_DATABASE(database=database, hint="")
    return database


def fits(session: FakeSession) -> SessionLike:
    """The fake has the shape that the interfaces rely on."""
    return session


FUNCTIONS = ["a"]
"""What `--functions` may name."""
