"""Jobs that hand on each message as it comes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from sluice.engine.runtime import realtime
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab

COLUMNS = "id INT, word STRING"

SET = (
    "EXECUTE STATEMENT SET BEGIN INSERT INTO rt_out SELECT * FROM rt_in; "
    "INSERT INTO rt_out SELECT * FROM rt_in; END"
)
REFUSED = (
    ("INSERT INTO stored SELECT id, word FROM rt_in", "sink is not a Kafka table"),
    ("INSERT INTO rt_out SELECT DISTINCT id, word FROM rt_in", "keeps state"),
    ("INSERT INTO once SELECT id, word FROM rt_in", "at least once"),
    ("INSERT INTO rt_out SELECT id, word FROM ended", "source is bounded"),
    (
        "INSERT INTO rt_out SELECT r.id, s.word FROM rt_in AS r, stored AS s",
        "exactly one Kafka table",
    ),
    (SET, "several INSERTs"),
)


def test_messages_are_handed_on_one_by_one(flink: FlinkLab) -> None:
    """No batch has to end before a message comes out, and a job that is stopped resumes."""
    flink.make_topic("rt-in")
    flink.make_topic("rt-out", partitions=2)
    flink.table("rt_in", COLUMNS, "rt-in", properties__group__id="rt-in")
    flink.table("rt_out", COLUMNS, "rt-out", sink__latency="realtime", sink__partitioner="fixed")
    job = flink.start("INSERT INTO rt_out SELECT id * 2, UPPER(word) FROM rt_in WHERE id > 0")
    flink.job_becomes(job, "RUNNING")
    for number in (1, 0, 2):
        flink.produce("rt-in", {"id": number, "word": "a"})
    wanted = [{"id": 2, "word": "A"}, {"id": 4, "word": "A"}]
    eventually(lambda: _received(flink), lambda found: found == wanted)
    assert flink.job(job)[4] == ""  # and its first batch still runs
    flink.sql(f"STOP JOB '{job}'")
    assert flink.job(job)[2] == "STOPPED"


def test_rows_are_counted_when_a_batch_ends(
    flink: FlinkLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(realtime, "BATCH", "5 seconds")
    flink.make_topic("rt-counted")
    flink.make_topic("rt-counted-out")
    flink.table("rt_a", COLUMNS, "rt-counted", properties__group__id="rt-counted")
    flink.table("rt_b", COLUMNS, "rt-counted-out", sink__latency="realtime")
    job = flink.start("INSERT INTO rt_b SELECT id, word FROM rt_a WHERE id > 0")
    flink.job_becomes(job, "RUNNING")
    flink.produce("rt-counted", *({"id": number, "word": "a"} for number in range(4)))
    metric = (
        rf'sluice_pipeline_rows_written_total\{{pipeline="[^"]*{job}[^"]*",target="[^"]*rt_b"\}} 3'
    )
    eventually(lambda: re.search(metric, flink.session.metrics.text()[0].decode()), bool)
    flink.sql(f"STOP JOB '{job}'")


def test_what_cannot_run_in_realtime_is_refused(flink: FlinkLab) -> None:
    flink.table("rt_in", COLUMNS, "rt-in")
    flink.table("ended", COLUMNS, "rt-in", scan__bounded__mode="latest-offset")
    flink.table("rt_out", COLUMNS, "rt-out")
    flink.table("once", COLUMNS, "rt-out", sink__semantic="exactly-once")
    flink.sql(f"CREATE TABLE stored ({COLUMNS})")
    flink.sql("SET 'sluice.latency' = 'realtime'")
    for statement, reason in REFUSED:
        with pytest.raises(SluiceError, match=reason):
            flink.sql(statement)
    assert flink.sql("SHOW JOBS") == [row for row in flink.sql("SHOW JOBS") if row[2] != "RUNNING"]


def _received(flink: FlinkLab) -> list[dict[str, object]]:
    return [json.loads(message.value or b"") for message in flink.consume("rt-out")]
