"""How much a stored table holds, from Delta's log alone: no Spark, no file of rows is opened."""

from __future__ import annotations

import io
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.engine.storage import delta_log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.engine.storage.store_path import AnyPath

_KEPT = 10_000
"""Tables that are remembered."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the newest version: bytes, rows (None if not known), when it was made."""

    size: int
    rows: int | None
    modified_ms: int


@dataclass(slots=True)
class _State:
    version: int = -1
    files: dict[str, File] = field(default_factory=dict)


class Totals:
    """The files of each table. What was read of a log once is not read again."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}
        self._lock = threading.Lock()

    def files(self, table: AnyPath) -> Mapping[str, File]:
        """The files of a table's newest version, by their names; none if it has no commit yet."""
        with self._lock:
            state = self._states.get(str(table))
            try:
                versions = delta_log.versions(table)
                if state is None or (versions and versions[0] > state.version + 1):
                    state = _from_checkpoint(delta_log.folder(table))
                for version in versions:
                    if version > state.version:
                        _apply(state, delta_log.commit(table, version))
                        state.version = version
            except FileNotFoundError:  # a table that was dropped just now, or is still empty
                state = _State()
            if len(self._states) >= _KEPT:
                self._states.clear()
            self._states[str(table)] = state
            return dict(state.files)


def _apply(state: _State, commit: AnyPath) -> None:
    actions = list(delta_log.actions(commit))
    # A file some of whose rows were deleted is removed and added again, in whatever order.
    for action in actions:
        if (removed := action.get("remove")) is not None:
            state.files.pop(removed["path"], None)
    for action in actions:
        if (added := action.get("add")) is not None:
            state.files[added["path"]] = _file(added)


def _from_checkpoint(log: AnyPath) -> _State:
    """The state that Delta has written down as a whole, or nothing."""
    import pyarrow.parquet as pq

    try:
        last = json.loads((log / "_last_checkpoint").read_text("utf-8"))
    except FileNotFoundError:
        return _State()
    at = int(last["version"])
    found = [*log.glob(f"{at:020d}.checkpoint*.parquet")]
    state = _State(at if found else -1)
    for path in found:
        rows = pq.read_table(io.BytesIO(path.read_bytes()), columns=["add"])
        for row in rows.column("add").to_pylist():
            if row is not None:
                state.files[row["path"]] = _file(row)
    return state


def _file(added: Mapping[str, Any]) -> File:
    rows = json.loads(added.get("stats") or "{}").get("numRecords")
    deleted = (added.get("deletionVector") or {}).get("cardinality") or 0
    return File(
        int(added["size"]),
        None if rows is None else int(rows) - int(deleted),
        int(added.get("modificationTime") or 0),
    )
