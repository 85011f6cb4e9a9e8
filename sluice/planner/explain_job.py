"""EXPLAIN of a query, an INSERT or a statement set: the plan of the job in readable lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.parameters.kinds import hide_in_url
from sluice.planner.schema_drift import visible
from sluice.sql.relation import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.planner.query import Input, JobSpec, Output, QuerySpec
    from sluice.planner.spec import KafkaSinkSpec, KafkaSource, Point, RowFormat


def read_lines(inputs: Iterable[Input]) -> Iterator[str]:
    """A line for each table that is read."""
    for given in inputs:
        yield f"  reads {given.table.full_name}: {_read(given)}"


def explained(spec: JobSpec, *, advice: bool = False, changes: bool = False) -> Iterator[str]:
    """The lines of a plan; `changes` adds the changelog mode of each output."""
    for n, query in enumerate(spec.queries, 1):
        title = f"Query {n} of {len(spec.queries)}" if len(spec.queries) > 1 else "Query"
        yield f"{title}: {_runs(query)}"
        yield from read_lines(query.inputs)
        if len(query.outputs) > 1:
            yield f"  shared source: each message is read once for {len(query.outputs)} INSERTs"
        for kept in query.state:
            yield f"  state: {kept}"
        for output in query.outputs:
            columns = ", ".join(visible(output.columns))
            yield f"  writes {output.table.full_name} ({columns}): {_written(output)}"
            if changes:
                yield f"    changelog: {_kinds(output)}"
        if advice:
            yield from (f"  advice: {each}" for each in _advice(query))


def _kinds(output: Output) -> str:
    """The kinds of rows that an output gets, as Flink's plans show them."""
    if output.changelog:
        return "[I,UA,D]" if output.changelog == BY_KEY else "[I,UB,UA,D]"
    return "[I,UA]" if output.updating else "[I]"


def _runs(query: QuerySpec) -> str:
    if query.realtime:
        return "real-time mode, stateless"
    if not query.streams:
        return "batch, over stored rows"
    how = "stateful" if query.stateful else "stateless"
    if query.whole:
        return f"one batch up to the end offsets of its topics, {how}"
    return f"micro-batches{' up to the end offsets of its topics' * query.bounded}, {how}"


def _read(given: Input) -> str:
    source = given.source
    if source is None:
        return "stored rows, the version at the start of each batch"
    parts = [_topics(source), f"from {_point(source.start)}"]
    if source.bounded:
        parts.append(f"to {_point(source.stop)}")
    parts += list(_formats(source.value, source.key))
    if source.group:
        commits = "offsets committed" if source.commits else "offsets not committed"
        parts.append(f"group {source.group} ({commits})")
    if given.watermark is not None:
        column, delay = given.watermark
        parts.append(f"watermark {column} - {delay} ms")
    if given.computed:
        parts.append(f"computes {', '.join(name for name, _ in given.computed)}")
    return "; ".join(parts)


def _topics(source: KafkaSource) -> str:
    if source.pattern:
        what = f"topics that match {source.pattern}"
    else:
        what = f"topic{'s' * (len(source.topics) > 1)} {', '.join(source.topics)}"
    return f"{what} at {hide_in_url(source.connection.brokers)}"


def _point(point: Point) -> str:
    if point.timestamp_ms is not None:
        return f"{point.mode} {point.timestamp_ms}"
    if point.offsets:
        (parts,) = point.offsets.values()
        named = ", ".join(f"{p}: {offset}" for p, offset in sorted(parts.items()))
        return f"{point.mode} {named}"
    return point.mode


def _formats(value: RowFormat, key: RowFormat | None) -> Iterator[str]:
    yield f"format {value.name}"
    if key is not None:
        columns = ", ".join(column for _, column in key.columns)
        yield f"key {key.name} ({columns})"


def _written(output: Output) -> str:
    parts: list[str]
    if output.sink is None:
        parts = ["stored, exactly once"]
        if output.updating:
            key = ", ".join(output.key or output.table.primary_key)
            parts.append(f"upsert by {key}" if key else "rows are updated later")
        if output.overwrite:
            parts.append("overwrites existing rows")
        if output.evolves:
            parts.append("columns that changes add")
        return "; ".join(parts)
    sink: KafkaSinkSpec = output.sink
    at = hide_in_url(sink.connection.brokers)
    parts = [f"topic {sink.topic} at {at}", *_formats(sink.value, sink.key)]
    parts += [f"delivery {sink.guarantee}", f"partitioner {sink.partitioner}"]
    if sink.upsert and sink.changes:
        how = "the last change" if sink.last_only else "every change"
        parts.append(f"{how} of each {', '.join(output.table.primary_key)}")
    if sink.ignore_retraction:
        parts.append("without retractions")
    if sink.writers:
        parts.append(f"{sink.writers} writers")
    return "; ".join(parts)


def _advice(query: QuerySpec) -> Iterator[str]:
    if query.stateful and not query.whole and not all(s.watermark for s in query.streams):
        yield "a table without a watermark: its state can grow without limit"
    if any(output.updating and output.key is None for output in query.outputs):
        yield "the query does not select all columns of its key"
