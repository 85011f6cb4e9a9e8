"""Whose task slots a thread's Spark jobs take, and the tag by which they are cancelled.

Local mode has slots of three kinds (`sluice.spark.Slots` in Java). Jobs of a thread that is not
marked here are pipelines'.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

QUERIES, SHORT = "queries", "short"
"""Statements' own work, and what must not wait for that: plans, constants, system tables."""

SHORT_SLOTS = 2

_LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:,\s*\d+)?\])?")


def slotted(master: str) -> str:
    """The master with as many slots for queries as for pipelines; a cluster's is left as it is."""
    found = _LOCAL.fullmatch(master)
    if found is None:
        return master
    cores = found[1] or "1"
    return f"local[{cores}+{cores}+{SHORT_SLOTS}]"


@dataclass(frozen=True, slots=True)
class _Marks:
    context: SparkContext
    pool: str
    tag: str
    memory: int = 0


_CURRENT: ContextVar[_Marks | None] = ContextVar("marks", default=None)


def marked(
    spark: SparkSession, pool: str, tag: str, memory: int = 0
) -> AbstractContextManager[None]:
    """Let this thread's jobs run in the slots of a kind, and be cancelled by a tag.

    `memory` are the bytes that the operators of a query may have together, 0 for their share of
    what all queries have (`sluice.spark.SharedMemory` in Java).
    """
    return _applied(_Marks(spark.sparkContext, pool, tag, memory))


def carried(work: Callable[[], None]) -> Callable[[], None]:
    """Work for another thread, marked as this one is."""
    marks = _CURRENT.get()
    if marks is None:
        return work

    def run() -> None:
        with _applied(marks):
            work()

    return run


def is_short(rows: DataFrame) -> bool:
    """Whether rows are made in memory, and few; their plan is made for that."""
    frame: Any = rows
    jvm: Any = rows.sparkSession._jvm
    return bool(jvm.sluice.spark.Plans.isShort(frame._jdf))


@contextmanager
def _applied(marks: _Marks) -> Iterator[None]:
    before = _CURRENT.get()
    token = _CURRENT.set(marks)
    _set(marks.context, marks)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        _set(marks.context, before)


def _set(context: SparkContext, marks: _Marks | None) -> None:
    """Set the properties of this thread that Spark gives to its jobs."""
    properties = {
        "spark.scheduler.pool": marks.pool if marks else None,
        "spark.job.tags": marks.tag if marks else None,
        "spark.job.interruptOnCancel": "true" if marks else None,
        "sluice.memory": str(marks.memory) if marks and marks.memory else None,
    }
    own: Any = context
    for name, value in properties.items():
        own.setLocalProperty(name, value)
