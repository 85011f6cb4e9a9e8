"""A broker that is restarted, frozen or gone: said, never waited for too long, and healed."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
from quick import QUICK
from waiting import eventually

from engine.lab import Lab, keys
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def own(lab: Lab, tmp_path: Path) -> Iterator[tuple[Lab, Broker]]:
    """A lab with a broker that the test may do anything to."""
    with Broker(tmp_path / "broker", java_options=QUICK) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        yield Lab(lab.session, cluster, broker.address), broker
        cluster.close()
        for table in ("q", "q2"):
            lab.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.slow
def test_ch_44_ch_47_ch_48_frozen_restarted_killed(own: tuple[Lab, Broker], topic: str) -> None:
    """CH-44, CH-47, CH-48: a frozen broker is said; statements answer; all rows arrive once."""
    lab, broker = own
    lab.pipe(topic, kafka_max_block_size=20)
    lab.produce(topic, *keys(22))
    lab.counted("v", 22)
    assert broker.pid is not None
    lab.sql("CREATE TABLE w (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.queue("q2", topic, kafka_group_name="other")
    lab.sql("CREATE MATERIALIZED VIEW m2 TO w AS SELECT * FROM q2")
    lab.counted("w", 22)
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        lab.becomes("WAITING(BROKER_UNREACHABLE)", within=30)
        lab.becomes("WAITING(BROKER_UNREACHABLE)", "q2", within=30)
        assert lab.sql("SELECT count() FROM v") == [(22,)]
        begun = time.monotonic()
        lab.sql("DROP TABLE q2")
        lab.sql("ALTER TABLE q MODIFY SETTING kafka_max_block_size = 10")
        assert time.monotonic() - begun < 40
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    lab.becomes("RUNNING")
    lab.produce(topic, *keys(22, start=22))
    lab.counted("v", 44)
    broker.stop()
    lab.becomes("WAITING(BROKER_UNREACHABLE)", within=30)
    broker.start()
    lab.produce(topic, *keys(10, start=44))
    lab.counted("v", 54)
    broker.kill()
    lab.becomes("WAITING(BROKER_UNREACHABLE)", within=30)
    broker.start()
    lab.queue("q2", topic, kafka_group_name="other")
    lab.counted("w", 54)
    lab.produce(topic, *keys(10, start=54))
    lab.counted("v", 64)
    ends = lab.cluster.latest([topic])
    eventually(lambda: lab.cluster.committed(topic, [topic]), lambda at: at == ends)
