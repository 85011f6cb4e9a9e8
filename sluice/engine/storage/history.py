"""The ledger of a table for as long as the table exists.

Delta deletes the files of its commits after a month, and the entries with them. So these are
copied to our own files before that: *segments*, each with some hundred entries. What was
committed after the last segment is read from Delta's log.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine.storage import delta_log, ledger
from sluice.engine.storage.store_path import remove_file, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.engine.storage.ledger import Record
    from sluice.engine.storage.store_path import AnyPath

FOLDER = "_sluice_ledger"
"""Delta's VACUUM deletes no folder whose name begins like this."""

SEGMENT = 500
"""Entries of a segment that is not extended any more."""

_LEVEL = 6
"""How hard segments are compressed: 9 takes four times as long, for little."""

_SHORT = json.JSONEncoder(separators=(",", ":"))
_NAME = re.compile(r"(\d{20})-(\d{20})\.json\.gz")


@dataclass(frozen=True, slots=True)
class _Segment:
    """The entries of the versions from `first` to `last`, both included."""

    first: int
    last: int
    path: AnyPath


@dataclass(frozen=True, slots=True)
class _Index:
    """The head of a segment: what is known of everything up to its end.

    `since` is the first version whose entry was kept; `since_ms` tells when that was made.
    """

    since: int
    since_ms: int
    newest: dict[str, Record]


class History:
    """The ledger of one table; threads may share it."""

    def __init__(self, table: AnyPath) -> None:
        self._table = table
        self._lock = threading.RLock()
        self._index: _Index | None = None
        self._folded = -1
        self._read = -1
        self._tail: list[Record] = []

    def last(self, writer: str) -> Record | None:
        """The newest batch of a writer."""
        with self._lock:
            return self._look().newest.get(writer)

    def newest_version(self) -> int:
        """The newest version of the table; -1 if it has none."""
        with self._lock:
            self._look()
            return self._read

    def known_since_ms(self) -> int:
        """From when on every commit is known; 0 if that is from the table's first one on."""
        with self._lock:
            index = self._look()
            return index.since_ms if index.since else 0

    def records(self) -> Iterator[Record]:
        """All entries, oldest first."""
        with self._lock:
            self._look()
            segments, tail = self._segments(), list(self._tail)
        for segment in segments:
            yield from _load(segment)
        yield from tail

    def newest_first(self) -> Iterator[Record]:
        """All entries, newest first; only as many segments are read as are asked for."""
        with self._lock:
            self._look()
            segments, tail = self._segments(), list(self._tail)
        yield from reversed(tail)
        for segment in reversed(segments):
            yield from reversed(_load(segment))

    def fold(self, at_least: int = 1) -> None:
        """Copy the entries of commits to a segment, if there are so many new commits."""
        with self._lock:
            index = self._look()
            if self._read - self._folded < at_least:
                return
            segments, records = self._segments(), list(self._tail)
            first = self._folded + 1 if segments else index.since
            if segments and len(before := _load(segments[-1])) < SEGMENT:
                first, records = segments.pop().first, before + records
            newest = dict(_head(segments[-1]).newest) if segments else {}
            try:
                (self._table / FOLDER).mkdir(exist_ok=True)
                for at in range(0, max(len(records), 1), SEGMENT):
                    part = records[at : at + SEGMENT]
                    last = part[-1].version if at + SEGMENT < len(records) else self._read
                    newest |= {record.entry.writer: record for record in part}
                    head = _Index(index.since, index.since_ms, newest)
                    _save(self._path(first, last), head, part)
                    first = last + 1
            except FileNotFoundError:  # a table that was dropped just now
                return
            kept = self._segments()
            for old in self._segments(every=True):
                if old not in kept:
                    remove_file(old.path)
            self._folded, self._tail = self._read, []

    def _path(self, first: int, last: int) -> AnyPath:
        return self._table / FOLDER / f"{first:020}-{last:020}.json.gz"

    def _segments(self, *, every: bool = False) -> list[_Segment]:
        """The segments in order; those that a longer one took in only if `every` one is wanted."""
        found: list[_Segment] = []
        for path in (self._table / FOLDER).glob("*.json.gz"):
            name = _NAME.fullmatch(path.name)
            if name is not None:
                found.append(_Segment(int(name[1]), int(name[2]), path))
        found.sort(key=lambda each: (each.first, -each.last))
        if every:
            return found
        kept: list[_Segment] = []
        for each in found:
            if not kept or each.first > kept[-1].last:
                kept.append(each)
        return kept

    def _look(self) -> _Index:
        """Read what has been committed since the last look."""
        if self._index is None:
            self._open()
        index = self._index
        assert index is not None  # noqa: S101 - it was opened
        while (commit := delta_log.info(self._table, self._read + 1)) is not None:
            self._read += 1
            found = ledger.record(commit, self._read)
            if found is not None:
                self._tail.append(found)
                index.newest[found.entry.writer] = found
        return index

    def _open(self) -> None:
        segments = self._segments()
        if segments and self._continues(segments[-1].last):
            there = []
        else:
            there = delta_log.versions(self._table)
        if segments and there and there[-1] < segments[-1].last:
            segments = []  # of a table that was here before this one
            for old in self._segments(every=True):
                remove_file(old.path)
        if segments:
            self._index = _head(segments[-1])
            self._folded = self._read = segments[-1].last
        else:
            self._index, self._folded, self._read = _Index(0, 0, {}), -1, -1
        later = [version for version in there if version > self._read]
        if later and later[0] > self._read + 1:
            # Commits were deleted before their entries were copied: by a version without segments.
            made = delta_log.info(self._table, later[0]) or {}
            self._index = _Index(later[0], int(made.get("timestamp", 0)), self._index.newest)
            self._folded = self._read = later[0] - 1

    def _continues(self, last: int) -> bool:
        """Whether the log has a version or the next one, so that nothing after it was deleted.

        A log of many commits is long to list.
        """
        return any(delta_log.info(self._table, each) is not None for each in (last + 1, last))


def _head(segment: _Segment) -> _Index:
    head = json.loads(_lines(segment)[0])
    newest = {each.entry.writer: each for each in map(_record, head["newest"])}
    return _Index(head["since"], head["since_ms"], newest)


def _load(segment: _Segment) -> list[Record]:
    return [_record(json.loads(line)) for line in _lines(segment)[1:]]


def _lines(segment: _Segment) -> list[str]:
    return gzip.decompress(segment.path.read_bytes()).decode("utf-8").splitlines()


def _save(path: AnyPath, index: _Index, records: Sequence[Record]) -> None:
    head = {
        "since": index.since,
        "since_ms": index.since_ms,
        "newest": [_fields(each) for each in index.newest.values()],
    }
    lines = [head, *map(_fields, records)]
    text = "\n".join(map(_SHORT.encode, lines))
    write_whole(path, gzip.compress(text.encode(), _LEVEL, mtime=0))


def _fields(record: Record) -> dict[str, Any]:
    return {
        "entry": record.entry.fields(),
        "version": record.version,
        "committed_ms": record.committed_ms,
        "rows": record.rows,
    }


def _record(fields: dict[str, Any]) -> Record:
    return ledger.Record(**(fields | {"entry": ledger.of_fields(fields["entry"])}))
