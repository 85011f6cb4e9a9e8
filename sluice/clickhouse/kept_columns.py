"""Columns of stored tables that a worker has in memory: those that queries ask for repeatedly.

ClickHouse spends a third of a millisecond on a Parquet file, whatever it reads of it, and most of a
query's time on decoding. The files of a Delta table never change, so their columns are decoded once
and kept in tables in memory, from which the worker's next queries read them.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sluice.clickhouse import tables
from sluice.clickhouse.data_files import DataFile
from sluice.clickhouse.tables import View
from sluice.errors import SluiceError
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sluice.catalog import Table
    from sluice.clickhouse.data_files import Snapshot

_BYTES = 128 << 20
"""Memory for the columns of all tables."""
_READER = 256 << 20
"""And for reading files."""
_FILES = 64 << 20
"""Bytes of the files of one table whose columns are kept."""
_LEAST = 1 << 16
"""A table of whose files not even so many bytes fit is not kept."""
_MANY = 2000
"""Files of a version that is always read from them."""
_LAST = 8
"""Queries of a table that tell which of its columns are kept: those of several of them."""
_PAUSE_S = 2.0
"""Time before other columns of a table are kept."""
_LARGE = 1 << 14
"""Rows of a file that is decoded when it is met first; smaller ones are decoded together."""
_MET = 12
"""Reading small files so often takes as long as decoding them into memory."""
_STEP = 3
"""A tier has files of up to two to this power as many rows as its smallest."""

_File = tuple[str, int]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Tier:
    """A table in memory with the rows of files that have about the same size.

    When one of them is merged with others, which have about its size, the tier is made anew.
    """

    name: str
    files: set[_File] = field(default_factory=set)


@dataclass(slots=True)
class _Kept:
    """What is kept of a stored table: columns, and how they are `made` of a file's."""

    asked: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=_LAST))
    names: frozenset[str] = frozenset()
    made: str = ""
    since: float = 0.0
    tiers: dict[int, _Tier] = field(default_factory=dict)
    size: int = 0
    limit: int = 0
    met: int = 0
    """How often files that are not kept have been read since the last ones were decoded."""
    at: tuple[Table, Snapshot] | None = None
    """The version that was read last."""
    others: tuple[DataFile, ...] = ()
    """Its files that may be kept, and are not."""
    view: View | None = None

    @property
    def files(self) -> set[_File]:
        """The files whose rows are in memory."""
        return {each for tier in self.tiers.values() for each in tier.files}


