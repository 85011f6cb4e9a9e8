"""The rows of a query that a statement stores: computed as those of a SELECT are."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sluice.options import query_settings
from sluice.options.query_settings import ENGINE, SPARK
from sluice.session import clickhouse_data, needed, queries
from sluice.session.clickhouse_views import UseSpark
from sluice.session.direct import Reading
from sluice.session.frames import answered
from sluice.session.running import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type

log = logging.getLogger(__name__)


class Selected(Protocol):
    """A query that is checked, and has not run yet."""

    @property
    def columns(self) -> Sequence[tuple[str, Type | None]]:
        """Its columns; None for a type that nobody can tell."""

    def rows(self, into: Sequence[Type]) -> tuple[DataFrame, int]:
        """Its rows for columns of these types, and their count; 0 if that is not known."""

    def commit(self) -> None:
        """Note that the rows are stored."""


@contextmanager
def selected(context: Context, query: ir.Query) -> Iterator[Selected]:
    """A query that is run by ClickHouse if it can read all tables, else by Spark."""
    with ExitStack() as stack:
        found: Selected
        try:
            if context.settings.get(ENGINE) == SPARK:
                reason = "the settings say so"
                raise UseSpark(reason)
            found = stack.enter_context(clickhouse_data.selected(context, query))
        except UseSpark as why:
            log.debug("query %s runs on Spark: %s", context.query_id, why)
            found = _by_spark(context, query, stack)
        yield found


@dataclass(frozen=True, slots=True)
class _BySpark:
    frame: DataFrame
    columns: Sequence[tuple[str, Type | None]]
    reading: Reading

    def rows(self, into: Sequence[Type]) -> tuple[DataFrame, int]:
        return self.frame, 0

    def commit(self) -> None:
        self.reading.commit()


def _by_spark(context: Context, query: ir.Query, stack: ExitStack) -> _BySpark:
    engine = context.engine
    query = queries.for_spark(context, query)
    query_settings.check_spark(context.asked, query.setting_places, answers=False)
    needed.check_reads(context.access, query, engine.catalog, context.database)
    stack.enter_context(counted(engine))
    reading = stack.enter_context(Reading(engine, query, context.settings, context.access))
    frame, types = queries.typed_rows(engine, query, context.database, reading)
    return _BySpark(frame, answered(frame, types), reading)
