"""Admin clients of this process: one for each set of brokers and settings.

A client of librdkafka has a thread for itself and one for each broker, and their sockets. A hundred
tables on one cluster ask it with one client.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from sluice.kafka import java
from sluice.kafka.client import Client

if TYPE_CHECKING:
    from collections.abc import Mapping

    from confluent_kafka.admin import AdminClient

    Admin = Client[AdminClient]

_NAME = "client.id"
"""A table's clients carry its name; one that is shared carries that of the program."""

_lock = threading.Lock()
_shared: WeakValueDictionary[frozenset[tuple[str, str]], Admin] = WeakValueDictionary()


def key(properties: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """What settings have to have in common to share a client: all but the client's name."""
    return frozenset((name, value) for name, value in properties.items() if name != _NAME)


def client(properties: Mapping[str, str], own: Admin | None) -> Admin:
    """The client for these settings; it lives while it is referenced.

    `own` is the one that the caller has. Java's clients are not shared: they are closed by hand.
    """
    if java.SETTINGS in properties:
        return own or Client(properties, java.admin)
    same = key(properties)
    with _lock:
        found = _shared.get(same)
        if found is None:
            found = _shared[same] = Client({**properties, _NAME: "sluice"}, java.admin)
        return found


def forget(failed: Admin) -> None:
    """Drop a client whose connection failed: the next caller gets a new one."""
    with _lock:
        for same, each in list(_shared.items()):
            if each is failed:
                del _shared[same]
