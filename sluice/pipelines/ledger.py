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
    """One batch in one target."""

    pipeline: str
    generation: int
    batch: int
    view: str
    ranges: Ranges

    @property
    def writer(self) -> str:
        """Who commits."""
        return writer(self.pipeline, self.generation, self.view)

    def options(self) -> dict[str, str]:
        """The options of the write that say, in the same commit as the rows, what it holds."""
        said = {
            "pipeline": self.pipeline,
            "generation": self.generation,
            "batch": self.batch,
            "view": self.view,
            "ranges": self.ranges,
        }
        return {"userMetadata": json.dumps({"sluice": said})}


def writer(pipeline: str, generation: int, view: str) -> str:
    """A view's name as a writer; the generation is in it, or a new start would be skipped."""
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
    return Entry(said["pipeline"], said["generation"], said["batch"], said["view"], ranges)


def lines(entry: Entry) -> Iterator[tuple[str, int, int, int]]:
    """Topic, partition, from and until of each range."""
    for topic, parts in sorted(entry.ranges.items()):
        for partition, (start, end) in sorted(parts.items()):
            yield topic, partition, start, end
