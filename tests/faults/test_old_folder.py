"""A data folder of an older Sluice opens, and everything in it continues exactly once.

`folder/folder.tar.xz` was made with commit 3fbebb3 by `folder/make.py`: a server was killed there
in the middle of batches, of which some outputs have all, some a part and some nothing. It has the
broker's folder too, because offsets, topic ids and transactions have to match.

    .venv/bin/pytest tests/faults/test_old_folder.py

Run it after every change to what is on disk: the catalog, checkpoints, the ledger, plans of jobs,
states of queries and of aggregate functions, names of groups and of transactions.
"""

from __future__ import annotations

import json
import tarfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from quick import QUICK
from waiting import eventually

from faults.folder.contents import (
    DEAD,
    FAILS_ON,
    FIRST,
    JOBS,
    KEYS,
    KILLED,
    LATER,
    LEVELS,
    PORT,
    TOPICS,
    UNREAD,
    WINDOW,
    WORK,
    event,
    moment,
    name_of,
    send,
)
from faults.folder.reading import committed, shown
from faults.server import Server
from sluice.broker import Broker, settings
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ARCHIVE = Path(__file__).parent / "folder" / "folder.tar.xz"
PATIENCE = 300.0
BEFORE, ALL = range(UNREAD.stop), range(LATER.stop)
CLOSING = 1000
"""The order whose time closes all windows before it."""

PIPELINES = "SELECT table, state, last_error FROM system.pipelines"
ORDERS = [*ALL, CLOSING]


class Opened:
    """The folder, with today's server and broker on it."""

    def __init__(self, server: Server, cluster: Cluster, facts: dict[str, Any]) -> None:
        self.server, self.cluster, self.facts = server, cluster, facts

    def rows(self, query: str, dialect: str = "clickhouse") -> Counter[tuple[str, ...]]:
        """How often a query has each row."""
        return Counter(tuple(map(_text, row)) for row in self.server.sql(query, dialect))

    def becomes(
        self, query: str, wanted: Iterable[Iterable[object]], dialect: str = "clickhouse"
    ) -> None:
        """Wait for these rows, each exactly so often."""
        rows = Counter(tuple(map(_text, row)) for row in wanted)

        def differs() -> dict[str, list[tuple[str, ...]]]:
            found = self.rows(query, dialect)
            return {"missing": sorted(rows - found)[:5], "not wanted": sorted(found - rows)[:5]}

        try:
            eventually(differs, lambda found: not any(found.values()), PATIENCE)
        except AssertionError as late:
            late.add_note(f"{query}: {self.server.sql(PIPELINES)}")
            raise

    def numbers(self, table: str, wanted: Iterable[int], dialect: str = "clickhouse") -> None:
        """Wait until a table has these numbers, each once."""
        self.becomes(f"SELECT n FROM {table}", [(n,) for n in wanted], dialect)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(tmp_path, filter="data")
    facts = json.loads((tmp_path / "facts.json").read_text("utf-8"))
    eventually(lambda: settings.is_free(PORT), within=PATIENCE)  # the DDL has this port
    with Broker(tmp_path / "broker", PORT, java_options=QUICK) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        with Server(tmp_path / "data", arguments=["--moved"]) as server:
            assert server.await_ready(), server.said
            yield Opened(server, cluster, facts)
            assert server.stop() == 0
        cluster.close()


@pytest.mark.slow
def test_a_folder_of_an_older_version_continues_exactly_once(opened: Opened) -> None:
    """What ran resumes, what was stopped stays so until it is started, and no row is twice."""
    check_stopped(opened)
    check_views(opened, BEFORE)
    resume(opened)
    send(opened.cluster, LATER)
    send(opened.cluster, [CLOSING], "orders")
    check_views(opened, ALL)
    check_tables(opened)
    check_jobs(opened)
    check_ledger(opened)
    check_dead_letters(opened)


def check_stopped(opened: Opened) -> None:
    """A paused table, a detached one and a stopped job have not read anything."""
    assert opened.rows("EXISTS TABLE away_queue") == Counter([("0",)])
    assert opened.rows("EXISTS TABLE archive") == Counter([("0",)])
    for table in ("waiting", "away"):
        opened.numbers(table, FIRST)
    opened.becomes("SELECT name FROM names", {(name_of(n),) for n in FIRST}, "flink")


def resume(opened: Opened) -> None:
    """Start what is stopped, and mend the view that fails."""
    server = opened.server
    server.sql("SYSTEM START waiting_queue")
    server.sql("ATTACH TABLE away_queue")
    server.sql("ATTACH TABLE archive")
    assert shown(server) == opened.facts["definitions"]
    broken = "SELECT last_error FROM system.kafka_consumers WHERE table = 'whole_queue'"
    eventually(lambda: server.sql(broken)[0][0], lambda error: "quotients_mv" in error, PATIENCE)
    opened.numbers("whole", range(KILLED.stop))
    opened.numbers("quotients", FIRST)
    mended = f"if(n = {FAILS_ON}, 0, intDiv(1000, toInt64(n) - {FAILS_ON} + (n = {FAILS_ON})))"
    server.sql(f"ALTER TABLE quotients_mv MODIFY QUERY SELECT n, {mended} AS q FROM whole_queue")
    server.sql(JOBS["names"], "flink", {"execution.savepoint.path": opened.facts["jobs"]["names"]})


