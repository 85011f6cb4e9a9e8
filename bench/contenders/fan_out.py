"""Sluice with three views over one Kafka table, against one: what the second and third cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sluice
from contenders import stored
from contenders.job import Answer, Job, Stopwatch, expect, serve, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.session import Session

MORE = (
    """
    CREATE TABLE hours (hour DateTime, event_type LowCardinality(String), n UInt64)
    ENGINE = SummingMergeTree ORDER BY (hour, event_type)
    """,
    """
    CREATE TABLE comments (
        created_at DateTime, repo_name String, actor_login String, comment_id UInt64
    ) ENGINE = MergeTree ORDER BY created_at
    """,
    """
    CREATE MATERIALIZED VIEW hours_mv TO hours AS
    SELECT toStartOfHour(created_at) AS hour, event_type, count() AS n
    FROM github_queue GROUP BY hour, event_type
    """,
    """
    CREATE MATERIALIZED VIEW comments_mv TO comments AS
    SELECT created_at, repo_name, actor_login, comment_id
    FROM github_queue WHERE event_type = 'IssueCommentEvent'
    """,
)
"""Besides the guide's copy of every row: sums of an hour, and a part of the rows and columns."""


def run(job: Job) -> Answer:
    """Read the warm topic and then the other in both ways; the figure is that of three views."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        _ingest(session, job.warm_up, job.warm_topic, job.warm_rows, job.patience, MORE)
        one, one_cpu = _ingest(session, job.statements, job.topic, job.rows, job.patience)
        session.execute("DROP TABLE github_queue")
        session.execute("DROP TABLE github_mv")
        session.execute("DROP TABLE github")
        again = [_other_group(statement) for statement in job.statements[2:]]
        three, cpu = _ingest(session, again, job.topic, job.rows, job.patience, MORE)
        found = session.execute("SELECT count(), uniqExact(comment_id) FROM github").fetchone()
        expect("rows and distinct", found, (job.rows, job.rows))
        expect("sums", session.execute("SELECT sum(n) FROM hours").fetchone(), (job.rows,))
    ratio, cpu_ratio = three.seconds / one.seconds, cpu / one_cpu
    return three.answer(job.rows, one=one.seconds, ratio=ratio, cpu_ratio=cpu_ratio)


def _other_group(statement: str) -> str:
    return statement.replace("kafka_group_name = 'fan_out", "kafka_group_name = 'three_fan_out")


def _ingest(
    session: Session,
    statements: Sequence[str],
    topic: str,
    rows: int,
    patience: float,
    more: Sequence[str] = (),
) -> tuple[Stopwatch, float]:
    """The views are made while a target is away, so that they begin together."""
    for statement in (*statements[:-1], "DETACH TABLE github", statements[-1], *more):
        session.execute(statement)
    before = _cpu(session)
    with Stopwatch() as watch:
        session.execute("ATTACH TABLE github")
        wait_for(rows, lambda: stored.messages(session, topic), patience)
    return watch, _cpu(session) - before


def _cpu(session: Session) -> float:
    """The seconds of processors that Spark's JVM has had."""
    jvm: Any = session._engine.spark()._jvm
    stat = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/stat")
    fields = stat.read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    serve(run)
