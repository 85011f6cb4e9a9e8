"""The state of a running query over changelogs, in Spark's state stores.

A store's version is the number of the batch that reads it. A batch that is run again reads the
state from before it, produces the same rows and writes the same next version.
"""

from __future__ import annotations

import itertools
import json
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame as Classic

from sluice.engine.changelog.only_batch import replaced
from sluice.engine.changelog.step_sql import difference, net_changes, tagged
from sluice.engine.spark.typed import quoted
from sluice.engine.storage.store_path import write_whole
from sluice.sql.relation import (
    WEIGHT,
    Accumulate,
    AccumulateValues,
    Arrange,
    InnerJoin,
    Normalize,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.storage.store_path import AnyPath
    from sluice.sql.relation import Step

_FOLDER = "state-changelog"
_PARTITIONS = "partitions.json"
_SHUFFLE = "spark.sql.shuffle.partitions"
_COUNTS = "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows"
"""Whether a store counts its rows, for which every write first reads; nobody asks for the count."""

_SWEEP_MS = 60_000
"""Expired state is removed at most so often, and not more often than half a time to live."""


class ChangelogState:
    """The state of one start of a query; it is in the checkpoint of the query's generation."""

    def __init__(self, spark: SparkSession, checkpoint: AnyPath, ttl_ms: int = 0) -> None:
        """Open it; `ttl_ms` is how long state is kept after its last change, 0 for ever."""
        self._folder = checkpoint / _FOLDER
        self._spark: Any = spark
        self._run = str(uuid.uuid4())
        self._ttl_ms = ttl_ms
        self._partitions = self._noted(int(spark.conf.get(_SHUFFLE) or "1"))
        self._texts: dict[str, str] = {}
        self._swept = 0
        self.several: list[int] = []
        """The partitions of a key of a source with changes in several, if that was seen."""

    def _noted(self, partitions: int) -> int:
        """How many partitions the state has: as many as when it was begun."""
        path = self._folder / _PARTITIONS
        if path.exists():
            return int(json.loads(path.read_text("utf-8"))["partitions"])
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"partitions": partitions}))
        return partitions

    def close(self) -> None:
        """Let Spark close the stores."""
        self._spark._jvm.sluice.changelog.Batch.close(self._spark._jsparkSession, self._run)

    @contextmanager
    def batch(self, spark: SparkSession, number: int, now_ms: int) -> Iterator[Operators]:
        """Run the steps of a batch, whose time is `now_ms`; their rows are dropped at the end."""
        spark.conf.set(_SHUFFLE, str(self._partitions))
        spark.conf.set(_COUNTS, "false")
        sweeps = now_ms - self._swept >= max(_SWEEP_MS, self._ttl_ms // 2)
        if sweeps:
            self._swept = now_ms
        session: Any = spark
        java = session._jvm.sluice.changelog.Batch(
            session._jsparkSession,
            str(self._folder),
            self._run,
            self._partitions,
            number,
            now_ms,
            self._ttl_ms,
            sweeps,
        )
        try:
            yield Operators(java, self._texts)
            self.several = self.several or list(java.several())
        finally:
            java.release()


class Operators:
    """Runs the steps of one batch that keep state, in the order of the query."""

    def __init__(self, java: Any, texts: dict[str, str]) -> None:
        """`texts` are those that do not change from batch to batch."""
        self._java = java
        self._texts = texts
        self._numbers = itertools.count()

    def __call__(self, spark: SparkSession, step: Step) -> DataFrame:
        """The rows of a step: its sources are views of this session, its state is updated."""
        number = next(self._numbers)
        match step.state:
            case AccumulateValues(source, key, sums, shown, values):
                given: Any = spark.table(source)
                summed, wanted = [name for name, _ in sums], list(map(list, values))
                told = list(step.state.told)
                made = self._java.accumulateValues(
                    number, given._jdf, list(key), summed, told, list(shown), wanted
                )
            case Accumulate(source, key, sums):
                given = spark.table(source)
                summed = [name for name, _ in sums]
                told = list(step.state.told)
                made = self._java.accumulate(number, given._jdf, list(key), summed, told)
            case Normalize(source, key):
                given = spark.table(source)
                made = self._java.normalize(number, given._jdf, list(key))
            case Arrange():
                made = self._arranged(spark, number, step, step.state)
            case InnerJoin():
                made = self._joined(spark, number, step, step.state)
            case _:
                raise TypeError(step.view)
        return Classic(made, spark)

    def _arranged(self, spark: SparkSession, number: int, step: Step, state: Arrange) -> Any:
        """The difference between what a query makes of its keys' rows after and before a batch."""
        found, given = self._given(spark, step, state.sources, ordered=state.ordered)
        arranged = self._java.arrange(number, *given, state.ordered)
        sides = {}
        for side, table in (("before", arranged.before), ("after", arranged.after)):
            rows: dict[str, DataFrame] = {
                view: Classic(table(n), spark) for n, (view, _) in enumerate(state.sources)
            }
            with replaced(found, rows):
                sides[side] = spark.sql(step.sql)
            sides[side].createOrReplaceTempView(f"{step.view}_{side}")
        changed = difference(
            f"{step.view}_before", f"{step.view}_after", sides["after"].columns, state.key
        )
        made: Any = spark.sql(changed)
        return self._java.keep(made._jdf)

    def _joined(self, spark: SparkSession, number: int, step: Step, state: InnerJoin) -> Any:
        """Each side's changes joined with the rows of the other one."""
        found, given = self._given(spark, step, state.sources)
        parts = self._java.join(number, *given)
        pairs: list[DataFrame] = []
        for tables in ((0, 1), (2, 3)):
            rows: dict[str, DataFrame] = {
                view: Classic(parts.table(n), spark)
                for n, (view, _) in zip(tables, state.sources, strict=True)
            }
            with replaced(found, rows):
                pairs.append(spark.sql(step.sql))
        both, view = pairs[0].unionAll(pairs[1]), f"{step.view}_pairs"
        both.createOrReplaceTempView(view)
        columns = [name for name in both.columns if name != WEIGHT]
        made: Any = spark.sql(net_changes(quoted(view), columns))
        return self._java.keep(made._jdf)

    def _given(
        self,
        spark: SparkSession,
        step: Step,
        sources: Sequence[tuple[str, tuple[str, ...]]],
        *,
        ordered: bool = False,
    ) -> tuple[dict[str, Any], tuple[Any, list[Any], list[list[str]]]]:
        """The views that a step reads, and for Java: all rows as one, the views, their keys."""
        found: dict[str, Any] = {view: spark.table(view) for view, _ in sources}
        text = self._texts.get(step.view)
        if text is None:
            inputs = [(view, found[view].columns, key) for view, key in sources]
            text = self._texts[step.view] = tagged(inputs, ordered=ordered)
        rows: Any = spark.sql(text)
        views = [found[view]._jdf for view, _ in sources]
        return found, (rows._jdf, views, [list(key) for _, key in sources])
