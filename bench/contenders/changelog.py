"""Sluice keeps a table by key from Debezium's events: from INSERT to the last commit."""

from __future__ import annotations

import changes
import flows

import sluice
from contenders import stored
from contenders.job import Answer, Job, expect, serve


def run(job: Job) -> Answer:
    """Apply the warm topic, then measure the other."""
    warm, measured = (flows.changelog(job.broker, name) for name in (job.warm_topic, job.topic))
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        stored.run(session, warm, job.warm_rows, job.patience)
        watch, batches = stored.run(session, measured, job.rows, job.patience)
        text = f"SELECT COUNT(*), SUM(amount) FROM {flows.kept(job.topic)}"  # noqa: S608 - ours
        expect("rows and amounts", stored.one(session, text), changes.left(job.rows))
    return watch.answer(job.rows, batches=batches)


if __name__ == "__main__":
    serve(run)
