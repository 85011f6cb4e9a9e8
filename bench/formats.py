"""How many messages a second each format decodes, alone: no broker, no table.

    .venv/bin/python bench/formats.py [--messages 2000000] [--repeat 3] [--only JSONEachRow,CSV]

Every message holds one row of ten columns. Our own encoder writes the messages into Parquet files
once; Spark with two cores reads them, decodes them and drops the rows. `scan` reads the files
without decoding, `from_json` is Spark's own decoding of the JSONEachRow messages, with a typed
schema. The last column is ClickHouse (chdb) with two threads, which reads the same rows from one
file: for it there is no boundary between messages.

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
from sluice.formats.codec import Codec
from sluice.formats.decode import Transcoded, decoded
from sluice.formats.encode import Written, encoded_rows
from sluice.types import parse_type, spark_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

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

TYPED = [(name, parse_type(type_)) for name, (type_, _, _) in COLUMNS.items()]


@dataclass(frozen=True, slots=True)
class Cases:
    """Messages in files, and the ways to decode them."""

    spark: SparkSession
    folder: Path
    messages: int

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
        from pyspark.sql import functions as F

        by_clickhouse = Transcoded(self.spark, self.codec(format_), TYPED)
        value = F.col(by_clickhouse.message)
        row = decoded(self.spark, self.codec(format_), TYPED, value)
        nowhere(by_clickhouse(self.made(format_)).select(row.alias("r")).select("r.*"))

    def scan(self) -> None:
        """The messages alone."""
        nowhere(self.made("JSONEachRow"))

    def from_json(self) -> None:
        """Spark's own decoding."""
        from pyspark.sql import functions as F

        text = F.col("value").cast("string")
        row = F.from_json(text, SPARK_SCHEMA, {"timestampFormat": "yyyy-MM-dd HH:mm:ss.SSS"})
        nowhere(self.made("JSONEachRow").select(row.alias("r")).select("r.*"))

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

    def seconds(self, format_: str) -> float:
        """On the clock; with two threads."""
        file = self._folder / f"rows.{format_}"
        columns = ", ".join(f"({value}) AS `{name}`" for name, (_, _, value) in COLUMNS.items())
        types = ", ".join(f"`{name}` {type_}" for name, (type_, _, _) in COLUMNS.items())
        given = "".join(f", {name} = {value!r}" for name, value in FORMATS[format_].items())
        target = f"FUNCTION file('{file}', {format_}, '{_escaped(types)}')"
        rows = f"SELECT {columns} FROM numbers({self._messages})"  # noqa: S608
        self._session.query(f"INSERT INTO {target} {rows} SETTINGS max_threads = 2{given}")
        source = target.removeprefix("FUNCTION ")
        began = time.monotonic()
        query = f"SELECT * FROM {source} FORMAT Null"  # noqa: S608 - our own columns
        self._session.query(f"{query} SETTINGS max_threads = 2{given}")
        taken = time.monotonic() - began
        file.unlink()
        return taken


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
        spark = session._engine.spark()
        cases = Cases(spark, args.folder / "messages", args.messages)
        runs: dict[str, Callable[[], None]] = {"scan": cases.scan, "from_json": cases.from_json}
        runs |= {name: partial(cases.decode, name) for name in names}
        for run in runs.values():  # once to write the messages and to get warm
            run()
        costs: dict[str, list[Cost]] = {name: [] for name in runs}
        for turn in range(args.repeat):
            for name, run in runs.items():
                costs[name].append(cost(cases.java, run))
                topics.say(f"{turn + 1}/{args.repeat} {name}: {costs[name][-1].cpu:.2f} s CPU")
        peer = ClickHouse(Path(data), args.messages)
        theirs = {name: peer.seconds(name) for name in names}
        shutil.rmtree(cases.folder)
    _show(costs, theirs, args.messages, {name: cases.count(name) for name in names})


def _show(
    costs: dict[str, list[Cost]],
    theirs: dict[str, float],
    messages: int,
    counts: Mapping[str, int],
) -> None:
    print(f"{messages:,} messages, {len(costs['scan'])} repeats, medians")
    head = ("messages/s", "CPU µs each", "ClickHouse rows/s")
    print(f"{'format':<40}" + "".join(f"{name:>20}" for name in head))
    for name, runs in costs.items():
        wall = statistics.median(run.wall for run in runs)
        count = counts.get(name, messages)
        each = statistics.median(run.cpu for run in runs) / count * 1e6
        beside = f"{messages / theirs[name]:,.0f}" if name in theirs else ""
        print(f"{name:<40}{count / wall:>20,.0f}{each:>20.2f}{beside:>20}")


if __name__ == "__main__":
    main()
