"""A statement's Spark jobs: in which slots they run, and that they end with it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sluice.engine.spark import slots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame

    from sluice.engine.activity import Statement
    from sluice.engine.engine import Engine


def planning(engine: Engine) -> AbstractContextManager[None]:
    """Let jobs that a plan needs, such as those that list a table's files, wait for no query.

    Pipelines may wait for the same state of a table, so it must not wait for queries' slots.
    """
    return _jobs(engine, slots.SHORT)


@contextmanager
def executing(engine: Engine, rows: DataFrame, memory: int = 0) -> Iterator[None]:
    """Run a query: in the slots of short work if it is that, and else in those of queries.

    `memory` are the bytes that it may compute with; 0 if nobody has said.
    """
    with planning(engine):
        short = slots.is_short(rows)
    with _jobs(engine, slots.SHORT if short else slots.QUERIES, memory):
        yield


@contextmanager
def counted(engine: Engine) -> Iterator[None]:
    """Count what Spark reads for the statement, while it runs and when it has ended."""
    noted = engine.activity.current()
    context: Any = engine.spark().sparkContext
    if noted is None:
        yield
        return
    tag, gateway = _tag(noted), context._jvm

    def told(*, ended: bool = False) -> dict[str, int]:
        with suppress(Exception):  # the JVM may have ended; it only counts
            rows, size = gateway.sluice.spark.JobInput.of(context._jsc.sc(), tag, ended)
            return {"read_rows": rows, "read_bytes": size}
        return {}

    noted.on_spark = True
    noted.watch(told)
    try:
        yield
        noted.count_read(told(ended=True))
    finally:
        noted.watch(None)


def querying(engine: Engine) -> AbstractContextManager[None]:
    """Run jobs in the slots of queries."""
    return _jobs(engine, slots.QUERIES)


@contextmanager
def _jobs(engine: Engine, pool: str, memory: int = 0) -> Iterator[None]:
    spark, statement = engine.spark(), engine.activity.current()
    if statement is None:
        with slots.marked(spark, pool, "sluice", memory):
            yield
        return
    context, tag = spark.sparkContext, _tag(statement)
    statement.on_cancel(lambda: context.cancelJobsWithTag(tag))
    statement.check()
    with slots.marked(spark, pool, tag, memory):
        yield


def _tag(statement: Statement) -> str:
    """The tag of a statement's jobs."""
    return f"sluice-{statement.number}"
