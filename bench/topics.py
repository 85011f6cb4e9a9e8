"""Topics of GitHub events in a broker, filled once."""

from __future__ import annotations

import sys
from pathlib import Path

from sluice.broker import github_events

BENCH = Path(__file__).resolve().parent
TMP = BENCH / "tmp"
PARTITIONS = 3
_PATIENCE = 10.0


def events(address: str, rows: int) -> str:
    """A topic with that many events; a broker that has it already keeps it. Its name."""
    topic = f"events-{rows}"
    there = size(address, topic)
    if there < rows:
        say(f"topic {topic}: {rows - there:,} events to write")
        github_events.fill(address, topic, rows - there, partitions=PARTITIONS, first=there)
    return topic


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


def say(text: str) -> None:
    """Tell whoever watches what happens; figures alone go to standard output."""
    print(text, file=sys.stderr, flush=True)
