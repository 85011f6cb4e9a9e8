"""Sluice changes the rows of a table with many keys, against one with few: the cost of an event.

The changes are of all keys alike. The query's start is told apart: it reads the keys of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import changes

import sluice
from contenders import batches
from contenders.job import Answer, Job, Stopwatch, expect, serve

if TYPE_CHECKING:
    from sluice.session import Session


def run(job: Job) -> Answer:
    """Apply the warm topic, then the changes of each table; the figure is that of many keys."""
    few, many = job.keys
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        batches.create(session, job.warm_topic)
        batches.apply(session, job, job.warm_topic, job.warm_rows)
        _, few_us, few_start = _change(session, job, few)
        watch, many_us, many_start = _change(session, job, many)
    return watch.answer(
        job.rows,
        few=few,
        few_us=few_us,
        few_start=few_start,
        many=many,
        many_us=many_us,
        many_start=many_start,
        ratio=many_us / few_us,
    )


def _change(session: Session, job: Job, keys: int) -> tuple[Stopwatch, float, float]:
    """Load a table and apply changes; microseconds for an event, and seconds of the start."""
    topic = changes.topic_of(keys)
    batches.create(session, topic, keys)
    watch, found = batches.apply(session, job, topic, job.rows)
    expect(
        "rows and amounts", batches.left(session, topic), changes.left(job.rows, keys, loaded=True)
    )
    return watch, batches.cost(found), watch.seconds - sum(each.seconds for each in found)


if __name__ == "__main__":
    serve(run)
