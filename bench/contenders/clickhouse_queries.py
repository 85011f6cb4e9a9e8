"""The same queries to ClickHouse over a MergeTree table of its own, in its process (chdb)."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from contenders import asked
from contenders.job import Answer, Job, Stopwatch, expect, serve
from sluice.broker import github_events

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 50_000
SPAN_S = 0.5
_ENGINE = re.compile(r"ENGINE = Kafka.*", re.S)


def run(job: Job) -> Answer:
    """Fill the table, then ask while it grows: what is due comes in between two queries.

    chdb 4 has no Kafka consumers, so that the messages are inserted.
    """
    from chdb.session import Session  # type: ignore[import-not-found]

    session = Session(f"{job.folder}/data")
    database, use, queue, table, _ = job.statements
    columns = _ENGINE.sub("ENGINE = Null", queue)
    for statement in (database, use, columns, table):
        session.query(statement)
    for first in range(0, job.rows, BLOCK):
        _insert(session, github_events.events(min(BLOCK, job.rows - first), first=first))
    count = int(str(session.query("SELECT count() FROM github", "TSV")))
    expect("rows", count, job.rows)
    began, sent = time.monotonic(), 0

    def grow() -> None:
        nonlocal sent
        due = int((time.monotonic() - began) * asked.RATE)
        if due - sent >= asked.RATE * SPAN_S:
            _insert(session, github_events.events(due - sent, first=job.rows + sent))
            sent = due

    with Stopwatch() as watch:
        found = asked.times(lambda query: session.query(query, "TSV"), job.rows, between=grow)
    session.close()
    return watch.answer(job.rows, **found)


def _insert(session: Any, events: Iterator[bytes]) -> None:
    settings = "SETTINGS date_time_input_format = 'best_effort'"
    data = b"\n".join(events).decode()
    session.query(f"INSERT INTO github {settings} FORMAT JSONEachRow {data}")


if __name__ == "__main__":
    serve(run)
