"""Where the queries of a job begin: at its first start, and when one is not what it was.

A query that has not changed resumes from its checkpoint. One that has changed resumes in a new
generation, after the last batch that its outputs have; what it had kept as state is dropped.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Event, Generation
from sluice.engine import offsets
from sluice.engine.runtime import ranged
from sluice.engine.runtime.generations import Generations, Positions, Progress
from sluice.engine.runtime.status import now
from sluice.engine.sinks.fan_out import FanOut
from sluice.engine.sources import startup
from sluice.engine.storage import ledger
from sluice.options.job_settings import UNCLAIMED
from sluice.planner.spec import EARLIEST, Point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Offsets
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.runtime.resources import Resources
    from sluice.engine.sources.stream import Stream
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.query import JobSpec, Record

_KEPT = ("temporary",)
"""What a job's plan has from its INSERT: the session's tables that it uses."""

_KEPT_NOTES = 20


class JobPositions(Positions):
    """Decides where the queries of one job begin, all together and once."""

    def __init__(self, spec: JobSpec, resources: Resources) -> None:
        self._spec = spec
        self._catalog = resources.catalog
        self._store = resources.store
        self._generations = Generations(resources)
        self._lock = threading.Lock()
        self._done = False
        self._discovered: dict[str, float] = {}
        self.queries: Sequence[RunningQuery] = ()

    def enter(self, query: RunningQuery) -> bool:
        """Read the newest generation of each stream; what came since it began is added.

        Raises:
            SluiceError: JOB_STATE_MISSING.
        """
        self.ensure()
        for stream in query.streams:
            found = self._catalog.positions.generation(stream.key)
            if found is None:
                raise errors.JOB_STATE_MISSING(job=query.id, path=query.folder)
            stream.generation = found
            self._await_topics(query, stream)
        return True

    def superseded(self, query: RunningQuery) -> bool:
        """Whether there are topics or partitions that came later; they are added."""
        extended = [self._extend(stream) for stream in query.streams]
        return any(extended)

    def position(self, query: RunningQuery, checkpoint: AnyPath, stream: Stream) -> Offsets:
        """The offsets after the last batch that Spark has recorded as done."""
        return offsets.position(checkpoint, stream.generation, source=stream.place)

    def _await_topics(self, query: RunningQuery, stream: Stream) -> None:
        """Look for what came while it did not run; wait for the first topic of a pattern."""
        while stream.source.discovery_ms is not None:
            self._extend(stream)
            if stream.generation.starts:
                return
            if not query.wait(startup.nothing(stream.source), stream.source.discovery_ms / 1000):
                return

    def _extend(self, stream: Stream) -> bool:
        """Store topics and partitions that came later, before they are read; whether some did."""
        every = stream.source.discovery_ms
        if every is None:
            return False
        if time.monotonic() < self._discovered.get(stream.key, 0.0) + every / 1000:
            return False
        newer = startup.extended(stream.source, stream.generation, stream.cluster)
        self._discovered[stream.key] = time.monotonic()
        if newer is None:
            return False
        self._catalog.positions.extend(stream.key, newer)
        stream.generation = newer
        return True

    def ensure(self) -> None:
        """Have a generation for each query; what was decided before is not decided again."""
        with self._lock:
            job = None if self._done else self._catalog.jobs.find(self._spec.id)
            if job is None:
                return
            new: dict[str, Generation] = {}
            records: list[Record] = []
            notes: list[str] = []
            for query in self.queries:
                begun, record, note = self._begin(query, taken="took" in job.plan)
                new |= begun
                records.append(record)
                notes += [note] if note else []
                if begun:
                    folder = self._generations.folder(record.id, record.generation)
                    folder.mkdir(parents=True, exist_ok=True)
            told = [*job.plan.get("notes", ()), *(f"{now():%F %T} {note}" for note in notes)]
            plan = {
                **{key: job.plan[key] for key in _KEPT if key in job.plan},
                "queries": json.loads(json.dumps(list(map(asdict, records)))),
                "tables": list(self._spec.tables),
                "columns": list(map(list, self._spec.columns)),
                "read": {table: list(names) for table, names in self._spec.read.items()},
                "definition": self._spec.definition,
                "notes": told[-_KEPT_NOTES:],
            }
            if new or plan != job.plan:
                self._catalog.jobs.begin(job.id, plan, new, [self._event(note) for note in notes])
            self._done = True

    def _event(self, note: str) -> Event:
        table = self._spec.queries[0].outputs[0].table
        message = f"Job {self._spec.id}: {note}"
        return Event(now(), table.database, table.name, "JOB_QUERY_CHANGED", message)

    def _begin(
        self, query: RunningQuery, *, taken: bool
    ) -> tuple[dict[str, Generation], Record, str]:
        """Where a query begins, if not where it is; one that ends has an end for each job."""
        spec, old = query.spec, query.spec.before
        same = old is not None and old.id == spec.id and spec.continues(old)
        again = same and taken and spec.bounded and bool(spec.streams)
        if old is not None and same and not again:
            return {}, spec.record(old.generation), ""
        own = old is not None and old.id == spec.id
        number = old.generation + bool(spec.streams) if old is not None and own else 1
        progress = self._progress(query, old) if old is not None and old.streams else {}
        found = {
            stream.key: self._generation(stream, number, progress, ends=not taken)
            for stream in query.streams
        }
        note = _change(old, number) if old is not None and not again else ""
        return found, spec.record(number), note

    def _generation(
        self, stream: Stream, number: int, progress: Mapping[str, Progress], *, ends: bool
    ) -> Generation:
        """Where to begin with a table: its position if it was read before, else its startup mode.

        A partition that has come since begins with its oldest message, and so does a topic that
        the pattern of a table did not find before. With `ends` those that were decided before are
        kept.
        """
        cluster, source = stream.cluster, stream.source
        topics = startup.topics_of(source, cluster)
        if not topics and source.discovery_ms is None and not source.bounded:
            raise startup.nothing(source)
        taken: Offsets = {}
        before: Offsets = {}
        own = stream.input.view
        for view in sorted(progress, key=lambda view: view != own):
            at, began = progress[view].at, progress[view].generation
            for name, id_ in began.topic_ids.items():
                topic = topics.get(name)
                if topic is None or name in taken or name not in at:
                    continue
                if topic.id == id_:
                    taken[name] = at[name]
                    before[name] = (began.ends or {}).get(name, {})
                elif view == own:
                    raise errors.KAFKA_TOPIC_REPLACED(
                        topic=name, old_id=id_, new_id=topic.id, remedy=startup.AGAIN
                    )
        rest = {name: topic for name, topic in topics.items() if name not in taken}
        known = {name: topic for name, topic in topics.items() if name in taken}
        starts: Offsets = {}
        if rest:
            point = Point(EARLIEST) if source.pattern and own in progress else source.start
            starts = startup.starts(source, rest, cluster, point)
        if known:
            starts = starts | offsets.merged(cluster.earliest(known), taken)
        stops = startup.ends(source, topics, cluster)
        if stops is not None and ends:
            stops = offsets.merged(stops, before)
        ids = {name: topic.id for name, topic in topics.items()}
        return Generation(number, starts, ids, shared=True, ends=stops)

    def _progress(self, query: RunningQuery, old: Record) -> dict[str, Progress]:
        """The position of the query that this one replaces, after what all outputs have.

        It is by the views of what that one read. A batch that only some outputs have, or a part of
        one, is written to the others first, as this query makes it. One that keeps state cannot do
        that, but has a single output.

        Raises:
            SluiceError: JOB_BATCH_PARTIALLY_WRITTEN if that output has a part of a batch, and
                JOB_STATE_MISSING.
        """
        checkpoint = self._generations.folder(old.id, old.generation)
        missing = errors.JOB_STATE_MISSING(job=self._spec.id, path=checkpoint)
        began: dict[str, Generation] = {}
        for n, view in enumerate(old.streams):
            generation = self._catalog.positions.generation(f"{old.id}/{n}", old.generation)
            if generation is None:
                raise missing
            began[view] = generation
        with ExitStack() as stack:
            spark, outputs = query.session(), self._outputs(query, old)
            stack.callback(outputs.close)
            outputs.start(spark, (old.id, old.generation))
            held = [each.sink.last_batch() for each in outputs.opened] or self._others(query, old)
            if old.whole:
                done = bool(held) and min(held) >= 0
                return {
                    view: Progress(each, each.ends if done and each.ends else each.starts)
                    for view, each in began.items()
                }
            begun = offsets.last_logged(checkpoint)
            if not checkpoint.exists() or max(held, default=-1) > begun:
                raise missing
            places = offsets.order(checkpoint, old.streams)
            at = offsets.last_logged(checkpoint, "commits")
            partly = [each for each in outputs.opened if each.sink.newest_batch() >= begun]
            if begun > at and held and min(held) >= begun:
                at = begun
            elif begun > at and partly and (query.spec.stateful or old.state):
                # Its rows would be written again.
                if self._spec.settings.get(UNCLAIMED, "").lower() != "true":
                    raise errors.JOB_BATCH_PARTIALLY_WRITTEN(
                        job=self._spec.id, batch=begun, table=partly[0].output.name
                    )
            elif begun > at and partly:
                ranges = {
                    view: offsets.ranges(query.title, checkpoint, begun, each, places[view])
                    for view, each in began.items()
                }
                ranged.register(query, spark, ranges)
                outputs.write(spark, begun, offsets.together(ranges.values()))
                at = begun
        found = {}
        for view, each in began.items():
            read = offsets.logged(checkpoint, at, places[view]) if at >= 0 else None
            found[view] = Progress(each, offsets.merged(each.starts, read or {}))
        return found

    def _outputs(self, query: RunningQuery, old: Record) -> FanOut:
        """The outputs of this query that the one before had, by their numbers there."""
        numbers = {_into(name): str(k) for k, name in enumerate(old.names)}
        own = zip(map(_into, query.spec.names), query.spec.outputs, strict=True)
        common = {numbers[into]: output for into, output in own if into in numbers}
        return FanOut(self._store, query.named, common)

    def _others(self, query: RunningQuery, old: Record) -> list[int]:
        """The newest batch in each stored table that is no output any more."""
        if len(self.queries) > 1:
            return []
        now_there = {_into(name) for name in query.spec.names}
        tables = {table.uuid: table for table in self._catalog.tables()}
        found = []
        for k, name in enumerate(old.names):
            table = tables.get(_into(name).partition("#")[0])
            if _into(name) in now_there or table is None or not self._store.exists(table):
                continue
            last = self._store.last_batch(table, ledger.writer(old.id, old.generation, str(k)))
            found += [last.entry.batch] if last is not None else []
        return found


def _into(name: str) -> str:
    return name.partition("/")[2]


def _change(old: Record, number: int) -> str:
    resumed = f"The query has changed: generation {number} resumes from the position of generation"
    text = f"{resumed} {old.generation} of {old.id}"
    return f"{text}; dropped: {', '.join(old.state)}" if old.state else text
