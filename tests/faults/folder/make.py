"""Make the data folder that `test_old_folder.py` opens, with the sluice that is imported.

    cd CHECKOUT && PYTHONPATH=tests .venv/bin/python -m faults.folder.make ARCHIVE.tar.xz

It starts a broker and servers, stops the first server in good order and kills the second one in the
middle of batches. It fails if it was not killed where it should; run it again then.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quick import QUICK
from waiting import eventually

from faults.folder.contents import (
    CLICKHOUSE,
    DEAD,
    FAILS_ON,
    FIRST,
    FLINK,
    JOBS,
    KILLED,
    PORT,
    TOPICS,
    UNREAD,
    send,
)
from faults.folder.reading import committed, committed_rows, shown
from faults.server import Server
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 300.0
LEFT_OUT = ("logs", "tmp", "query_log")


def arrives(server: Server, query: str, wanted: int, dialect: str = "clickhouse") -> None:
    """Wait until a query for one number has this answer."""
    found = lambda: int(server.sql(query, dialect)[0][0])  # noqa: E731
    eventually(found, lambda n: n == wanted, PATIENCE)


def count(server: Server, table: str) -> int:
    return int(server.sql(f"SELECT toUInt32(count()) FROM {table}")[0][0])


def create(server: Server, cluster: Cluster) -> dict[str, str]:
    """Everything; the answer is the id of each job."""
    for topic, partitions in TOPICS.items():
        # The archive is opened long after it was made.
        cluster.create_topic(topic, partitions, {"retention.ms": "-1"})
    for statement in CLICKHOUSE:
        server.sql(statement)
    for statement in FLINK:
        server.sql(statement, "flink")
    return {
        name: str(server.sql(text, "flink", {"pipeline.name": name})[0][0])
        for name, text in JOBS.items()
    }


def first(server: Server, cluster: Cluster) -> dict[str, Any]:
    """Process the first messages, then stop what is stopped; the answer is what a reader needs."""
    jobs = create(server, cluster)
    send(cluster, FIRST)
    send(cluster, DEAD, "letters")
    for table in ("shop.rows", "shop.worked", "lettered", "whole", "quotients", "waiting", "away"):
        arrives(server, f"SELECT toUInt32(count()) FROM {table}", len(FIRST))
    shared = "SELECT count() FROM (SELECT n FROM left UNION ALL SELECT n FROM right)"
    arrives(server, shared, len(FIRST))
    arrives(server, "SELECT count() FROM system.dead_letter_queue", len(DEAD))
    for query, wanted in (
        ("SELECT COUNT(*) FROM names", 40),
        ("SELECT COUNT(*) FROM (SELECT n FROM even UNION ALL SELECT n FROM odd)", len(FIRST)),
        ("SELECT SUM(n) FROM counts", len(FIRST)),
        ("SELECT MAX(n) FROM newest", FIRST[-1]),
        ("SELECT COUNT(*) FROM windows", 9),
    ):
        arrives(server, query, wanted, "flink")
    eventually(lambda: len(committed(cluster, "copies")), lambda n: n == len(FIRST), PATIENCE)
    definitions = shown(server)
    server.sql("SYSTEM PAUSE waiting_queue")
    server.sql(f"STOP JOB '{jobs['names']}' WITH SAVEPOINT", "flink")
    server.sql("DETACH TABLE away_queue")
    server.sql("DETACH TABLE archive")
    return {"jobs": jobs, "definitions": definitions}


def killed(server: Server, cluster: Cluster) -> None:
    """Send until it is killed: a batch of `queue` has reached some of its targets then."""
    before = count(server, "shop.rows")
    send(cluster, KILLED, "shared", "letters", "failing", "orders")
    arrives(server, "SELECT toUInt32(count()) FROM whole", len(FIRST) + len(KILLED))
    state = "SELECT state FROM system.kafka_consumers WHERE table = 'whole_queue'"
    eventually(lambda: server.sql(state), lambda rows: rows != [["RUNNING"]], PATIENCE)
    send(cluster, KILLED, "events")
    eventually(lambda: count(server, "shop.rows"), lambda n: n > before, PATIENCE)
    send(cluster, KILLED, "payments")
    eventually(lambda: server.ends(0.01), within=PATIENCE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)  # its JVM
    assert server.await_end() == -9


def main(archive: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        data, kafka = Path(made, "data"), Path(made, "broker")
        with Broker(kafka, PORT, java_options=QUICK) as broker:
            cluster = Cluster({"bootstrap.servers": broker.address})
            with Server(data) as server:
                assert server.await_ready()
                facts = first(server, cluster)
                ids = dict(server.sql("SELECT name, uuid FROM system.tables"))
                assert server.stop() == 0
            with Server(data, failpoints="txn.after_commit=kill9@1") as server:
                assert server.await_ready()
                killed(server, cluster)
            rows = {
                table: committed_rows(next(data.glob(f"tables/**/{ids[table]}")))
                for table in ("rows", "worked", "whole", "quotients")
            }
            assert rows["worked"] < rows["rows"], rows
            assert rows["quotients"] < rows["whole"] == FAILS_ON + 20, rows
            written = len(committed(cluster, "copies"))
            assert len(FIRST) < written < KILLED.stop, written
            send(cluster, UNREAD)
            cluster.close()
        Path(made, "facts.json").write_text(json.dumps(facts, indent=1), "utf-8")
        with tarfile.open(archive, "w:xz", preset=9) as tar:
            for path in _kept(Path(made)):
                tar.add(path, path.relative_to(made), recursive=False)


def _kept(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if not any(part in LEFT_OUT for part in path.relative_to(folder).parts):
            yield path


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
