"""What statements can say: options and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.session.system.model import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.session.engine import Engine
    from sluice.session.system.model import Row


@system_table("one", "dummy UInt8")
def _one(engine: Engine) -> Iterable[Row]:
    yield (0,)


@system_table(
    "options",
    """
    name String
    clickhouse String
    flink String
    dli String
    family String
    type String
    default String
    scope String
    status String
    why String
    secret Bool
    description String
    """,
)
def _options(engine: Engine) -> Iterable[Row]:
    from sluice.options import docs

    return (tuple(row.values()) for row in docs.rows())


@system_table("functions", "name String\nis_aggregate Bool\ndescription String")
def _functions(engine: Engine) -> Iterable[Row]:
    from sluice.sql.clickhouse.functions import FUNCTIONS

    for name, function in sorted(FUNCTIONS.items()):
        yield (
            name,
            bool(getattr(function, "aggregate", False)),
            getattr(function, "doc", "") or "",
        )
