"""What a job would do, in words: EXPLAIN of a query, an INSERT or a statement set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.options.kinds import hide_in_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.plan.job import Input, JobSpec, Output, QuerySpec
    from sluice.plan.spec import Point, RowFormat, TopicSink, TopicSource


def read_lines(inputs: Iterable[Input]) -> Iterator[str]:
    """A line for each table that is read."""
    for given in inputs:
        yield f"  reads {given.table.full_name}: {_read(given)}"


def explained(spec: JobSpec, *, advice: bool = False, changes: bool = False) -> Iterator[str]:
    """The lines of a plan; `changes` tells what kinds of rows each query gives."""
    for n, query in enumerate(spec.queries, 1):
        title = f"Query {n} of {len(spec.queries)}" if len(spec.queries) > 1 else "Query"
        yield f"{title}: {_runs(query)}"
        yield from read_lines(query.inputs)
        if len(query.outputs) > 1:
            yield f"  shared: each message is read once for {len(query.outputs)} INSERTs"
        for said in query.state:
            yield f"  keeps {said}"
        for output in query.outputs:
            columns = ", ".join(output.columns)
            yield f"  writes {output.table.full_name} ({columns}): {_written(output)}"
            if changes:
                yield f"    changelog: {'[I,UA]' if output.updating else '[I]'}"
        if advice:
            yield from (f"  advice: {said}" for said in _advice(query))


def _runs(query: QuerySpec) -> str:
    if query.realtime:
        return "message by message, without state"
    if not query.streams:
        return "once, over stored rows"
    how = "with state" if query.stateful else "without state"
    if query.whole:
        return f"once, up to the end of its topics, {how}"
    return f"batch by batch{' up to the end of its topics' if query.bounded else ''}, {how}"


def _read(given: Input) -> str:
    source = given.source
    if source is None:
        return "stored rows, as they are when a batch begins"
    said = [_topics(source), f"from {_point(source.start)}"]
    if source.bounded:
        said.append(f"to {_point(source.stop)}")
    said += list(_formats(source.value, source.key))
    if source.group:
        commits = "which is told what was read" if source.commits else "which is told nothing"
        said.append(f"group {source.group}, {commits}")
    if given.watermark is not None:
        column, delay = given.watermark
        said.append(f"watermark {column} - {delay} ms")
    if given.computed:
        said.append(f"computes {', '.join(name for name, _ in given.computed)}")
    return "; ".join(said)


def _topics(source: TopicSource) -> str:
    if source.pattern:
        what = f"topics that match {source.pattern}"
    else:
        what = f"topic{'s' * (len(source.topics) > 1)} {', '.join(source.topics)}"
    return f"{what} at {hide_in_url(source.connection.brokers)}"


def _point(point: Point) -> str:
    if point.timestamp_ms is not None:
        return f"{point.mode} {point.timestamp_ms}"
    if point.offsets:
        named = ", ".join(f"{p}: {offset}" for p, offset in sorted(point.offsets.items()))
        return f"{point.mode} {named}"
    return point.mode


def _formats(value: RowFormat, key: RowFormat | None) -> Iterator[str]:
    yield f"format {value.name}"
    if key is not None:
        columns = ", ".join(column for _, column in key.columns)
        yield f"key {key.name} ({columns})"


def _written(output: Output) -> str:
    said: Iterable[str]
    if output.sink is None:
        said = ["stored, exactly once"]
        if output.updating:
            key = ", ".join(output.key or output.table.primary_key)
            said = [*said, f"rows of the same {key} are replaced" if key else "rows change later"]
        if output.overwrite:
            said = [*said, "in place of what is there"]
        return "; ".join(said)
    sink: TopicSink = output.sink
    at = hide_in_url(sink.connection.brokers)
    said = [f"topic {sink.topic} at {at}", *_formats(sink.value, sink.key)]
    said += [f"delivery {sink.guarantee}", f"partitioner {sink.partitioner}"]
    if sink.writers:
        said.append(f"{sink.writers} writers")
    return "; ".join(said)


def _advice(query: QuerySpec) -> Iterator[str]:
    if query.stateful and not query.whole and not all(s.watermark for s in query.streams):
        yield "a table without a watermark: what is kept of its rows may grow for ever"
    if any(output.updating and output.key is None for output in query.outputs):
        yield "the columns that tell rows apart are not all selected"
