"""How many messages a second each format decodes: alone, and into a table. There is no broker.

    .venv/bin/python bench/formats.py [--messages 2000000] [--repeat 3] [--only JSONEachRow,CSV]

Every message holds one row of ten columns. Our own encoder writes the messages into Parquet files
once; Spark with two cores reads them, decodes them, and drops the rows or writes them into a Delta
table as a pipeline does, one batch. `scan` reads the files without decoding, `from_json` is Spark's
own decoding of the JSONEachRow messages, with a typed schema, written by Delta Lake. The last
columns are ClickHouse (chdb) with two threads, which reads the same rows from one file and drops
them, or writes them into a MergeTree: for it there is no boundary between messages.

Of a format that ClickHouse itself reads there is a twentieth of the messages, and the CPU is that
of the JVM alone, without the processes beside it.

A format is added as a row of FORMATS. AvroConfluent takes a schema registry, which is started.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import topics
from decode import Cost, cost, nowhere

import sluice
from sluice.engine.sinks.delta import DeltaSink
from sluice.formats.codec import Codec
from sluice.formats.decode import Transcoded, decoded
from sluice.formats.encode import Written, encoded_rows
from sluice.planner.spec import SinkSpec
from sluice.types import parse_type, spark_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.session import Session

sys.path.append(str(Path(__file__).parents[1] / "tests"))

FORMATS: dict[str, Mapping[str, Any]] = {
    "JSONEachRow": {},
    "JSONCompactEachRow": {},
    "JSONCompactEachRowWithNamesAndTypes": {},
    "JSONStringsEachRow": {},
    "JSONObjectEachRow": {},
    "CSV": {},
    "CSVWithNamesAndTypes": {},
    "TabSeparated": {},
    "TabSeparatedRaw": {},
    "TSKV": {},
    "RowBinary": {},
    "MsgPack": {},
    "Native": {},
    "Avro": {},
    "AvroConfluent": {"output_format_avro_confluent_subject": "bench-value"},
    "Protobuf": {},
    "ProtobufSingle": {},
    "CapnProto": {},
    "Values": {},
    "CustomSeparated": {},
    "JSON": {},
    "BSONEachRow": {},
    "Arrow": {},
    "ArrowStream": {},
    "ORC": {},
    "Parquet": {},
}
"""The formats, with their settings as a statement gives them."""

COLUMNS = {
    # name: (type, Spark's expression over id, ClickHouse's expression over number)
    "id": ("UInt64", "id", "number"),
    "at": ("DateTime64(3)", "timestamp_millis(1700000000000 + id * 7)",
           "fromUnixTimestamp64Milli(1700000000000 + toInt64(number) * 7)"),
    "user": ("UInt32", "id * 7919 % 100000", "number * 7919 % 100000"),
    "kind": ("String", "elt(1 + id % 4, 'view', 'click', 'cart', 'order')",
             "['view', 'click', 'cart', 'order'][1 + number % 4]"),
    "amount": ("Float64", "id * 0.37", "number * 0.37"),
    "price": ("Decimal(18, 2)", "id % 100000 / 100", "(number % 100000) / 100"),
    "ok": ("Bool", "id % 3 = 0", "number % 3 = 0"),
    "page": ("String", "concat('/products/', id % 5000, '?from=search')",
             "concat('/products/', toString(number % 5000), '?from=search')"),
    "tags": ("Array(String)", "array('new', concat('tag', id % 10))",
             "['new', concat('tag', toString(number % 10))]"),
    "note": ("Nullable(String)", "if(id % 2 = 0, null, concat('note ', id))",
             "if(number % 2 = 0, NULL, concat('note ', toString(number)))"),
}  # fmt: skip
SPARK_SCHEMA = (
    "id BIGINT, at TIMESTAMP, user BIGINT, kind STRING, amount DOUBLE, price DECIMAL(18, 2), "
    "ok BOOLEAN, page STRING, tags ARRAY<STRING>, note STRING"
)
"""The same columns for from_json."""

ALONE, DELTA = "alone", "into Delta"
"""Where rows go."""

TABLE = ", ".join(f"`{name}` {type_}" for name, (type_, _, _) in COLUMNS.items())
TYPED = [(name, parse_type(type_)) for name, (type_, _, _) in COLUMNS.items()]


@dataclass(frozen=True, slots=True)
class Cases:
    """Messages in files, and the ways to decode them."""

    session: Session
    folder: Path
    messages: int

    @property
    def spark(self) -> SparkSession:
        """Sluice's own."""
        return self.session._engine.spark()

    def made(self, format_: str) -> DataFrame:
        """The messages of a format; they are written once."""
        from pyspark.sql import functions as F

        count = self.count(format_)
        files = self.folder / f"{format_}-{count}"
        if not (files / "_SUCCESS").exists():
            values = (
                f"CAST({expression} AS {spark_type(parse_type(type_))}) AS `{name}`"
                for name, (type_, expression, _) in COLUMNS.items()
            )
            rows = self.spark.range(0, count, 1, 4).selectExpr(*values)
            row = F.array(F.struct(*(F.col(f"`{name}`") for name in COLUMNS)))
            message = encoded_rows(self.spark, self.codec(format_), TYPED, row)
            written = Written(self.spark, self.codec(format_), TYPED, single=True)
            made = written(rows.select(message.alias("value")))
            made.write.mode("overwrite").parquet(str(files))
        return self.spark.read.parquet(str(files))

    def count(self, format_: str) -> int:
        """How many messages: fewer where ClickHouse reads them, in a process beside each task."""
        return self.messages if self.codec(format_).format.decoder else self.messages // 20

    def codec(self, format_: str) -> Codec:
        """The format with its settings."""
        return Codec.named(format_, "clickhouse", FORMATS[format_])

    def decode(self, format_: str) -> None:
        """Messages to rows to nowhere."""
        nowhere(self.rows(format_))

    def into_delta(self, format_: str) -> None:
        """Messages to rows of a table, which is empty before."""
        engine = self.session._engine
        self.session.execute("DROP TABLE IF EXISTS stored")
        self.session.execute(f"CREATE TABLE stored ({TABLE}) ENGINE = MergeTree ORDER BY id")
        table = engine.catalog.find("default", "stored")
        assert table is not None  # noqa: S101 - it was made a moment ago
        sink = DeltaSink(SinkSpec(table), engine.store)
        sink.write(sink.prepare(self.rows(format_).drop("__error")))

    def rows(self, format_: str) -> DataFrame:
        """Messages to rows."""
        from pyspark.sql import functions as F

        by_clickhouse = Transcoded(self.spark, self.codec(format_), TYPED)
        value = F.col(by_clickhouse.message)
        row = decoded(self.spark, self.codec(format_), TYPED, value)
        return by_clickhouse(self.made(format_)).select(row.alias("r")).select("r.*")

    def scan(self) -> None:
        """The messages alone."""
        nowhere(self.made("JSONEachRow"))

    def from_json(self) -> None:
        """Spark's own decoding."""
        nowhere(self.typed())

    def from_json_into_delta(self) -> None:
        """And Delta Lake's own writing."""
        target = str(self.folder.with_name("typed"))
        self.typed().write.format("delta").mode("overwrite").save(target)

    def typed(self) -> DataFrame:
        """Rows by Spark."""
        from pyspark.sql import functions as F

        text = F.col("value").cast("string")
        row = F.from_json(text, SPARK_SCHEMA, {"timestampFormat": "yyyy-MM-dd HH:mm:ss.SSS"})
        return self.made("JSONEachRow").select(row.alias("r")).select("r.*")

    @property
    def java(self) -> int:
        """The process that does the work."""
        gateway = self.spark.sparkContext._gateway
        assert gateway is not None  # noqa: S101 - a started session has one
        return int(gateway.proc.pid)


