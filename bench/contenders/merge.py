"""Sluice counts events by actor, in a table with a primary key: from INSERT to the last commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import flows

import sluice
from contenders.job import Answer, Job, Stopwatch, expect, serve, wait_for

if TYPE_CHECKING:
    from sluice.session import Session

_CHECK = "SELECT SUM(events), COUNT(*), COUNT(DISTINCT actor_login) FROM {}"


def run(job: Job) -> Answer:
    """Count the warm topic, then measure the other."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        _count(session, job, job.warm_topic, job.warm_rows)
        watch, batches = _count(session, job, job.topic, job.rows)
        events, rows, actors = _one(session, _CHECK.format(flows.merged(job.topic)))
        expect("events and actors", (events, rows), (job.rows, actors))
    return watch.answer(job.rows, actors=actors, batches=batches)


def _count(session: Session, job: Job, topic: str, rows: int) -> tuple[Stopwatch, int]:
    flow = flows.merge(job.broker, topic)
    for table in flow.tables:
        session.execute(table, dialect="flink")
    with Stopwatch() as watch:
        started = str(_one(session, flow.insert)[0])
        (query,) = session._engine.jobs.queries(started)
        wait_for(rows, lambda: query.status.messages, job.patience)
    batches = query.status.commits
    session.execute(f"STOP JOB '{started}'", dialect="flink")
    return watch, batches


def _one(session: Session, text: str) -> tuple[object, ...]:
    (row,) = session.execute(text, dialect="flink").fetchall()
    return row


if __name__ == "__main__":
    serve(run)
