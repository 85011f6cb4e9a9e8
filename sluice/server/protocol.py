"""HTTP connections with deadlines, and a limit to how many there are."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from sluice.server.tls import names_of

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

HEAD_S = 10.0
"""Time that a client has to send the request line and the headers."""
BODY_S = 30.0
"""Time that a client has to send a body, besides what the body's size allows."""
LOWEST_RATE = 10_000
"""Bytes of a body for each further second."""
WRITE_S = 300.0
"""Time for which a client may stop to read its answer."""
MOST = 1000
"""Connections at a time; above it the one that has waited longest for a request is closed."""

_IDLE, _HEAD, _BODY = "idle", "head", "body"
_TIMEOUT = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\nContent-Length: 35\r\n\r\nThe request did not arrive in time\n"
)
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\nContent-Length: 26\r\n\r\nToo many connections here\n"
)


_OK = b"HTTP/1.1 200 OK\r\n"


class _Transport:
    """A transport that leaves out the first line of an answer whose headers have begun."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._begun = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def begin(self, header: bytes) -> None:
        """Send a header before the answer is known; its status is 200 then, whatever it will be."""
        self._transport.write(header if self._begun else _OK + header)
        self._begun = True

    def write(self, data: bytes) -> None:
        """Send bytes of an answer."""
        if self._begun:
            self._begun, data = False, data.partition(b"\r\n")[2]
        self._transport.write(data)


class Connection(H11Protocol):
    """A connection that is closed when its client is too slow.

    uvicorn limits only the pause between two requests: a client that sends half a request, or
    does not read its answer, would keep its connection for ever.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._phase = _IDLE
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._received = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.transport: Any = _Transport(transport)
        more = {"certificate": names_of(transport), "early_header": self.send_early}
        self.app_state = {**self.app_state, **more}
        taken = transport.get_extra_info("socket")
        if taken is not None:  # a client that has vanished is noticed
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._follow()
        if len(self.connections) > MOST:
            others = [cast("Connection", each) for each in self.connections]
            waiting = [each for each in others if each._phase == _HEAD and each is not self]
            victim = min(waiting, key=lambda each: each._until, default=self)
            victim._refuse(_BUSY)

    def send_early(self, name: str, value: str) -> None:
        """Send a header of the answer to the request that is being worked on, before the others."""
        cycle: RequestResponseCycle | None = self.cycle
        waits = cycle is not None and not cycle.response_started and not cycle.disconnected
        if waits and not self.transport.is_closing():
            self.transport.begin(f"{name}: {value}\r\n".encode("latin-1"))

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        self._received = True
        if self._phase == _BODY:
            self._until += len(data) / LOWEST_RATE
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._received = False
        self._follow()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stalled = self.loop.call_later(WRITE_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._forget(self._stalled)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._forget(self._timer)
        self._forget(self._stalled)
        super().connection_lost(exc)

    def _follow(self) -> None:
        """Set the deadline of the connection's current phase."""
        phase = self._current()
        if phase == self._phase:
            return
        self._forget(self._timer)
        self._phase, self._timer = phase, None
        if phase != _IDLE:
            self._until = self.loop.time() + (HEAD_S if phase == _HEAD else BODY_S)
            self._check()

    def _current(self) -> str:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            return _BODY if cycle.more_body else _IDLE
        return _IDLE if self.timeout_keep_alive_task is not None else _HEAD

    def _check(self) -> None:
        left = self._until - self.loop.time()
        if left > 0:
            self._timer = self.loop.call_later(left, self._check)
        else:
            self._refuse(_TIMEOUT if self._received else b"")

    def _refuse(self, answer: bytes) -> None:
        """Close the connection, with an answer if none has begun."""
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(answer)
        self.transport.close()

    def _forget(self, timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
