"""Rows of a job into a topic: encoded and sent in the JVM, each batch once if that is wanted.

Everything a task needs is in Java (`sluice.kafka`: `Transact`, `Deliver`). Here it is said what it
has to write, and what went wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from sluice import errors
from sluice.catalog import NOBODY
from sluice.formats.flink import encoded
from sluice.kafka.cluster import Cluster, no_leader
from sluice.options.client import PRODUCER
from sluice.options.sink import PARTITIONERS
from sluice.pipelines import faults, kafka_faults, offsets, typed
from sluice.pipelines.held import differing
from sluice.pipelines.jobs import partitioners
from sluice.pipelines.jobs.enforcing import Enforced
from sluice.pipelines.kafka_sink import properties
from sluice.pipelines.select import Select
from sluice.plan.keys import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self, TypeVar

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.catalog import Instance
    from sluice.errors import SluiceError
    from sluice.pipelines.offsets import Ranges
    from sluice.plan.job import Rules
    from sluice.plan.spec import RowFormat, TopicSink
    from sluice.types import Type

    T = TypeVar("T")

ONCE, NONE = "exactly-once", "none"

TRANSACTION_MS = 900_000
"""How long a transaction may be open: the most that brokers allow unless they are told otherwise.

Flink's hour is refused by such brokers. A transaction here is open for one batch at most, and what
a killed job left open ends when the job is back, so this only matters for a job that never is.
"""

_SETTINGS = {
    ONCE: {"enable.idempotence": "true", "acks": "all"},
    NONE: {"enable.idempotence": "false", "acks": "0", "retries": "0"},
}
_OURS = {
    # What is left is sent at once when a task has no more rows, so waiting for more costs nothing.
    "linger.ms": "50",
    "batch.size": str(512 << 10),
    "default.api.timeout.ms": "15000",
}

_BETWEEN = " | "
_OWNED = "SINK_OWNED_BY_ANOTHER_SERVER"  # raised by a task that finds another owner
_ASKED_S = 5.0
_ROW = "row"


@dataclass(frozen=True, slots=True)
class Marker:
    """What the brokers keep of the last batch that a task has written.

    `cut` is how the batch was cut into tasks, `ranges` a digest of the messages it was made of,
    `by` the token of the server's start that wrote it. Earlier versions kept the first alone.
    """

    batch: int
    cut: str
    ranges: str = ""
    by: str = ""

    def note(self) -> str:
        """All but the batch, as one text."""
        return _BETWEEN.join((self.cut, self.ranges, self.by))

    @classmethod
    def read(cls, batch: int, note: str) -> Self:
        """What `note` has made."""
        return cls(batch, *note.split(_BETWEEN))

    @property
    def tasks(self) -> int:
        """Into how many tasks the batch was cut."""
        return int(self.cut.split()[0])


def digest(ranges: Ranges) -> str:
    """A short text that other ranges do not have."""
    return hashlib.sha256(json.dumps(ranges, sort_keys=True).encode()).hexdigest()[:32]


class Target(Protocol):
    """What a query's rows become: these columns of a table over a topic, in this order."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are given."""

    @property
    def sink(self) -> TopicSink | None:
        """The topic."""

    @property
    def rules(self) -> Rules:
        """What becomes of rows that do not fit."""


