"""Where the CPU goes between a topic and a table: read, decode, write, each on its own.

    .venv/bin/python bench/decode.py [--topic-rows 400000] [--repeat 3] [--only sluice,typed]

Every case runs `--warm` times to get warm, then all cases run in turn, `--repeat` times. What
counts is the CPU time of the JVM: a busy machine disturbs it less than the time on the clock.
Spark, its settings, the table and the view are Sluice's own, from the guide's statements. The
broker and its topics stay in `--folder` for the next run, which has it to itself; delete it to
begin anew.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import guide
import topics

import sluice
from sluice.broker import Broker
from sluice.engine.sinks.delta import DeltaSink
from sluice.engine.sources import kafka_reader
from sluice.engine.sources.decode import Decoder
from sluice.planner.query import SOURCE_VIEW
from sluice.planner.spec import SinkSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from sluice.planner.query import QuerySpec
    from sluice.session import Session

_WRITER = "spark.sluice.parquet.writer"
_TICK = os.sysconf("SC_CLK_TCK")
KINDS = ("tasks", "gc", "jit", "other")
_THREADS = {"Executor": "tasks", "GC": "gc", "G1": "gc", "C1": "jit", "C2": "jit"}


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds on the clock, and CPU seconds in all and by kind of thread."""

    wall: float
    cpu: float
    kinds: dict[str, float]


class Cases:
    """The ways to read one topic; each method is a case."""

    def __init__(self, session: Session, topic: str) -> None:
        engine = session._engine
        self._store = engine.store
        self._spark: SparkSession = engine.spark()
        self._folder = engine.folder.path / "typed"
        queue = engine.catalog.find(topic, "github_queue")
        assert queue is not None  # noqa: S101 - it was made a moment ago
        self._spec: QuerySpec = engine.planner.spec(queue)
        self._topic = topic

    def read(self) -> None:
        """Kafka to nowhere: the limit."""
        nowhere(self._messages().select("value"))

    def typed(self) -> None:
        """One from_json with the schema of a hand-written job."""
        nowhere(self._typed())

    def sluice(self) -> None:
        """Sluice's decoding, through the view."""
        nowhere(self._view())

    def typed_delta(self) -> None:
        """The same from_json, written to a Delta table."""
        self._typed().write.format("delta").mode("append").save(str(self._folder))

    def sluice_delta(self) -> None:
        """Sluice's decoding, written as a pipeline writes."""
        table = self._spec.outputs[0].target
        assert table is not None  # noqa: S101 - the guide's statements make it
        sink = DeltaSink(SinkSpec(table), self._store)
        sink.write(sink.prepare(self._view()))

    def delta_writer(self) -> None:
        """The same, with the data files written by Delta Lake instead of Sluice."""
        self._spark.conf.set(_WRITER, "delta")
        try:
            self.sluice_delta()
        finally:
            self._spark.conf.unset(_WRITER)

    def explain(self) -> None:
        """Print how Spark runs Sluice's decoding."""
        self._view().explain("formatted")

    @property
    def java(self) -> int:
        """The process that does the work."""
        gateway = self._spark.sparkContext._gateway
        assert gateway is not None  # noqa: S101 - a started session has one
        return int(gateway.proc.pid)

    def _messages(self) -> DataFrame:
        tasks = max(self._spec.source.min_tasks, 2 * self._spark.sparkContext.defaultParallelism)
        reader = self._spark.read.format("kafka").options(
            **kafka_reader.read_options(self._spec.source)
        )
        return reader.options(
            subscribe=self._topic, startingOffsets="earliest", minPartitions=str(tasks)
        ).load()

    def _typed(self) -> DataFrame:
        from pyspark.sql import functions as F

        text = F.col("value").cast("string")
        return (
            self._messages().select(F.from_json(text, guide.SPARK_SCHEMA).alias("r")).select("r.*")
        )

    def _view(self) -> DataFrame:
        messages = self._messages()
        rows = Decoder(self._spec.source, messages)(messages)
        rows.createOrReplaceTempView(SOURCE_VIEW)
        return self._spark.sql(self._spec.outputs[0].sql)


