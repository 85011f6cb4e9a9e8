"""Credentials of requests: ClickHouse's headers, Basic, URL parameters, or a certificate."""

from __future__ import annotations

import asyncio
import base64
import binascii
import time
from typing import TYPE_CHECKING

import anyio

from sluice import errors
from sluice.access.hosts import is_local
from sluice.access.logins import Credentials

if TYPE_CHECKING:
    from starlette.requests import Request

    from sluice.session import Session

DEFAULT_USER = "default"
"""The user of requests that name none, as in ClickHouse."""

FAILURE_S = 0.5
"""When a failed login is answered, whatever took how long: the time tells nothing."""

_USER, _KEY = "x-clickhouse-user", "x-clickhouse-key"
_CERTIFICATE = "x-clickhouse-ssl-certificate-auth"
_WORKERS = 4
"""Logins that are checked at a time: hashes of passwords take a processor each."""


class Login:
    """Tells who has sent a request. With `closed` only trusted machines reach the server."""

    def __init__(self, session: Session, *, closed: bool = False) -> None:
        self._session = session
        self._closed = closed
        self._workers = anyio.CapacityLimiter(_WORKERS)

    async def user_of(self, request: Request) -> tuple[str, str]:
        """The user of a request, and the address that it comes from.

        Raises:
            SluiceError: AUTHENTICATION_FAILED.
        """
        began = time.monotonic()
        try:
            given = credentials(request, closed=self._closed)
            user = self._session.known_login(given)
            if user is None:
                user = await anyio.to_thread.run_sync(
                    self._session.login, given, limiter=self._workers
                )
        except errors.SluiceError:
            await asyncio.sleep(max(0.0, began + FAILURE_S - time.monotonic()))
            raise
        return user, given.address

    async def is_operator(self, request: Request, grant: tuple[str, tuple[str, ...]]) -> bool:
        """Whether a request comes from a user with a grant; one that names no user fails nothing.

        Probes from other machines have no credentials, and are no failed logins.
        """
        address = request.client.host if request.client is not None else ""
        if not is_local(address) and not _names_user(request):
            return False
        try:
            user, address = await self.user_of(request)
            self._session.child(user=user, address=address).access.check(*grant)
        except errors.SluiceError:
            return False
        return True


def _names_user(request: Request) -> bool:
    headers, params = request.headers, request.query_params
    return bool({_USER, "authorization"} & set(headers) or "user" in params)


def credentials(request: Request, *, closed: bool = False) -> Credentials:
    """What a request says about who has sent it: in one way, not in several.

    Raises:
        SluiceError: AUTHENTICATION_FAILED.
    """
    headers, params = request.headers, request.query_params
    basic = headers.get("authorization", "")
    by_headers = _USER in headers or _KEY in headers
    by_params = "user" in params or "password" in params
    address = request.client.host if request.client is not None else ""
    if headers.get(_CERTIFICATE, "").lower() == "on":
        if basic or by_params or _KEY in headers:
            raise _mixed(what="SSL certificate authentication")
        names = getattr(request.state, "certificate", ())
        user = headers.get(_USER, DEFAULT_USER)
        return Credentials(user, "", address, True, tuple(names), closed)
    if by_headers and (basic or by_params):
        raise _mixed(what="X-ClickHouse HTTP headers")
    if basic:
        if by_params:
            raise _mixed(what="Authorization HTTP header")
        user, password = _basic(basic)
    elif by_headers:
        user, password = headers.get(_USER, DEFAULT_USER), headers.get(_KEY, "")
    else:
        user, password = params.get("user", DEFAULT_USER), params.get("password", "")
    return Credentials(user or DEFAULT_USER, password, address, closed=closed)


def _mixed(what: str) -> errors.SluiceError:
    reason = f". It is not allowed to use {what} together with another way"
    return errors.AUTHENTICATION_FAILED(user="Invalid authentication", reason=reason)


def _basic(header: str) -> tuple[str, str]:
    scheme, _, text = header.partition(" ")
    try:
        found = base64.b64decode(text.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        found = ""
    user, colon, password = found.partition(":")
    if scheme.lower() != "basic" or not colon:
        reason = ". The Authorization header is no Basic one"
        raise errors.AUTHENTICATION_FAILED(user="Invalid authentication", reason=reason)
    return user, password