class ClickHouse:
    """The same rows in a file each, and how long ClickHouse reads them."""

    def __init__(self, folder: Path, messages: int) -> None:
        from chdb.session import Session  # type: ignore[import-not-found]

        self._session: Any = Session(str(folder / "clickhouse"))
        self._folder, self._messages = folder, messages

    def seconds(self, format_: str) -> tuple[float, float] | None:
        """On the clock, with two threads: dropped, and written; nothing for what it has not."""
        known = f"SELECT is_input FROM system.formats WHERE name = '{format_}'"  # noqa: S608
        if self._session.query(known, "TSV").bytes() != b"1\n":
            return None
        file = self._folder / f"rows.{format_}"
        columns = ", ".join(f"({value}) AS `{name}`" for name, (_, _, value) in COLUMNS.items())
        given = "".join(f", {name} = {value!r}" for name, value in FORMATS[format_].items())
        target = f"FUNCTION file('{file}', {format_}, '{_escaped(TABLE)}')"
        rows = f"SELECT {columns} FROM numbers({self._messages})"  # noqa: S608
        self._session.query(f"INSERT INTO {target} {rows} SETTINGS max_threads = 2{given}")
        self._session.query("DROP TABLE IF EXISTS default.stored")
        self._session.query(f"CREATE TABLE default.stored ({TABLE}) ENGINE = MergeTree ORDER BY id")
        query = f"SELECT * FROM {target.removeprefix('FUNCTION ')}"  # noqa: S608 - our own columns
        settings = f"SETTINGS max_threads = 2, max_insert_threads = 2{given}"
        dropped = self._timed(f"{query} FORMAT Null {settings}")
        written = self._timed(f"INSERT INTO default.stored {query} {settings}")
        file.unlink()
        return dropped, written

    def _timed(self, query: str) -> float:
        began = time.monotonic()
        self._session.query(query)
        return time.monotonic() - began