CASES: dict[str, Callable[[Cases], None]] = {
    "read": Cases.read,
    "typed": Cases.typed,
    "sluice": Cases.sluice,
    "typed_delta": Cases.typed_delta,
    "sluice_delta": Cases.sluice_delta,
    "delta_writer": Cases.delta_writer,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topic-rows", type=int, default=400_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warm", type=int, default=2, help="runs that do not count (%(default)s)")
    parser.add_argument("--only", default=",".join(CASES), help="cases, with commas (%(default)s)")
    parser.add_argument("--folder", type=Path, default=topics.TMP / "decode")
    parser.add_argument("--explain", action="store_true", help="print the plan of `sluice`")
    args = parser.parse_args()
    names = [name for name in args.only.split(",") if name in CASES]
    with (
        topics.alone(args.folder),
        tempfile.TemporaryDirectory(dir=args.folder) as data,
        Broker(args.folder / "broker") as broker,
        sluice.connect(data, pipelines=False) as session,
    ):
        topic = f"events_{args.topic_rows}"
        topics.fill(broker.address, topic, args.topic_rows)
        for statement in guide.pipeline(broker.address, topic):
            session.execute(statement)
        cases = Cases(session, topic)
        if args.explain:
            cases.explain()
        _show(_measure(cases, names, args.warm, args.repeat), args.topic_rows)


def _measure(cases: Cases, names: list[str], warm: int, repeat: int) -> dict[str, list[Cost]]:
    for _ in range(warm):
        for name in names:
            CASES[name](cases)
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    for turn in range(repeat):
        for name in names:
            costs[name].append(cost(cases.java, partial(CASES[name], cases)))
            topics.say(f"{turn + 1}/{repeat} {name}: {costs[name][-1].cpu:.2f} s CPU")
    return costs


def cost(pid: int, run: Callable[[], None]) -> Cost:
    stat, began = Path(f"/proc/{pid}/stat"), time.monotonic()
    (_, cpu), kinds = _cpu(stat), _kinds(pid)
    run()
    (_, cpu_now), kinds_now = _cpu(stat), _kinds(pid)
    spent = {kind: kinds_now[kind] - kinds[kind] for kind in KINDS}
    return Cost(time.monotonic() - began, cpu_now - cpu, spent)


def _kinds(pid: int) -> dict[str, float]:
    """CPU seconds of a JVM so far, by kind of thread."""
    spent = dict.fromkeys(KINDS, 0.0)
    for path in Path(f"/proc/{pid}/task").iterdir():
        try:
            name, seconds = _cpu(path / "stat")
        except FileNotFoundError:  # the thread has ended
            continue
        spent[_THREADS.get(name.replace(" ", "#").partition("#")[0], "other")] += seconds
    return spent


def _cpu(stat: Path) -> tuple[str, float]:
    """Name and CPU seconds of a process or a thread, from its `stat` file."""
    head, _, tail = stat.read_text("utf-8").rpartition(")")
    fields = tail.split()
    return head.partition("(")[2], (int(fields[11]) + int(fields[12])) / _TICK


def nowhere(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _show(costs: dict[str, list[Cost]], rows: int) -> None:
    head = ("CPU s", "least", "µs/row", "wall s", *KINDS)
    print(f"{rows:,} rows, {len(next(iter(costs.values())))} repeats, medians")
    print(f"{'case':<14}" + "".join(f"{name:>9}" for name in head))
    for name, runs in costs.items():
        cpu = statistics.median(run.cpu for run in runs)
        figures = [cpu, min(run.cpu for run in runs), cpu / rows * 1e6]
        figures.append(statistics.median(run.wall for run in runs))
        figures += [statistics.median(run.kinds[kind] for run in runs) for kind in KINDS]
        print(f"{name:<14}" + "".join(f"{figure:>9.2f}" for figure in figures))


if __name__ == "__main__":
    main()
