"""Sessions of HTTP clients: what `session_id` names, for as long as it is used."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.session import Session

DEFAULT_S, LONGEST_S = 60, 3600
_LONGEST_ID = 256


@dataclass(frozen=True, slots=True)
class SessionAsk:
    """What the parameters of a request say about its session."""

    id: str
    timeout: int = DEFAULT_S
    check: bool = False
    close: bool = False

    @classmethod
    def of(cls, params: Mapping[str, str]) -> SessionAsk | None:
        """Read the parameters; None for a request that belongs to no session.

        Raises:
            SluiceError: INVALID_SESSION_TIMEOUT or BAD_ARGUMENTS.
        """
        id_ = params.get("session_id", "")
        if not id_:
            return None
        if len(id_) > _LONGEST_ID:
            raise errors.BAD_ARGUMENTS(reason=f"session_id is longer than {_LONGEST_ID} letters")
        text = params.get("session_timeout", str(DEFAULT_S))
        if not (text.isascii() and text.isdigit()) or int(text) > LONGEST_S:
            raise errors.INVALID_SESSION_TIMEOUT(timeout=text[:20], limit=LONGEST_S)
        check, close = (params.get(n) == "1" for n in ("session_check", "close_session"))
        return cls(id_, int(text), check, close)


@dataclass(slots=True)
class _Held:
    session: Session
    busy: bool = True
    expires: float = field(default=0.0)


class Sessions:
    """The sessions that clients have named; one that is not used in time ends."""

    def __init__(self, root: Session) -> None:
        self._root = root
        self._held: dict[str, _Held] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextmanager
    def use(self, ask: SessionAsk) -> Iterator[Session]:
        """The session of a request, which nobody else uses meanwhile.

        Raises:
            SluiceError: SESSION_NOT_FOUND when the request expects it to be there,
                SESSION_IS_LOCKED while another request uses it.
        """
        held = self._take(ask)
        try:
            yield held.session
        finally:
            self._give_back(ask, held)

    def close(self) -> None:
        """End every session that is not in use."""
        with self._changed:
            ended = [id_ for id_, held in self._held.items() if not held.busy]
            sessions = [self._held.pop(id_).session for id_ in ended]
            self._changed.notify_all()
        for session in sessions:
            session.end()

    def _take(self, ask: SessionAsk) -> _Held:
        with self._changed:
            held = self._held.get(ask.id)
            if held is not None and held.busy:
                raise errors.SESSION_IS_LOCKED(session=ask.id)
            if held is None and ask.check:
                raise errors.SESSION_NOT_FOUND(session=ask.id)
            if held is None:
                held = self._held[ask.id] = _Held(self._root.child())
            held.busy = True
            return held

    def _give_back(self, ask: SessionAsk, held: _Held) -> None:
        with self._changed:
            held.busy = False
            held.expires = time.monotonic() + ask.timeout
            if ask.close:
                self._held.pop(ask.id, None)
            elif self._thread is None:
                self._thread = threading.Thread(target=self._expire, name="sessions", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        if ask.close:
            held.session.end()

    def _expire(self) -> None:
        """End sessions whose time is over, while there are any."""
        while True:
            with self._changed:
                if not self._held:
                    self._thread = None
                    return
                now = time.monotonic()
                late = [id_ for id_, h in self._held.items() if not h.busy and h.expires <= now]
                sessions = [self._held.pop(id_).session for id_ in late]
                if not sessions:
                    ends = [held.expires for held in self._held.values() if not held.busy]
                    self._changed.wait(min(ends) - now if ends else None)
            for session in sessions:
                session.end()
