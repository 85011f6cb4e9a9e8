"""A Kafka cluster as Sluice's supervisor sees it."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from confluent_kafka import (
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from confluent_kafka.cimpl import NewTopic

from sluice import errors
from sluice.errors import Transient
from sluice.kafka import admins, java
from sluice.kafka.client import GONE, MISSING, Client, Deadline
from sluice.kafka.group import Group
from sluice.options.patterns import fits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from sluice.errors import SluiceError

Offsets = dict[str, dict[int, int]]
"""Offsets by topic and partition."""

K = TypeVar("K")
T = TypeVar("T")

DEADLINE = 5.0
_PATIENCE = 2.0
"""Seconds for the broker that the others call the controller. It may be down while they are up."""

_EARLIEST = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
_LATEST = OffsetSpec.latest()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Topic:
    """An existing topic; its id distinguishes it from a later one of the same name.

    Those of its partitions without a leader can be neither read nor written now.
    """

    name: str
    id: str
    partitions: tuple[int, ...]
    leaderless: tuple[int, ...] = ()


class Cluster:
    """Questions to a Kafka cluster, each answered or failed within a deadline.

    It may be used from several threads. Every method raises BROKER_UNREACHABLE when there is no
    answer within the deadline and KAFKA_REFUSED when the answer is no. A connection that failed is
    given up, and the next call makes a new one, so a cluster that is not used is not contacted. All
    callers with the same brokers and settings share one admin client.

    Args:
        properties: librdkafka's settings, at least `bootstrap.servers`.
        deadline: In seconds, for all that a method does.
    """

    def __init__(self, properties: Mapping[str, str], deadline: float = DEADLINE) -> None:
        self.properties = dict(properties)
        self._deadline = deadline
        self._lock = threading.Lock()
        self._client: Client[AdminClient] | None = None
        self._groups: dict[str, Group] = {}

    @property
    def brokers(self) -> str:
        """The addresses it was given."""
        return self.properties.get("bootstrap.servers", "")

    def topics(self, names: Iterable[str], deadline: float | None = None) -> dict[str, Topic]:
        """Those of the named topics that exist; `deadline` may differ from the cluster's."""
        return self._topics(names, Deadline(deadline or self._deadline))

    def matching(self, regex: str) -> dict[str, Topic]:
        """The topics whose whole name fits the expression, without Kafka's internal ones."""
        until = Deadline(self._deadline)
        known = self._call(until, lambda admin, left: admin.list_topics(timeout=left)).topics
        names = [name for name in known if fits(regex, name) and not name.startswith("__")]
        return self._topics(names, until)

    def earliest(self, names: Iterable[str]) -> Offsets:
        """The oldest offset of every partition of those of the topics that exist."""
        return self._offsets(names, _EARLIEST, Deadline(self._deadline))

    def latest(self, names: Iterable[str], *, committed: bool = False) -> Offsets:
        """The offset after the last message of every partition, open transactions included.

        If only `committed` ones count, it is that of the first message of an open transaction.
        """
        isolation = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        return self._offsets(names, _LATEST, Deadline(self._deadline), isolation)

    def ends(self, topics: Iterable[Topic]) -> Offsets:
        """The result of `latest` for topics just described, in one request to each broker."""
        return self._listed(list(topics), _LATEST, Deadline(self._deadline))

    def at_time(self, names: Iterable[str], time_ms: int) -> Offsets:
        """The first offset of every partition that is not before a time; its end if there is none.

        Times are those of the messages, in milliseconds since 1970.
        """
        until = Deadline(self._deadline)
        topics = list(names)
        ends = self._offsets(topics, _LATEST, until)
        spec = OffsetSpec.for_timestamp(time_ms)
        for topic, parts in self._offsets(topics, spec, until).items():
            for partition, offset in parts.items():
                if offset >= 0:
                    ends.setdefault(topic, {})[partition] = offset
        return ends

    def committed(self, group: str, names: Iterable[str]) -> Offsets:
        """What the group has committed; partitions without a commit are absent."""
        until = Deadline(self._deadline)
        partitions = [
            TopicPartition(topic.name, partition)
            for topic in self._topics(names, until).values()
            for partition in topic.partitions
        ]
        if not partitions:
            return {}
        answer = self._group(group).committed(partitions, until)
        return _nested((tp, tp.offset) for tp in answer if tp.offset >= 0)

    def notes(self, group: str, offsets: Offsets) -> set[str]:
        """What was noted with the group's committed offsets of these partitions."""
        partitions = _flat(offsets)
        if not partitions:
            return set()
        with self._needing(offsets):
            answer = self._group(group).committed(partitions, Deadline(self._deadline))
        return {tp.metadata for tp in answer if tp.offset >= 0 and tp.metadata}

    def commit(self, group: str, offsets: Offsets, note: str = "") -> None:
        """Commit for a group that has no members; it need not exist. `note` is kept with it.

        Raises:
            SluiceError: GROUP_IN_USE when others consume in the group; KAFKA_TOPIC_MISSING.
        """
        partitions = _flat(offsets, note)
        if not partitions:
            return
        with self._needing(offsets):
            self._group(group).commit(partitions, Deadline(self._deadline))

    def create_topic(
        self,
        name: str,
        partitions: int,
        config: Mapping[str, str] | None = None,
    ) -> None:
        """Make a topic, with the broker's usual number of replicas, and wait until it shows."""
        until = Deadline(self._deadline)
        topic = NewTopic(name, partitions, config=dict(config or {}))

        def ask(admin: AdminClient, left: float) -> Any:
            futures = admin.create_topics([topic], request_timeout=left, operation_timeout=left)
            return _result(futures[name], left)

        self._call(until, ask)
        self._await(name, until, there=True)

    def delete_topic(self, name: str) -> None:
        """Delete a topic with its messages, and wait until no broker lists it.

        Raises:
            SluiceError: KAFKA_TOPIC_MISSING.
        """
        until = Deadline(self._deadline)

        def ask(admin: AdminClient, left: float) -> Any:
            futures = admin.delete_topics([name], request_timeout=left, operation_timeout=left)
            return _result(futures[name], left)

        with self._needing([name]):
            self._call(until, ask)
        self._await(name, until, there=False)

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""
        self._drop(self._client)
        for group in list(self._groups.values()):
            group.close()

    def _topics(self, names: Iterable[str], until: Deadline) -> dict[str, Topic]:
        wanted = sorted(set(names))
        if not wanted:
            return {}

        def ask(admin: AdminClient, left: float) -> dict[str, Any]:
            futures = admin.describe_topics(TopicCollection(wanted), request_timeout=left)
            return _results(futures, left)

        return {
            name: Topic(
                name,
                str(found.topic_id),
                tuple(sorted(p.id for p in found.partitions)),
                tuple(sorted(p.id for p in found.partitions if not p.leader or p.leader.id < 0)),
            )
            for name, found in self._twice(until, ask).items()
        }

    def _await(self, name: str, until: Deadline, *, there: bool) -> None:
        """Wait until brokers know what the controller has already done."""
        while (name in self._topics([name], until)) is not there:
            if until.passed():
                reason = f"Topic {name} is still {'not ' if there else ''}there"
                raise errors.BROKER_UNREACHABLE(brokers=self.brokers, reason=reason)
            time.sleep(0.02)

    def _offsets(
        self,
        names: Iterable[str],
        spec: OffsetSpec,
        until: Deadline,
        isolation: IsolationLevel = IsolationLevel.READ_UNCOMMITTED,
    ) -> Offsets:
        return self._listed(list(self._topics(names, until).values()), spec, until, isolation)

    def _listed(
        self,
        topics: Sequence[Topic],
        spec: OffsetSpec,
        until: Deadline,
        isolation: IsolationLevel = IsolationLevel.READ_UNCOMMITTED,
    ) -> Offsets:
        wanted = {
            TopicPartition(topic.name, partition): spec
            for topic in topics
            for partition in topic.partitions
        }
        if not wanted:
            return {}

        def ask(admin: AdminClient, left: float) -> dict[TopicPartition, Any]:
            futures = admin.list_offsets(wanted, isolation_level=isolation, request_timeout=left)
            return _results(futures, left)

        try:
            found = self._call(until, ask)
        except Transient as silence:
            for topic in topics:
                if topic.leaderless:
                    raise no_leader(topic, self.brokers) from silence
            raise
        return _nested((tp, info.offset) for tp, info in found.items())

    def _call(self, until: Deadline, ask: Callable[[AdminClient, float], T]) -> T:
        with self._lock:
            client = self._client = admins.client(self.properties, self._client)
        try:
            return client.call(until, ask)
        except Transient as error:
            if error.condition in GONE:
                admins.forget(client)
                self._drop(client)
            raise

    def _twice(self, until: Deadline, ask: Callable[[AdminClient, float], T]) -> T:
        """Send a request to the controller; if it does not answer, to the newly elected one."""

        def again(admin: AdminClient, left: float) -> T:
            try:
                return ask(admin, min(left, _PATIENCE))
            except TimeoutError:
                if until.passed():
                    raise
            except KafkaException as error:
                if until.passed() or error.args[0].code() != KafkaError._TIMED_OUT:
                    raise
            admin.list_topics(timeout=until.left())  # whoever is there names another controller
            return ask(admin, until.left())

        return self._call(until, again)

    def _group(self, name: str) -> Group:
        with self._lock:
            return self._groups.setdefault(name, Group(self.properties, name))

    @contextmanager
    def _needing(self, topics: Iterable[str]) -> Iterator[None]:
        """Run a request, raising KAFKA_TOPIC_MISSING if its topics do not exist."""
        try:
            yield
        except KafkaException as error:
            topic = ", ".join(sorted(topics))
            raise errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=self.brokers) from error

    def _drop(self, client: Client[AdminClient] | None) -> None:
        with self._lock:
            if self._client is client:
                self._client = None
        if client is not None:
            java.close(client.proper)


def no_leader(topic: Topic, brokers: str) -> SluiceError:
    """A topic has partitions without a leader."""
    partitions = ", ".join(map(str, topic.leaderless))
    return errors.KAFKA_NO_LEADER(topic=topic.name, partitions=partitions, brokers=brokers)


def _result(future: Future[Any], seconds: float) -> Any:
    """What a request came to; the client keeps the time itself, this is for when it cannot."""
    return future.result(seconds + 0.5)


def _results(futures: Mapping[K, Future[Any]], seconds: float) -> dict[K, Any]:
    """The results of several requests, without those about something that does not exist."""
    found = {}
    for key, future in futures.items():
        try:
            found[key] = _result(future, seconds)
        except KafkaException as error:
            if error.args[0].code() not in MISSING:
                raise
    return found


def _flat(offsets: Offsets, note: str = "") -> list[TopicPartition]:
    return [
        TopicPartition(topic, partition, offset, note)
        for topic, partitions in offsets.items()
        for partition, offset in partitions.items()
    ]


def _nested(flat: Iterable[tuple[TopicPartition, int]]) -> Offsets:
    nested: Offsets = {}
    for tp, offset in flat:
        nested.setdefault(tp.topic, {})[tp.partition] = offset
    return nested
