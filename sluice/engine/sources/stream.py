"""One input of a query over Kafka topics."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Generation
from sluice.engine import offsets
from sluice.engine.sources import kafka_reader
from sluice.engine.sources.open_transactions import OpenTransactions
from sluice.errors import SluiceError
from sluice.kafka.ages import Ages
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Catalog, Instance, Offsets
    from sluice.engine.offsets import Ranges
    from sluice.engine.storage.store_path import AnyPath
    from sluice.kafka.watch import Watch
    from sluice.planner.query import Input

log = logging.getLogger(__name__)

_COMMITTER = "sluice"
"""The first word of the metadata of an offset commit by Sluice; the pipeline and a token follow."""


class Stream:
    """The connection of one input, its generation, and its place among the query's sources.

    `key` is what its generations are stored under, and the name of its batch admission; `remedy`
    is the advice for a topic that was deleted and created again. `earliest` are the oldest offsets
    of its topics when its position was last checked, which is before every start.
    """

    def __init__(self, given: Input, key: str, catalog: Catalog, remedy: str) -> None:
        if given.source is None:
            raise ValueError(given.view)
        self.input = given
        self.source = given.source
        self.key = key
        self.remedy = remedy
        self.generation = Generation(0, {}, {})
        self.earliest: Offsets = {}
        self.place = 0
        properties = self.source.connection.librdkafka()
        self.cluster = Cluster(properties)
        self._ages = Ages(properties)
        self._transactions = OpenTransactions(self.source, self.cluster, catalog)

    def close(self) -> None:
        """Close the connections to the brokers."""
        self.cluster.close()
        self._ages.close()

    def check_topics(self, asked: Cluster | Watch | None = None) -> None:
        """Refuse to read a topic that is not the one this generation began with.

        Raises:
            SluiceError: KAFKA_TOPIC_MISSING or KAFKA_TOPIC_REPLACED.
        """
        there = (asked or self.cluster).topics(self.generation.topic_ids)
        for name, known in self.generation.topic_ids.items():
            if name not in there:
                brokers = self.source.connection.brokers
                raise errors.KAFKA_TOPIC_MISSING(topic=name, brokers=brokers)
            if known != there[name].id:
                raise errors.KAFKA_TOPIC_REPLACED(
                    topic=name, old_id=known, new_id=there[name].id, remedy=self.remedy
                )

    def latest(self, asked: Cluster | Watch | None = None) -> Offsets:
        """The end offsets of the partitions that are read."""
        return self.owned((asked or self.cluster).latest(self.generation.topic_ids))

    def owned(self, of: Offsets) -> Offsets:
        """The offsets of those partitions that are read; without an assignment, of all."""
        if not self.generation.shared:
            return {t: parts for t, parts in of.items() if t in self.generation.topic_ids}
        return offsets.only(of, offsets.partitions(self.generation.starts))

    def ranges(self, title: str, checkpoint: AnyPath, batch: int) -> Ranges:
        """What a batch reads."""
        return offsets.ranges(title, checkpoint, batch, self.generation, self.place)

    def last_transaction(self, checkpoint: AnyPath, batch: int) -> str:
        """The last source transaction of a batch; empty if it has none, or is not cut by them."""
        if not self.source.transactions:
            return ""
        return offsets.last_transaction(checkpoint, batch, self.place)

    def check_source_transactions(self, *, whole: bool) -> None:
        """Make sure that batches can end between source transactions, if they are to.

        Raises:
            SluiceError: KAFKA_TOPIC_MISSING for the topic of their ends; KAFKA_PARTITIONS_SHARED
                unless the `whole` topics are read.
        """
        source = self.source
        if not source.transactions:
            return
        if not self.cluster.topics([source.transactions]):
            brokers = source.connection.brokers
            raise errors.KAFKA_TOPIC_MISSING(topic=source.transactions, brokers=brokers)
        if not whole:
            raise errors.KAFKA_PARTITIONS_SHARED(table=source.table.full_name)

    def oldest_ms(self, position: Offsets, ends: Offsets) -> int | None:
        """The timestamp of the oldest message that was not read yet; None if it is not known."""
        return self._ages.oldest(self.owned(position), self.owned(ends))

    def oldest_times(self) -> dict[tuple[str, int], int]:
        """The same for each partition as last seen, where it is known: no broker is asked."""
        return self._ages.times()

    def check_transactions(self, position: Offsets, ends: Offsets) -> None:
        """Raise if the next message to read follows the begin of an open transaction.

        Raises:
            SluiceError: KAFKA_TRANSACTION_OPEN, or the error of the broker.
        """
        self._transactions.check(self.owned(position), self.owned(ends))

    def commit(self, ranges: Ranges, instance: Instance) -> SluiceError | None:
        """Commit the end offsets to the consumer group.

        That there is another consumer in the group is returned; it does not stop the reading.

        Raises:
            SluiceError: DATA_FOLDER_COPIED, or the error of the broker.
        """
        if not self.source.commits:
            return None
        try:
            self._commit(offsets.ends(ranges), instance)
        except SluiceError as refused:
            if refused.condition is not errors.GROUP_IN_USE:
                raise
            log.warning("%s: %s", self.source.table.full_name, refused.text())
            return refused
        return None

    def _commit(self, at: Offsets, instance: Instance) -> None:
        """Commit offsets, with a note of who does.

        A note of another pipeline, or of another program, is no concern of this one: a group may be
        handed over.
        """
        group = self.source.group
        for note in self.cluster.notes(group, at):
            name, _, rest = note.partition(" ")
            of, _, token = rest.partition(" ")
            if (name, of) == (_COMMITTER, self.key) and not instance.wrote(token):
                what = f"a server on another one commits offsets of group {group}"
                raise errors.DATA_FOLDER_COPIED(what=what)
        self.cluster.commit(group, at, note=f"{_COMMITTER} {self.key} {instance.token}")

    def starts(self) -> Offsets:
        """The explicit starting offsets for Spark.

        Without an assignment Spark discovers later partitions itself, which begin at the earliest
        offset.
        """
        starts = self.generation.starts
        if self.generation.shared:
            return starts
        return {topic: parts | starts.get(topic, {}) for topic, parts in self.earliest.items()}

    def starts_within(self) -> bool:
        """Whether a partition has messages before the start offset."""
        return any(
            offset > self.earliest.get(topic, {}).get(partition, 0)
            for topic, partition, offset in offsets.each(self.generation.starts)
        )

    def messages(self, spark: SparkSession, *, headers: bool) -> DataFrame:
        """The endless stream of messages, admitted in batches."""
        starts = self.starts()
        chosen = kafka_reader.assigned if self.generation.shared else kafka_reader.subscribed
        return kafka_reader.stream(
            spark, self.source, self.key, offsets.to_json(starts), chosen(starts), headers=headers
        )

    def between(self, spark: SparkSession, ranges: Ranges, *, headers: bool) -> DataFrame:
        """The messages of these ranges."""
        return kafka_reader.bounded(
            spark,
            self.source,
            offsets.to_json(offsets.begins(ranges)),
            offsets.to_json(offsets.ends(ranges)),
            headers=headers,
        )
