"""Whether reading is blocked by an open transaction; shown while it is, and noted if it lasts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sluice.catalog import Event
from sluice.kafka.transactions import Transactions
from sluice.pipelines import source
from sluice.pipelines.status import now

if TYPE_CHECKING:
    from sluice.catalog import Catalog, Offsets
    from sluice.kafka.cluster import Cluster
    from sluice.pipelines.source import Source

log = logging.getLogger(__name__)


class Blocked:
    """Looks after one source that reads committed messages only."""

    def __init__(self, given: Source, cluster: Cluster, catalog: Catalog) -> None:
        self._table = given.table
        self._catalog = catalog
        self._open: Transactions | None = None
        if source.committed_only(given):
            self._open = Transactions(given.connection, cluster)

    def check(self, position: Offsets, ends: Offsets) -> None:
        """Raise if what is left to read comes after the begin of an open transaction.

        Raises:
            SluiceError: KAFKA_TRANSACTION_OPEN, or what the broker says.
        """
        found = self._open.blocking(position, ends) if self._open is not None else None
        if self._open is None or found is None:
            return
        if self._open.worth_noting(found):
            text = found.error.text()
            log.warning("%s: %s", self._table.full_name, text)
            at = {found.topic: {found.partition: (found.offset, found.offset)}}
            kind = found.error.condition.name
            names = (self._table.database, self._table.name)
            self._catalog.add_event(Event(now(), *names, kind, text, at))
        raise found.error
