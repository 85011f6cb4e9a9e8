"""Queries on Spark that need more memory than there is fail alone, beside a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faults.server import Server
from faults.test_jvm import jvm_of
from faults.test_restart import arrive, create, send

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

HEAP = "700m"
MESSAGES = 1000

ALL_VALUES = (
    "SELECT length(groupArray(concat(toString(key), ':', toString(number)))) "
    "FROM asked CROSS JOIN numbers(20000)"
)
"""An array of twenty million texts: Spark does not know what it takes."""

MANY_GROUPS = (
    "SELECT toUInt32(count()) FROM (SELECT key, number FROM asked CROSS JOIN numbers(300) "
    "GROUP BY key, number)"
)
"""More than a million groups, which Spark spills."""


@pytest.mark.slow
def test_a_query_that_needs_too_much_memory_fails_alone(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    cluster.create_topic(topic, 2)
    with Server(tmp_path / "data", SLUICE_DRIVER_MEMORY=HEAP) as server:
        assert server.await_ready()
        create(server, broker.address, topic)
        server.sql(
            f"CREATE TABLE asked (key UInt64) ENGINE = Kafka('{broker.address}', '{topic}', "
            "'asked', 'JSONEachRow')"
        )
        send(cluster, topic, 0, MESSAGES)
        arrive(server, MESSAGES)
        jvm = jvm_of(server.pid)
        for number in (1, 2, 3):
            with pytest.raises(AssertionError, match=r"Code: 241\..*MEMORY_LIMIT_EXCEEDED"):
                server.sql(ALL_VALUES)
            send(cluster, topic, number * MESSAGES, MESSAGES)
            arrive(server, (number + 1) * MESSAGES)
        faults = "SELECT state, exceptions.text FROM system.kafka_consumers WHERE table = 'q'"
        assert server.sql(faults) == [["RUNNING", []]]
        groups = 4 * MESSAGES * 300
        assert server.sql(MANY_GROUPS) == [[groups]]
        limited = f"{MANY_GROUPS} SETTINGS max_memory_usage = 1000"
        with pytest.raises(AssertionError, match=r"Code: 241\..*MEMORY_LIMIT_EXCEEDED"):
            server.sql(limited)
        assert jvm_of(server.pid) == jvm
