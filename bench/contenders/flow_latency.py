"""How long a message takes through a job: from its sending to its coming out of the other topic.

A hundred messages a second go into a topic; the clock of a message starts before it is handed to
the producer and stops when a consumer outside has what became of it. A part of the topic is read
and a part of the messages is sent before those that count.
"""

from __future__ import annotations

import statistics
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import flows

from contenders import engines
from contenders.copied import number
from contenders.job import Answer, Job, Stopwatch, serve
from contenders.outlet import Growth, Outlet
from sluice.broker import github_events

if TYPE_CHECKING:
    from typing import Self

EVERY_S = 0.01
WARM = 1500
COUNTED = 2000
PARTITIONS = 3


def run(job: Job) -> Answer:
    """Send and look."""
    outlet = Outlet(job.broker, f"{job.name}-{job.topic}", PARTITIONS)
    flow = flows.copy(job.broker, job.topic, outlet.topic, job.flow)
    with engines.start(job) as engine, Eye(job.broker, outlet.topic, job.rows) as eye:
        for table in flow.tables:
            engine.run(table)
        started = engine.run(flow.insert)
        Growth(outlet).watch(job.rows, job.patience, partial(engine.check, started), quiet=1.0)
        eye.waits(job.topic, WARM, job.patience)
        with Stopwatch() as watch:
            waits = eye.waits(job.topic, COUNTED, job.patience)
    outlet.delete()
    return watch.answer(COUNTED, **figures(waits))


class Eye:
    """Sends events to a topic and waits for each in another; `first` is the number of the next."""

    def __init__(self, broker: str, topic: str, first: int, every: float = EVERY_S) -> None:
        from confluent_kafka import Consumer, Producer, TopicPartition

        self._producer = Producer({"bootstrap.servers": broker, "linger.ms": 0, "log_level": 0})
        self._consumer: Any = Consumer(
            {
                "bootstrap.servers": broker,
                "group.id": "bench",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        self._first = first
        self._every = every

    def waits(self, topic: str, count: int, patience: float) -> list[float]:
        """Send so many events at their times; the seconds until each was seen."""
        first, self._first = self._first, self._first + count
        sent: list[float] = []
        sender = threading.Thread(target=self._send, args=(topic, first, count, sent))
        sender.start()
        seen: dict[int, float] = {}
        until = time.monotonic() + count * self._every + patience
        while len(seen) < count:
            message = self._consumer.poll(1.0)
            if message is not None and message.error() is None:
                which = number(message.value()) - first
                if which >= 0:
                    seen.setdefault(which, time.monotonic())
            elif time.monotonic() > until:
                raise SystemExit(f"{len(seen)} of {count} messages after {patience:.0f} s")
        sender.join()
        return [seen[which] - begin for which, begin in enumerate(sent)]

    def _send(self, topic: str, first: int, count: int, sent: list[float]) -> None:
        events = list(github_events.events(count, first=first))
        began = time.monotonic()
        for which, event in enumerate(events):
            time.sleep(max(0.0, began + which * self._every - time.monotonic()))
            sent.append(time.monotonic())
            self._producer.produce(topic, event)
            self._producer.poll(0)
        self._producer.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._consumer.close()


def figures(waits: list[float]) -> dict[str, float]:
    """What most messages took and what the slowest took, in milliseconds."""
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    figures = {"p50": cuts[49], "p99": cuts[98], "max": max(waits)}
    return {name: 1000 * seconds for name, seconds in figures.items()}


if __name__ == "__main__":
    serve(run)
