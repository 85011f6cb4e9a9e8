"""What one more CREATE costs beside 5 and beside 500 Kafka tables, each with a view and a target.

`python bench/many_tables.py [N …]` times the statements of a whole server but for Spark and Kafka:
pipelines are planned, grouped and compared, and then not started.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine.runtime.table_positions import TablePositions
from sluice.session import connect

if TYPE_CHECKING:
    from sluice.session import Session

SIZES = (5, 500)
TIMES = 7

COLUMNS = ", ".join(f"c{n} {('UInt64', 'String', 'Float64')[n % 3]}" for n in range(12))
TABLE = (
    "CREATE TABLE q{0} (" + COLUMNS + ") ENGINE = Kafka('localhost:9092', 'topic{0}', 'group{0}',"
    " 'JSONEachRow')"
)
TARGET = "CREATE TABLE t{0} (k UInt64, n UInt64, s String) ENGINE = MergeTree ORDER BY k"
VIEW = (
    "CREATE MATERIALIZED VIEW v{0} TO t{0} AS SELECT c0 AS k, toUInt64(c3 + length(c1)) AS n,"
    " upper(concat(c1, '-', toString(c2))) AS s FROM q{0} WHERE c0 > 10 AND c4 != ''"
)
STATEMENTS = {
    "CREATE TABLE, Kafka": TABLE,
    "CREATE TABLE, MergeTree": TARGET,
    "CREATE MATERIALIZED VIEW": VIEW,
    "DROP VIEW": "DROP VIEW v{0}",
}


@dataclass
class Planned:
    """A pipeline that is planned and does not read."""

    spec: Any
    share: Any

    @property
    def positions(self) -> TablePositions:
        """Where it reads."""
        return TablePositions(None, self.share)  # type: ignore[arg-type]

    def start(self) -> None:
        """Begin."""

    def ask_to_stop(self) -> None:
        """End."""

    def stop(self, until: float) -> None:
        """Wait for its end."""


def load(session: Session, size: int) -> None:
    """Make the tables that are there already, without planning pipelines after each."""
    engine: Any = session._engine
    engine.supervisor._make = Planned
    engine.runs_pipelines = False
    for n in range(size):
        for statement in (TABLE, TARGET, VIEW):
            session.execute(statement.format(n))
    engine.runs_pipelines = True
    engine.sync()


def measure(size: int) -> dict[str, float]:
    """Milliseconds of CPU of each statement, the median of several."""
    found: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    with (
        tempfile.TemporaryDirectory() as folder,
        connect(folder, pipelines=False) as session,
    ):
        load(session, size)
        for n in range(size, size + TIMES):
            for name, statement in STATEMENTS.items():
                began = time.process_time()
                session.execute(statement.format(n))
                found[name].append((time.process_time() - began) * 1000)
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    """Print a table: statements, and what each costs beside so many tables."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    results = [measure(size) for size in sizes]
    print(f"{'ms of CPU, median':<26}" + "".join(f"{f'{size} tables':>14}" for size in sizes))
    for name in STATEMENTS:
        print(f"{name:<26}" + "".join(f"{result[name]:>14.1f}" for result in results))


if __name__ == "__main__":
    main()
