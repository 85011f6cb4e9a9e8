"""Projections that are told to Spark once and used for every batch."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame as Classic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True)
class Named:
    """A column as a text of SQL, with a name and metadata.

    Spark is told all of these in one call, and a `Column` in about ten.
    """

    sql: str
    name: str
    metadata: Mapping[str, str] = field(default_factory=dict)


class Select:
    """Columns to select, kept in the JVM: telling it a wide table's columns takes a while."""

    def __init__(self, columns: Sequence[Column | Named]) -> None:
        self._columns = columns
        self._kept: Any = None

    def __call__(self, frame: DataFrame) -> DataFrame:
        """The frame's rows with these columns."""
        given: Any = frame
        if self._kept is None:
            self._kept = self._told(frame.sparkSession._jvm)
        return Classic(given._jdf.select(self._kept), frame.sparkSession)

    def _told(self, jvm: Any) -> Any:
        texts = [
            [c.sql, c.name, json.dumps(c.metadata)] if isinstance(c, Named) else None
            for c in self._columns
        ]
        others: list[Any] = [c for c in self._columns if not isinstance(c, Named)]
        return jvm.sluice.spark.Columns.all(json.dumps(texts), [c._jc for c in others])
