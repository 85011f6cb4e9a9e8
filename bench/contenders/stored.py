"""From a topic into a stored table by Sluice, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contenders.job import Stopwatch, wait_for

if TYPE_CHECKING:
    from flows import Flow

    from sluice.session import Session


def run(session: Session, flow: Flow, rows: int, patience: float) -> tuple[Stopwatch, int]:
    """Run a job until it has read so many messages; how long, and how many commits that took."""
    for table in flow.tables:
        session.execute(table, dialect="flink")
    with Stopwatch() as watch:
        started = str(one(session, flow.insert)[0])
        (query,) = session._engine.supervisor.queries(started)
        wait_for(rows, lambda: query.status.messages, patience)
    batches = query.status.commits
    session.execute(f"STOP JOB '{started}'", dialect="flink")
    return watch, batches


def messages(session: Session, topic: str) -> int:
    """What the views over a topic have committed; asking it costs nothing, as a query would."""
    pipelines = session._engine.supervisor.tables()
    return sum(p.status.messages for p in pipelines if topic in p.spec.source.topics)


def one(session: Session, text: str) -> tuple[object, ...]:
    """The only row of an answer."""
    (row,) = session.execute(text, dialect="flink").fetchall()
    return row
