"""Sluice counts events by actor, in a table with a primary key: from INSERT to the last commit."""

from __future__ import annotations

import flows

import sluice
from contenders import stored
from contenders.job import Answer, Job, expect, serve

_CHECK = "SELECT SUM(events), COUNT(*), COUNT(DISTINCT actor_login) FROM {}"


def run(job: Job) -> Answer:
    """Count the warm topic, then measure the other."""
    warm, measured = (flows.merge(job.broker, name) for name in (job.warm_topic, job.topic))
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        stored.run(session, warm, job.warm_rows, job.patience)
        watch, batches = stored.run(session, measured, job.rows, job.patience)
        events, rows, actors = stored.one(session, _CHECK.format(flows.merged(job.topic)))
        expect("events and actors", (events, rows), (job.rows, actors))
    return watch.answer(job.rows, actors=actors, batches=batches)


if __name__ == "__main__":
    serve(run)
