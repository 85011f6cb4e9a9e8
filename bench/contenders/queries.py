"""Queries to a Sluice server over HTTP, beside the running pipeline of the ClickHouse guide."""

from __future__ import annotations

from pathlib import Path

from server import Server

from contenders import asked
from contenders.job import Answer, Job, Stopwatch, serve, wait_for


def run(job: Job) -> Answer:
    """Fill the table, then ask while it grows."""
    _, _, *statements = job.statements
    with Server(Path(job.folder, "data")) as server:
        server.run(f"CREATE DATABASE {job.topic}")
        for statement in statements:
            server.run(statement, database=job.topic)

        def ask(query: str) -> str:
            return server.run(query, database=job.topic)

        wait_for(job.rows, lambda: int(ask("SELECT count() FROM github")), job.patience)
        with asked.sending(job.broker, job.topic, job.rows), Stopwatch() as watch:
            found = asked.times(ask, job.rows)
    return watch.answer(job.rows, **found)


if __name__ == "__main__":
    serve(run)
