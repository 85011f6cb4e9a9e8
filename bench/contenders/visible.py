"""How long a message takes to be visible in SELECT, over HTTP, while a thousand come in a second.

The guide's pipeline with its defaults. The clock of a message starts before it is handed to the
producer and stops when a `SELECT count()` that is so large has answered. Queries follow each other
with a short pause, which counts.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from server import Server

from contenders import asked
from contenders.job import Answer, Job, Stopwatch, serve, wait_for

PAUSE_S = 0.02
WARM_S, COUNTED_S = 60.0, 60.0


def run(job: Job) -> Answer:
    """Send, and look."""
    _, _, *statements = job.statements
    with Server(Path(job.folder, "data")) as server:
        server.run(f"CREATE DATABASE {job.topic}")
        for statement in statements:
            server.run(statement, database=job.topic)

        def there() -> int:
            return int(server.run("SELECT count() FROM github", database=job.topic))

        wait_for(job.rows, there, job.patience)
        seen: list[float] = []
        looks: list[float] = []
        with asked.sending(job.broker, job.topic, job.rows) as sent:
            time.sleep(WARM_S)
            begun = time.monotonic()
            with Stopwatch() as watch:
                while (began := time.monotonic()) < begun + COUNTED_S:
                    rows, now = there() - job.rows, time.monotonic()
                    seen += [now] * (rows - len(seen))
                    looks.append(now - began)
                    time.sleep(PAUSE_S)
        waits = [
            1000 * (end - start)
            for start, end in zip(sent, seen, strict=False)
            if begun <= start < begun + COUNTED_S
        ]
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    figures = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(waits)}
    return watch.answer(len(waits), **figures, select=1000 * statistics.median(looks))


if __name__ == "__main__":
    serve(run)
