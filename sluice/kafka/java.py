"""What librdkafka's clients do here, done by Java's, for logins with Kerberos.

The librdkafka that pip installs knows no Kerberos; Java's client, which Spark brings along, does.
These classes have those methods of confluent-kafka's that `Cluster` and `Group` call.
"""

from __future__ import annotations

import json
from concurrent.futures import Future
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from confluent_kafka import IsolationLevel

SETTINGS = "sluice.java"
"""The setting of librdkafka under which those of the Java client are passed, as JSON."""

_CODES = {
    "UnknownTopicOrPartitionException": KafkaError.UNKNOWN_TOPIC_OR_PART,
    "UnknownMemberIdException": KafkaError.UNKNOWN_MEMBER_ID,
    "SaslAuthenticationException": KafkaError._AUTHENTICATION,
    "SslAuthenticationException": KafkaError._SSL,
    "LoginException": KafkaError._AUTHENTICATION,
    "TimeoutException": KafkaError._TIMED_OUT,
    "DisconnectException": KafkaError._TRANSPORT,
}
_providers: list[Callable[[], Any]] = []


def provide(jvm: Callable[[], Any]) -> Callable[[], None]:
    """Register how to reach the JVM, which starts when the Java client is first needed.

    All engines of a process share one JVM. The function returned takes the registration back.
    """
    _providers.append(jvm)

    def withdraw() -> None:
        if jvm in _providers:
            _providers.remove(jvm)

    return withdraw


def jvm() -> Any:
    """The JVM that Spark runs in."""
    return _providers[0]()


def admin(settings: dict[str, Any]) -> Any:
    """A client for questions about the cluster."""
    return JavaAdmin(settings) if SETTINGS in settings else AdminClient(settings)


def consumer(settings: dict[str, Any]) -> Any:
    """A client for what a group has committed."""
    return JavaGroup(settings) if SETTINGS in settings else Consumer(settings)


def close(client: Any) -> None:
    """Close a Java client; those of librdkafka close by themselves."""
    if isinstance(client, JavaAdmin):
        client.close()


class _Java:
    """Java's admin client, made with the first question."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings: dict[str, str] = json.loads(settings[SETTINGS])
        self._note: Callable[[KafkaError], None] = settings["error_cb"]
        self._jvm: Any = jvm()
        self._admin: Any = None

    def poll(self, timeout: float = 0) -> None:
        """Nothing waits here to be handed out."""

    def close(self) -> None:
        """Close the connection."""
        if self._admin is not None:
            self._admin.close(self._jvm.java.time.Duration.ofMillis(500))
            self._admin = None

    def _ask(self, question: Callable[[Any], Any], seconds: float) -> Any:
        """The result of one request; a Java error becomes the one of librdkafka."""
        unit = self._jvm.java.util.concurrent.TimeUnit.MILLISECONDS
        try:
            if self._admin is None:
                self._admin = self._connect()
            return question(self._admin).get(int(seconds * 1000), unit)
        except Exception as fault:
            thrown = getattr(fault, "java_exception", None)
            if thrown is None:
                raise
            raise self._error(thrown) from None

    def _connect(self) -> Any:
        properties = self._jvm.java.util.Properties()
        for name, value in self._settings.items():
            properties.setProperty(name, value)
        return self._jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)

    def _error(self, thrown: Any) -> KafkaException:
        innermost = thrown
        names = [thrown.getClass().getSimpleName()]
        while innermost.getCause() is not None:
            innermost = innermost.getCause()
            names.append(innermost.getClass().getSimpleName())
        text = str(innermost.getMessage() or names[-1]).partition("\n")[0]
        code = next((_CODES[name] for name in names if name in _CODES), KafkaError._TRANSPORT)
        error = KafkaError(code, text)
        if code in (KafkaError._AUTHENTICATION, KafkaError._SSL):
            self._note(error)
        return KafkaException(error)

    def _partition(self, at: TopicPartition) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(at.topic, at.partition)


def _leader(node: Any) -> Any:
    return None if node is None else SimpleNamespace(id=node.id())


class JavaAdmin(_Java):
    """Topics and their ends."""

    def list_topics(self, timeout: float) -> Any:
        """The names of all topics."""
        names = self._ask(lambda admin: admin.listTopics().names(), timeout)
        return SimpleNamespace(topics={str(name): None for name in names})

    def describe_topics(self, topics: Any, request_timeout: float) -> dict[str, Future[Any]]:
        """Id and partitions of each topic."""

        def one(name: str) -> Any:
            names = self._jvm.java.util.List.of(name)
            found = self._ask(lambda a: a.describeTopics(names).allTopicNames(), request_timeout)
            told = found.get(name)
            partitions = [
                SimpleNamespace(id=part.partition(), leader=_leader(part.leader()))
                for part in told.partitions()
            ]
            return SimpleNamespace(topic_id=told.topicId().toString(), partitions=partitions)

        return {name: _future(one, name) for name in topics.topic_names}

    def list_offsets(
        self,
        wanted: Mapping[TopicPartition, Any],
        request_timeout: float,
        isolation_level: IsolationLevel,
    ) -> dict[TopicPartition, Future[Any]]:
        """The first or last offset of partitions, or that of a time."""
        asked = self._jvm.java.util.HashMap()
        for at, spec in wanted.items():
            asked.put(self._partition(at), self._spec(spec._value))
        level = self._jvm.org.apache.kafka.common.IsolationLevel.valueOf(isolation_level.name)
        options = self._jvm.org.apache.kafka.clients.admin.ListOffsetsOptions(level)
        found = self._ask(lambda admin: admin.listOffsets(asked, options).all(), request_timeout)

        def one(at: TopicPartition) -> Any:
            return SimpleNamespace(offset=found.get(self._partition(at)).offset())

        return {at: _future(one, at) for at in wanted}

    def _spec(self, value: int) -> Any:
        specs = self._jvm.org.apache.kafka.clients.admin.OffsetSpec
        if value >= 0:
            return specs.forTimestamp(value)
        return specs.earliest() if value == _EARLIEST else specs.latest()


_EARLIEST = -2


class JavaGroup(_Java):
    """What a group has committed."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._group: str = settings["group.id"]
        self._answered: Callable[[Any, Any], None] = settings["on_commit"]

    def committed(
        self, partitions: Sequence[TopicPartition], timeout: float
    ) -> list[TopicPartition]:
        """The partitions with their offsets, a negative one where nothing is committed."""
        found = self._ask(
            lambda admin: admin.listConsumerGroupOffsets(
                self._group
            ).partitionsToOffsetAndMetadata(),
            timeout,
        )
        answer = []
        for at in partitions:
            stored = found.get(self._partition(at))
            known = (-1, "") if stored is None else (stored.offset(), stored.metadata())
            answer.append(TopicPartition(at.topic, at.partition, *known))
        return answer

    def commit(self, offsets: Sequence[TopicPartition], **_: object) -> None:
        """Commit, and report the result at once."""
        given = self._jvm.java.util.HashMap()
        for at in offsets:
            made = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata
            given.put(self._partition(at), made(at.offset, at.metadata or ""))
        try:
            self._ask(
                lambda admin: admin.alterConsumerGroupOffsets(self._group, given).all(), _PATIENCE
            )
        except KafkaException as refused:
            self._answered(refused.args[0], [])
        else:
            self._answered(None, [])


_PATIENCE = 5.0


def _future(make: Callable[[Any], Any], argument: Any) -> Future[Any]:
    """The answer as one that was waited for."""
    made: Future[Any] = Future()
    try:
        made.set_result(make(argument))
    except KafkaException as error:
        made.set_exception(error)
    return made
