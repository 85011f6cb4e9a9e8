"""The batches that targets already have, and whether a batch that is run again is one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import offsets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Table
    from sluice.engine.storage.ledger import Entry, Record, Writer
    from sluice.engine.storage.store_path import AnyPath
    from sluice.engine.storage.tables import DeltaStore


def repeated(record: Record | None, entry: Entry, target: str) -> bool:
    """Whether a record is that of the entry's batch, or of a later one.

    Raises:
        SluiceError: BATCH_RANGES_DIFFER.
    """
    if record is None or record.entry.batch < entry.batch:
        return False
    if record.entry.batch != entry.batch or record.entry.ranges != entry.ranges:
        raise errors.BATCH_RANGES_DIFFER(
            target=target,
            batch=entry.batch,
            stored=f"{offsets.shown(record.entry.ranges)} as batch {record.entry.batch}",
            given=offsets.shown(entry.ranges),
        )
    return True


def check_known(
    store: DeltaStore, checkpoint: AnyPath, targets: Iterable[tuple[Table, int]]
) -> None:
    """Check that the ledger of each table tells whether it has the last batch that was begun.

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


def last_committed(store: DeltaStore, table: Table, writer: Writer) -> Record | None:
    """The last batch of a writer that a Delta table has.

    Raises:
        SluiceError: DATA_FOLDER_COPIED, if a server on another data folder has written it.
    """
    record = store.last_batch(table, writer.id)
    if record is not None and not store.instance.wrote(record.entry.by):
        batch = record.entry.batch
        what = f"a server on another one has written batch {batch} to {table.full_name}"
        raise errors.DATA_FOLDER_COPIED(what=what)
    return record
