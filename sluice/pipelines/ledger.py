"""The ledger: every commit of a target says which messages are in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.pipelines.offsets import Ranges


@dataclass(frozen=True, slots=True)
class Entry:
    """One batch in one target; `via` are the views before the one that wrote it, if there are.

    `by` is the token of the server's start that committed it (`sluice.catalog.Instance`).
    """

    pipeline: str
    generation: int
    batch: int
    view: str
    ranges: Ranges
    via: tuple[str, ...] = ()
    by: str = ""

    @property
    def writer(self) -> str:
        """Who commits."""
        return writer(self.pipeline, self.generation, "/".join((*self.via, self.view)))

    def metadata(self) -> str:
        """What the commit says of itself, together with the rows."""
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
        return found | {n: v for n, v in (("via", self.via), ("by", self.by)) if v}


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
    """The entry in a Delta commit, if it is one of ours."""
    try:
        said = json.loads(commit.get("userMetadata") or "{}").get("sluice")
    except (ValueError, AttributeError):
        return None
    return of_fields(said) if said else None


def of_fields(said: Mapping[str, Any]) -> Entry:
    """The entry that `Entry.fields` was made from."""
    ranges = {
        topic: {int(p): (start, end) for p, (start, end) in parts.items()}
        for topic, parts in said["ranges"].items()
    }
    return Entry(
        said["pipeline"],
        said["generation"],
        said["batch"],
        said["view"],
        ranges,
        tuple(said.get("via", ())),
        said.get("by", ""),
    )


def record(commit: Mapping[str, Any], version: int) -> Record | None:
    """The entry of a commit with what else the commit tells, if it has one."""
    entry = read(commit)
    if entry is None:
        return None
    metrics = commit.get("operationMetrics") or {}
    return Record(entry, version, int(commit["timestamp"]), int(metrics.get("numOutputRows", 0)))


def lines(entry: Entry) -> Iterator[tuple[str, int, int, int]]:
    """Topic, partition, from and until of each range."""
    for topic, parts in sorted(entry.ranges.items()):
        for partition, (start, end) in sorted(parts.items()):
            yield topic, partition, start, end
