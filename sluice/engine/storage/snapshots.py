"""The newest versions of Delta tables, read from their logs without Spark.

A table's state is kept and advanced by the commits that came since: usually one small file.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sluice import errors
from sluice.clickhouse.data_files import DataFile, DeletionVector, NotReadable, Snapshot
from sluice.engine.storage import delta_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.engine.storage.store_path import AnyPath

    Action = Mapping[str, Any]

_FILES = 200_000
"""Data files that are kept in memory, of all tables together."""

_ATTEMPTS = 5
"""How often a log is read whose files are cleaned up meanwhile."""

_READER_VERSION = 3
_READER_FEATURES = frozenset(
    {"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
_CHECKPOINT = re.compile(
    r"(?P<version>\d{20})\.checkpoint"
    r"(?:\.(?P<part>\d{10})\.(?P<parts>\d{10})|\.(?P<id>[0-9a-f-]{36}))?\.(?:parquet|json)"
)
_COLUMNS = (
    "add.path", "add.partitionValues", "add.deletionVector", "add.stats", "add.size",
    "metaData.schemaString", "metaData.partitionColumns",
    "protocol.minReaderVersion", "protocol.readerFeatures", "sidecar.path",
)  # fmt: skip
"""What is read of a checkpoint; it also has statistics, transactions and removed files."""


class Snapshots:
    """The newest snapshots of tables; safe to use from several threads."""

    def __init__(self, files: int = _FILES) -> None:
        """At most so many data files are kept; the tables not asked for longest are forgotten."""
        self._limit = files
        self._states: OrderedDict[Path, _State] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, table: AnyPath) -> Snapshot | NotReadable:
        """The newest version of the table in a folder.

        Raises:
            SluiceError: DELTA_FEATURE_UNSUPPORTED for a table that needs a newer reader.
        """
        if not isinstance(table, Path):
            return NotReadable("its files are in an object store")
        with self._lock:
            state = self._states.setdefault(table, _State(table))
            self._states.move_to_end(table)
        found = state.newest()
        with self._lock:
            self._forget()
        return found

    def _forget(self) -> None:
        kept = sum(len(state.files) for state in self._states.values())
        while kept > self._limit and len(self._states) > 1:
            _, state = self._states.popitem(last=False)
            kept -= len(state.files)


@dataclass(slots=True)
class _State:
    """What the commits up to a version make of a table."""

    table: Path
    snapshot: Snapshot | None = None
    files: dict[tuple[str, str], DataFile] = field(default_factory=dict)
    schema: Action = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    mark: tuple[int, ...] = ()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def newest(self) -> Snapshot:
        """Advance to the newest version, from the log's start if the known one is not in it."""
        with self.lock:
            known, self.snapshot = self.snapshot, None  # what fails in the middle starts anew
            for attempt in range(_ATTEMPTS):
                try:
                    if attempt or known is None or not self._is_there(known):
                        known = self._read()
                    self.snapshot = self._advanced(known)
                    break
                except FileNotFoundError:  # cleaned up, or removed, while it was read
                    if attempt == _ATTEMPTS - 1:
                        raise
            assert self.snapshot is not None  # noqa: S101 - or the last attempt has raised
            return self.snapshot

    def _read(self) -> Snapshot:
        """The version of the newest checkpoint, or of the first commit."""
        self.files, self.schema = {}, {}
        checkpoint, paths = _newest_checkpoint(self.table)
        for path in paths:
            self._apply(_checkpoint_actions(path))
        if paths:
            return self._at(checkpoint)
        if next(iter(delta_log.versions(self.table)), 0) > 0:
            raise FileNotFoundError(delta_log.commit(self.table, 0))
        return Snapshot(self.table)

    def _advanced(self, known: Snapshot) -> Snapshot:
        """The newest version, by the commits after a known one."""
        newest = known.version
        while (commit := delta_log.commit(self.table, newest + 1)).exists():
            self._apply(delta_log.actions(commit))
            newest += 1
        return known if newest == known.version else self._at(newest)

    def _at(self, version: int) -> Snapshot:
        """What the actions up to a version have made."""
        self.mark = self._mark(version)
        parts = tuple(self.schema.get("partitionColumns") or ())
        files = tuple(self.files.values())
        return Snapshot(self.table, version, files, self.fields, parts)

    def _is_there(self, known: Snapshot) -> bool:
        """Whether a version is still of this table: its commit is the one that was read."""
        return bool(self.mark) and self.mark == self._mark(known.version)

    def _mark(self, version: int) -> tuple[int, ...]:
        """What tells a version's commit from one of another table that is there now."""
        try:
            found = Path(str(delta_log.commit(self.table, version))).stat()
        except FileNotFoundError:
            return ()
        return (found.st_ino, found.st_mtime_ns, found.st_size)

    def _apply(self, actions: Iterable[Action]) -> None:
        for action in actions:
            if add := action.get("add"):
                found = _data_file(add)
                self.files[_key(found.path, found.deletion)] = found
            elif remove := action.get("remove"):
                path = _path(remove["path"])
                self.files.pop(_key(path, _deletion(remove.get("deletionVector"))), None)
            elif metadata := action.get("metaData"):
                self.schema = metadata
                fields = json.loads(metadata["schemaString"])["fields"]
                self.fields = {each["name"]: each for each in fields}
            elif protocol := action.get("protocol"):
                self._check(protocol)

    def _check(self, protocol: Action) -> None:
        """Check that the table can be read.

        Raises:
            SluiceError: DELTA_FEATURE_UNSUPPORTED.
        """
        unknown = sorted(set(protocol.get("readerFeatures") or ()) - _READER_FEATURES)
        if protocol["minReaderVersion"] > _READER_VERSION:
            unknown = [f"reader version {protocol['minReaderVersion']}"]
        if unknown:
            raise errors.DELTA_FEATURE_UNSUPPORTED(path=self.table, features=", ".join(unknown))