def check_views(opened: Opened, sent: range) -> None:
    """The targets of `queue`, in each engine, and of the tables of one consumer group."""
    events = [json.loads(event(n)) for n in sent]
    columns = "n, name, toFloat64(price) AS price, toString(at) AS at, tags, attrs, level"
    opened.becomes(
        f"SELECT {columns} FROM shop.rows",
        [
            (e["n"], e["name"], e["n"] / 4, e["at"], e["tags"], e["attrs"], e["level"])
            for e in events
        ],
    )
    found = len(range(3, WORK, 7))
    opened.becomes(
        "SELECT n, found FROM shop.worked", [(n, found if n in KILLED else 0) for n in sent]
    )
    of = {level: [n for n in sent if LEVELS[n % 3] == level] for level in LEVELS}
    opened.becomes(
        "SELECT level, messages, total, toFloat64(price) FROM shop.sums",
        [(level, len(ns), sum(ns), sum(ns) / 4) for level, ns in of.items()],
    )
    opened.becomes(
        "SELECT level, uniqMerge(numbers), argMaxMerge(newest), sum(total) "
        "FROM shop.states GROUP BY level",
        [(level, len(ns), ns[-1], sum(ns)) for level, ns in of.items()],
    )
    middles = opened.rows("SELECT level, quantileMerge(middle) FROM shop.states GROUP BY level")
    for level, middle in middles:
        ns = of[level]
        assert float(middle) in (ns[(len(ns) - 1) // 2], ns[len(ns) // 2])
    opened.becomes("SELECT level, n FROM shop.last", [(level, ns[-1]) for level, ns in of.items()])
    opened.numbers("(SELECT n FROM left UNION ALL SELECT n FROM right)", sent)
    opened.numbers("lettered", sent)


def check_tables(opened: Opened) -> None:
    """What was waiting for the test, and a table whose columns were altered."""
    for table in ("waiting", "away"):
        opened.numbers(table, [*FIRST, *UNREAD, *LATER])
    for table in ("whole", "quotients"):
        opened.numbers(table, ALL)
    opened.becomes("SELECT a, text FROM archive", [(1, "one"), (2, "two"), (3, "three")])
    opened.becomes("SELECT c FROM archive WHERE a = 3", [(3,)])


def check_jobs(opened: Opened) -> None:
    """Rows that are merged, counted, windowed, distinct, copied; and the jobs are the same ones."""
    by_key = {k: [n for n in ORDERS if n % KEYS == k] for k in range(KEYS)}
    newest = [(k, ns[-1], ns[-1]) for k, ns in by_key.items()]
    opened.becomes("SELECT k, n, total FROM newest", newest, "flink")
    counts = [(k, len(ns), sum(ns)) for k, ns in by_key.items()]
    opened.becomes("SELECT k, n, total FROM counts", counts, "flink")
    windows = [range(first, first + WINDOW) for first in range(0, len(ALL), WINDOW)]
    opened.becomes(
        "SELECT DATE_FORMAT(since, 'yyyy-MM-dd HH:mm:ss'), n, total FROM windows",
        [(moment(window[0]), WINDOW, sum(window)) for window in windows],
        "flink",
    )
    names = {(name_of(n),) for n in ORDERS}
    opened.becomes("SELECT name FROM names", names, "flink")
    for table, rest in (("even", 0), ("odd", 1)):
        opened.numbers(table, [n for n in ORDERS if n % 2 == rest], "flink")
    each = Counter(ALL)
    eventually(lambda: Counter(committed(opened.cluster, "copies")), lambda n: n == each, PATIENCE)
    shown_jobs = opened.rows("SELECT id, state, generation, notes FROM system.jobs")
    jobs = {job: row for job, *row in shown_jobs}
    stopped = jobs.pop(opened.facts["jobs"].pop("names"))
    assert stopped[0] == "STOPPED"
    for name, job in opened.facts["jobs"].items():
        assert (name, *jobs.pop(job)) == (name, "RUNNING", "1", "[]")  # its state has been kept
    assert [state for state, *_ in jobs.values()] == ["RUNNING"]  # the one that replaces `names`


def check_dead_letters(opened: Opened) -> None:
    """They are still there once, and can be redriven once."""
    letters = "SELECT raw_message, outcome FROM system.dead_letter_queue"
    opened.becomes(letters, [(n, "waiting") for n in DEAD])
    again = "REDRIVE DEAD LETTERS FROM lettered_queue USING 'CSV'"
    assert len(opened.server.sql(again)) == len(DEAD)
    assert opened.server.sql(again) == []
    opened.numbers("lettered", [*ALL, *DEAD])
    opened.becomes(letters, [(n, "redriven") for n in DEAD])


def check_ledger(opened: Opened) -> None:
    """The ranges of each output follow each other from the first message to the last one."""
    ends = opened.cluster.latest([topic for topic in TOPICS if topic not in ("payments", "copies")])
    ranges: dict[tuple[str, str, int], list[tuple[int, int]]] = defaultdict(list)
    for table, topic, partition, start, end in opened.server.sql(
        "SELECT table, topic, partition, from_offset, until_offset FROM system.ledger "
        "WHERE topic != '' AND from_offset < until_offset"
    ):
        output = topic if topic == "shared" else table  # two tables share its partitions
        ranges[output, topic, int(partition)].append((int(start), int(end)))
    for (output, topic, partition), found in ranges.items():
        position = 0
        for start, end in sorted(found):
            assert start == position, (output, topic, partition, sorted(found))
            position = end
        assert position == ends[topic][partition], (output, topic, partition)
    assert {topic for _, topic, _ in ranges} == ends.keys()
