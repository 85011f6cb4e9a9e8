"""Endpoints for those who watch a server: metrics and health."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sluice.server import answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from sluice.session import Session

_WORKERS = 4
"""Requests that are answered at a time. Statements do not take their threads."""


class Monitoring:
    """Answers however busy the server is: nothing here waits for a statement, Kafka or Spark."""

    def __init__(self, session: Session, connections: Callable[[], int]) -> None:
        self._session = session
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
        """The metrics, in the format that the client asks for."""
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
        """Whether statements are answered and pipelines were resumed, check by check."""
        report = await anyio.to_thread.run_sync(self._session.health.report, limiter=self._workers)
        return JSONResponse(report.fields(), 200 if report.ok else 503, headers=answers.COMMON)

    async def replicas_status(self, request: Request) -> Response:
        """As ClickHouse answers where no table has replicas."""
        return answers.ok()
