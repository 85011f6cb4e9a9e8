"""Queries one after the other while a thousand messages come in a second: how long each takes."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contenders.flow_latency import figures
from sluice.broker import github_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RATE = 1000
SPAN_S = 0.05
WARM, COUNTED = 40, 300

QUERIES = {
    "SELECT 1": "SELECT 1",
    "system table": "SELECT database, name, engine FROM system.tables WHERE engine != 'Kafka'",
    "count()": "SELECT count() FROM github",
    "lookup": "SELECT event_type, actor_login, title FROM github WHERE comment_id = {number}",
    "GROUP BY": "SELECT event_type, count(), uniq(actor_login) FROM github GROUP BY event_type",
}
"""What is asked; `{number}` is another one each time."""


def times(
    ask: Callable[[str], object], rows: int, between: Callable[[], None] = lambda: None
) -> dict[str, dict[str, float]]:
    """Milliseconds of each query, in turn with the others: half of them, 99 of 100, the longest.

    What is done `between` two queries is not counted.
    """
    waits: dict[str, list[float]] = {name: [] for name in QUERIES}
    for turn in range(WARM + COUNTED):
        for name, text in QUERIES.items():
            query = text.format(number=turn * 7919 % rows)
            between()
            began = time.monotonic()
            ask(query)
            if turn >= WARM:
                waits[name].append(time.monotonic() - began)
    return {name: figures(each) for name, each in waits.items()}


@contextmanager
def sending(broker: str, topic: str, first: int) -> Iterator[list[float]]:
    """Send RATE events a second to a topic, those from the `first` on, for as long as a block.

    The block gets a list that has for each event when it was handed to the producer.
    """
    done = threading.Event()
    times: list[float] = []
    sender = threading.Thread(target=_send, args=(broker, topic, first, done, times))
    sender.start()
    try:
        yield times
    finally:
        done.set()
        sender.join()


def _send(broker: str, topic: str, first: int, done: threading.Event, times: list[float]) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker, "log_level": 0})
    began, sent = time.monotonic(), 0
    while not done.wait(SPAN_S):
        due = int((time.monotonic() - began) * RATE)
        for event in github_events.events(due - sent, first=first + sent):
            times.append(time.monotonic())
            producer.produce(topic, event)
        sent = due
        producer.poll(0)
    producer.flush()
