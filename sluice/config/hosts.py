"""The operator's list of hosts that URLs in statements may lead to."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from sluice import errors
from sluice.parameters.kinds import hide_in_url


@dataclass(frozen=True, slots=True)
class Hosts:
    """Hosts by their names, alone or with a port, and patterns of them, as ClickHouse has them."""

    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def has(self, host: str, port: int | None) -> bool:
        """Whether a host is listed, on this port."""
        name = host.lower()
        both = (name, f"{name}:{port or -1}")
        return any(each in self.names for each in both) or any(
            re.fullmatch(pattern, each) for pattern in self.patterns for each in both
        )

    def flag(self) -> str:
        """The list as our Java reads it: without blanks and quotes."""
        names = [f"={quote(name, safe='')}" for name in self.names]
        return ",".join([*names, *(f"~{quote(each, safe='')}" for each in self.patterns)])

    def with_names(self, names: tuple[str, ...]) -> Hosts:
        """The same with more names."""
        return Hosts((*self.names, *(name.lower() for name in names)), self.patterns)


def check_url(url: str, hosts: Hosts | None) -> None:
    """Reject a URL whose host is not allowed, as far as its text shows.

    What a name resolves to is checked when it is connected to.

    Raises:
        SluiceError: UNACCEPTABLE_URL.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as bad:
        reason = "its host or port cannot be parsed"
        raise errors.INVALID_URL(url=hide_in_url(url), reason=reason) from bad
    if hosts is not None:
        if not hosts.has(host, port):
            raise errors.UNACCEPTABLE_URL(
                host=host, reason="the operator's list of hosts does not have it"
            )
    elif _is_private(host):
        raise errors.UNACCEPTABLE_URL(
            host=host,
            reason="its address is private, and the operator's list of hosts does not have it",
        )


def check_urls(urls: str, hosts: Hosts | None) -> None:
    """Reject one of several URLs with commas between them.

    Raises:
        SluiceError: UNACCEPTABLE_URL or INVALID_URL.
    """
    for url in filter(None, map(str.strip, urls.split(","))):
        check_url(url, hosts)


def _is_private(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
