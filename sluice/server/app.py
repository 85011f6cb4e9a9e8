"""The HTTP interface: ClickHouse's, for statements and their answers."""

from __future__ import annotations

import asyncio
import itertools
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sluice import errors
from sluice.access.clients import Client
from sluice.access.entities import Names
from sluice.formats.result import Result
from sluice.server import answers
from sluice.server.guard import Guard
from sluice.server.login import Login
from sluice.server.monitoring import Monitoring
from sluice.server.request import WRITING, Ask, query_id, read_ask
from sluice.server.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.requests import Request

    from sluice.session import Session

WORKERS = 128
"""Requests that are answered at once; /ping never waits. Of queries fewer may run."""

ALLOWED = "GET, HEAD, OPTIONS, POST, PUT"

_HEADERS = 20
"""Headers about a statement before they become half as frequent, and again."""
_AGAIN_S = 0.05
_STOPS = ": the server stops"
_LEFT = ": its client has closed the connection"

log = logging.getLogger("sluice.server")


def create_app(
    session: Session,
    *,
    host: str = "127.0.0.1",
    workers: int = WORKERS,
    closed: bool = False,
    connections: Callable[[], int] = lambda: 0,
) -> Starlette:
    """The application around a session; `host` is the name that it is served under.

    `connections` tells how many HTTP connections there are. In a `closed` network users without
    passwords may log in from other machines.
    """
    login = Login(session, closed=closed)
    endpoints = Endpoints(session, workers, login)
    watched = Monitoring(session, connections, login)
    return Starlette(
        routes=[
            Route("/", endpoints.statement, methods=["GET", "POST", "PUT"]),
            Route("/", endpoints.options, methods=["OPTIONS"]),
            Route("/ping", endpoints.ping, methods=["GET"]),
            *watched.routes(),
        ],
        middleware=[Middleware(Guard, host=host)],
        exception_handlers={404: _no_such_page, 405: _no_such_page},
    )


class Endpoints:
    """Takes statements from requests to the session and its answers back."""

    def __init__(self, session: Session, workers: int, login: Login) -> None:
        self._session = session
        self._login = login
        self._sessions = Sessions(session)
        self._workers = anyio.CapacityLimiter(workers)

    async def ping(self, request: Request) -> Response:
        """Answer Ok. while the server can work, however busy it is."""
        lost = self._session.lost()
        return answers.ok() if lost is None else answers.failure(lost)

    async def options(self, request: Request) -> Response:
        """What may be sent here. Pages of other sites may send nothing: they are told no more."""
        return Response(status_code=204, headers={**answers.COMMON, "Allow": ALLOWED})

    async def statement(self, request: Request) -> Response:
        """Run one statement. This is the boundary: no exception leaves it."""
        if request.method not in WRITING and "query" not in request.query_params:
            return await self.ping(request)
        name = query_id(request)
        dialect = request.query_params.get("dialect", "clickhouse")
        try:
            who = await self._login.user_of(request)
            ask = await read_ask(request)
            roles = tuple(request.query_params.getlist("role"))
            async with (
                _telling_progress(
                    request, ask.delivery, partial(self._session.progress, name, who[0])
                ),
                self._cancelled_with(request, name, who[0]),
            ):
                answer = await anyio.to_thread.run_sync(
                    self._run,
                    ask,
                    name,
                    who,
                    roles,
                    Client.by_http(request.headers.get("user-agent", ""), request.method),
                    limiter=self._workers,
                    abandon_on_cancel=True,
                )
            return answer.response(name, lambda: self._session.cancel(name, _LEFT, who[0]))
        except errors.SluiceError as error:
            return answers.failure(error, name, dialect)
        except asyncio.CancelledError:  # time is up for the requests of a server that stops
            stops = errors.QUERY_WAS_CANCELLED(reason=_STOPS)
            return answers.failure(stops, name, dialect)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:
            log.exception("Request %s failed", name)
            return answers.failure(errors.INTERNAL_ERROR(query_id=name), name, dialect)

    @asynccontextmanager
    async def _cancelled_with(self, request: Request, name: str, user: str) -> AsyncIterator[None]:
        """Cancel the statement when its client disconnects, or when the server stops."""

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            while not self._session.cancel(name, _LEFT, user):
                await asyncio.sleep(_AGAIN_S)  # it has not begun yet

        watching = asyncio.create_task(watch())
        try:
            yield
        except asyncio.CancelledError:
            self._session.cancel(name, _STOPS, user)
            raise
        finally:
            watching.cancel()

    def _run(
        self, ask: Ask, name: str, who: tuple[str, str], roles: tuple[str, ...], client: Client
    ) -> answers.Answer:
        user, address = who
        if ask.session is None:
            session = self._session.child(lasting=False, user=user, address=address)
            return self._answer(session, ask, name, roles, client)
        with self._sessions.use(ask.session, user, address) as session:
            return self._answer(session, ask, name, roles, client)

    def _answer(
        self, session: Session, ask: Ask, name: str, roles: tuple[str, ...], client: Client
    ) -> answers.Answer:
        if roles:
            session.choose_roles(Names(roles))
        if not ask.statement.strip():  # the session is only to end
            return answers.Answer.of(Result(), ask.format, ask.delivery)
        result = session.execute(
            ask.statement,
            dialect=ask.dialect,
            readonly=ask.readonly,
            settings=ask.settings,
            database=ask.database,
            query_id=name,
            default_format=ask.format,
            stream=True,
            parameters=ask.parameters,
            revision=ask.revision,
            external=ask.external,
            client=client,
        )
        return answers.Answer.of(result, ask.format, ask.delivery)


@asynccontextmanager
async def _telling_progress(
    request: Request, delivery: answers.Delivery, known: Callable[[], Mapping[str, int]]
) -> AsyncIterator[None]:
    """Send headers about a statement while it runs, so that nobody takes it for dead."""
    send = getattr(request.state, "early_header", None)
    if not delivery.progress or send is None:
        yield
        return

    async def tell() -> None:
        pause = delivery.progress_s
        for count in itertools.count(1):
            await asyncio.sleep(pause)
            now = await anyio.to_thread.run_sync(known)
            send(answers.PROGRESS, answers.summary(now, delivery.started))
            if count % _HEADERS == 0:
                pause *= 2  # clients do not take as many headers as they are sent

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()


async def _no_such_page(request: Request, problem: Exception) -> Response:
    status = getattr(problem, "status_code", 404)
    text = f"No such endpoint: {request.method} {request.url.path}. Send statements to POST /\n"
    return PlainTextResponse(text, status, answers.COMMON)
