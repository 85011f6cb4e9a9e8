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
    """One batch in one target; `via` are the views before the one that wrote it, if there are."""

    pipeline: str
    generation: int
    batch: int
    view: str
    ranges: Ranges
    via: tuple[str, ...] = ()

    @property
    def writer(self) -> str:
        """Who commits."""
        return writer(self.pipeline, self.generation, "/".join((*self.via, self.view)))

    def options(self) -> dict[str, str]:
        """The options of the write that say, in the same commit as the rows, what it holds."""
        said = {
            "pipeline": self.pipeline,
            "generation": self.generation,
            "batch": self.batch,
            "view": self.view,
            "ranges": self.ranges,
        } | ({"via": self.via} if self.via else {})
        return {"userMetadata": json.dumps({"sluice": said})}


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
    if not said:
        return None
    ranges = {
        topic: {int(p): (start, end) for p, (start, end) in parts.items()}
        for topic, parts in said["ranges"].items()
    }
    via = tuple(said.get("via", ()))
    return Entry(said["pipeline"], said["generation"], said["batch"], said["view"], ranges, via)


def lines(entry: Entry) -> Iterator[tuple[str, int, int, int]]:
    """Topic, partition, from and until of each range."""
    for topic, parts in sorted(entry.ranges.items()):
        for partition, (start, end) in sorted(parts.items()):
            yield topic, partition, start, end
