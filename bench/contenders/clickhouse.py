"""ClickHouse itself with the same statements, its Kafka engine tuned; embedded as chdb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contenders.job import Answer, Job, Stopwatch, expect, serve, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(job: Job) -> Answer:
    """Read the warm topic, then measure the other."""
    from chdb.session import Session  # type: ignore[import-not-found]

    session = Session(f"{job.folder}/data")
    _ingest(session, job.warm_up, job.warm_rows, job.patience)
    watch = _ingest(session, job.statements, job.rows, job.patience)
    expect("distinct", int(_ask(session, "SELECT uniqExact(comment_id) FROM github")), job.rows)
    version = _ask(session, "SELECT version()")
    for topic in (job.warm_topic, job.topic):
        session.query(f"DROP DATABASE {topic}")
    session.close()
    return watch.answer(job.rows, version=version)


def _ingest(session: Any, statements: Sequence[str], rows: int, patience: float) -> Stopwatch:
    *before, view = statements
    for statement in before:
        session.query(statement)
    with Stopwatch() as watch:
        session.query(view)
        wait_for(rows, lambda: int(_ask(session, "SELECT count() FROM github")), patience)
    return watch


def _ask(session: Any, query: str) -> str:
    return str(session.query(query, "TSV")).strip()


if __name__ == "__main__":
    serve(run)
