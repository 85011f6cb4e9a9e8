"""The ledger: which messages are in which commit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from engine.lab import keys

if TYPE_CHECKING:
    from engine.lab import Lab


@pytest.mark.cluster
def test_ranges_are_contiguous_and_cover_everything(lab: Lab, topic: str) -> None:
    """For each view and partition the ranges follow each other from 0 to the end."""
    lab.make_topic(topic, partitions=3)
    lab.queue("q", topic, kafka_max_block_size=40)
    for number in (1, 2):
        lab.sql(f"CREATE TABLE v{number} (key UInt64) ENGINE = MergeTree ORDER BY key")
        lab.sql(f"CREATE MATERIALIZED VIEW m{number} TO v{number} AS SELECT key FROM q")
    lab.produce(topic, *keys(100))
    lab.counted("v1", 100)
    lab.counted("v2", 100)
    ends = lab.cluster.latest([topic])
    eventually(lambda: lab.cluster.committed(topic, [topic]), lambda at: at == ends)
    mine = f"database = '{lab.database}'"
    ((pipeline,),) = lab.sql(f"SELECT uuid FROM system.tables WHERE {mine} AND name = 'q'")
    lines = lab.sql(
        "SELECT view, topic, partition, from_offset, until_offset, pipeline, generation, batch "
        f"FROM system.ledger WHERE {mine} ORDER BY batch"
    )
    position: dict[tuple[str, int], int] = defaultdict(int)
    for view, read, partition, start, end, owner, generation, _ in lines:
        assert (read, owner, generation) == (topic, pipeline, 1)
        assert position[view, partition] == start
        position[view, partition] = end
    views = [f"{lab.database}.m{number}" for number in (1, 2)]
    assert position == {(view, p): end for view in views for p, end in ends[topic].items()}
    batches = {(view, batch) for view, *_, batch in lines}
    assert {view for view, _ in batches} == set(views)
    assert len(batches) >= 2 * 3
