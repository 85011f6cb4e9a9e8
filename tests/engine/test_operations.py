"""Reading is stopped, started, paused and moved while everything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from engine.lab import Lab, keys
from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.lab import Row

HOUR = 3_600_000


def lag(lab: Lab, table: str = "q") -> list[Row]:
    mine = f"database = '{lab.database}' AND table = '{table}'"
    return lab.sql(f"SELECT state, lag FROM system.pipelines WHERE {mine}")


def waits(lab: Lab, count: int, state: str, table: str = "q") -> None:
    """Wait until a table is seen to have so many messages that it has not read."""
    eventually(lambda: lag(lab, table), lambda rows: rows == [(state, count)])


def stored(lab: Lab, table: str = "v") -> int:
    return int(lab.sql(f"SELECT count() FROM {table}")[0][0])


def test_ch_52_54_stop_start_refresh(lab: Lab, topic: str) -> None:
    """CH-52, CH-54: a stopped table reads nothing, one cycle for each REFRESH, all after START."""
    lab.pipe(topic, kafka_max_block_size=5)
    lab.produce(topic, *keys(10))
    lab.counted("v", 10)
    lab.sql("SYSTEM STOP q")
    lab.produce(topic, *keys(12, start=10))
    waits(lab, 12, "STOPPED")
    assert stored(lab) == 10
    lab.sql("SYSTEM REFRESH q")
    waits(lab, 7, "STOPPED")
    lab.counted("v", 15)
    lab.sql("SYSTEM REFRESH q")
    lab.sql("SYSTEM REFRESH q")
    waits(lab, 0, "STOPPED")
    lab.counted("v", 22)
    lab.produce(topic, *keys(3, start=22))
    waits(lab, 3, "STOPPED")
    lab.sql("CREATE TABLE other (key UInt64) ENGINE = MergeTree ORDER BY key")
    waits(lab, 3, "STOPPED")
    lab.sql("SYSTEM START q")
    lab.counted("v", 25)
    lab.sql("SYSTEM CANCEL q")
    lab.sql("SYSTEM REFRESH q")
    lab.sql("SYSTEM STOP ALL BACKGROUND")
    lab.produce(topic, *keys(5, start=25))
    waits(lab, 5, "STOPPED")
    lab.sql("SYSTEM START ALL BACKGROUND")
    lab.counted("v", 30)


def test_ch_53_pause_writes_what_waits_and_stop_does_not(lab: Lab, topic: str) -> None:
    """CH-53: five messages wait for a batch to fill; PAUSE lets it go, STOP leaves them unread."""
    lab.pipe(topic, kafka_flush_interval_ms=HOUR, kafka_max_block_size=1000)
    lab.produce(topic, *keys(5))
    waits(lab, 5, "RUNNING")
    lab.sql("SYSTEM STOP q")
    waits(lab, 5, "STOPPED")
    assert stored(lab) == 0
    lab.sql("SYSTEM RESUME q")
    waits(lab, 5, "RUNNING")
    lab.sql("SYSTEM PAUSE q")
    lab.counted("v", 5, within=5)
    waits(lab, 0, "PAUSED")
    assert lab.cluster.committed(topic, [topic]) == {topic: {0: 5}}
    lab.sql("SYSTEM START q")
    lab.produce(topic, *keys(5, start=5))
    waits(lab, 5, "RUNNING")
    lab.sql("SYSTEM REFRESH q")
    lab.counted("v", 10)


def test_reset_offsets(lab: Lab, topic: str) -> None:
    """RESET OFFSETS goes to a time, to offsets, to an end; what is not there is named."""
    lab.make_topic(topic, partitions=2)
    lab.pipe(topic)
    times = [
        Message(b'{"key":%d}' % at, timestamp=1_700_000_000_000 + at * 1000) for at in range(9)
    ]
    lab.produce(topic, *times)
    lab.counted("v", 9)
    lab.sql("TRUNCATE TABLE v")
    lab.sql("SYSTEM RESET OFFSETS q TO TIMESTAMP '2023-11-14 22:13:25'")
    lab.arrives("SELECT min(key), count() FROM v", [(5, 4)])
    ends = lab.cluster.latest([topic])[topic]
    lab.sql("TRUNCATE TABLE v")
    at = max(ends, key=lambda partition: ends[partition])
    lab.sql(f"SYSTEM RESET OFFSETS q TO OFFSETS '{topic}:{at}:{ends[at] - 2}'")
    lab.arrives("SELECT count() FROM v", [(2,)])
    for offsets, said in (
        (
            f"{topic}:{at}:{ends[at] + 1}",
            f"topic {topic} is out of range: the broker has 0 to {ends[at]}",
        ),
        (f"{topic}:7:0", f"does not read partition 7 of topic {topic}"),
        ("other:0:0", "does not read partition 0 of topic other"),
    ):
        with pytest.raises(SluiceError, match=said) as bad:
            lab.sql(f"SYSTEM RESET OFFSETS q TO OFFSETS '{offsets}'")
        assert bad.value.place is not None
    lab.sql("TRUNCATE TABLE v")
    lab.sql("SYSTEM STOP q")
    lab.sql("SYSTEM RESET OFFSETS q TO TIMESTAMP '2100-01-01'")
    assert lab.cluster.committed(topic, [topic]) == {topic: ends}
    waits(lab, 0, "STOPPED")
    lab.sql("SYSTEM START q")
    lab.produce(topic, {"key": 9})
    lab.arrives("SELECT key FROM v", [(9,)])
