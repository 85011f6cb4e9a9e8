"""Endpoints for those who watch a server: metrics and health."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sluice import errors
from sluice.server import answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from sluice.server.login import Login
    from sluice.session import Session

_WORKERS = 4
"""Requests that are answered at a time. Statements do not take their threads."""


_METRICS = ("SELECT", ("system", "metrics"))
"""The grant that the metrics need: they tell the names of tables, topics and groups."""


class Monitoring:
    """Answers however busy the server is: nothing here waits for a statement, Kafka or Spark."""

    def __init__(self, session: Session, connections: Callable[[], int], login: Login) -> None:
        self._session = session
        self._login = login
        self._connections = connections
        self._workers = anyio.CapacityLimiter(_WORKERS)

    def routes(self) -> list[Route]:
        """Where the endpoints are."""
        return [
            Route("/metrics", self.metrics, methods=["GET"]),
            Route("/health", self.ready, methods=["GET"]),
            Route("/health/live", self.live, methods=["GET"]),
            Route("/health/ready", self.ready, methods=["GET"]),
            Route("/replicas_status", self.replicas_status, methods=["GET"]),
        ]

    async def metrics(self, request: Request) -> Response:
        """The metrics, in the format that the client asks for; they name tables."""
        try:
            who = await self._login.user_of(request)
            self._session.child(user=who[0], address=who[1]).access.check(*_METRICS)
        except errors.SluiceError as refused:
            return answers.failure(refused)
        accept, connections = request.headers.get("accept", ""), self._connections()
        text, content_type = await anyio.to_thread.run_sync(
            self._session.metrics.text, accept, connections, limiter=self._workers
        )
        return Response(text, headers={**answers.COMMON, "Content-Type": content_type})

    async def live(self, request: Request) -> Response:
        """Whether the server can work: 503 once only a restart helps."""
        check = self._session.health.live()
        status = {"status": "ok" if check.ok else "unavailable", "detail": check.detail}
        return JSONResponse(status, 200 if check.ok else 503, headers=answers.COMMON)

    async def ready(self, request: Request) -> Response:
        """Whether statements are answered and pipelines were resumed; details need a login."""
        report = await anyio.to_thread.run_sync(self._session.health.report, limiter=self._workers)
        fields = report.fields()
        if not await self._login.is_operator(request, _METRICS):
            fields = {"status": fields["status"]}
        return JSONResponse(fields, 200 if report.ok else 503, headers=answers.COMMON)

    async def replicas_status(self, request: Request) -> Response:
        """As ClickHouse answers where no table has replicas."""
        return answers.ok()
