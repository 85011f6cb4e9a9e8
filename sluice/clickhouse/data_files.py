"""The files of a stored table's version, as a reader needs to know them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class NotReadable:
    """The answer for a table that ClickHouse cannot read here: it is read with Spark."""

    reason: str


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """Where Delta has the numbers of a data file's deleted rows.

    `storage` is `u` (a file of the table, `data` tells its name), `p` (an absolute path) or `i`
    (`data` itself); the other parts are those of Delta's descriptor.
    """

    storage: str
    data: str
    size: int
    rows: int
    offset: int = 0

    @property
    def id(self) -> str:
        """What tells it from all others."""
        return f"{self.storage}{self.data}@{self.offset}"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file: its path in the table's folder, or an absolute one, and what is in no file.

    `partition` has the values of partition columns by physical name, as Delta writes them: texts.
    `rows` are all rows, the deleted ones too; None if the log does not tell. `size` is in bytes.
    """

    path: str
    partition: Mapping[str, str | None] = field(default_factory=dict)
    deletion: DeletionVector | None = None
    rows: int | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A version of a Delta table; -1 and no files for a table without a commit.

    `fields` are those of its schema by name, as Delta's JSON describes them.
    """

    folder: Path
    version: int = -1
    files: tuple[DataFile, ...] = ()
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()

    def rows(self) -> int | None:
        """The rows that are not deleted; None if the log does not tell."""
        total = 0
        for file in self.files:
            if file.rows is None:
                return None
            total += file.rows - (file.deletion.rows if file.deletion is not None else 0)
        return total


def physical_name(column: Mapping[str, Any]) -> str:
    """What a field of a schema is called in Parquet files: with column mapping, a name for good."""
    name: str = column["metadata"].get("delta.columnMapping.physicalName", column["name"])
    return name
