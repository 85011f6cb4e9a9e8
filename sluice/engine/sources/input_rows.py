"""The rows of a query's input: decoded or stored, with computed columns and the watermark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.engine.sources.decode import Decoder
from sluice.engine.sources.event_time import PLACE
from sluice.engine.spark import typed
from sluice.engine.spark.plans import watermarked
from sluice.engine.spark.projection import Select

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pyspark.sql import Column, DataFrame

    from sluice.engine.sources.event_time import PartitionTimes
    from sluice.engine.sources.evolved import Evolved
    from sluice.planner.query import Input


class InputRows:
    """From a table's messages, or its stored rows, to the rows of an input; created once.

    They have the table's computed columns and its watermark.
    """

    def __init__(
        self,
        given: Input,
        found: DataFrame,
        times: PartitionTimes | None = None,
        evolved: Evolved | None = None,
        uses: Collection[str] = (),
    ) -> None:
        """For frames like this one; `times` take note of the rows' times, for the watermark.

        `evolved` are columns of changes that the table does not declare, `uses` those that the
        query reads.
        """
        self._watermark = given.watermark
        self._times = times
        self._steps: list[Callable[[DataFrame], DataFrame]] = []
        there = tuple(found.columns)
        kept: tuple[str, ...] = PLACE if times is not None else ()
        if given.source is not None:
            decoder = Decoder(given.source, found, uses, kept, evolved)
            there = decoder.columns
            kept = (*decoder.hidden, *kept)
            self._steps.append(decoder)
        if given.computed:
            others = [F.col(name) for name in kept]
            self._steps.append(Select([*_completed(given, there), *others]))

    def __call__(self, found: DataFrame) -> DataFrame:
        """The rows, with the table's computed columns and its watermark."""
        for step in self._steps:
            found = step(found)
        if self._watermark is None:
            return found
        if self._times is None:
            return watermarked(found, *self._watermark)
        return watermarked(found, *self._watermark, self._times.noted).drop(*PLACE)


def rows(
    given: Input,
    found: DataFrame,
    times: PartitionTimes | None = None,
    uses: Collection[str] = (),
) -> DataFrame:
    """A table's rows, for a plan that is made once."""
    return InputRows(given, found, times, uses=uses)(found)


def _completed(given: Input, there: Iterable[str]) -> list[Column]:
    """The columns that are there, and the computed ones, in the table's order."""
    made, kept, columns = dict(given.computed), set(there), []
    for column in given.table.columns:
        if column.name in made:
            columns.append(F.expr(made[column.name]).alias(column.name))
        elif column.name in kept:
            columns.append(typed.column(column.name))
    return columns
