"""How long a message takes from its sending to the first SELECT that has it.

One message a second goes into a topic that is quiet otherwise; Sluice runs with its defaults. The
clock of a message starts before it is handed to the producer and stops when a `SELECT count()` that
includes it has answered, so sending, the wait for a batch, the batch and the query are all in it.
Queries follow each other with a short pause, so the query's own time counts too.
"""

from __future__ import annotations

import statistics
import threading
import time
from typing import TYPE_CHECKING, Any

import sluice
from contenders.job import Answer, Job, Stopwatch, serve
from sluice.broker import github_events

if TYPE_CHECKING:
    from sluice.session import Session

PAUSE_S = 0.05
EVERY_S = 1.0
WARM = 5


def run(job: Job) -> Answer:
    """Send and look; the first messages are not counted."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": job.broker, "linger.ms": 0, "log_level": 0})
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        for statement in job.statements:
            session.execute(statement)
        _seen(session, job.rows, job.patience)
        sent: list[float] = []
        seen: list[float] = []
        total = WARM + job.messages
        sender = threading.Thread(target=_send, args=(producer, job, total, sent))
        with Stopwatch() as watch:
            sender.start()
            while len(seen) < total:
                there = _seen(session, job.rows + len(seen) + 1, job.patience) - job.rows
                seen += [time.monotonic()] * (there - len(seen))
            sender.join()
    return watch.answer(total, **_figures(sent[WARM:], seen[WARM:]))


def _send(producer: Any, job: Job, total: int, sent: list[float]) -> None:
    began = time.monotonic()
    for number, event in enumerate(github_events.events(total, first=job.rows)):
        time.sleep(max(0.0, began + number * EVERY_S - time.monotonic()))
        sent.append(time.monotonic())
        producer.produce(job.topic, event)
        producer.flush()


def _seen(session: Session, rows: int, patience: float) -> int:
    """Wait until that many rows are visible, and say how many are."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        found = session.execute("SELECT count() FROM github").fetchone()
        if found and found[0] >= rows:
            return int(found[0])
        time.sleep(PAUSE_S)
    raise SystemExit(f"row {rows} is not visible after {patience:.0f} s")


def _figures(sent: list[float], seen: list[float]) -> dict[str, float]:
    waits = sorted(end - begin for begin, end in zip(sent, seen, strict=True))
    cuts = statistics.quantiles(waits, n=20, method="inclusive")
    figures = {"p50": statistics.median(waits), "p95": cuts[18], "max": waits[-1]}
    return {name: round(value, 3) for name, value in figures.items()}


if __name__ == "__main__":
    serve(run)
