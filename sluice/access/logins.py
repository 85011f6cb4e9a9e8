"""Logins: who a client is, told from a password or a certificate."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.access.entities import CERTIFICATE, NO_PASSWORD, SHA256, Authentication
from sluice.access.hosts import allows, is_local
from sluice.access.passwords import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.access.control import AccessControl
    from sluice.access.entities import User

PER_ADDRESS, PER_USER = 30, 100
"""Failed logins in a minute after which more of them are refused unseen."""
_WINDOW_S = 60.0
_MOST = 10_000
"""Users, addresses and passwords that are remembered."""
_EVENTS = 1000
_LONGEST = 256
"""Letters of a user's name that are shown."""
_NOBODY = Authentication(SHA256, "0" * 64, "0" * 32)
"""What the password of a user that does not exist is compared with."""


def _beyond(user: User) -> bool:
    """Whether a user has rules that other machines than this one may fulfil."""
    hosts = user.hosts
    return bool(hosts.addresses or hosts.names or hosts.patterns or hosts.likes)


def _is_resolved(user: User) -> bool:
    """Whether a user's rules are about names, which have to be looked up."""
    return bool(user.hosts.names or user.hosts.patterns or user.hosts.likes)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a client says it is; `names` are those in its certificate, which TLS has verified.

    `closed` tells that only trusted machines reach the server, so that a user without a password
    may log in from another one.
    """

    user: str
    password: str = field(default="", repr=False)
    address: str = ""
    by_certificate: bool = False
    names: tuple[str, ...] = ()
    closed: bool = False


@dataclass(frozen=True, slots=True)
class LoginEvent:
    """A login, or a failed one."""

    time: datetime
    user: str
    address: str
    kind: str
    failed: bool


class Logins:
    """Checks credentials; failed logins are limited in number, good passwords are remembered.

    Hashes of passwords take time by design, and a client may log in with each request: a password
    that was right is known again by a keyed hash of it, for as long as the user stays the same.
    """

    def __init__(self, control: AccessControl, clock: Callable[[], float] = time.monotonic) -> None:
        self._control = control
        self._clock = clock
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(32)
        self._right: dict[tuple[str, bytes], Authentication] = {}
        self._failed: dict[tuple[str, str], deque[float]] = {}
        self.events: deque[LoginEvent] = deque(maxlen=_EVENTS)

    def known(self, given: Credentials) -> str | None:
        """The name of the user if that takes no time: the same credentials were right before."""
        user = self._control.user(given.user)
        found = self._known(given, user)
        if user is None or found is None or _is_resolved(user):
            return None
        if not self._may(given, user, found):
            return None
        self._note(given, found.kind, failed=False)
        return given.user

    def login(self, given: Credentials) -> str:
        """The name of the user.

        Raises:
            SluiceError: AUTHENTICATION_FAILED, the same for all reasons, or TOO_MANY_LOGINS.
        """
        user = self._control.user(given.user)
        known = self._known(given, user)
        if known is None:
            self._check_rate(given)
            known = self._verified(given, user)
        if known is None or user is None or not self._may(given, user, known):
            self._fail(given)
            raise errors.AUTHENTICATION_FAILED(user=given.user[:_LONGEST], reason="")
        self._note(given, known.kind, failed=False)
        return given.user

    def has_remote_users(self) -> bool:
        """Whether somebody can log in from another machine, with a password or a certificate."""
        return any(
            (each.hosts.any or _beyond(each))
            and any(method.kind != NO_PASSWORD for method in each.authentication)
            for each in self._control.users()
        )

    def _known(self, given: Credentials, user: User | None) -> Authentication | None:
        """How a user logs in who did so before with this password, or needs none."""
        if user is None or given.by_certificate:
            return None
        with self._lock:
            found = self._right.get((given.user, self._hash(given.password)))
        if found in user.authentication:
            return found
        open_ = (each for each in user.authentication if each.kind == NO_PASSWORD)
        return next(open_, None)  # whatever password comes along, as in ClickHouse

    def _verified(self, given: Credentials, user: User | None) -> Authentication | None:
        """The method that lets a user in; every one is tried, also for a user that is not there."""
        found = None
        for each in user.authentication if user is not None else (_NOBODY,):
            if each.kind == CERTIFICATE:
                right = given.by_certificate and bool(set(given.names) & set(each.names))
            elif each.kind == NO_PASSWORD:
                right = not given.by_certificate
            else:
                right = not given.by_certificate and verify(each, given.password)
            found = each if right and found is None else found
        if found is not None and found.kind not in (CERTIFICATE, NO_PASSWORD):
            with self._lock:
                if len(self._right) >= _MOST:
                    self._right.clear()
                self._right[given.user, self._hash(given.password)] = found
        return found

    def _may(self, given: Credentials, user: User, by: Authentication) -> bool:
        """Whether a user may log in from there, in this way, and still."""
        if self._control.expired(user) or not allows(user.hosts, given.address):
            return False
        return by.kind != NO_PASSWORD or given.closed or is_local(given.address)

    def _hash(self, password: str) -> bytes:
        return hmac.new(
            self._key, password.encode("utf-8", "surrogateescape"), hashlib.sha256
        ).digest()

    def _limits(self, given: Credentials) -> tuple[tuple[tuple[str, str], int], ...]:
        return (
            (("address", given.address), PER_ADDRESS),
            (("user", given.user), PER_USER),
        )

    def _check_rate(self, given: Credentials) -> None:
        now = self._clock()
        with self._lock:
            for key, most in self._limits(given):
                times = self._failed.get(key)
                while times and times[0] <= now - _WINDOW_S:
                    times.popleft()
                if times and len(times) >= most:
                    raise errors.TOO_MANY_LOGINS(user=given.user[:_LONGEST])

    def _fail(self, given: Credentials) -> None:
        with self._lock:
            if len(self._failed) >= _MOST:
                self._failed.clear()
            for key, most in self._limits(given):
                self._failed.setdefault(key, deque(maxlen=most)).append(self._clock())
        self._note(given, "", failed=True)

    def _note(self, given: Credentials, kind: str, *, failed: bool) -> None:
        event = LoginEvent(datetime.now(UTC), given.user[:_LONGEST], given.address, kind, failed)
        self.events.append(event)
