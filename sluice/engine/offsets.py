"""Offsets: the position of a query, and the exact ranges of a batch."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from sluice import errors
from sluice.catalog.entities import offsets_of
from sluice.engine.storage.store_path import write_whole

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from sluice.catalog import Generation, Offsets
    from sluice.engine.storage.store_path import AnyPath

T = TypeVar("T")
Ranges = dict[str, dict[int, tuple[int, int]]]
"""From (included) and until (excluded), by topic and partition."""

_ORDER = "sluice.json"

_TRANSACTION = "#transaction"
"""Under this name, which no topic has, the log has the last source transaction of a batch."""

FEW = 5000
"""So many messages are a task's work: more tasks would cost more than they save."""

_SHOWN = 5
"""Partitions that an error lists."""


def each(of: Mapping[str, Mapping[int, T]]) -> Iterator[tuple[str, int, T]]:
    """Topic, partition and what is given for it."""
    for topic, parts in of.items():
        for partition, given in parts.items():
            yield topic, partition, given


def restart(table: str) -> str:
    """The remedy for a table that cannot resume."""
    return f"Run SYSTEM RESET OFFSETS {table} TO EARLIEST"


def logged(checkpoint: AnyPath, batch: int, source: int = 0) -> Offsets | None:
    """The end offsets of a batch in Spark's own log; None if there is no such entry.

    `source` is the place among the sources of a query that has several.
    """
    found = _logged(checkpoint, batch, source)
    if found is None:
        return None
    return offsets_of({topic: of for topic, of in found.items() if topic != _TRANSACTION})


def last_transaction(checkpoint: AnyPath, batch: int, source: int = 0) -> str:
    """The last source transaction of a batch in Spark's own log; empty if none is known."""
    found = _logged(checkpoint, batch, source) or {}
    return next(iter(found.get(_TRANSACTION, ())), "")


def _logged(checkpoint: AnyPath, batch: int, source: int) -> dict[str, dict[str, int]] | None:
    path = checkpoint / "offsets" / str(batch)
    try:
        entry = path.read_text("utf-8").splitlines()[2 + source]
    except FileNotFoundError:
        return None
    found: dict[str, dict[str, int]] = {} if entry == "-" else json.loads(entry)
    return found  # with "-" it has not been asked yet


def ranges(
    table: str, checkpoint: AnyPath, batch: int, generation: Generation, source: int = 0
) -> Ranges:
    """Exactly what a batch reads.

    A partition that came later begins at the generation's offset, if it has one, or at its first.
    """
    until = logged(checkpoint, batch, source)
    if until is None:
        raise errors.CHECKPOINT_MISSING(table=table, path=checkpoint / "offsets" / str(batch))
    before = logged(checkpoint, batch - 1, source) if batch else None
    since = merged(generation.starts, before or {})
    return {
        topic: {p: (since.get(topic, {}).get(p, 0), end) for p, end in parts.items()}
        for topic, parts in until.items()
    }


def note_order(checkpoint: AnyPath, views: Sequence[str]) -> None:
    """Keep in the checkpoint in which order Spark has a query's sources in its log."""
    path = checkpoint / _ORDER
    if not path.exists():
        write_whole(path, json.dumps({"sources": list(views)}))


def order(checkpoint: AnyPath, views: Sequence[str]) -> Mapping[str, int]:
    """The place of each view among the sources in Spark's log."""
    path = checkpoint / _ORDER
    kept = json.loads(path.read_text("utf-8"))["sources"] if path.exists() else list(views)
    return {view: place for place, view in enumerate(kept)}


def last_logged(checkpoint: AnyPath, log: str = "offsets") -> int:
    """The number of the newest batch that was begun, or of the newest in `commits`; -1 for none."""
    entries = (path.name for path in (checkpoint / log).glob("[0-9]*"))
    return max((int(name) for name in entries if name.isdigit()), default=-1)


def batch_time(checkpoint: AnyPath, batch: int) -> int:
    """The time of a batch in Spark's own log in milliseconds: the same if it is run again."""
    entry = (checkpoint / "offsets" / str(batch)).read_text("utf-8").splitlines()[1]
    return int(json.loads(entry)["batchTimestampMs"])


def begun_at(checkpoint: AnyPath, batch: int) -> float:
    """When a batch was begun, in seconds since 1970."""
    entries = (checkpoint / "offsets").glob("[0-9]*")
    return next((path.stat().st_mtime for path in entries if path.name == str(batch)), 0.0)


