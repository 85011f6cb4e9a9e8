"""What Sluice costs while little happens: idle tables, and a job with a hundred messages a second.

    .venv/bin/python bench/cost.py idle [--tables 1,10,30] [--seconds 60]
    .venv/bin/python bench/cost.py steady [--rate 100] [--seconds 60]

`idle` has a server with so many Kafka tables, each over a topic of its own in a group of its own
and with a view; every topic has one message, which was read. `steady` has a job in Flink's SQL that
copies events from a topic to another exactly once, and says how long a message takes as well.

The processor time is that of the server's processes alone, Python, its JVM and the workers that
wait for queries, so that whatever else the machine does changes little. Figures go to standard
output as one line of JSON each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flows
import topics
from contenders.flow_latency import PARTITIONS, Eye, figures
from contenders.outlet import Outlet
from server import PATIENCE_S, Server

from sluice.broker import Broker

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTLE_S = 20.0
REST_S = 40.0
"""After the last message: a table rests when none has come for thirty seconds."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
FIRST = 20_000
"""Events that a steady job copies before its cost is taken: its code is compiled by then."""


@dataclass(frozen=True, slots=True)
class Process:
    """What /proc tells of a process."""

    seconds: float
    threads: int
    descriptors: int
    memory: int

    @classmethod
    def of(cls, pid: int) -> Process:
        """The present state."""
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return cls(
            ticks / os.sysconf("SC_CLK_TCK"),
            len(list(Path(f"/proc/{pid}/task").iterdir())),
            len(list(Path(f"/proc/{pid}/fd").iterdir())),
            int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1]) * _PAGE,
        )


@contextmanager
def cost(server: Server, found: dict[str, Any]) -> Iterator[None]:
    """Measure a block: per cent of a core, threads, descriptors and memory, by process."""
    pids = server.pids
    found["processes"] = list(pids)
    before, began = {name: Process.of(pid) for name, pid in pids.items()}, time.monotonic()
    yield
    took = time.monotonic() - began
    for name, pid in pids.items():
        after = Process.of(pid)
        found[name] = {
            "core_percent": round(100 * (after.seconds - before[name].seconds) / took, 2),
            "threads": after.threads,
            "descriptors": after.descriptors,
            "memory_mb": after.memory >> 20,
        }


def core_percent(found: dict[str, Any]) -> float:
    """What all processes of a server used together, in per cent of a core."""
    return float(sum(found[name]["core_percent"] for name in found["processes"]))


def idle(
    server: Server, broker: str, name: str, tables: list[int], seconds: float
) -> Iterator[dict[str, Any]]:
    """Make tables up to each number, and measure while nothing comes.

    Their topics and groups are called after `name`, which has to be another one each time: in a
    group that has read its message before, a table would wait for a second one.
    """
    there = 0
    for wanted in tables:
        for number in range(there, wanted):
            topic = f"{name}_{number}"
            topics.fill(broker, topic, 1)
            server.run(f"CREATE TABLE s{number} (event_type String) ENGINE = MergeTree ORDER BY ()")
            server.run(
                f"CREATE TABLE q{number} (event_type String) ENGINE = Kafka SETTINGS "
                f"kafka_broker_list = '{broker}', kafka_topic_list = '{topic}', "
                f"kafka_group_name = '{topic}', kafka_format = 'JSONEachRow'"
            )
            select = "SELECT event_type FROM"
            server.run(f"CREATE MATERIALIZED VIEW v{number} TO s{number} AS {select} q{number}")
        there = wanted
        _await_rows(server, wanted)
        time.sleep(REST_S)
        found: dict[str, Any] = {"idle": wanted}
        with cost(server, found):
            time.sleep(seconds)
        yield found | {"named": _threads(server)}


def _await_rows(server: Server, wanted: int) -> None:
    until = time.monotonic() + PATIENCE_S
    asked = "SELECT count() FROM system.kafka_consumers WHERE num_messages_read > 0"
    while (there := int(server.run(asked))) < wanted:
        if time.monotonic() > until:
            without = server.run(_WITHOUT)
            raise SystemExit(f"{there} of {wanted} tables have read their message; not {without}")
        time.sleep(1)


_WITHOUT = (
    "SELECT count(), state, lag, any(table), any(last_error) FROM system.kafka_consumers "
    "WHERE num_messages_read = 0 GROUP BY state, lag ORDER BY 1 DESC LIMIT 3 FORMAT JSONCompact"
    "EachRow"
)


def _threads(server: Server) -> dict[str, dict[str, int]]:
    """The commonest threads by name, without their numbers."""
    found = {}
    for name, pid in server.pids.items():
        names: Counter[str] = Counter()
        for task in Path(f"/proc/{pid}/task").iterdir():
            names[re.sub(r"[0-9]+", "#", (task / "comm").read_text("utf-8").strip())] += 1
        found[name] = dict(names.most_common(12))
    return found


def steady(server: Server, broker: str, rate: int, seconds: float) -> dict[str, Any]:
    """Send events at a rate through a job and wait for each."""
    topics.fill(broker, "steady", FIRST)
    outlet = Outlet(broker, "steady_out", PARTITIONS)
    flow = flows.copy(broker, "steady", outlet.topic, "eos")
    for statement in (*flow.tables, flow.insert):
        server.run(statement, "flink")
    found: dict[str, Any] = {"steady": rate}
    with Eye(broker, outlet.topic, FIRST, 1 / rate) as eye:
        eye.waits("steady", int(rate * SETTLE_S), PATIENCE_S)
        with cost(server, found):
            waits = eye.waits("steady", int(rate * seconds), PATIENCE_S)
    return found | {"latency_ms": {k: round(v) for k, v in figures(waits).items()}}


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["idle", "steady"])
    parser.add_argument("--tables", default="1,10,30", help="how many, ascending (%(default)s)")
    parser.add_argument("--rate", type=int, default=100, help="messages a second (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="measured (%(default)s)")
    args = parser.parse_args()
    topics.TMP.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cost-", dir=topics.TMP) as made:
        folder = Path(made)
        with (
            Broker(folder / "broker", progress=topics.say) as broker,
            Server(folder / "data") as server,
        ):
            if args.what == "idle":
                counts = [int(each) for each in args.tables.split(",")]
                for found in idle(server, broker.address, "idle", counts, args.seconds):
                    print(json.dumps(found), flush=True)
            else:
                found = steady(server, broker.address, args.rate, args.seconds)
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
