"""What lets a JVM that lives shortly, or does little, start sooner.

    python tests/quick.py

makes an archive of Spark's classes for the JVMs that the tests start. A server with it takes 13 s
of processor time until the first message of a topic is in a table; without it 22 s until it has
answered a first query (measured with JDK 17).
`make test` makes it; without it, and after an update of Spark, classes come from their jars.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from waiting import eventually

from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.parameters.kinds import CLICKHOUSE, FLINK

if TYPE_CHECKING:
    from sluice import Session

QUICK = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
"""Without the second compiler: in tests it takes more time than it saves.

A server of a test lives for half a minute. Two files of engine tests took 90 s of processor time
with it and 74 s without it.
"""

_ARCHIVE = Path(sys.prefix, "spark.jsa")
_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""An archive that does not match its jars is not worth a warning."""

SPARK = (*QUICK, f"-XX:SharedArchiveFile={_ARCHIVE}", *_QUIET) if _ARCHIVE.exists() else QUICK
"""For every JVM of Spark's: many small queries, none of which runs for long."""


_CLICKHOUSE = """
CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO t SELECT number, toString(number) FROM numbers(10);
CREATE TABLE k (a UInt64, b String) ENGINE = Kafka('{broker}', 'numbers', 'archive', 'JSONEachRow');
CREATE MATERIALIZED VIEW v TO t AS SELECT a, b FROM k;
INSERT INTO k SELECT number, toString(number) FROM numbers(10)
"""

_FLINK = """
CREATE TABLE s (a BIGINT, b STRING) WITH (
  'topic' = 'numbers', 'connector' = 'kafka', 'format' = 'json',
  'properties.bootstrap.servers' = '{broker}', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE o (a BIGINT, b STRING) WITH (
  'topic' = 'out', 'connector' = 'kafka', 'format' = 'json',
  'properties.bootstrap.servers' = '{broker}', 'sink.semantic' = 'exactly-once');
CREATE TABLE n (b STRING, n BIGINT, PRIMARY KEY (b) NOT ENFORCED);
INSERT INTO o SELECT a, b FROM s;
INSERT INTO n SELECT b, COUNT(*) FROM s GROUP BY b
"""
"""What most tests do: an INSERT, a view, a job that writes exactly once, one that keeps state."""


def make_archive(archive: Path) -> None:
    """Let a JVM of Spark's write the classes it has loaded when it ends."""
    import sluice

    made = archive.with_suffix(".new")
    options = (*QUICK, *_QUIET, f"-XX:ArchiveClassesAtExit={made}")
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(options)
    with (
        tempfile.TemporaryDirectory() as folder,
        Broker(Path(folder, "broker"), java_options=QUICK) as broker,
    ):
        with closing(Cluster({"bootstrap.servers": broker.address})) as cluster:
            for topic in ("numbers", "out"):
                cluster.create_topic(topic, 1)
        with sluice.connect(data=Path(folder, "data")) as session:
            for dialect, script in ((CLICKHOUSE, _CLICKHOUSE), (FLINK, _FLINK)):
                for statement in script.format(broker=broker.address).split(";"):
                    session.execute(statement, dialect=dialect)
            _await_rows(session, "SELECT count() FROM t", CLICKHOUSE, 20)
            _await_rows(session, "SELECT COUNT(*) FROM n", FLINK, 10)

            from pyspark import SparkContext

            gateway = SparkContext._gateway
            assert gateway is not None
        gateway.shutdown()
        gateway.proc.stdin.close()  # which ends it
        gateway.proc.wait(300)
    made.rename(archive)


def _await_rows(session: Session, count: str, dialect: str, rows: int) -> None:
    eventually(lambda: session.execute(count, dialect=dialect).fetchall(), [(rows,)].__eq__)


if __name__ == "__main__":
    make_archive(_ARCHIVE)
