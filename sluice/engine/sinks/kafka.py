"""The Kafka sink: rows encoded and sent in the JVM, with one of three guarantees.

The tasks are Java (`sluice.kafka`: `KafkaSink`, `Transact`, `Deliver`). This module
prepares what they write, knows the batches that a topic already has, and names errors.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as Classic

from sluice import errors
from sluice.catalog import NOBODY
from sluice.engine import change_order, faults, kafka_faults, offsets, row_kinds
from sluice.engine.change_order import PUT
from sluice.engine.row_kinds import AT, COLUMN
from sluice.engine.sinks import partitioners, producer
from sluice.engine.sinks.markers import Marker, Markers, digest
from sluice.engine.sinks.messages import ROW, Messages, with_partitions
from sluice.engine.sinks.schema_cast import casting
from sluice.engine.storage.commits import Written
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster, no_leader
from sluice.options.client import PRODUCER
from sluice.options.sink import FIXED, PARTITIONERS
from sluice.planner.sink import check_written
from sluice.planner.spec import EXACTLY_ONCE
from sluice.planner.virtual_columns import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Instance
    from sluice.engine.offsets import Ranges
    from sluice.engine.sinks.schema_cast import Cast
    from sluice.engine.spark.projection import Select
    from sluice.engine.storage.ledger import Writer
    from sluice.planner.spec import KafkaSinkSpec, SinkSpec
    from sluice.types import Type

    T = TypeVar("T")

_OWNED = "SINK_OWNED_BY_ANOTHER_SERVER"  # raised by a task that finds another owner
_ASKED_S = 5.0


class KafkaSink:
    """Writes the batches of one output to topics.

    With exactly-once each task of a batch writes in one transaction, which also commits the
    batch's number; a task that has done so does not write the batch again. With at-least-once a
    batch is written when every message is acknowledged. With none it is written when the client
    has buffered the messages: whether they arrive is not waited for, and not known.
    """

    def __init__(
        self,
        into: SinkSpec,
        spark: SparkSession,
        writer: Writer | None = None,
        instance: Instance = NOBODY,
    ) -> None:
        """Without a `writer` for the rows of one statement, which are sent at least once."""
        if into.kafka is None:
            raise ValueError(into.table.full_name)
        self._into = into
        self._sink: KafkaSinkSpec = into.kafka
        self._spark = spark
        self._instance = instance
        self._mine = self._name = self._group = ""
        if writer is not None:
            prefix = self._sink.transactional_id_prefix or "sluice"
            job, output = writer.pipeline + instance.suffix, writer.target
            self._mine = rf".*-{re.escape(job)}-[0-9]+-{re.escape(output)}-[0-9]+"
            self._name = f"{prefix}-{job}-{writer.generation}-{output}"
            self._group = f"sluice.{job}.{writer.generation}.{output}"
        self.partitions = 0
        self._markers = Markers(self._sink.topic, instance)
        self._owned = False
        self._last = -1
        self._rows = 0
        self._cast: Cast | None = None
        self._messages: Messages | None = None
        self._chosen: Select | None = None

    @cached_property
    def producer(self) -> Mapping[str, str]:
        """The properties of the producers."""
        custom = self._sink.partitioner if self._partitioner == "class" else ""
        return producer.properties(self._sink, custom)

    @property
    def _once(self) -> bool:
        return self._sink.guarantee == EXACTLY_ONCE

    @property
    def _partitioner(self) -> str:
        """How Java chooses partitions: a built-in way, a class, or what the column has."""
        given = self._sink.partitioner
        if given in PARTITIONERS:
            return given
        return "column" if partitioners.is_python(given) else "class"

    @cached_property
    def _java(self) -> Any:
        sink, made = self._sink, self._jvm.sluice.kafka.KafkaSink
        names = (self._name, self._group)
        return made(sink.topic, sink.guarantee, self._partitioner, *names, self.producer)

    @cached_property
    def _cluster(self) -> Cluster:
        return Cluster(self._sink.connection.librdkafka(PRODUCER))

    @property
    def _jvm(self) -> Any:
        return self._spark._jvm

    @property
    def _topics(self) -> str:
        return ", ".join(self._sink.topics)

    # before the first batch

    def start(self) -> None:
        """Check that the topic can be written to, and end transactions that a killed job left open.

        The rows of a statement wait for an unreachable broker as long as for an acknowledgement.

        Raises:
            SluiceError: for a topic that does not exist or has no leader, a class that does not
                exist, a transaction timeout that the brokers do not allow, or a sink that a server
                on a copy of the data folder owns; KAFKA_NOT_WRITTEN for a statement without a
                broker.
        """
        self._check_partitioner()
        if self._name:
            self.look()
        else:
            self._await_broker()
        if self._name and self._sink.topic:
            self.partitions = self._asked(lambda: int(self._java.partitions()))
        if self._once:
            self._check_timeout()
            self._markers.check_owner(self._asked(lambda: str(self._java.owner())))
            self._asked(lambda: self._java.settle(self._mine))
            self._asked(self._read_markers)

    def _await_broker(self) -> None:
        try:
            self.look(int(self.producer["max.block.ms"]) / 1000)
        except SluiceError as fault:
            if fault.condition is not errors.BROKER_UNREACHABLE:
                raise
            why, brokers = fault.detail or fault.message, self._sink.connection.brokers
            raise kafka_faults.not_written(self._topics, brokers, why) from fault

    def _check_partitioner(self) -> None:
        name, how = self._sink.partitioner, self._partitioner
        try:
            if how == "column":
                partitioners.find(name)
            known = how != "class" or self._jvm.sluice.kafka.KafkaSink.isPartitioner(name)
        except ImportError:
            known = False
        if not known:
            raise errors.UNKNOWN_PARTITIONER(partitioner=name)

    def _check_timeout(self) -> None:
        longest = self._asked(lambda: int(self._java.longest()))
        wanted = int(self.producer["transaction.timeout.ms"])
        if longest and wanted > longest:
            raise errors.KAFKA_TRANSACTION_TOO_LONG(
                brokers=self._sink.connection.brokers, given=wanted, longest=longest
            )

    def _read_markers(self) -> None:
        found = self._java.written()
        self._markers.read({task: (found[task][0], found[task][1]) for task in found})

    # rows

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as messages, also those of a stream.

        A table that takes no changes takes the inserts of a changelog alone. The messages of one
        that does keep what orders them, for `write`.

        Raises:
            SluiceError: SINK_SCHEMA_MISMATCH, or what `check_written` raises.
        """
        sink = self._sink
        if not sink.changes:
            rows = row_kinds.only_inserts(rows, self._into.table.full_name)
        elif sink.ignore_retraction and COLUMN in rows.columns:
            rows = rows.where(row_kinds.is_put())
        if self._into.columns is not None:
            rows = row_kinds.named(rows, self._into.columns)
        if self._cast is None or self._messages is None:
            types = self._types(row_kinds.visible(rows.columns))
            columns = [(name, name, type_) for name, type_ in types.items()]
            hidden = [name for name in (COLUMN, AT) if name in rows.columns]
            keys = sink.table.primary_key if sink.upsert and COLUMN in hidden else ()
            kept = [F.col(name) for name in hidden]
            self._cast = casting(rows.schema, columns, self._into, kept, keys)
            self._messages = Messages(
                self._spark,
                sink,
                types,
                hidden,
                keep_row=self._partitioner == "column",
                partitions=self.partitions if self._partitioner == "default" else 0,
            )
        return self._messages(self._cast(rows))

    def _types(self, given: Sequence[str]) -> dict[str, Type]:
        """The columns that messages are made of: those of the formats, and the metadata's."""
        sink = self._sink
        check_written(sink, given)
        formats = [sink.value] if sink.key is None else [sink.key, sink.value]
        written = {column for format_ in formats for _, column in format_.columns}
        known = {column.name: column.type for column in sink.table.columns}
        types = {name: type_ for name, type_ in known.items() if name in written}
        for each in sink.metadata:
            if not each.virtual:
                types[each.column] = known[each.column]
            elif each.column in given:
                types[each.column] = WRITTEN[each.column][1]
        return types

    def _placed(self, messages: DataFrame) -> DataFrame:
        """With the partitions that a Python class chooses."""
        if self._chosen is None:
            given = (F.col(ROW), F.col("key"), F.col("value"))
            name, topic = self._sink.partitioner, self._sink.topic
            partition = partitioners.column(name, topic, self.partitions, *given)
            self._chosen = with_partitions(partition)
        return self._chosen(messages)

    # batches

    def write(self, prepared: DataFrame, batch: int = 0, ranges: Ranges | None = None) -> None:
        """Write a batch that `prepare` has made; it is in the topic when this returns.

        Raises:
            SluiceError: what Kafka answers; what is wrong with the rows is raised as Spark does.
        """
        by_key = self._sink.last_only or (self._sink.changes and COLUMN in prepared.columns)
        messages: Any = self._by_key(prepared, batch) if by_key else self._spread(prepared)
        writers = 0 if by_key else self._sink.writers or self._few(batch, ranges or {})
        if self._partitioner == "column":
            messages = self._placed(messages)
        ranges = ranges or {}
        mine = Marker(batch, "", digest(ranges), self._instance.token)
        if self._once:
            mine = replace(mine, cut=str(self._java.cut(messages._jdf, writers)))
            self._own(mine, ranges)
            self._markers.check_batch(mine, ranges)
        note, token = mine.note(), self._instance.token
        write = self._java.write
        self._rows = self._asked(lambda: int(write(messages._jdf, writers, batch, note, token)))
        self._last = batch

    def _spread(self, prepared: DataFrame) -> DataFrame:
        """The messages in more tasks, if there are to be more writers."""
        given: Any = prepared
        if not self._sink.writers:
            return prepared
        return Classic(self._java.spread(given._jdf, self._sink.writers), prepared.sparkSession)

    def _by_key(self, prepared: DataFrame, batch: int) -> DataFrame:
        """The changes of a key in one task, in their order, or reduced to the last one."""
        tasks = self._tasks(batch)
        if self._sink.last_only:
            return change_order.last_of_each(prepared, ["key"], tasks=tasks).drop(PUT)
        by = "key" if self._sink.key is not None else "partition"
        return change_order.ordered(prepared, [by], tasks).drop(*row_kinds.HIDDEN)

    def _few(self, batch: int, ranges: Ranges) -> int:
        """How many tasks write a small batch, if it matters to nobody; 0 for any number."""
        if not ranges or self._partitioner == FIXED or not offsets.are_few(ranges):
            return 0
        return self._markers.tasks(batch) or 1

    def _tasks(self, batch: int) -> int:
        """How many tasks write a changelog's batch; as many as before if it was begun already."""
        begun, cores = self._markers.tasks(batch), self._spark.sparkContext.defaultParallelism
        return begun or self._sink.writers or min(max(self.partitions, 1), cores)

    def _own(self, first: Marker, ranges: Ranges) -> None:
        """Own the sink, before the first batch; one that is ahead of the job is left alone."""
        if self._owned:
            return
        for step in (lambda: None, lambda: self._java.claim(self._instance.token)):
            self._asked(step)
            self._asked(self._read_markers)
            self._markers.check_batch(first, ranges)
        self._owned = True

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether every task had written the batch when this was started."""
        if self.last_batch() < batch:
            return False
        self._markers.check_ranges(batch, ranges)
        return True

    def last_batch(self) -> int:
        """The last batch that every task has written for good, as far as it is known; else -1."""
        return self._last if self._last >= 0 else self._markers.last()

    def newest_batch(self) -> int:
        """The newest batch that some task has written for good."""
        newest = self._markers.newest()
        return newest if newest >= 0 else self.last_batch()

    def close(self) -> None:
        """Close the producers and the connection."""
        if "_cluster" in self.__dict__:
            self._cluster.close()
        if "_java" in self.__dict__:
            self._java.close()

    # what went wrong

    def _asked(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except (PySparkException, Py4JError) as fault:
            raised = faults.condition(fault)
            if raised is not None and raised.name == _OWNED:
                self._markers.check_owner(raised.params["owner"])
            found = kafka_faults.named(fault, self._topics, self._sink.connection.brokers)
            if found is None:
                raise
            if found.condition is errors.KAFKA_NOT_WRITTEN and self._name:
                self.look()
            raise found from fault

    def rows(self, batch: int) -> int:
        """The messages that were sent for a batch."""
        return self._rows if batch == self._last else 0

    def written(self) -> Written:
        """The rows that were sent, if a message is a row."""
        return Written(self._rows if self._sink.rows_per_message == 1 else 0)

    def notices(self) -> list[tuple[str, str]]:
        """None."""
        return []

    def look(self, deadline: float = _ASKED_S) -> None:
        """Check that a broker answers, and has the topic, with leaders.

        Raises:
            SluiceError: BROKER_UNREACHABLE, KAFKA_TOPIC_MISSING or KAFKA_NO_LEADER.
        """
        name, brokers = self._sink.topic, self._sink.connection.brokers
        if not name:
            return
        found = self._cluster.topics([name], deadline=deadline).get(name)
        if found is None:
            raise kafka_faults.missing(name, brokers)
        if found.leaderless:
            raise no_leader(found, brokers)