def _key(path: str, deletion: DeletionVector | None) -> tuple[str, str]:
    """Delta's key of a file: the same one with other deleted rows is another."""
    return path, deletion.id if deletion is not None else ""


def _path(text: str) -> str:
    """The path of a data file, which the log has as a URL: mostly one in the table's folder."""
    return unquote(text.removeprefix("file:").removeprefix("//") if text[:5] == "file:" else text)


def _data_file(add: Action) -> DataFile:
    values = add.get("partitionValues") or {}
    stats = json.loads(add["stats"]) if add.get("stats") else {}
    return DataFile(
        _path(add["path"]),
        dict(values),
        _deletion(add.get("deletionVector")),
        stats.get("numRecords"),
        add.get("size") or 0,
    )


def _deletion(found: Action | None) -> DeletionVector | None:
    if not found:
        return None
    return DeletionVector(
        found["storageType"],
        found["pathOrInlineDv"],
        found["sizeInBytes"],
        found["cardinality"],
        found.get("offset") or 0,
    )


def _newest_checkpoint(table: Path) -> tuple[int, list[Path]]:
    """The version and the files of the newest checkpoint that is complete; -1 if there is none.

    They are found by their names: `_last_checkpoint` may be stale, or missing.
    """
    log = table / "_delta_log"
    try:
        names = os.listdir(log)  # noqa: PTH208 - of perhaps 100,000 commits
    except FileNotFoundError:
        return -1, []
    found: dict[tuple[int, int, str], list[Path]] = {}
    for name in names:
        if match := _CHECKPOINT.fullmatch(name):
            which = (int(match["version"]), int(match["parts"] or 1), match["id"] or "")
            found.setdefault(which, []).append(log / name)
    whole = [which for which, paths in found.items() if len(paths) == which[1]]
    return (max(whole)[0], sorted(found[max(whole)])) if whole else (-1, [])


def _checkpoint_actions(path: Path) -> Iterator[Action]:
    """The actions of a checkpoint's file, and of those that it names: its sidecars."""
    if path.suffix == ".json":
        actions: Iterable[Action] = delta_log.actions(path)
    else:
        actions = _parquet_actions(path)
    for action in actions:
        if sidecar := action.get("sidecar"):
            yield from _parquet_actions(path.parent / "_sidecars" / unquote(sidecar["path"]))
        else:
            yield action


def _parquet_actions(path: Path) -> Iterator[Action]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(_COLUMNS)):
            for name in batch.schema.names:
                column = batch.column(name)
                yield from ({name: each} for each in column.drop_null().to_pylist())
