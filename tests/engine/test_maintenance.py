"""Small files are compacted while everything else runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from engine.lab import Lab


@pytest.mark.slow
def test_small_files_are_merged_and_no_row_changes(lab: Lab, topic: str) -> None:
    lab.queue("q", topic, "a UInt32")
    lab.sql("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
    lab.sql("CREATE MATERIALIZED VIEW v TO t AS SELECT a FROM q")
    for a in range(4):
        lab.produce(topic, f'{{"a": {a}}}')
        lab.arrives("SELECT count() FROM t", [(a + 1,)])
    ledger = lab.sql("SELECT count() FROM system.ledger")
    engine = lab.session._engine
    (table,) = [t for t in engine.catalog.tables() if t.name == "t" and t.database == lab.database]
    spark = engine.spark()

    def files() -> int:
        return len(spark.read.format("delta").load(str(engine.store.path(table))).inputFiles())

    assert files() >= 4
    assert not engine.maintenance.maintain(table)
    assert engine.maintenance.maintain(table, many=4)
    assert files() == 1
    assert not engine.maintenance.maintain(table, many=4)
    assert lab.sql("SELECT a FROM t ORDER BY a") == [(0,), (1,), (2,), (3,)]
    assert lab.sql("SELECT count() FROM system.ledger") == ledger
    lab.produce(topic, '{"a": 4}')
    lab.arrives("SELECT count(), sum(a) FROM t", [(5, 10)])


def test_old_files_are_looked_for_in_few_tasks(lab: Lab) -> None:
    """By default VACUUM has 10,000 of them: pipelines would wait for minutes."""
    lab.sql("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
    lab.sql("INSERT INTO t VALUES (1)")
    engine = lab.session._engine
    (table,) = [t for t in engine.catalog.tables() if t.name == "t" and t.database == lab.database]
    context = engine.spark().sparkContext
    context.setJobGroup("old-files", "")
    try:
        engine.store.compaction.remove_old_files(engine.spark(), table)
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup("old-files")]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    tasks = [stage.numTasks for stage in stages if stage]
    assert tasks
    assert max(tasks) <= 16
