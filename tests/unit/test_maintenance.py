"""When files are merged; the merging itself needs Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from sluice.clickhouse.data_files import DataFile, NotReadable, Snapshot
from sluice.engine.storage.compaction import SMALL
from sluice.engine.storage.maintenance import Maintenance

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE: Any = SimpleNamespace(uuid="u", full_name="d.t")


class Place:
    """A table's files and versions, and what maintenance asks about them."""

    def __init__(self, *sizes: int) -> None:
        self.sizes: Sequence[int] = sizes
        self.version = -1
        self.readable = True
        self.asked: list[str] = []
        self.merged: list[int] = []
        self.store = self.compaction = self
        given: Any = self
        self.maintenance = Maintenance(given, lambda: given, list, given)

    def ledger(self, table: object) -> Any:
        return SimpleNamespace(fold=lambda: None, newest_version=lambda: self.version)

    def path(self, table: object) -> Path:
        return Path("/t")

    def of(self, path: Path) -> Snapshot | NotReadable:
        self.asked.append("log")
        files = tuple(DataFile(str(at), size=size) for at, size in enumerate(self.sizes))
        return Snapshot(path, self.version, files) if self.readable else NotReadable("far away")

    def small_files(self, table: object, since: float) -> int:
        self.asked.append("since the last" if since else "since ever")
        return len(self.sizes)

    def merge_files(self, spark: object, table: object, *, every: bool) -> None:
        """All but the last of the small files become one."""
        assert not every
        self.merged.append(len(self.sizes))
        large = [size for size in self.sizes if size >= SMALL]
        self.sizes, self.version = [*large, 2, 1], self.version + 1

    def remove_old_files(self, spark: object, table: object) -> None:
        """There are none."""

    def commit(self, *sizes: int) -> bool:
        """Commits with a file each, and a look; whether files were merged."""
        self.sizes, self.version = [*self.sizes, *sizes], self.version + len(sizes)
        return self.maintenance.maintain(TABLE, many=4)


def test_many_new_files_are_merged() -> None:
    place = Place()
    assert not place.commit(1, 1, 1)
    assert place.asked == []
    assert place.commit(1)
    assert place.merged == [4]
    assert not place.commit(1, 1)
    assert not place.commit(1)
    assert place.commit(1)
    assert place.merged == [4, 6]


def test_large_files_are_none_of_them() -> None:
    place = Place()
    assert not place.commit(SMALL, SMALL, SMALL, SMALL)
    assert place.asked == ["log"]
    assert not place.commit(1, 1, 1)
    assert place.asked == ["log"]
    assert not place.commit(SMALL)
    assert place.asked == ["log", "log"]
    assert place.commit(1, 1, 1, 1)


def test_a_table_that_was_made_anew_is_counted_anew() -> None:
    place = Place()
    assert place.commit(1, 1, 1, 1, 1, 1)
    place.sizes, place.version = [1] * 8, 2
    assert place.commit(1)


def test_files_that_only_a_folder_tells_of() -> None:
    place = Place()
    place.readable = False
    assert place.commit(1, 1, 1, 1)
    place.commit(1, 1, 1, 1)
    assert [each for each in place.asked if each != "log"] == ["since ever", "since the last"]
