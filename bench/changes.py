"""A topic of Debezium's change events: inserts, updates and deletes of customers, filled once."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import topics

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = 100_000
DELETED = 0.125
"""Of the changes of a row that is there; with as many inserts again, 10 % of all are deletes."""

COLUMNS = "id BIGINT, name STRING, email STRING, city STRING, amount BIGINT"
_SEED = 16

Row = dict[str, Any]


def row(key: int, number: int) -> Row:
    """The row that a change writes; the change's number is in it."""
    return {
        "id": key,
        "name": f"customer {key}",
        "email": f"customer.{key}.{number}@example.com",
        "city": f"city {number % 1000}",
        "amount": number,
    }


def snapshot(key: int) -> Row:
    """The row that a key has before any change, in a table that is loaded."""
    return row(key, key)


def changed(
    count: int, keys: int = KEYS, *, loaded: bool = False
) -> Iterator[tuple[Row | None, Row | None]]:
    """The rows before and after each change, always the same ones.

    They begin with a table that is empty, or that is `loaded` with the snapshot of all keys.
    """
    chance = random.Random(_SEED)  # noqa: S311 - the same changes each time
    there: dict[int, Row | None] = {}
    for n in range(count):
        key = chance.randrange(keys)
        before = there[key] if key in there else snapshot(key) if loaded else None
        deleted = before is not None and chance.random() < DELETED
        there[key] = after = None if deleted else row(key, n)
        yield before, after


def left(count: int, keys: int = KEYS, *, loaded: bool = False) -> tuple[int, int]:
    """How many rows are there after so many changes, and the sum of their amounts."""
    rows, total = (keys, keys * (keys - 1) // 2) if loaded else (0, 0)
    for before, after in changed(count, keys, loaded=loaded):
        for sign, each in ((-1, before), (1, after)):
            if each is not None:
                rows, total = rows + sign, total + sign * each["amount"]
    return rows, total


def cities(count: int) -> dict[str, tuple[int, int]]:
    """How many rows each city has after so many changes, and the sum of their amounts."""
    found: dict[str, tuple[int, int]] = {}
    for before, after in changed(count):
        for sign, each in ((-1, before), (1, after)):
            if each is not None:
                rows, total = found.get(each["city"], (0, 0))
                found[each["city"]] = (rows + sign, total + sign * each["amount"])
    return {city: each for city, each in found.items() if each[0]}


def events(count: int, keys: int = KEYS, *, loaded: bool = False) -> Iterator[tuple[int, str]]:
    """The key of each change, and the message that Debezium writes of it."""
    for n, (before, after) in enumerate(changed(count, keys, loaded=loaded)):
        op = "c" if before is None else "d" if after is None else "u"
        source = {"db": "shop", "table": "customers", "ts_ms": n}
        event = {"before": before, "after": after, "source": source, "op": op, "ts_ms": n}
        yield (after or before or {})["id"], json.dumps(event, separators=(",", ":"))


def topic_of(keys: int) -> str:
    """The topic with the changes of a table that is loaded with so many keys."""
    return f"changes_of_{keys}"


def fill(address: str, topic: str, count: int, keys: int = KEYS, *, loaded: bool = False) -> None:
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
    for n, (key, value) in enumerate(events(count, keys, loaded=loaded)):
        producer.produce(topic, value, str(key), partition=key % topics.PARTITIONS)
        if n % 10_000 == 0:
            producer.poll(0)
            while len(producer) > 500_000:
                producer.poll(0.1)
    producer.flush()
