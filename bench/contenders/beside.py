"""What clients that never pause cost ingestion, and how long /ping takes beside them.

One server takes in the topic four times: to be warm, alone, beside the clients, and alone again.
Half of the clients count the events of the first time by type, the others ask CROSS JOINs, which
take seconds. All are on this machine, as the broker is: its processors are what they share.
"""

from __future__ import annotations

import http.client
import statistics
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from server import Client, Server

from contenders.asked import QUERIES
from contenders.flow_latency import figures
from contenders.job import Answer, Job, Stopwatch, expect, serve, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLIENTS = 8
JOINED = """
SELECT count() FROM numbers(20000) a CROSS JOIN numbers(20000) b WHERE (a.number + b.number) % 7 = 0
"""
ASKED = (QUERIES["GROUP BY"], JOINED)
PING_S = 0.05
FIRST = "at_first"
"""The database of the events that the clients ask for."""


def run(job: Job) -> Answer:
    """Take in the topic four times; the first one does not count."""
    with Server(Path(job.folder, "data")) as server:
        _measured(server, job, FIRST, 0)
        before, quiet, _ = _measured(server, job, "before", 0)
        watch, pings, asked = _measured(server, job, "beside", CLIENTS)
        after, again, _ = _measured(server, job, "after", 0)
    alone = statistics.mean(job.rows / each.seconds for each in (before, after))
    rate = job.rows / watch.seconds
    return watch.answer(
        job.rows,
        alone=alone,
        beside=rate,
        ratio=alone / rate,
        queries=asked / watch.seconds,
        ping_alone_p99=figures([*quiet, *again])["p99"],
        ping_p50=figures(pings)["p50"],
        ping_p99=figures(pings)["p99"],
    )


def _measured(
    server: Server, job: Job, database: str, clients: int
) -> tuple[Stopwatch, list[float], int]:
    """Take in the topic beside so many clients: how long that and each ping took, and queries."""
    group = f"'{job.name}'"
    statements = [each.replace(group, f"'{job.name}-{database}'") for each in job.statements]
    with ExitStack() as stack:
        pings = stack.enter_context(_repeated(lambda: _ping(server.address), 1, PING_S))
        asked = stack.enter_context(_repeated(lambda: _asker(server, FIRST), clients))
        watch = _ingest(server, job, statements, database)
    return watch, pings, len(asked)


def _ingest(server: Server, job: Job, statements: list[str], database: str) -> Stopwatch:
    """Make a pipeline in a database of its own; how long it took to read all rows."""
    _, _, *before, view = statements
    server.run(f"CREATE DATABASE {database}")
    for statement in before:
        server.run(statement, database=database)
    read = "SELECT sum(num_messages_read) FROM system.kafka_consumers"
    read += " WHERE database = currentDatabase()"
    with Stopwatch() as watch:
        server.run(view, database=database)
        wait_for(job.rows, lambda: int(server.run(read, database=database)), job.patience)
    expect("rows", int(server.run("SELECT count() FROM github", database=database)), job.rows)
    return watch


@contextmanager
def _repeated(
    make: Callable[[], Callable[[int], None]], threads: int, pause: float = 0.0
) -> Iterator[list[float]]:
    """Have something done again and again by so many threads, for as long as a block.

    The block gets the seconds that each time has taken.
    """
    done = threading.Event()
    took: list[float] = []
    failed: list[BaseException] = []

    def repeat(number: int) -> None:
        try:
            act = make()
            while not done.is_set():
                began = time.monotonic()
                act(number)
                took.append(time.monotonic() - began)
                done.wait(pause)
        except BaseException as fault:  # noqa: BLE001 - it is raised where the block ends
            failed.append(fault)

    started = [threading.Thread(target=repeat, args=[number]) for number in range(threads)]
    for each in started:
        each.start()
    try:
        yield took
    finally:
        done.set()
        for each in started:
            each.join()
    if failed:
        raise failed[0]


def _asker(server: Server, database: str) -> Callable[[int], None]:
    client = Client(server.address)

    def ask(number: int) -> None:
        client.run(ASKED[number % len(ASKED)], database=database)

    return ask


def _ping(address: str) -> Callable[[int], None]:
    connection = http.client.HTTPConnection(address)

    def ping(_: int) -> None:
        connection.request("GET", "/ping")
        with connection.getresponse() as answer:
            expect("/ping", answer.read(), b"Ok.\n")

    return ping


if __name__ == "__main__":
    serve(run)
