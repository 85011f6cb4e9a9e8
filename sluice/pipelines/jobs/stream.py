"""One input of a job's query over topics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sluice.catalog import Generation
from sluice.kafka.cluster import Cluster
from sluice.pipelines import topics
from sluice.pipelines.jobs import discovery, starting

if TYPE_CHECKING:
    from sluice.plan.job import Input
    from sluice.plan.spec import TopicSource


class Stream:
    """One input over topics: its connection, where it began, and its place among the sources."""

    def __init__(self, given: Input, query: str, number: int) -> None:
        if given.source is None:
            raise ValueError(given.view)
        self.input = given
        self.source: TopicSource = given.source
        self.key = f"{query}/{number}"
        self.cluster = Cluster(self.source.connection.librdkafka())
        self.generation = Generation(0, {}, {})
        self.place = number
        self._looked = 0.0

    def newer(self) -> Generation | None:
        """Its generation with topics and partitions that came later, if it is time to look."""
        every = self.source.discovery_ms
        if every is None or time.monotonic() < self._looked + every / 1000:
            return None
        found = discovery.extended(self.source, self.generation, self.cluster)
        self._looked = time.monotonic()
        return found

    def check_topics(self) -> None:
        """Refuse to read a topic that is not the one this generation began with."""
        brokers = self.source.connection.brokers
        topics.check_topics(self.generation, self.cluster, brokers, starting.AGAIN)
