"""Projections that are told to Spark once and used for every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame


class Select:
    """Columns to select, kept in the JVM: telling it a wide table's columns takes a while."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._kept: Any = None

    def __call__(self, frame: DataFrame) -> DataFrame:
        """The frame's rows with these columns."""
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        given: Any = frame
        if self._kept is None:
            self._kept = given._jcols(*self._columns)
        return Classic(given._jdf.select(self._kept), frame.sparkSession)
