"""What the catalog remembers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sluice.types import Type

Offsets = dict[str, dict[int, int]]

KAFKA = "kafka"
STORED = "stored"
VIEW = "view"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `alias` is the expression text of one that is computed."""

    name: str
    type: Type
    alias: str | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A Kafka table, a stored table or a materialized view.

    `settings` are kept as they were written, secrets too: the catalog's file is for its owner only.
    """

    uuid: str
    database: str
    name: str
    kind: str
    columns: tuple[Column, ...]
    created: datetime
    engine: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    order_by: tuple[str, ...] = ()
    partition_by: str | None = None
    comment: str = ""
    query: str | None = None
    source: tuple[str, str] | None = None
    target: tuple[str, str] | None = None
    attached: bool = True

    @property
    def full_name(self) -> str:
        """Database and name."""
        return f"{self.database}.{self.name}"

    @property
    def key(self) -> tuple[str, str]:
        """What the catalog finds it by."""
        return (self.database, self.name)


@dataclass(frozen=True, slots=True)
class Generation:
    """Where a Kafka table began to read, and which topics those were.

    A reset makes a new generation, with a checkpoint of its own: an old checkpoint is never edited.
    """

    number: int
    starts: Offsets
    topic_ids: Mapping[str, str]


def definition(table: Table) -> dict[str, Any]:
    """The parts of a table that are kept as JSON."""
    return {
        "columns": [[c.name, str(c.type), c.alias, c.comment] for c in table.columns],
        "engine": table.engine,
        "settings": dict(table.settings),
        "order_by": list(table.order_by),
        "partition_by": table.partition_by,
        "comment": table.comment,
        "query": table.query,
        "source": table.source,
        "target": table.target,
    }


def from_definition(head: Mapping[str, Any], body: Mapping[str, Any]) -> Table:
    """The table that `definition` was made from."""
    columns = tuple(Column(n, parse_type(t), alias, note) for n, t, alias, note in body["columns"])
    return Table(
        **head,
        columns=columns,
        engine=body["engine"],
        settings=body["settings"],
        order_by=tuple(body["order_by"]),
        partition_by=body["partition_by"],
        comment=body["comment"],
        query=body["query"],
        source=tuple(body["source"]) if body["source"] else None,
        target=tuple(body["target"]) if body["target"] else None,
    )