class KeptColumns:
    """What one worker keeps. Statements use it one after another."""

    def __init__(self, run: Callable[[str], str]) -> None:
        """By a function that runs a statement in the worker."""
        self._run = run
        self._most = _BYTES
        self._files = _FILES
        self.database = f"__sluice_{secrets.token_hex(8)}"
        """Where the tables in memory are: no user can have a database of that name."""
        self._tables: OrderedDict[str, _Kept] = OrderedDict()
        self._made = 0
        self._used: set[str] = set()

    def begin(self) -> None:
        """Begin with the next statement: the views of the last one may not be good any more."""
        self._used.clear()

    def view(
        self, table: Table, snapshot: Snapshot, names: frozenset[str], deleted: Path
    ) -> View | None:
        """These columns of a version, and perhaps others, for one statement.

        It is None if they are not kept.
        """
        kept = self._tables.setdefault(table.uuid, _Kept(limit=self._files))
        self._tables.move_to_end(table.uuid)
        kept.asked.append(names)
        if kept.limit < _LEAST or len(snapshot.files) > _MANY:
            return None
        try:
            if not self._has(kept, table, snapshot, names, deleted):
                return None
            self._follow(kept, table, snapshot)
        except SluiceError as failed:
            # It was too large, or there is a value that the query at hand may not even read.
            log.info("columns of %s are read from files: %s", table.full_name, failed)
            self._forget(kept)
            kept.limit //= 4
            return None
        if not kept.tiers:
            return None
        if kept.view is None:
            kept.view = self._view(kept, table, snapshot, deleted)
        self._used.add(table.uuid)
        return kept.view

    def _has(
        self, kept: _Kept, table: Table, snapshot: Snapshot, names: frozenset[str], deleted: Path
    ) -> bool:
        """Whether columns are kept, or are from now on since they are asked for repeatedly."""
        if kept.at == (table, snapshot) and names <= kept.names:
            return True
        if not tables.are_alone(table, snapshot, deleted):
            self._forget(kept)
            return False
        if names <= kept.names and kept.made == _made(table, snapshot, kept.names):
            return True
        counted = Counter(name for each in kept.asked for name in each)
        repeated = frozenset(name for name, times in counted.items() if times > 1)
        if not names <= repeated or time.monotonic() < kept.since + _PAUSE_S:
            return False
        self._forget(kept)
        kept.names = repeated & {column.name for column in table.stored_columns}
        kept.made = _made(table, snapshot, kept.names)
        kept.since = time.monotonic()
        return True

    def _follow(self, kept: _Kept, table: Table, snapshot: Snapshot) -> None:
        """Drop what a version no more has, and decode what it has anew if that is worth it."""
        if kept.at != (table, snapshot):
            kept.at, kept.view = (table, snapshot), None
            fitting = set(_fitting(snapshot, kept.limit))
            for at, tier in list(kept.tiers.items()):
                if not tier.files <= fitting:
                    self._drop(kept, at)
            new = fitting - kept.files
            kept.others = tuple(file for file in snapshot.files if _key(file) in new)
        kept.met += len(kept.others)
        if not kept.others:
            return
        if kept.met >= _MET or any((file.rows or 0) >= _LARGE for file in kept.others):
            self._decode(kept, table, snapshot)

    def _decode(self, kept: _Kept, table: Table, snapshot: Snapshot) -> None:
        """Read the files that are not kept into memory."""
        by_tier: dict[int, list[DataFile]] = {}
        for file in kept.others:
            by_tier.setdefault(_tier(file), []).append(file)
        for at, files in by_tier.items():
            of = tables.only(table, replace(snapshot, files=tuple(files)), kept.names)
            tier = kept.tiers.get(at) or self._create(kept, at, of)
            columns = _columns(table, kept.names)
            guard = f"SETTINGS max_memory_usage = {self._most + _READER}"
            self._run(f"INSERT INTO {self._name(tier)} ({columns}) {of.query} {guard}")
            tier.files.update(map(_key, files))
        kept.view, kept.others, kept.met = None, (), 0
        kept.size = self._size(kept)
        self._make_room(kept)

    def _create(self, kept: _Kept, at: int, of: View) -> _Tier:
        if not self._made:
            self._run(f"CREATE DATABASE IF NOT EXISTS {self.database} ENGINE = Memory")
        self._made += 1
        tier = kept.tiers[at] = _Tier(f"t{self._made}")
        self._run(f"CREATE TABLE {self._name(tier)} ({of.columns}) ENGINE = Memory")
        return tier

    def _name(self, tier: _Tier) -> str:
        return f"{self.database}.{tier.name}"

    def _size(self, kept: _Kept) -> int:
        names = ", ".join(quote_string(tier.name) for tier in kept.tiers.values())
        where = f"database = '{self.database}' AND name IN ({names})"
        return int(
            self._run(f"SELECT ifNull(sum(total_bytes), 0) FROM system.tables WHERE {where}")
        )

    def _make_room(self, kept: _Kept) -> None:
        """Forget the tables that were not asked for longest, or the one that is too much."""
        if kept.size > self._most:
            kept.limit = min(kept.limit, sum(size for _, size in kept.files)) // 2
            self._forget(kept)
        unused = [each for uuid, each in self._tables.items() if uuid not in self._used]
        for each in [*(each for each in unused if each is not kept), kept]:
            if sum(one.size for one in self._tables.values()) <= self._most:
                return
            self._forget(each)

    def _forget(self, kept: _Kept) -> None:
        for at in list(kept.tiers):
            self._drop(kept, at)
        kept.names, kept.made, kept.size = frozenset(), "", 0
        kept.at, kept.others, kept.met, kept.view = None, (), 0, None

    def _drop(self, kept: _Kept, at: int) -> None:
        self._run(f"DROP TABLE IF EXISTS {self._name(kept.tiers.pop(at))}")

    def _view(self, kept: _Kept, table: Table, snapshot: Snapshot, deleted: Path) -> View:
        held = kept.files
        rest = tuple(file for file in snapshot.files if _key(file) not in held)
        others = tables.only(table, replace(snapshot, files=rest), kept.names, deleted)
        columns = _columns(table, kept.names)
        queries = [f"SELECT {columns} FROM {self._name(tier)}" for tier in kept.tiers.values()]
        queries += [others.query] if rest else []
        return View(others.columns, " UNION ALL ".join(queries), others.deletions)


def _fitting(snapshot: Snapshot, limit: int) -> Iterator[_File]:
    """The files of a version that may be kept, the smallest first."""
    left = limit
    for file in sorted(snapshot.files, key=lambda file: file.size):
        left -= file.size
        if left < 0:
            return
        if file.rows and file.deletion is None:
            yield _key(file)


def _key(file: DataFile) -> _File:
    return file.path, file.size


def _tier(file: DataFile) -> int:
    """0 for small files; each other one has those of up to eight times as many rows."""
    return -(-((file.rows or 0) // _LARGE).bit_length() // _STEP)


def _columns(table: Table, names: frozenset[str]) -> str:
    return ", ".join(quote_name(c.name) for c in table.stored_columns if c.name in names)


def _made(table: Table, snapshot: Snapshot, names: frozenset[str]) -> str:
    """The same text as long as the columns are made in the same way of a file's."""
    made = tables.only(table, replace(snapshot, files=(DataFile("file"),)), names)
    return f"{made.columns} {made.query}"