class TopicWriter:
    """Writes the batches of one output of a job to a topic.

    With exactly-once each task of a batch writes in one transaction, which also commits the
    batch's number; a task that has done so does not write the batch again. With at-least-once a
    batch is written when every message is acknowledged. With none it is written when the client
    has taken the messages over: whether they arrive is not waited for, and not known.
    """

    def __init__(
        self,
        output: Target,
        spark: SparkSession,
        job: str,
        generation: int,
        number: int,
        instance: Instance = NOBODY,
    ) -> None:
        sink = output.sink
        if sink is None:
            raise ValueError(job)
        self._output = output
        self._sink: TopicSink = sink
        self._spark = spark
        self._instance = instance
        job += instance.suffix
        self._mine = rf".*-{re.escape(job)}-[0-9]+-{number}-[0-9]+"
        self._name = f"{sink.transactional_id_prefix or 'sluice'}-{job}-{generation}-{number}"
        self._group = f"sluice.{job}.{generation}.{number}"
        self._partitions = 0
        self._written: Mapping[int, Marker] = {}
        self._owned = False
        self._last: int | None = None
        self._fitting: Enforced | None = None
        self._messages: Select | None = None
        self._chosen: Select | None = None

    @property
    def producer(self) -> Mapping[str, str]:
        """The settings of the client that writes."""
        return self._properties

    @property
    def partitions(self) -> int:
        """How many the topic has, once it was started."""
        return self._partitions

    @property
    def _once(self) -> bool:
        return self._sink.guarantee == ONCE

    @cached_property
    def _properties(self) -> dict[str, str]:
        given = self._sink.connection.spark(PRODUCER)
        own = {name.removeprefix("kafka."): value for name, value in given.items()}
        made = properties({f"kafka.{n}": v for n, v in (_OURS | own).items()})
        if "buffer.memory" not in own:
            made.pop("buffer.memory")  # a task's part of what all of them may have
        if self._once:
            made["transaction.timeout.ms"] = own.get("transaction.timeout.ms", str(TRANSACTION_MS))
        if self._partitioner == "class":
            made["partitioner.class"] = self._sink.partitioner
        return made | _SETTINGS.get(self._sink.guarantee, {})

    @property
    def _partitioner(self) -> str:
        """What Java does about partitions: one of its own ways, a class, or what a column says."""
        given = self._sink.partitioner
        if given in PARTITIONERS:
            return given
        return "column" if partitioners.is_python(given) else "class"

    @cached_property
    def _java(self) -> Any:
        sink, jvm = self._sink, self._jvm
        return jvm.sluice.kafka.TopicSink(
            sink.topic, sink.guarantee, self._partitioner, self._name, self._group, self._properties
        )

    @cached_property
    def _cluster(self) -> Cluster:
        return Cluster(self._sink.connection.librdkafka(PRODUCER))

    @property
    def _jvm(self) -> Any:
        return self._spark._jvm

    # before the first batch

    def start(self) -> None:
        """See that the topic can be written to, and end what a killed job has left open.

        Raises:
            SluiceError: for a topic that is not there or has no leader, a class that is not there,
                a transaction timeout that the brokers do not allow, or a sink that a server on a
                copy of the data folder owns.
        """
        self._check_class()
        self.look()
        self._partitions = self._asked(lambda: int(self._java.partitions()))
        if self._once:
            self._check_timeout(self._asked(lambda: int(self._java.longest())))
            self._check_owner(self._asked(lambda: str(self._java.owner())))
            self._asked(lambda: self._java.settle(self._mine))
            self._written = self._asked(self._read_markers)

    def _check_class(self) -> None:
        name = self._sink.partitioner
        if self._partitioner == "class" and not self._jvm.sluice.kafka.TopicSink.isPartitioner(
            name
        ):
            raise _no_class(name)
        if self._partitioner == "column":
            try:
                partitioners.find(name)
            except ImportError as missing:
                raise _no_class(name) from missing

    def _check_timeout(self, longest: int) -> None:
        wanted = int(self._properties["transaction.timeout.ms"])
        if longest and wanted > longest:
            raise errors.KAFKA_TRANSACTION_TOO_LONG(
                brokers=self._sink.connection.brokers, given=wanted, longest=longest
            )

    def _read_markers(self) -> dict[int, Marker]:
        found = self._java.written()
        return {int(task): Marker.read(found[task][0], found[task][1]) for task in found}

    def _check_owner(self, token: str) -> None:
        if not self._instance.wrote(token):
            what = f"a server on another one writes to topic {self._sink.topic}"
            raise errors.DATA_FOLDER_COPIED(what=what)

    # rows

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as messages; also those of a stream.

        Raises:
            SluiceError: BAD_ARGUMENTS for columns that do not fit the table's.
        """
        named = rows.toDF(*self._output.columns)
        if self._fitting is None or self._messages is None:
            columns = [(name, name, type_) for name, type_ in self._columns.items()]
            table, rules = self._sink.table.full_name, self._output.rules
            self._fitting = Enforced(named.schema, columns, rules, table)
            self._messages = Select(self._parts())
        return self._messages(self._fitting(named))

    @cached_property
    def _columns(self) -> dict[str, Type]:
        types = {column.name: column.type for column in self._sink.table.columns}
        written = (*columns_of(self._sink.table), *(m.column for m in self._sink.metadata))
        return {name: types[name] for name in written}

    def _parts(self) -> list[Column]:
        """A message, in the order that `Outbox` takes its parts."""
        from pyspark.sql import functions as F

        beside = {each.key: F.col(typed.quoted(each.column)) for each in self._sink.metadata}
        key, at, headers = F.lit(None).cast("binary"), F.lit(None), F.lit(None)
        if self._sink.key is not None:
            key = self._half(self._sink.key)
        if "timestamp" in beside:
            at = F.unix_millis(beside["timestamp"].cast("timestamp"))
        if "headers" in beside:
            headers = beside["headers"]
        made = [
            self._half(self._sink.value).alias("value"),
            key.alias("key"),
            F.lit(None).cast("int").alias("partition"),
            at.cast("bigint").alias("timestamp"),
            headers.cast("map<string, binary>").alias("headers"),
        ]
        if self._partitioner == "column":
            made.append(F.struct(*map(typed.quoted, self._columns)).alias(_ROW))
        return made

    def _half(self, half: RowFormat) -> Column:
        from pyspark.sql import functions as F

        fields = [(field, self._columns[column]) for field, column in half.columns]
        named = [F.col(typed.quoted(column)).alias(field) for field, column in half.columns]
        return encoded(self._spark, half, fields, F.struct(*named))

    def _placed(self, messages: DataFrame) -> DataFrame:
        """With the partitions that a class of Python's chooses."""
        from pyspark.sql import functions as F

        if self._chosen is None:
            given = (F.col(_ROW), F.col("key"), F.col("value"))
            name, topic = self._sink.partitioner, self._sink.topic
            partition = partitioners.column(name, topic, self._partitions, *given)
            names = ("value", "key", "partition", "timestamp", "headers")
            self._chosen = Select(
                [partition.alias(n) if n == "partition" else F.col(n) for n in names]
            )
        return self._chosen(messages)

    # batches

    def write(self, prepared: DataFrame, batch: int, ranges: Ranges | None = None) -> None:
        """Write a batch that `prepare` has made; it is in the topic when this returns.

        Raises:
            SluiceError: what Kafka said; what is wrong with the rows is raised as Spark does.
        """
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        messages: Any = prepared
        writers = self._sink.writers or 0
        if writers:
            spread = self._java.spread(messages._jdf, writers)
            messages = Classic(spread, prepared.sparkSession)
        if self._partitioner == "column":
            messages = self._placed(messages)
        ranges = ranges or {}
        mine = Marker(batch, "", digest(ranges), self._instance.token)
        if self._once:
            mine = replace(mine, cut=str(self._java.cut(messages._jdf, writers)))
            self._own(mine, ranges)
            self._check_batch(mine, ranges)
        note, token = mine.note(), self._instance.token
        self._asked(lambda: self._java.write(messages._jdf, writers, batch, note, token))
        self._last = batch

    def _own(self, first: Marker, ranges: Ranges) -> None:
        """Own the sink, before the first batch; one that is ahead of the job is left alone."""
        if self._owned:
            return
        for step in (lambda: None, lambda: self._java.claim(self._instance.token)):
            self._asked(step)
            self._written = self._asked(self._read_markers)
            self._check_batch(first, ranges)
        self._owned = True

    def _check_batch(self, mine: Marker, ranges: Ranges) -> None:
        """Whether the markers that were there at the start fit to the first batch after it.

        Raises:
            SluiceError: SINK_IS_AHEAD, SINK_TASKS_CHANGED, BATCH_RANGES_DIFFER, and
                DATA_FOLDER_COPIED.
        """
        topic, markers = self._sink.topic, self._written.values()
        newest = max((marker.batch for marker in markers), default=-1)
        for marker in markers:
            self._check_owner(marker.by)
        if mine.batch < newest:
            raise errors.SINK_IS_AHEAD(topic=topic, newest=newest, batch=mine.batch)
        self._check_ranges(mine.batch, ranges)
        for marker in markers:
            if marker.batch == mine.batch and marker.cut != mine.cut:
                raise errors.SINK_TASKS_CHANGED(
                    topic=topic, batch=mine.batch, before=marker.cut, now=mine.cut
                )
        if mine.batch > newest:
            self._written = {}

    def _check_ranges(self, batch: int, ranges: Ranges) -> None:
        """Whether what some task has written of a batch is of the same messages."""
        topic, mine = f"Topic {self._sink.topic}", digest(ranges)
        for marker in self._written.values():
            if marker.batch == batch and marker.ranges not in ("", mine):
                given = f"{offsets.shown(ranges)} (digest {mine})"
                raise differing(topic, batch, f"messages with the digest {marker.ranges}", given)

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether every task had written the batch when this was started."""
        last = self.last_batch()
        if last is None or last < batch:
            return False
        self._check_ranges(batch, ranges)
        return True

    def last_batch(self) -> int | None:
        """The last batch that every task has written for good, as far as it is known."""
        if self._last is not None or not self._written:
            return self._last
        newest = max(marker.batch for marker in self._written.values())
        having = [marker for marker in self._written.values() if marker.batch == newest]
        # A batch begins only when the one before is complete.
        complete = newest if len(having) == having[0].tasks else newest - 1
        return complete if complete >= 0 else None

    def newest_batch(self) -> int | None:
        """The newest batch that some task has written for good."""
        return max((each.batch for each in self._written.values()), default=self.last_batch())

    def close(self) -> None:
        """Let go of the producers."""
        if "_cluster" in self.__dict__:
            self._cluster.close()
        if "_java" in self.__dict__:
            self._java.close()

    # what went wrong

    def _asked(self, question: Callable[[], T]) -> T:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            return question()
        except (PySparkException, Py4JError) as fault:
            topic, brokers = self._sink.topic, self._sink.connection.brokers
            raised = faults.condition(fault)
            if raised is not None and raised.name == _OWNED:
                self._check_owner(raised.params["owner"])
            found = kafka_faults.named(fault, topic, brokers)
            if found is None:
                raise
            if found.condition is errors.KAFKA_NOT_WRITTEN:
                self.look()
            raise found from fault

    def look(self) -> None:
        """Whether a broker is there at all, and has the topic, with leaders.

        Raises:
            SluiceError: BROKER_UNREACHABLE, KAFKA_TOPIC_MISSING or KAFKA_NO_LEADER.
        """
        name, brokers = self._sink.topic, self._sink.connection.brokers
        found = self._cluster.topics([name], deadline=_ASKED_S).get(name)
        if found is None:
            raise kafka_faults.missing(name, brokers)
        if found.leaderless:
            raise no_leader(found, brokers)


def _no_class(name: str) -> SluiceError:
    reason = f"Could not find and instantiate partitioner class '{name}'"
    return errors.BAD_ARGUMENTS(reason=reason)
