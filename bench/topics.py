"""Topics of GitHub events in a broker, filled once."""

from __future__ import annotations

import contextlib
import fcntl
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.broker import github_events

if TYPE_CHECKING:
    from collections.abc import Iterator

BENCH = Path(__file__).resolve().parent
TMP = BENCH / "tmp"
PARTITIONS = 3
_PATIENCE = 10.0


def fill(address: str, topic: str, rows: int) -> None:
    """Have that many events in a topic; those that are there already count."""
    there = size(address, topic)
    if there < rows:
        say(f"topic {topic}: {rows - there:,} events to write")
        github_events.fill(address, topic, rows - there, partitions=PARTITIONS, first=there)


def size(address: str, topic: str) -> int:
    """How many messages a topic holds; 0 if it is not there."""
    from confluent_kafka import Consumer, TopicPartition

    settings = {"bootstrap.servers": address, "group.id": "bench", "log_level": 0}
    consumer = Consumer(settings)
    try:
        known = consumer.list_topics(timeout=_PATIENCE).topics
        if topic not in known:
            return 0
        parts = [TopicPartition(topic, number) for number in known[topic].partitions]
        marks = [consumer.get_watermark_offsets(part, timeout=_PATIENCE) for part in parts]
        return sum(high - low for low, high in marks)
    finally:
        consumer.close()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Have a folder to oneself, for two brokers cannot share one."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another run has {folder}; wait for it, or name another") from None
        yield


def say(text: str) -> None:
    """Tell whoever watches what happens; figures alone go to standard output."""
    print(text, file=sys.stderr, flush=True)
