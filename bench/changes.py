"""A topic of Debezium's change events: inserts, updates and deletes of customers, filled once."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import topics

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = 100_000
DELETED = 0.125
"""Of the changes of a row that is there; with as many inserts again, 10 % of all are deletes."""

COLUMNS = "id BIGINT, name STRING, email STRING, city STRING, amount BIGINT"
_SEED = 16


def events(count: int, keys: int = KEYS) -> Iterator[tuple[int, str]]:
    """The key and the value of each change, always the same ones."""
    chance = random.Random(_SEED)  # noqa: S311 - the same changes each time
    there: dict[int, dict[str, object]] = {}
    for n in range(count):
        key = chance.randrange(keys)
        before = there.get(key)
        if before is not None and chance.random() < DELETED:
            op, after = "d", None
            del there[key]
        else:
            op = "c" if before is None else "u"
            after = there[key] = {
                "id": key,
                "name": f"customer {key}",
                "email": f"customer.{key}.{n}@example.com",
                "city": f"city {n % 1000}",
                "amount": n,
            }
        source = {"db": "shop", "table": "customers", "ts_ms": n}
        event = {"before": before, "after": after, "source": source, "op": op, "ts_ms": n}
        yield key, json.dumps(event, separators=(",", ":"))


def left(count: int, keys: int = KEYS) -> tuple[int, int]:
    """How many rows are there after so many changes, and the sum of their amounts."""
    there: dict[int, int] = {}
    for key, value in events(count, keys):
        after = json.loads(value)["after"]
        if after is None:
            del there[key]
        else:
            there[key] = after["amount"]
    return len(there), sum(there.values())


def cities(count: int, keys: int = KEYS) -> dict[str, tuple[int, int]]:
    """How many rows each city has after so many changes, and the sum of their amounts."""
    there: dict[int, tuple[str, int]] = {}
    for key, value in events(count, keys):
        after = json.loads(value)["after"]
        if after is None:
            del there[key]
        else:
            there[key] = (after["city"], after["amount"])
    found: dict[str, tuple[int, int]] = {}
    for city, amount in there.values():
        rows, total = found.get(city, (0, 0))
        found[city] = (rows + 1, total + amount)
    return found


def fill(address: str, topic: str, count: int) -> None:
    """Have that many changes in a topic, those of a key in one partition."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    if topics.size(address, topic) >= count:
        return
    topics.say(f"topic {topic}: {count:,} changes to write")
    settings = {"bootstrap.servers": address, "linger.ms": 50, "compression.type": "lz4"}
    admin = AdminClient({"bootstrap.servers": address})  # what it is asked ends with it
    admin.create_topics([NewTopic(topic, topics.PARTITIONS, 1)])[topic].result()
    producer = Producer({**settings, "queue.buffering.max.messages": 1_000_000})
    for n, (key, value) in enumerate(events(count)):
        producer.produce(topic, value, str(key), partition=key % topics.PARTITIONS)
        if n % 10_000 == 0:
            producer.poll(0)
            while len(producer) > 500_000:
                producer.poll(0.1)
    producer.flush()
