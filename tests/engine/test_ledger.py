"""The ledger: which messages are in which commit."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from engine.lab import keys

if TYPE_CHECKING:
    from pathlib import Path

    from engine.lab import Lab
    from sluice.catalog import Table


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


class Aged:
    """The pipeline of a lab, stopped and started as a server would, and its table's log."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.engine = lab.session._engine
        self.queue, self.table = self._found("q"), self._found("v")
        self.log = folder / "tables" / self.table.uuid / "_delta_log"
        self.checkpoint = folder / "checkpoints" / self.queue.uuid / "1"

    def _found(self, name: str) -> Table:
        found = self.engine.catalog.find(self.lab.database, name)
        assert found is not None
        return found

    def stop(self) -> None:
        self.engine.supervisor.stop(self.queue.uuid)

    def start(self) -> None:
        """As in a new process: nothing is known of the table's ledger."""
        self.engine.store._ledgers.clear()
        self.engine.store.commits._unkept.clear()
        self.engine.sync()

    def age(self) -> None:
        """All commits were made two months ago."""
        then = time.time() - 60 * 24 * 3600
        for path in self.log.iterdir():
            os.utime(path, (then, then))

    def clean_up(self) -> list[str]:
        """Let Delta write a checkpoint and delete what it need not keep; the commits left."""
        jvm: Any = self.engine.spark()._jvm
        session: Any = self.engine.spark()
        deltas = jvm.org.apache.spark.sql.delta.DeltaLog
        deltas.clearCache()
        log = deltas.forTable(session._jsparkSession, str(self.log.parent))
        none = jvm.scala.Option.empty()
        snapshot = log.update(False, none, none)
        log.checkpoint(snapshot, none)
        log.doLogCleanup(snapshot, none)
        return sorted(path.name for path in self.log.glob("*.json") if path.stem.isdigit())

    def last(self) -> int:
        """The newest batch that Spark has written down as done."""
        return max(int(p.name) for p in (self.checkpoint / "commits").iterdir() if p.stem.isdigit())

    def forget_last(self) -> int:
        """As if the process had been killed before Spark wrote down that a batch was done."""
        last = self.last()
        for name in (str(last), f".{last}.crc"):
            (self.checkpoint / "commits" / name).unlink(missing_ok=True)
        return last

    def ledger(self) -> list[Any]:
        mine = f"database = '{self.lab.database}'"
        return self.lab.sql(f"SELECT batch, from_offset, until_offset, version, rows FROM "
                            f"system.ledger WHERE {mine} ORDER BY version")  # fmt: skip


def test_the_ledger_outlives_the_log(lab: Lab, topic: str, folder: Path) -> None:
    """When Delta has cleaned its log up every entry is there, and a batch is still known."""
    lab.pipe(topic, kafka_max_block_size=10)
    lab.produce(topic, *keys(60))
    lab.counted("v", 60)
    lab.group_at(topic, 60)
    aged = Aged(lab, folder)
    aged.stop()
    before = aged.ledger()
    assert len(before) >= 6
    aged.age()
    aged.start()
    lab.produce(topic, *keys(5, start=60))
    lab.counted("v", 65)
    lab.group_at(topic, 65)
    aged.stop()
    whole = aged.ledger()
    assert whole[: len(before)] == before
    left = aged.clean_up()
    assert len(left) < len(before)  # most of the commits are gone
    aged.engine.store._ledgers.clear()
    assert aged.ledger() == whole

    # The last batch, run again when it is two months old as well.
    aged.engine.store.ledger(aged.table).fold()
    aged.age()
    assert aged.clean_up()
    again = aged.forget_last()
    aged.start()
    eventually(lambda: (aged.checkpoint / "commits" / str(again)).exists(), bool, 120)
    lab.produce(topic, *keys(5, start=65))
    lab.counted("v", 70)
    assert [row[:2] for row in aged.ledger()] == [row[:2] for row in whole] + [
        (whole[-1][0] + 1, whole[-1][2])
    ]


def test_a_batch_with_other_messages_is_not_skipped(lab: Lab, topic: str, folder: Path) -> None:
    """A checkpoint of another run: neither is the batch skipped nor written over the other one."""
    lab.pipe(topic, kafka_max_block_size=10)
    lab.produce(topic, *keys(20))
    lab.counted("v", 20)
    lab.group_at(topic, 20)
    aged = Aged(lab, folder)
    aged.stop()
    last = aged.forget_last()
    offsets = aged.checkpoint / "offsets" / str(last)
    lines = offsets.read_text().splitlines()
    lines[2] = json.dumps({topic: {"0": 19}})
    offsets.write_text("\n".join(lines))
    (offsets.parent / f".{last}.crc").unlink(missing_ok=True)
    aged.start()
    said = lab.becomes("FAILED(BATCH_RANGES_DIFFER)")
    assert f"default.v has batch {last}".replace("default", lab.database) in said
    assert f"{topic}/0: " in said
    lab.counted("v", 20)


def test_a_group_that_a_copy_commits_to(lab: Lab, topic: str) -> None:
    """A server on a copy of the data folder is noticed by what it notes with its offsets."""
    lab.pipe(topic)
    lab.produce(topic, *keys(5))
    lab.group_at(topic, 5)
    ((pipeline,),) = lab.sql(
        f"SELECT uuid FROM system.tables WHERE database = '{lab.database}' AND name = 'q'"
    )
    # What other programs and other tables have noted is no concern of this one.
    for note in ("", "x", "sluice other id:9999999999:x"):
        lab.cluster.commit(topic, {topic: {0: 5}}, note=note)
    lab.produce(topic, *keys(5, start=5))
    lab.group_at(topic, 10)
    token = lab.session._engine.instance.token
    assert lab.cluster.notes(topic, {topic: {0: 0}}) == {f"sluice {pipeline} {token}"}
    lab.cluster.commit(topic, {topic: {0: 10}}, note=f"sluice {pipeline} id:9999999999:x")
    lab.produce(topic, *keys(5, start=10))
    said = lab.becomes("FAILED(DATA_FOLDER_COPIED)")
    assert f"commits offsets of group {topic}" in said
    lab.counted("v", 15)
    assert lab.cluster.committed(topic, [topic]) == {topic: {0: 10}}
