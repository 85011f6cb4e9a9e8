from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.flink.flink_lab import FlinkLab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster
    from sluice.session import Session


@pytest.fixture
def flink(session: Session, cluster: Cluster, broker: Broker) -> Iterator[FlinkLab]:
    """A lab for Flink's statements; the jobs of a test end with it."""
    lab = FlinkLab(session, cluster, broker.address)
    yield lab
    lab.stop_all()
