"""The topic that a job writes to: when its last row came, and what is in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from machine import CpuTimes, own_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POLL_S = 0.05
CHECK_S = 5.0
QUIET_S = 3.0
"""A topic that has all its rows and has not grown for so long will not grow any more."""

_PATIENCE_S = 30.0


class Outlet:
    """A topic, made new. What is in an open transaction is not there yet."""

    def __init__(self, broker: str, topic: str, partitions: int) -> None:
        from confluent_kafka import IsolationLevel, TopicPartition
        from confluent_kafka.admin import AdminClient, OffsetSpec
        from confluent_kafka.cimpl import NewTopic

        self._broker, self.topic = broker, topic
        self._admin = AdminClient({"bootstrap.servers": broker, "log_level": 0})
        made = self._admin.create_topics([NewTopic(topic, partitions, 1)])
        made[topic].result(_PATIENCE_S)
        latest = OffsetSpec.latest()
        self._asked = {TopicPartition(topic, number): latest for number in range(partitions)}
        self._committed = IsolationLevel.READ_COMMITTED

    def ends(self) -> dict[int, int]:
        """The offset after the last visible row of each partition.

        Offsets are taken by rows, and by the marks that transactions leave at their ends.
        """
        answers = self._admin.list_offsets(self._asked, isolation_level=self._committed)
        return {part.partition: f.result(_PATIENCE_S).offset for part, f in answers.items()}

    def messages(self) -> Iterator[bytes]:
        """The values of all visible rows."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer(
            {
                "bootstrap.servers": self._broker,
                "group.id": "bench",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "log_level": 0,
            }
        )
        left = {number for number, end in self.ends().items() if end}
        consumer.assign([TopicPartition(self.topic, number, 0) for number in left])
        try:
            while left:
                for message in consumer.consume(10_000, 1.0):
                    if message.error() is None:
                        yield message.value()
                    else:  # the end of a partition
                        left.discard(message.partition())
        finally:
            consumer.close()

    def delete(self) -> None:
        """Let its disk go."""
        self._admin.delete_topics([self.topic])[self.topic].result(_PATIENCE_S)


class Growth:
    """How a topic grows from the moment this object is made."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._began, self._before = time.monotonic(), CpuTimes.now()
        self._own = own_seconds()
        self._size = 0
        self.first = self.seconds = self.own_seconds = 0.0
        self.cpu: dict[str, float] = {}

    def watch(
        self, rows: int, patience: float, check: Callable[[], None], quiet: float = QUIET_S
    ) -> None:
        """Wait until it has so many rows and grows no more; `seconds` is when it last did.

        Now and then it is checked that its job is well.
        """
        checked = 0.0
        while self._size < rows or self._passed() < self.seconds + quiet:
            if self._passed() > checked + CHECK_S:
                check()
                checked = self._passed()
            if self._passed() > patience:
                raise SystemExit(f"{self._size} of {rows} rows after {patience:.0f} s")
            time.sleep(POLL_S)
            self._look()

    def _look(self) -> None:
        size = sum(self._outlet.ends().values())
        if size > self._size:
            self._size, self.seconds = size, self._passed()
            self.first = self.first or self.seconds
            self.cpu = CpuTimes.now().shares_since(self._before)
            self.own_seconds = own_seconds() - self._own

    def _passed(self) -> float:
        return time.monotonic() - self._began
