"""The transaction of a batch that changes a Delta table by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame as Classic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession


class KeyedBatch:
    """A batch whose transaction has begun: it sees the table as it was then.

    Changes are rows of the table with columns that order those of one key, of which the last one,
    `__put`, tells whether a row is put or deleted.
    """

    def __init__(
        self,
        spark: SparkSession,
        begun: Any,
        metadata: str | None,
        fences: Callable[[], AbstractContextManager[None]],
        *,
        own: bool,
    ) -> None:
        """`metadata` is that of the commit; `own` allows files that Sluice writes itself.

        `fences` names the error of a commit that came too late.
        """
        self._spark = spark
        self._begun = begun
        self._metadata = metadata
        self._fences = fences
        self._own = own

    @property
    def version(self) -> int:
        """The version of the commit; -1 if there is none."""
        return int(self._begun.version())

    @property
    def several(self) -> list[int]:
        """The partitions of a key with changes in several of them, once this is written."""
        return list(self._begun.several())

    def last(self, changes: Any, order: Sequence[str], tasks: int) -> DataFrame:
        """The last change of each key, in so many partitions."""
        return Classic(self._begun.last(changes._jdf, list(order), tasks), self._spark)

    def stored(self, last: Any) -> DataFrame:
        """The rows that the table has of the keys of changes that `last` gave."""
        return Classic(self._begun.stored(last._jdf), self._spark)

    def write(self, changes: Any, order: Sequence[str], tasks: int, feed: Any = None) -> bool:
        """Commit changes, with the rows of the change data feed if there is one.

        They are written by so many tasks; by 0, they are not moved, and there is one for each key.
        False, and nothing is committed, if the last change of a key is one with `__partial`.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch, or a later one, by now.
        """
        rows = None if feed is None else feed._jdf
        with self._fences():
            given = (changes._jdf, list(order), tasks, rows)
            return bool(self._begun.write(*given, self._own, self._metadata))
