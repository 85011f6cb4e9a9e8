"""Sluice with the guide's statements: from CREATE MATERIALIZED VIEW to the last row's commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sluice
from contenders import stored
from contenders.job import Answer, Job, Stopwatch, expect, serve, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.session import Session


def run(job: Job) -> Answer:
    """Read the warm topic, then measure the other."""
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        _ingest(session, job.warm_up, job.warm_topic, job.warm_rows, job.patience)
        watch = _ingest(session, job.statements, job.topic, job.rows, job.patience)
        found = session.execute("SELECT count(), uniqExact(comment_id) FROM github").fetchone()
        expect("rows and distinct", found, (job.rows, job.rows))
    return watch.answer(job.rows)


def _ingest(
    session: Session, statements: Sequence[str], topic: str, rows: int, patience: float
) -> Stopwatch:
    *before, view = statements
    for statement in before:
        session.execute(statement)
    with Stopwatch() as watch:
        session.execute(view)
        wait_for(rows, lambda: stored.messages(session, topic), patience)
    return watch


if __name__ == "__main__":
    serve(run)
