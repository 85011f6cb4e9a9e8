"""How fast Kafka becomes a table, against other ways to do the same, in one run.

    make bench, or .venv/bin/python bench/run.py [--rows 2000000] [--only read,sluice] [--repeat 1]

One broker, one topic of GitHub events with 25 columns and 3 partitions, and one contender after the
other, each in a process of its own. Each is warm: it reads another topic first (`read` and
`latency` do a part of their work first) and only what follows is measured. A contender whose rows
are not all there, each once, has no figure.

    read        Spark reads the topic into nowhere: the limit
    baseline    Structured Streaming into Delta written by hand, with the defaults
    sluice      the statements of the ClickHouse guide
    clickhouse  the same in ClickHouse (chdb), its Kafka engine tuned
    latency     Sluice, one message a second: from produce to visible in SELECT
    insert      Sluice writes half of the topic's rows into another topic: INSERT … SELECT
    count       Sluice answers SELECT count() straight from the topic
    fan_out     Sluice with three views over the topic's table, against one
    sluice_queries      five queries over 1 million of the events, again and again, while a
                        thousand more come in a second: to Sluice over HTTP
    clickhouse_queries  the same to ClickHouse over its own table, without a network between
    sluice_idle         what a server costs with 1 and with 100 Kafka tables that nothing comes to
    sluice_steady       what it costs to copy a hundred messages a second exactly once
    sluice_visible      how long a message takes from produce to SELECT, over HTTP, while a thousand
                        come in a second
    sluice_many         what a server with 500 Kafka tables is: threads, memory, processor time
    sluice_beside       1 million of the events taken in beside eight clients that ask GROUP BY and
                        CROSS JOIN without pause, against alone; and how long /ping takes

    merge_baseline  events counted by actor, each count in its row of a Delta table: by hand,
                    with foreachBatch and MERGE, with the defaults
    sluice_merge    the same by a Sluice job: GROUP BY into a table with a PRIMARY KEY

    changelog_baseline  1 million changes of 100,000 rows, as Debezium writes them, into a Delta
                        table: by hand, with foreachBatch and MERGE, with the defaults
    sluice_changelog    the same by a Sluice job: debezium-json into a table with a PRIMARY KEY
    sluice_growth       the same by a Sluice view, in 20 batches: the last tenth ÷ the first
    sluice_keys         500,000 changes of a table with 10 million keys ÷ of one with 100,000

Then jobs in Flink's SQL, from the topic to another, each by Flink and by Sluice:

    …_alo            every event decoded and encoded again, at least once
    …_eos            the same exactly once; Flink has checkpoints every second
    …_window         events counted by type and ten seconds of their own time
    …_groups         the changes of the changelog counted and summed up by city, into upsert-kafka;
                     flink_groups_mini_batch is Flink tuned: it writes a city once in a second
    …_latency        a hundred messages a second, from produce to consume, at least once; for Sluice
                     it is sluice_realtime
    …_eos_latency    the same exactly once

Figures go to bench/results: a JSON file for every run, and latest.md for one with the default rows
and every contender. Everything else is in bench/tmp and is removed, but for the output of a
contender that failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import changes
import guide
import machine
import pythons
import report
import topics
from contenders.job import Job

from sluice.broker import Broker

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = WARM_ROWS = 2_000_000
FLOW_WARM_ROWS = 1_000_000
MANY_KEYS, FEW_KEYS = 10_000_000, 100_000
KEYED_CHANGES = 500_000
LATENCY_FIRST = 10
QUERIED = 1_000_000
FLOW_LATENCY_FIRST = 100_000
CLICKHOUSE_SETTINGS = {
    "kafka_num_consumers": 2,
    "kafka_thread_per_consumer": 1,
    "kafka_max_block_size": 524_288,
}


@dataclass(frozen=True)
class Contender:
    """A module, and the settings its Kafka table has besides the guide's.

    One that runs a job from a topic to another has an engine instead, and the job's flow. `source`
    is what it reads, `python` finds an interpreter of its own.
    """

    module: str
    settings: dict[str, str | int] = field(default_factory=dict)
    engine: str = ""
    flow: str = ""
    source: str = "events"
    python: Callable[[], str] = lambda: sys.executable


@dataclass(frozen=True, slots=True)
class Source:
    """A topic and the one to warm up with, with at most so many messages, and what fills them."""

    topic: str
    rows: int
    warm_topic: str
    warm_rows: int
    fill: Callable[[str, str, int], None]

    def of(self, rows: int, warm_rows: int = WARM_ROWS) -> dict[str, Any]:
        """What a job over so many rows reads."""
        return {
            "topic": self.topic,
            "rows": min(self.rows, rows),
            "warm_topic": self.warm_topic,
            "warm_rows": min(self.warm_rows, warm_rows, rows),
        }


SOURCES = {
    "events": Source("events", sys.maxsize, "warm", WARM_ROWS, topics.fill),
    "changes": Source("changes", 1_000_000, "warm_changes", 500_000, changes.fill),
}


def _flow(engine: str, flow: str, source: str = "events") -> Contender:
    return Contender("contenders.flow", engine=engine, flow=flow, source=source)


def _flow_latency(engine: str, flow: str) -> Contender:
    return Contender("contenders.flow_latency", engine=engine, flow=flow)


CONTENDERS = {
    "read": Contender("contenders.read"),
    "baseline": Contender("contenders.baseline"),
    "sluice": Contender("contenders.ours"),
    "clickhouse": Contender(
        "contenders.clickhouse", settings={**CLICKHOUSE_SETTINGS}, python=pythons.clickhouse
    ),
    "latency": Contender("contenders.latency"),
    "insert": Contender("contenders.insert"),
    "count": Contender("contenders.count"),
    "fan_out": Contender("contenders.fan_out"),
    "sluice_queries": Contender("contenders.queries"),
    "clickhouse_queries": Contender("contenders.clickhouse_queries"),
    "sluice_idle": Contender("contenders.idle"),
    "sluice_steady": Contender("contenders.steady"),
    "sluice_visible": Contender("contenders.visible"),
    "sluice_many": Contender("contenders.many"),
    "sluice_beside": Contender("contenders.beside"),
    "merge_baseline": Contender("contenders.merge_baseline"),
    "sluice_merge": Contender("contenders.merge"),
    "changelog_baseline": Contender("contenders.changelog_baseline", source="changes"),
    "sluice_changelog": Contender("contenders.changelog", source="changes"),
    "sluice_growth": Contender("contenders.growth", source="changes"),
    "sluice_keys": Contender("contenders.keys", source="changes"),
    "flink_alo": _flow("flink", "alo"),
    "sluice_alo": _flow("sluice", "alo"),
    "flink_eos": _flow("flink", "eos"),
    "sluice_eos": _flow("sluice", "eos"),
    "flink_window": _flow("flink", "window"),
    "sluice_window": _flow("sluice", "window"),
    "flink_groups": _flow("flink", "groups", "changes"),
    "flink_groups_mini_batch": _flow("flink", "groups_mini_batch", "changes"),
    "sluice_groups": _flow("sluice", "groups", "changes"),
    "flink_latency": _flow_latency("flink", "alo"),
    "sluice_realtime": _flow_latency("sluice", "realtime"),
    "flink_eos_latency": _flow_latency("flink", "eos"),
    "sluice_eos_latency": _flow_latency("sluice", "eos"),
}


def main() -> int:
    args = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    began = datetime.now(UTC)
    topics.TMP.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=topics.TMP) as folder:
        steps = _run_all(Path(folder), args)
    result = report.summary(began, args.rows, steps)
    print(report.table(result))
    complete = args.rows == ROWS and set(args.only) == set(CONTENDERS)
    topics.say(f"written: {report.write(result, topics.BENCH / 'results', latest=complete)}")
    return 1 if any("error" in step for step in steps) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=ROWS, help="of the topic (%(default)s)")
    parser.add_argument("--only", type=_names, default=list(CONTENDERS), help="with commas")
    parser.add_argument("--repeat", type=int, default=1, help="times; medians count (%(default)s)")
    parser.add_argument("--messages", type=int, default=60, help="for latency (%(default)s)")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in CONTENDERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(CONTENDERS)}")
    return names


def _run_all(folder: Path, args: argparse.Namespace) -> list[dict[str, Any]]:
    chosen = {name: CONTENDERS[name] for name in args.only}
    flink = any(contender.engine == "flink" for contender in chosen.values())
    engines = {"flink": pythons.flink() if flink else "", "sluice": sys.executable}
    steps = []
    with Broker(folder / "broker", progress=topics.say) as broker:
        for name in sorted({e.source for e in chosen.values() if e.module not in _OWN_TOPICS}):
            source, read = SOURCES[name], SOURCES[name].of(args.rows)
            source.fill(broker.address, source.warm_topic, read["warm_rows"])
            source.fill(broker.address, source.topic, read["rows"])
        for turn in range(args.repeat):
            for name, contender in chosen.items():
                topics.say(f"{name} …")
                if contender.engine:
                    job = _flow_job(folder, name, turn, broker.address, args)
                    job = replace(job, engine_python=engines[contender.engine])
                else:
                    job = _job(folder, name, turn, broker.address, args)
                steps.append(_step(name, turn, job))
                shutil.rmtree(job.folder)
                topics.say(f"  {report.line(steps[-1])}")
    return steps


_OWN_TOPICS = frozenset(
    f"contenders.{each}"
    for each in (
        *("latency", "flow_latency", "queries", "clickhouse_queries"),
        *("idle", "steady", "visible", "many", "beside"),
    )
)
"""Modules that read nothing of what the others read."""


def _job(folder: Path, name: str, turn: int, broker: str, args: argparse.Namespace) -> Job:
    contender, keys = CONTENDERS[name], ()
    read = SOURCES[contender.source].of(args.rows)
    if name.endswith("_queries") or name == "sluice_beside":
        read |= {"topic": f"{name}_{turn}", "rows": min(QUERIED, args.rows)}
        topics.fill(broker, read["topic"], read["rows"])
    if name in ("latency", "sluice_visible"):
        read |= {"topic": f"quiet_{name}_{turn}", "rows": LATENCY_FIRST}
        topics.fill(broker, read["topic"], LATENCY_FIRST)
    if name == "sluice_keys":
        many = min(MANY_KEYS, 5 * args.rows)
        keys = (many * FEW_KEYS // MANY_KEYS, many)
        read["rows"] = min(KEYED_CHANGES, args.rows)
        for each in keys:
            changes.fill(broker, changes.topic_of(each), read["rows"], each, loaded=True)
    settings = {"kafka_group_name": f"{name}-{turn}", **contender.settings}
    return Job(
        name=f"{name}-{turn}",
        folder=str(folder / f"{name}-{turn}"),
        broker=broker,
        **read,
        warm_up=guide.pipeline(broker, "warm", **settings),
        statements=guide.pipeline(broker, read["topic"], **settings),
        messages=args.messages,
        keys=keys,
        patience=_patience(args),
    )


def _flow_job(folder: Path, name: str, turn: int, broker: str, args: argparse.Namespace) -> Job:
    contender = CONTENDERS[name]
    read = SOURCES[contender.source].of(args.rows, FLOW_WARM_ROWS)
    if contender.module in _OWN_TOPICS:
        read |= {"topic": f"quiet_{name}_{turn}", "rows": min(FLOW_LATENCY_FIRST, args.rows)}
        topics.fill(broker, read["topic"], read["rows"])
    return Job(
        name=f"{name}-{turn}",
        folder=str(folder / f"{name}-{turn}"),
        broker=broker,
        **read,
        patience=_patience(args),
        engine=contender.engine,
        flow=contender.flow,
    )


def _patience(args: argparse.Namespace) -> float:
    return float(120 + args.rows / 5000)


def _step(name: str, turn: int, job: Job) -> dict[str, Any]:
    """Run a contender to its end, and say what came of it."""
    folder = Path(job.folder)
    folder.mkdir()
    (folder / "job.json").write_text(json.dumps(asdict(job)), "utf-8")
    step = {"name": name, "turn": turn, "load_before": machine.load()}
    limit = 2 * job.patience + 2 * job.messages
    contender = CONTENDERS[name]
    error = _process([contender.python(), "-m", contender.module, str(folder)], folder, limit)
    step["load_after"] = machine.load()
    if error:
        return step | {"error": error}
    answer: dict[str, Any] = json.loads((folder / "answer.json").read_text("utf-8"))
    return step | answer


def _process(command: list[str], folder: Path, limit: float) -> str:
    """Run a command, ending the processes that it leaves; what went wrong, or nothing."""
    console = folder / "console.log"
    with console.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=topics.BENCH,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        return f"no answer after {limit:.0f} s"
    finally:
        _end(process)
    if status == 0:
        return ""
    said = console.read_text("utf-8", "replace").strip().rpartition("\n")[2]
    kept = shutil.copy(console, topics.TMP / f"{folder.name}.log")
    return f"{said or f'status {status}'} (see {kept})"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and the others of its group, such as its JVM."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


if __name__ == "__main__":
    sys.exit(main())
