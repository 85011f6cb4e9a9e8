"""The committed offsets of one consumer group, without being a member of it.

This is done with a consumer that never subscribes. The admin client could do it too, but aborts the
whole process when the coordinator's connection breaks at the wrong moment
(https://github.com/confluentinc/librdkafka/issues/3663).
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from sluice import errors
from sluice.errors import Transient
from sluice.kafka import java
from sluice.kafka.client import GONE, Client, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sluice.kafka.client import Deadline

    _Answer = tuple[KafkaError | None, Sequence[TopicPartition]]

T = TypeVar("T")

_NOT_A_MEMBER = frozenset(
    {
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.STALE_MEMBER_EPOCH,
    }
)
_POLL = 0.002


class Group:
    """Reads and writes what a group has committed; one call at a time.

    A connection that failed is closed, and nothing else is asked before it is: a commit that is
    still under way on it must not come after a later one.
    """

    def __init__(self, properties: Mapping[str, str], name: str) -> None:
        self._properties = properties
        self._brokers = properties.get("bootstrap.servers", "")
        self._name = name
        self._lock = threading.Lock()
        self._client: Client[Consumer] | None = None
        self._closing: threading.Thread | None = None
        self._answers: list[_Answer] = []

    def committed(
        self, partitions: Sequence[TopicPartition], deadline: Deadline
    ) -> list[TopicPartition]:
        """The partitions with their committed offsets, negative where there is none."""

        def ask(consumer: Consumer, left: float) -> list[TopicPartition]:
            return _sound(consumer.committed(list(partitions), timeout=left))

        return self._call(deadline, ask)

    def commit(self, partitions: Sequence[TopicPartition], deadline: Deadline) -> None:
        """Commit the partitions' offsets.

        Raises:
            SluiceError: GROUP_IN_USE, when the group has members.
        """

        def ask(consumer: Consumer, left: float) -> None:
            self._answers.clear()
            consumer.commit(offsets=list(partitions), asynchronous=True)
            error, answered = self._await_answer(consumer, left)
            try:
                _sound(answered, error)
            except KafkaException as refused:
                if refused.args[0].code() in _NOT_A_MEMBER:
                    raise errors.GROUP_IN_USE(group=self._name) from refused
                raise

        self._call(deadline, ask)

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        with self._lock:
            self._drop()
            if self._closing is not None:
                self._closing.join()

    def _call(self, deadline: Deadline, ask: Callable[[Consumer, float], T]) -> T:
        with self._lock:
            self._client = self._client or self._connect(deadline)
            try:
                return self._client.call(deadline, ask)
            except Transient as error:
                if error.condition in GONE:
                    self._drop()
                raise

    def _connect(self, deadline: Deadline) -> Client[Consumer]:
        if self._closing is not None:
            self._closing.join(deadline.left())
            if self._closing.is_alive():
                raise translated(KafkaError(KafkaError._TIMED_OUT), self._brokers)
        answers = self._answers  # not self, which would keep the client alive
        ours = {
            "group.id": self._name,
            "enable.auto.commit": False,
            # Closing waits for a commit under way, which waits as long as a session would last
            # for a coordinator, then for a connection. There is no session, and nothing is fetched.
            "session.timeout.ms": 500,
            "heartbeat.interval.ms": 100,
            "socket.timeout.ms": 3000,
            "on_commit": lambda error, partitions: answers.append((error, partitions)),
        }
        return Client({**self._properties, **ours}, java.consumer)

    def _drop(self) -> None:
        if self._client is not None:
            self._closing = threading.Thread(target=self._client.proper.close, daemon=True)
            self._closing.start()
            self._client = None

    def _await_answer(self, consumer: Consumer, seconds: float) -> _Answer:
        end = time.monotonic() + seconds
        while not self._answers:
            if time.monotonic() > end:
                raise TimeoutError
            consumer.poll(_POLL)
        return self._answers[0]


def _sound(
    partitions: Sequence[TopicPartition], error: KafkaError | None = None
) -> list[TopicPartition]:
    """The partitions, if neither the whole nor one of them failed."""
    for failure in (error, *(partition.error for partition in partitions)):
        if failure is not None:
            raise KafkaException(failure)
    return list(partitions)
