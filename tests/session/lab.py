"""A session that never starts Spark, with which a case is one line."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

import sluice
from sluice import errors
from sluice.access import owner
from sluice.catalog.system_tables import SYSTEM
from sluice.planner.named_collections import source_of
from sluice.system import rows_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.planner.query import QuerySpec
    from sluice.planner.spec import KafkaSource

KAFKA = "ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')"


class Lab:
    """Runs statements, and looks at what the catalog has of them."""

    def __init__(self, data: Path) -> None:
        self.session = sluice.connect(data, pipelines=False)
        self._file = sqlite3.connect(data / "catalog.sqlite")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.session.close()

    @property
    def engine(self) -> Engine:
        return self.session._engine

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements; gives the rows of the last."""
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = self.session.execute(statement).fetchall()
        return rows

    def version(self) -> int:
        """A number that changes whenever something is written to the catalog."""
        return int(self._file.execute("PRAGMA data_version").fetchone()[0])

    def fails(self, text: str, condition: str, at: str = "", says: str = "") -> str:
        """The statement is refused at `line:column`, saying something, and nothing is written."""
        before = self.version()
        with pytest.raises(errors.SluiceError) as caught:
            self.session.execute(text)
        bad = caught.value
        assert bad.condition.name == condition, str(bad)
        assert bad.place is not None, str(bad)
        assert at in ("", f"{bad.place.line}:{bad.place.column}"), str(bad)
        assert says in str(bad)
        assert self.version() == before
        return str(bad)

    def shown(self, name: str) -> str:
        """What SHOW CREATE says, in one line."""
        return " ".join(str(self.run(f"SHOW CREATE TABLE {name}")[0][0]).split())

    def table(self, name: str, database: str = "default") -> Table:
        table = self.engine.catalog.find(database, name)
        assert table is not None
        return table

    def columns(self, name: str) -> str:
        """The columns in one line."""
        return ", ".join(f"{c.name} {c.type}" for c in self.table(name).columns)

    def tables(self) -> list[str]:
        return [table.full_name for table in self.engine.catalog.tables()]

    def source(self, name: str, database: str = "default") -> KafkaSource:
        """What a Kafka table reads."""
        return source_of(self.engine.environment, self.table(name, database))

    def spec(self, name: str, database: str = "default") -> QuerySpec:
        """The pipeline of a Kafka table."""
        return self.engine.planner.spec(self.table(name, database))

    def system(self, table: str, /, *columns: str, **where: Any) -> list[tuple[Any, ...]]:
        """The rows of a table of `system` for which columns are as said; all columns, or some."""
        made = SYSTEM[table]
        names = [name for name, _ in made.columns]
        rows = [dict(zip(names, row, strict=True)) for row in rows_of(made, self.engine, owner())]
        return [
            tuple(row[name] for name in columns or names)
            for row in rows
            if all(row[name] == value for name, value in where.items())
        ]
