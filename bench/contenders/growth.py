"""Sluice keeps a table by key in many batches: the cost of an event in the last and the first."""

from __future__ import annotations

import changes

import sluice
from contenders import batches
from contenders.job import Answer, Job, expect, serve


def run(job: Job) -> Answer:
    """Apply the warm topic, then measure the other."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        for topic, rows in ((job.warm_topic, job.warm_rows), (job.topic, job.rows)):
            batches.create(session, topic)
            watch, found = batches.apply(session, job, topic, rows)
        expect("rows and amounts", batches.left(session, job.topic), changes.left(job.rows))
    tenth = batches.BATCHES // 10
    first, last = batches.cost(found[:tenth]), batches.cost(found[-tenth:])
    notes = {"batches": len(found) + 1, "first_us": first, "last_us": last}
    return watch.answer(job.rows, **notes, ratio=last / first)


if __name__ == "__main__":
    serve(run)
