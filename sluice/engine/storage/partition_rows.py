"""How many rows of each partition the files of a table have.

A file can have rows of several partitions: PARTITION BY is a property of rows. Files never change,
so each is counted once.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice.clickhouse import allowed, syntax
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import FILE, located
from sluice.planner.merging import merging_of
from sluice.planner.partitions import partition_id, partition_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.clickhouse.data_files import DataFile, Snapshot
    from sluice.clickhouse.pool import Pool
    from sluice.engine.storage.deletion_vectors import DeletedRows

_KEPT = 1000
"""Tables that are remembered."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one partition in a file."""

    partition: str
    id: str
    rows: int


class PartitionRows:
    """Counts the rows of partitions, by ClickHouse."""

    def __init__(self, workers: Pool, deleted: DeletedRows) -> None:
        """`deleted` has the rows of files that are no more."""
        self._workers = workers
        self._deleted = deleted
        self._known: OrderedDict[str, dict[str, Sequence[Part]]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, table: Table, snapshot: Snapshot) -> Mapping[str, Sequence[Part]]:
        """The parts of each file of a version, by the file's name; none if that cannot be told."""
        with self._lock:
            known = self._known.pop(f"{table.uuid} {table.partition_by}", {})
            files = {_name(file): file for file in snapshot.files}
            keys = {name: _key(file) for name, file in files.items()}
            new = [file for name, file in files.items() if keys[name] not in known]
            if new:
                known |= self._counted(table, replace(snapshot, files=tuple(new)))
            kept = {key: known[key] for key in keys.values() if key in known}
            self._known[f"{table.uuid} {table.partition_by}"] = kept
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return {name: kept[key] for name, key in keys.items() if key in kept}

    def _counted(self, table: Table, snapshot: Snapshot) -> dict[str, Sequence[Part]]:
        view = located(table, snapshot, merging_of(table), self._deleted.folder)
        if isinstance(view, NotReadable):
            return {}
        self._deleted.write(snapshot.folder, view.deletions)
        key = partition_key(table)
        value = key[0] if len(key) == 1 else f"tuple({', '.join(key)})"
        shown = f"toString({value}), {partition_id(key)}"
        counted = f"SELECT {FILE}, {shown}, toUInt64(count())"
        query = f"{counted} FROM ({view.query}) GROUP BY ALL ORDER BY ALL"
        with self._workers.worker(inner=True) as worker:
            parsed = syntax.read(worker, f"SELECT {shown}", {})
            allowed.check(parsed)
            if not parsed.reads_nothing:
                return {}
            lines = worker.run(query, lines="JSONCompactEachRow").splitlines()
        found: dict[str, list[Part]] = {_key(file): [] for file in snapshot.files}
        files = {_name(file): _key(file) for file in snapshot.files}
        for name, value, id_, rows in map(json.loads, lines):
            found[files[name]].append(Part(value, id_, int(rows)))
        return dict(found)


def _name(file: DataFile) -> str:
    return file.path.rpartition("/")[2]


def _key(file: DataFile) -> str:
    """What tells a file with the rows that it has now."""
    return f"{file.path} {file.deletion.id if file.deletion is not None else ''}"
