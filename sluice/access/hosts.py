"""Whether a user may log in from an address."""

from __future__ import annotations

import fnmatch
import ipaddress
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.access.entities import Hosts


def is_local(address: str) -> bool:
    """Whether an address is one of this machine's own; no address is a caller in this process."""
    found = _parsed(address)
    return address in ("", "localhost") or (found is not None and found.is_loopback)


def allows(hosts: Hosts, address: str) -> bool:
    """Whether a user with these rules may log in from an address."""
    if hosts.any or (hosts.local and is_local(address)):
        return True
    found = _parsed(address or "127.0.0.1")
    if found is None:
        return False
    if any(found in network for text in hosts.addresses for network in _networks(text)):
        return True
    if any(str(found) in _resolved(name) for name in hosts.names):
        return True
    if not hosts.patterns and not hosts.likes:
        return False
    known = [str(found), *_names(str(found))]
    return _matched(hosts.patterns, known) or _like(hosts.likes, known)


def _matched(patterns: Iterable[str], known: Iterable[str]) -> bool:
    known = list(known)
    return any(re2.fullmatch(pattern, name) for pattern in patterns for name in known)


def _like(patterns: Iterable[str], known: Iterable[str]) -> bool:
    known = list(known)
    special = {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}
    globs = ["".join(special.get(letter, letter) for letter in text) for text in patterns]
    return any(fnmatch.fnmatchcase(name, glob) for glob in globs for name in known)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _networks(text: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    try:
        return [ipaddress.ip_network(text, strict=False)]
    except ValueError:
        return []


def is_network(text: str) -> bool:
    """Whether a text is an address, or a network as `10.0.0.0/8`."""
    return bool(_networks(text))


def _resolved(name: str) -> set[str]:
    with suppress(OSError):
        return {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    return set()


def _names(address: str) -> list[str]:
    """The names of an address that lead back to it: whoever has an address can call it anything."""
    with suppress(OSError):
        name, others, _ = socket.gethostbyaddr(address)
        return [each for each in (name, *others) if address in _resolved(each)]
    return []
