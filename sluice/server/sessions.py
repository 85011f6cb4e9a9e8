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
    """The session parameters of a request."""

    id: str
    timeout: int = DEFAULT_S
    check: bool = False
    close: bool = False

    @classmethod
    def of(cls, params: Mapping[str, str]) -> SessionAsk | None:
        """Read the parameters; None for a request that belongs to no session.

        Raises:
            SluiceError: INVALID_SESSION_TIMEOUT or INVALID_REQUEST_PARAMETER.
        """
        id_ = params.get("session_id", "")
        if not id_:
            return None
        if len(id_) > _LONGEST_ID:
            raise errors.INVALID_REQUEST_PARAMETER(
                parameter="session_id",
                value=f"{id_[:20]}…",
                reason=f"it is longer than {_LONGEST_ID} characters",
            )
        text = params.get("session_timeout", str(DEFAULT_S))
        if not (text.isascii() and text.isdigit()) or int(text) > LONGEST_S:
            raise errors.INVALID_SESSION_TIMEOUT(timeout=text[:20], limit=LONGEST_S)
        check, close = (params.get(n) == "1" for n in ("session_check", "close_session"))
        return cls(id_, int(text), check, close)


@dataclass(slots=True)
class _Open:
    session: Session
    busy: bool = True
    expires: float = field(default=0.0)


class Sessions:
    """The sessions that clients have named, of each user; one that is not used in time ends."""

    def __init__(self, root: Session) -> None:
        self._root = root
        self._open: dict[tuple[str, str], _Open] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextmanager
    def use(self, ask: SessionAsk, user: str, address: str = "") -> Iterator[Session]:
        """The session of a user's request, which no other request uses meanwhile.

        Raises:
            SluiceError: SESSION_NOT_FOUND when the request expects it to be there,
                SESSION_IS_LOCKED while another request uses it.
        """
        opened = self._take(ask, user, address)
        try:
            yield opened.session
        finally:
            self._give_back((user, ask.id), ask, opened)

    def close(self) -> None:
        """End every session that is not in use."""
        with self._changed:
            ended = [id_ for id_, opened in self._open.items() if not opened.busy]
            sessions = [self._open.pop(id_).session for id_ in ended]
            self._changed.notify_all()
        for session in sessions:
            session.end()

    def _take(self, ask: SessionAsk, user: str, address: str) -> _Open:
        key = (user, ask.id)
        with self._changed:
            opened = self._open.get(key)
            if opened is not None and opened.busy:
                raise errors.SESSION_IS_LOCKED(session=ask.id)
            if opened is None and ask.check:
                raise errors.SESSION_NOT_FOUND(session=ask.id)
            if opened is None:
                opened = self._open[key] = _Open(self._root.child(user=user, address=address))
            opened.busy = True
            return opened

    def _give_back(self, key: tuple[str, str], ask: SessionAsk, opened: _Open) -> None:
        with self._changed:
            opened.busy = False
            opened.expires = time.monotonic() + ask.timeout
            if ask.close:
                self._open.pop(key, None)
            elif self._thread is None:
                self._thread = threading.Thread(target=self._expire, name="sessions", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        if ask.close:
            opened.session.end()

    def _expire(self) -> None:
        """End sessions whose time is over, while there are any."""
        while True:
            with self._changed:
                if not self._open:
                    self._thread = None
                    return
                now = time.monotonic()
                late = [id_ for id_, h in self._open.items() if not h.busy and h.expires <= now]
                sessions = [self._open.pop(id_).session for id_ in late]
                if not sessions:
                    ends = [opened.expires for opened in self._open.values() if not opened.busy]
                    self._changed.wait(min(ends) - now if ends else None)
            for session in sessions:
                session.end()