@contextmanager
def registered(needed: bool, folder: Path) -> Iterator[None]:
    """With a schema registry for the formats that need one."""
    if not needed:
        yield
        return
    from apicurio import running

    with running(folder) as url:
        given = {**FORMATS["AvroConfluent"], "format_avro_schema_registry_url": url}
        FORMATS["AvroConfluent"] = given
        yield


def _escaped(text: str) -> str:
    return text.replace("'", "\\'")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--messages", type=int, default=2_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="formats, with commas; all of them")
    parser.add_argument("--folder", type=Path, default=topics.TMP / "formats")
    args = parser.parse_args()
    names = [name for name in FORMATS if not args.only or name in args.only.split(",")]
    with (
        topics.alone(args.folder),
        tempfile.TemporaryDirectory(dir=args.folder) as data,
        sluice.connect(data, pipelines=False, hosts=["127.0.0.1"]) as session,
        registered("AvroConfluent" in names, Path(data)),
    ):
        cases = Cases(session, args.folder / "messages", args.messages)
        costs = _measured(cases, names, args.repeat)
        peer = ClickHouse(Path(data), args.messages)
        theirs = {name: peer.seconds(name) for name in names}
        shutil.rmtree(cases.folder)
    print(f"{args.messages:,} messages, {args.repeat} repeats, medians")
    head = [f"{way} {what}" for way in (ALONE, DELTA) for what in ("/s", "CPU µs")]
    head += ["ClickHouse rows/s", "into MergeTree"]
    print(f"{'format':<36}" + "".join(f"{title:>18}" for title in head))
    for name, runs in costs.items():
        count = cases.count(name) if name in names else args.messages
        cells = [*_figures(runs.get(ALONE), count), *_figures(runs.get(DELTA), count)]
        cells += [f"{args.messages / seconds:,.0f}" for seconds in theirs.get(name) or ()]
        print(f"{name:<36}" + "".join(f"{cell:>18}" for cell in cells))


def _measured(cases: Cases, names: list[str], repeat: int) -> dict[str, dict[str, list[Cost]]]:
    """What each case costs, in turn; all have run once before."""
    runs: dict[str, dict[str, Callable[[], None]]] = {
        "scan": {ALONE: cases.scan},
        "from_json": {ALONE: cases.from_json, DELTA: cases.from_json_into_delta},
    }
    for name in names:
        alone, stored = partial(cases.decode, name), partial(cases.into_delta, name)
        runs[name] = {ALONE: alone, DELTA: stored}
    for ways in runs.values():  # which writes the messages, too
        for run in ways.values():
            run()
    costs: dict[str, dict[str, list[Cost]]] = {
        name: {way: [] for way in ways} for name, ways in runs.items()
    }
    for turn in range(repeat):
        for name, ways in runs.items():
            for way, run in ways.items():
                found = cost(cases.java, run)
                costs[name][way].append(found)
                topics.say(f"{turn + 1}/{repeat} {name}, {way}: {found.cpu:.2f} s CPU")
    return costs


def _figures(runs: list[Cost] | None, count: int) -> list[str]:
    """Messages a second, and CPU time of each."""
    if runs is None:
        return ["", ""]
    wall = statistics.median(run.wall for run in runs)
    each = statistics.median(run.cpu for run in runs) / count * 1e6
    return [f"{count / wall:,.0f}", f"{each:.2f}"]


if __name__ == "__main__":
    main()
