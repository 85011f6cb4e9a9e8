"""Sluice reads a Kafka table directly: SELECT count(), every message decoded and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sluice
from contenders.job import Answer, Job, Stopwatch, expect, serve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.session import Session


def run(job: Job) -> Answer:
    """Count the warm topic, then measure the other."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        _count(session, job.warm_up, job.warm_rows)
        watch = _count(session, job.statements, job.rows)
    return watch.answer(job.rows)


def _count(session: Session, statements: Sequence[str], rows: int) -> Stopwatch:
    for statement in statements[:-2]:  # only the Kafka table
        session.execute(statement)
    with Stopwatch() as watch:
        found = session.execute("SELECT count() FROM github_queue").fetchone()
    expect("rows", found, (rows,))
    return watch


if __name__ == "__main__":
    serve(run)
