"""How long a message takes from its sending to the first SELECT that has it.

One message a second goes into a topic that is quiet otherwise; Sluice runs with its defaults. The
clock of a message starts before it is handed to the producer and stops when a `SELECT count()` that
includes it has answered, so sending, the wait for a batch, the batch and the query are all in it.
Queries follow each other with a short pause, so the query's own time counts too; `select` says how
long one takes.
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

PAUSE_S = 0.2
EVERY_S = 1.0
WARM = 60


def run(job: Job) -> Answer:
    """Send and look; the first messages only make it warm, and are all seen before the rest go."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": job.broker, "linger.ms": 0, "log_level": 0})
    with sluice.connect(data=f"{job.folder}/data") as session:
        session.start()
        for statement in job.statements:
            session.execute(statement)
        eye = Eye(session, job.patience)
        _waits(eye, producer, job.topic, job.rows, WARM)
        eye.looks.clear()
        with Stopwatch() as watch:
            waits = _waits(eye, producer, job.topic, job.rows + WARM, job.messages)
    return watch.answer(job.messages, **_figures(waits), select=statistics.median(eye.looks))


class Eye:
    """Looks at the table through SQL; `looks` are the seconds each look took."""

    def __init__(self, session: Session, patience: float) -> None:
        self.looks: list[float] = []
        self._session = session
        self._patience = patience

    def rows(self, wanted: int) -> int:
        """Wait until that many rows are visible, and say how many are."""
        until = time.monotonic() + self._patience
        while (began := time.monotonic()) < until:
            found = self._session.execute("SELECT count() FROM github").fetchone()
            self.looks.append(time.monotonic() - began)
            if found and found[0] >= wanted:
                return int(found[0])
            time.sleep(PAUSE_S)
        raise SystemExit(f"row {wanted} is not visible after {self._patience:.0f} s")


def _waits(eye: Eye, producer: Any, topic: str, first: int, count: int) -> list[float]:
    """Send `count` messages after the `first` ones; the seconds until each was seen."""
    eye.rows(first)
    sent: list[float] = []
    seen: list[float] = []
    sender = threading.Thread(target=_send, args=(producer, topic, first, count, sent))
    sender.start()
    while len(seen) < count:
        there = eye.rows(first + len(seen) + 1) - first
        seen += [time.monotonic()] * (there - len(seen))
    sender.join()
    return [end - begin for begin, end in zip(sent, seen, strict=True)]


def _send(producer: Any, topic: str, first: int, count: int, sent: list[float]) -> None:
    began = time.monotonic()
    for number, event in enumerate(github_events.events(count, first=first)):
        time.sleep(max(0.0, began + number * EVERY_S - time.monotonic()))
        sent.append(time.monotonic())
        producer.produce(topic, event)
        producer.flush()


def _figures(waits: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(waits, n=20, method="inclusive")
    return {"p50": statistics.median(waits), "p95": cuts[18], "max": max(waits)}


if __name__ == "__main__":
    serve(run)
