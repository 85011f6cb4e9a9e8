"""Connections between Python's threads and the JVM's: Py4J keeps one for each, on either side."""

from __future__ import annotations

import contextlib
from typing import Any

from py4j.java_gateway import JavaObject
from pyspark import SparkContext


def close_callbacks() -> None:
    """Close the connections on which threads of the JVM have called Python and do not now.

    Py4J keeps one for every thread that ever has, and a Python thread at its other end, also
    when the thread, as that of a query, has ended. One that is needed again is made again.
    """
    client = _gateway_client()
    if client is not None:
        JavaObject("GATEWAY_SERVER", client).getCallbackClient().periodicCleanup()


def disconnect() -> None:
    """Close this thread's connection to the JVM, and with it the JVM's thread; a call makes both.

    Every thread that has called the JVM keeps one for as long as it lives.
    """
    client = _gateway_client()
    connection = None if client is None else client.get_thread_connection()
    if connection is not None:
        with contextlib.suppress(ValueError):
            client.deque.remove(connection)
        connection.close()


def _gateway_client() -> Any:
    """Py4J's side of the connections to the JVM; None if there is no JVM."""
    gateway: Any = SparkContext._gateway
    return None if gateway is None else gateway._gateway_client
