"""What lets a JVM that lives shortly, or does little, start sooner.

    python tests/quick.py

makes an archive of Spark's classes for the JVMs that the tests start. With it a server takes 12 to
13 s of processor time until it has answered a first query, without it 22 s (measured with JDK 17).
`make test` makes it; without it, and after an update of Spark, classes come from their jars.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

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


def make_archive(archive: Path) -> None:
    """Let a JVM of Spark's write the classes it has loaded when it ends."""
    import sluice

    made = archive.with_suffix(".new")
    options = (*QUICK, *_QUIET, f"-XX:ArchiveClassesAtExit={made}")
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(options)
    with tempfile.TemporaryDirectory() as data:
        with sluice.connect(data=data) as session:
            session.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
            session.execute("INSERT INTO t SELECT number, toString(number) FROM numbers(10)")
            session.execute("SELECT b, count() FROM t GROUP BY b ORDER BY b").fetchall()

            from pyspark import SparkContext

            gateway = SparkContext._gateway
            assert gateway is not None
        gateway.shutdown()
        gateway.proc.stdin.close()  # which ends it
        gateway.proc.wait(300)
    made.rename(archive)


if __name__ == "__main__":
    make_archive(_ARCHIVE)
