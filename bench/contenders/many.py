"""What a server is with five hundred Kafka tables: threads, memory, and its cost while idle."""

from __future__ import annotations

import time
from pathlib import Path

import cost
from server import Server

from contenders.job import Answer, Job, Stopwatch, serve

TABLES = 500
SECONDS = 30.0


def run(job: Job) -> Answer:
    """Make the tables, wait until each has read its message and rests, and look."""
    began = time.monotonic()
    with Server(Path(job.folder, "data")) as server, Stopwatch() as watch:
        (found,) = cost.idle(server, job.broker, job.name, [TABLES], SECONDS)
        made = time.monotonic() - began - SECONDS - cost.REST_S
        python, jvm = found["python"], found["jvm"]
    return watch.answer(
        TABLES,
        busy=cost.core_percent(found),
        made_s=made,
        threads=python["threads"] + jvm["threads"],
        python_mb=python["memory_mb"],
        jvm_mb=jvm["memory_mb"],
    )


if __name__ == "__main__":
    serve(run)
