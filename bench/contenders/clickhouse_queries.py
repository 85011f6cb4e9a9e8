"""The same queries to ClickHouse over a MergeTree table of its own, in its process (chdb)."""

from __future__ import annotations

from contenders import asked
from contenders.job import Answer, Job, Stopwatch, serve, wait_for


def run(job: Job) -> Answer:
    """Fill the table, then ask while it grows."""
    from chdb.session import Session  # type: ignore[import-not-found]

    session = Session(f"{job.folder}/data")
    for statement in job.statements:
        session.query(statement)

    def ask(query: str) -> str:
        return str(session.query(query, "TSV")).strip()

    wait_for(job.rows, lambda: int(ask("SELECT count() FROM github")), job.patience)
    with asked.sending(job.broker, job.topic, job.rows), Stopwatch() as watch:
        found = asked.times(ask, job.rows)
    session.query(f"DROP DATABASE {job.topic}")
    session.close()
    return watch.answer(job.rows, **found)


if __name__ == "__main__":
    serve(run)
