"""What a server costs that copies a hundred messages a second exactly once."""

from __future__ import annotations

from pathlib import Path

import cost
from server import Server

from contenders.job import Answer, Job, Stopwatch, serve

RATE = 100
SECONDS = 30.0


def run(job: Job) -> Answer:
    """Send, and look."""
    with Server(Path(job.folder, "data")) as server, Stopwatch() as watch:
        found = cost.steady(server, job.broker, RATE, SECONDS)
    return watch.answer(int(RATE * SECONDS), busy=cost.core_percent(found), **found["latency_ms"])


if __name__ == "__main__":
    serve(run)