def position(
    checkpoint: AnyPath, generation: Generation, held: int = -1, source: int = 0
) -> Offsets:
    """Where reading resumes: after the last batch that Spark, or every target (`held`), has."""
    done = max(last_logged(checkpoint, "commits"), held)
    read = logged(checkpoint, done, source) if done >= 0 else None
    return merged(generation.starts, read or {})


def begins(of: Ranges) -> Offsets:
    """The offsets a batch begins at."""
    return {topic: {p: start for p, (start, _) in parts.items()} for topic, parts in of.items()}


def ends(of: Ranges) -> Offsets:
    """The end offsets of a batch."""
    return {topic: {p: end for p, (_, end) in parts.items()} for topic, parts in of.items()}


def furthest(*several: Offsets) -> Offsets:
    """For each partition the largest offset that is given for it."""
    found: Offsets = {}
    for topic, partition, offset in chain.from_iterable(map(each, several)):
        of_topic = found.setdefault(topic, {})
        of_topic[partition] = max(offset, of_topic.get(partition, 0))
    return found


def merged(under: Offsets, over: Mapping[str, Mapping[int, int]]) -> Offsets:
    """The offsets with others in place of some."""
    return {t: {**under.get(t, {}), **over.get(t, {})} for t in (*under, *over)}


def partitions(of: Mapping[str, Mapping[int, Any]]) -> set[tuple[str, int]]:
    """Which partitions there are offsets for."""
    return {(topic, partition) for topic, partition, _ in each(of)}


def only(of: Offsets, wanted: Container[tuple[str, int]]) -> Offsets:
    """The offsets of some partitions."""
    kept = {t: {p: o for p, o in parts.items() if (t, p) in wanted} for t, parts in of.items()}
    return {topic: parts for topic, parts in kept.items() if parts}


def count(of: Ranges) -> int:
    """How many offsets a batch spans."""
    return sum(end - start for _, _, (start, end) in each(of))


def are_few(of: Ranges) -> bool:
    """Whether one task should read and write a batch."""
    return count(of) <= FEW


def lost(at: Offsets, earliest: Offsets, latest: Offsets) -> Ranges:
    """What Kafka has lost of what was not read, and what it has no more of what was.

    A range that goes backwards is one of those: the topic ends before what had been read.
    """
    found: Ranges = {}
    for topic, partition, offset in each(at):
        first = earliest.get(topic, {}).get(partition, offset)
        last = latest.get(topic, {}).get(partition, offset)
        if not first <= offset <= last:
            now = first if offset < first else last
            found.setdefault(topic, {})[partition] = (offset, now)
    return found


def loss_text(of: Ranges) -> str:
    """The text of an error for what was lost."""
    return "; ".join(
        f"{topic}/{partition}: {start} to {end - 1} are gone"
        if start < end
        else f"{topic}/{partition}: it ends at {end}, {start} had been read"
        for topic, partition, (start, end) in each(of)
    )


def shown(of: Ranges) -> str:
    """What a batch reads, as text; of many partitions the first ones."""
    read = [
        f"{topic}/{partition}: {start} to {end - 1}"
        for topic, partition, (start, end) in sorted(each(of))
        if start < end
    ]
    more = f" and {len(read) - _SHOWN} more" if len(read) > _SHOWN else ""
    return "; ".join(read[:_SHOWN]) + more


def only_message(of: Ranges) -> str | None:
    """Where the message is, as text, if there is just one."""
    if count(of) != 1:
        return None
    topic, partition, start = next((t, p, start) for t, p, (start, end) in each(of) if start < end)
    return f"in the message of topic {topic}, partition {partition}, offset {start}"


def ahead_text(wanted: Offsets, latest: Offsets) -> str:
    """Which offsets are after the ends of their partitions, as text."""
    return "; ".join(
        f"{topic}/{partition} ends at {end}, before the startup offset {offset}"
        for topic, partition, offset in each(wanted)
        if offset > (end := latest.get(topic, {}).get(partition, 0))
    )


def together(several: Iterable[Ranges]) -> Ranges:
    """What was read of each topic; of one that is read twice, from the first to the last."""
    found: Ranges = {}
    for topic, p, (start, end) in chain.from_iterable(map(each, several)):
        low, high = found.setdefault(topic, {}).get(p, (start, end))
        found[topic][p] = (min(low, start), max(high, end))
    return found


def reached(there: Offsets, wanted: Offsets) -> bool:
    """Whether every partition has come so far."""
    return all(there.get(topic, {}).get(p, 0) >= offset for topic, p, offset in each(wanted))


def to_json(offsets: Offsets) -> str:
    """Spark's form of explicit offsets."""
    return json.dumps({t: {str(p): o for p, o in parts.items()} for t, parts in offsets.items()})
