"""Queries of Flink over small streams, as Spark runs them: rows come batch by batch, from files."""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned, watermarked
from sluice.sql import ir
from sluice.sql.flink import lower_expression, lower_query, parse
from sluice.sql.flink.watermarks import delay_of
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import spark_type

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.sql.relation import Lowered

Row = tuple[Any, ...]


def shown(value: Any) -> Any:
    """A time of the one hour all rows are in, or a number, as a text one can read."""
    if isinstance(value, datetime):
        return value.strftime("%M:%S.%f").rstrip("0").rstrip(".")
    return str(value) if isinstance(value, Decimal) else value


@dataclass
class Streams:
    """Tables whose rows come from files, one file a batch; queries over them run side by side."""

    spark: SparkSession
    folder: Path
    known: dict[str, Relation] = field(default_factory=dict)
    _running: dict[str, tuple[StreamingQuery, Lowered, list[list[Row]]]] = field(
        default_factory=dict
    )
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.spark = new_session(self.spark, {})
        self.spark.conf.set("spark.sql.shuffle.partitions", "1")

    def table(self, ddl: str, *batches: list[dict[str, Any]], stream: bool = True) -> None:
        """A table with its rows; the names of its computed columns are not in them."""
        made = parse(ddl)
        assert isinstance(made, ir.CreateTable)
        name, mark = str(made.name), made.watermark
        plain = [RelationColumn(c.name, c.type) for c in made.columns if c.alias is None]
        schema = ", ".join(f"`{c.name}` {spark_type(c.type)}" for c in plain)
        rows = self._files(name, schema, batches, stream=stream)
        computed = [c for c in made.columns if c.alias is not None]
        for column in computed:
            rows = rows.selectExpr(
                "*", f"{lower_expression(column.alias or '', plain).sql} AS {column.name}"
            )
        delay = (mark.column, delay_of(mark.column, mark.delay)) if mark else None
        if delay is not None and stream:
            rows = watermarked(rows, *delay)
        rows.createOrReplaceTempView(name)
        columns = tuple(RelationColumn(c.name, c.type) for c in made.columns)
        self.known[name] = Relation(name, columns, delay, stream)

    def _files(
        self, name: str, schema: str, batches: tuple[list[dict[str, Any]], ...], *, stream: bool
    ) -> DataFrame:
        folder = self.folder / name
        folder.mkdir()
        for n, batch in enumerate(batches):
            path = folder / f"{n:03}.json"
            path.write_text("\n".join(map(json.dumps, batch)), "utf-8")
            os.utime(path, (1000 + n, 1000 + n))
        if not stream:
            return self.spark.read.schema(schema).json(str(folder))
        reader = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.json(str(folder))

    def start(self, name: str, query: str) -> None:
        """Run a query until its tables have nothing more."""
        lowered = self.lower(query)
        batches: list[list[Row]] = []

        def keep(rows: DataFrame, number: int) -> None:
            batches.append([tuple(map(shown, row)) for row in rows.collect()])

        writer = planned(self.spark, lowered.sql, lowered.steps).writeStream.foreachBatch(keep)
        made = (
            writer.outputMode(lowered.shape.mode)
            .option("checkpointLocation", str(self.folder / f"checkpoint{next(self._numbers)}"))
            .trigger(availableNow=True)
            .start()
        )
        self._running[name] = made, lowered, batches

    def lower(self, query: str) -> Lowered:
        statement = parse(query)
        assert isinstance(statement, ir.Select)
        return lower_query(statement.query, lambda name: self.known[str(name)])

    def batches(self, name: str) -> list[list[Row]]:
        """What a query gave, batch by batch, sorted within each."""
        running, _, found = self._running[name]
        assert running.awaitTermination(120)
        return [sorted(batch, key=repr) for batch in found if batch]

    def check(self, cases: dict[str, tuple[str, list[Row]]], at_once: int = 6) -> None:
        """Run queries, some at a time, and compare what they give."""
        names = list(cases)
        for part in (names[n : n + at_once] for n in range(0, len(names), at_once)):
            for name in part:
                self.start(name, cases[name][0])
            assert {name: self.rows(name) for name in part} == {
                name: sorted(cases[name][1], key=repr) for name in part
            }

    def rows(self, name: str) -> list[Row]:
        """All rows that a query gave; of an updating one the last of each key, as a table has."""
        batches = self.batches(name)
        lowered = self._running[name][1]
        if not lowered.shape.updating:
            return sorted(itertools.chain(*batches), key=repr)
        key = [lowered.columns.index(column) for column in lowered.shape.key or ()]
        last = {tuple(row[n] for n in key): row for batch in batches for row in batch}
        return sorted(last.values(), key=repr)
