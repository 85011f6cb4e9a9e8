"""What a server costs while nothing comes: with one Kafka table, and with a hundred."""

from __future__ import annotations

from pathlib import Path

import cost
from server import Server

from contenders.job import Answer, Job, Stopwatch, serve

TABLES = (1, 100)
SECONDS = 30.0


def run(job: Job) -> Answer:
    """Make the tables, and look."""
    with Server(Path(job.folder, "data")) as server, Stopwatch() as watch:
        found = {
            f"with_{each['idle']}": cost.core_percent(each)
            for each in cost.idle(server, job.broker, job.name, list(TABLES), SECONDS)
        }
    return watch.answer(sum(TABLES), **found)


if __name__ == "__main__":
    serve(run)
