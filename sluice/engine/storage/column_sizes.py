"""How many bytes each column takes in a data file: its footer says it, and files never change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sluice.sql.core.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Size(NamedTuple):
    """Bytes of a column: as they are in the file, and as they were before they were compressed."""

    compressed: int = 0
    plain: int = 0


_KNOWN: Recent[Mapping[str, Size]] = Recent(most=5000)
"""The columns of files, by their paths."""


def of_file(path: Path) -> Mapping[str, Size]:
    """The columns of a file by their names there; none if it cannot be read."""
    found = _KNOWN.get(str(path))
    if found is None:
        found = _read(path)
        _KNOWN.keep(str(path), found)
    return found


def _read(path: Path) -> dict[str, Size]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        return {}
    names = footer.schema.to_arrow_schema().names
    found = dict.fromkeys(names, Size())
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for leaf in map(group.column, range(group.num_columns)):
            name = _column(leaf.path_in_schema, names)
            size = found.get(name, Size())
            found[name] = Size(
                size.compressed + leaf.total_compressed_size,
                size.plain + leaf.total_uncompressed_size,
            )
    return found


def _column(path: str, names: list[str]) -> str:
    """The column that a value of the file belongs to: names may have dots, and so may be longer."""
    fits = [name for name in names if path == name or path.startswith(f"{name}.")]
    return max(fits, key=len, default=path)
