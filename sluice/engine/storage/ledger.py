"""The ledger: every commit of a target records the offset ranges in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.catalog.entities import ranges_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.engine.offsets import Ranges


@dataclass(slots=True)
class Writer:
    """Who writes to a target: a view, or an output of a job, in a generation of its query.

    `via` are the views upstream of the view. The generation is in its id, or a new start would be
    skipped. `transaction` is the last source transaction of the batch that is being written.
    """

    pipeline: str
    generation: int
    view: str
    via: tuple[str, ...] = ()
    transaction: str = ""

    @property
    def target(self) -> str:
        """Which of the query's targets it writes to."""
        return "/".join((*self.via, self.view))

    @property
    def id(self) -> str:
        """Its name in Delta's log and in the ledger."""
        return writer(self.pipeline, self.generation, self.target)

    def entry(self, batch: int, ranges: Ranges) -> Entry:
        """A batch of its."""
        who = (self.pipeline, self.generation, batch, self.view)
        return Entry(*who, ranges, self.via, transaction=self.transaction)


@dataclass(frozen=True, slots=True)
class Entry:
    """One batch in one target; `via` are the views before the one that wrote it, if there are.

    `by` is the token of the server's start that committed it (`sluice.catalog.Instance`);
    `transaction` the last source transaction in it, of a source that reads whole ones.
    """

    pipeline: str
    generation: int
    batch: int
    view: str
    ranges: Ranges
    via: tuple[str, ...] = ()
    by: str = ""
    transaction: str = ""

    @property
    def writer(self) -> str:
        """Who commits."""
        return writer(self.pipeline, self.generation, "/".join((*self.via, self.view)))

    def metadata(self) -> str:
        """The metadata of the commit of the rows."""
        return json.dumps({"sluice": self.fields()})

    def fields(self) -> dict[str, Any]:
        """The entry as JSON has it."""
        found: dict[str, Any] = {
            "pipeline": self.pipeline,
            "generation": self.generation,
            "batch": self.batch,
            "view": self.view,
            "ranges": self.ranges,
        }
        more = {"via": self.via, "by": self.by, "transaction": self.transaction}
        return found | {name: value for name, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class Record:
    """An entry with its commit: the table's version, when it was made, how many rows it added."""

    entry: Entry
    version: int
    committed_ms: int
    rows: int


def writer(pipeline: str, generation: int, view: str) -> str:
    """A view, by its plan's id, as a writer.

    The generation is in it, or a new start would be skipped.
    """
    return f"{pipeline}/{generation}/{view}"


def read(commit: Mapping[str, Any]) -> Entry | None:
    """The entry in a Delta commit, if a pipeline wrote it."""
    try:
        fields = json.loads(commit.get("userMetadata") or "{}").get("sluice")
    except (ValueError, AttributeError):
        return None
    return of_fields(fields) if fields else None


def of_fields(fields: Mapping[str, Any]) -> Entry:
    """The entry that `Entry.fields` was made from."""
    names = ("pipeline", "generation", "batch", "view", "by", "transaction")
    plain = {name: fields[name] for name in names if name in fields}
    return Entry(**plain, ranges=ranges_of(fields["ranges"]), via=tuple(fields.get("via", ())))


def record(commit: Mapping[str, Any], version: int) -> Record | None:
    """The entry of a commit with what else the commit tells, if it has one."""
    entry = read(commit)
    if entry is None:
        return None
    metrics = commit.get("operationMetrics") or {}
    return Record(entry, version, int(commit["timestamp"]), int(metrics.get("numOutputRows", 0)))
