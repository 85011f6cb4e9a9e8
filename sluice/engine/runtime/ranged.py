"""A query over given ranges of its inputs, outside its stream.

That is how a bounded job, a batch that is repeated and the search for a failing message read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.engine import offsets
from sluice.engine.sources import input_rows, kafka_reader
from sluice.engine.sources.current_rows import current_rows
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.sinks.fan_out import FanOut


def register(query: RunningQuery, spark: SparkSession, ranges: Mapping[str, Ranges]) -> None:
    """Let Spark know the rows of the query's inputs.

    Ranges are by the views of their inputs. The only stream reads them under any name; one of
    several that they do not name has no rows. A query that reads up to an end gets the rows that
    the changes of a changelog leave.
    """
    streams = {stream.input.view: stream for stream in query.streams}
    for given in query.spec.inputs:
        if given.view in streams:
            stream = streams[given.view]
            read = ranges.get(given.view, next(iter(ranges.values())))
            found = stream.between(spark, read, headers=stream.source.headers)
            if given.view not in ranges and len(streams) > 1:
                found = found.limit(0)
        else:
            found = query.resources.store.read(spark, given.table)
        rows = input_rows.rows(given, found, uses=query.spec.uses(given.view))
        if query.spec.whole and given.source is not None and given.source.changelog:
            rows = current_rows(rows, given.source)
        rows.createOrReplaceTempView(given.view)


def bounds(query: RunningQuery) -> dict[str, Ranges]:
    """From where to where each stream of a bounded query is read; waits until that is there."""
    found: dict[str, Ranges] = {}
    for stream in query.streams:
        starts, ends = stream.generation.starts, stream.generation.ends or {}
        ranges = found[stream.input.view] = {
            topic: {
                p: (start, max(start, ends.get(topic, {}).get(p, start)))
                for p, start in parts.items()
            }
            for topic, parts in starts.items()
        }
        wanted = offsets.ends(ranges)
        committed = kafka_reader.committed_only(stream.source)
        while not offsets.reached(
            there := stream.cluster.latest(wanted, committed=committed), wanted
        ):
            reason = None
            try:
                stream.check_transactions(there, wanted)
            except SluiceError as fault:
                reason = fault
            if not query.wait(reason):
                break
    return found


def failing(query: RunningQuery, outputs: FanOut, reason: str, ranges: Ranges) -> Ranges:
    """The messages of a failed batch that fail for the same reason on their own.

    They are found by running ever smaller parts of the batch without writing them. With several
    streams they are all that the batch reads.
    """
    if len(query.streams) != 1:
        return ranges
    spark = query.session()

    def fails(part: Ranges) -> bool:
        """Whether some messages fail for the reason; none do once the query is to stop."""
        if query.stopping:
            return False
        register(query, spark, {query.streams[0].input.view: part})
        for name in query.spec.by_name:
            try:
                outputs.rehearse(spark, name)
            except Exception as fault:  # noqa: BLE001 - whatever it is, its reason is compared
                if query.named(fault).params.get("reason") == reason:
                    return True
        return False

    return narrowed(ranges, fails)


def narrowed(ranges: Ranges, fails: Callable[[Ranges], bool]) -> Ranges:
    """The smallest part of a batch that fails on its own: one message, where one is the cause."""
    while offsets.count(ranges) > 1:
        found = next((half for half in halves(ranges) if fails(half)), None)
        if found is None:  # it takes several of them, as for a sum that is too large
            return ranges
        ranges = found
    return ranges


def halves(ranges: Ranges) -> tuple[Ranges, Ranges]:
    """The first and the second half of the messages, by topic, partition and offset."""
    first: Ranges = {}
    second: Ranges = {}
    left = offsets.count(ranges) // 2
    for topic, parts in sorted(ranges.items()):
        for partition, (start, end) in sorted(parts.items()):
            cut = min(start + left, end)
            left -= cut - start
            if cut > start:
                first.setdefault(topic, {})[partition] = (start, cut)
            if end > cut:
                second.setdefault(topic, {})[partition] = (cut, end)
    return first, second
