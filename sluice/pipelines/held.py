"""What targets had when a query was started, and whether a batch that is run again is among it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog import Instance, Table
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.ledger import Entry, Record
    from sluice.pipelines.store_path import AnyPath


@dataclass(frozen=True, slots=True)
class Held:
    """The newest batch of each writer, if its target has one.

    Only the first batch of a query can be one of those: Spark repeats the one it did not finish,
    and a batch that fails ends the query.
    """

    records: Mapping[str, Record]

    @property
    def newest(self) -> int:
        """The newest batch that any target has; -1 for none."""
        return max((record.entry.batch for record in self.records.values()), default=-1)

    def last(self, writer: str) -> int:
        """The newest batch of a writer; -1 for none."""
        record = self.records.get(writer)
        return -1 if record is None else record.entry.batch

    def has(self, entry: Entry, target: str) -> bool:
        """Whether the target has the batch of an entry, and with the same messages.

        Raises:
            SluiceError: BATCH_RANGES_DIFFER.
        """
        return repeated(self.records.get(entry.writer), entry, target)


def repeated(record: Record | None, entry: Entry, target: str) -> bool:
    """Whether a record is that of the entry's batch, or of a later one.

    Raises:
        SluiceError: BATCH_RANGES_DIFFER.
    """
    if record is None or record.entry.batch < entry.batch:
        return False
    if record.entry.batch != entry.batch or record.entry.ranges != entry.ranges:
        raise differing(
            target,
            entry.batch,
            f"{offsets.shown(record.entry.ranges)} as batch {record.entry.batch}",
            offsets.shown(entry.ranges),
        )
    return True


def check_known(
    store: DeltaStore, checkpoint: AnyPath, targets: Iterable[tuple[Table, int]]
) -> None:
    """Whether it can be told of each table, with the newest batch it has, if it has the last one.

    Raises:
        SluiceError: LEDGER_INCOMPLETE for a batch that was begun and not finished when Delta's log
            had entries that nobody had copied yet.
    """
    begun = offsets.last_logged(checkpoint)
    if begun <= offsets.last_logged(checkpoint, "commits"):
        return
    at_ms = offsets.begun_at(checkpoint, begun) * 1000
    for table, newest in targets:
        if newest < begun and store.exists(table) and store.ledger(table).known_since_ms() > at_ms:
            raise errors.LEDGER_INCOMPLETE(table=table.full_name, batch=begun)


def differing(target: str, batch: int, stored: str, given: str) -> errors.SluiceError:
    """The error for a batch that a target has with other messages."""
    return errors.BATCH_RANGES_DIFFER(target=target, batch=batch, stored=stored, given=given)


def own(record: Record, instance: Instance, target: str) -> Record:
    """A record, if a server on this data folder has written it.

    Raises:
        SluiceError: DATA_FOLDER_COPIED.
    """
    if not instance.wrote(record.entry.by):
        what = f"a server on another one has written batch {record.entry.batch} to {target}"
        raise errors.DATA_FOLDER_COPIED(what=what)
    return record
