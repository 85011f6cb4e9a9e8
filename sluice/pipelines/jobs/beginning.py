"""Where the queries of a job begin: at its first start, and when one is not what it was.

A query that is the one it was goes on in its checkpoint. One that has changed goes on in a new
generation, behind the last batch that its outputs have; what it had kept as state is dropped.
"""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Event, Generation
from sluice.options.job_settings import UNCLAIMED
from sluice.pipelines import ledger, offsets
from sluice.pipelines.jobs import starting
from sluice.pipelines.jobs.writers import writer_of
from sluice.pipelines.status import now
from sluice.pipelines.store_path import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sluice.catalog import Catalog, Offsets
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.jobs.query import JobQuery
    from sluice.pipelines.jobs.stream import Stream
    from sluice.pipelines.jobs.writers import Writer
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan.job import JobSpec, Record

_ORDER = "sluice.json"
_KEPT = ("temporary",)
"""What a job's plan has from its INSERT: the session's tables that it uses."""

_KEPT_NOTES = 20


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a query has come with one of the tables it read."""

    view: str
    began: Generation
    at: Offsets


class Beginning:
    """Decides where the queries of one job begin, all together and once."""

    def __init__(
        self, spec: JobSpec, *, catalog: Catalog, store: DeltaStore, checkpoints: AnyPath
    ) -> None:
        self._spec = spec
        self._catalog = catalog
        self._store = store
        self._checkpoints = checkpoints
        self._lock = threading.Lock()
        self._done = False
        self.queries: Sequence[JobQuery] = ()

    def ensure(self) -> None:
        """Have a generation for each query; what was decided before is not decided again."""
        with self._lock:
            job = None if self._done else self._catalog.job(self._spec.id)
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
                    folder = self._checkpoints / record.id / str(record.generation)
                    folder.mkdir(parents=True, exist_ok=True)
            told = [*job.plan.get("notes", ()), *(f"{now():%F %T} {note}" for note in notes)]
            plan = {
                **{key: job.plan[key] for key in _KEPT if key in job.plan},
                "queries": json.loads(json.dumps(list(map(asdict, records)))),
                "tables": list(self._spec.tables),
                "columns": list(map(list, self._spec.columns)),
                "definition": self._spec.definition,
                "notes": told[-_KEPT_NOTES:],
            }
            if new or plan != job.plan:
                self._catalog.begin_job(job.id, plan, new, [self._event(note) for note in notes])
            self._done = True

    def _event(self, note: str) -> Event:
        table = self._spec.queries[0].outputs[0].table
        message = f"Job {self._spec.id}: {note}"
        return Event(now(), table.database, table.name, "JOB_QUERY_CHANGED", message)

    def _begin(self, query: JobQuery, *, taken: bool) -> tuple[dict[str, Generation], Record, str]:
        """Where a query begins, if not where it is; one that ends has an end for each job."""
        spec, old = query.spec, query.spec.before
        same = old is not None and old.id == spec.id and old.fingerprint == spec.fingerprint
        again = same and taken and spec.bounded and bool(spec.streams)
        if old is not None and same and not again:
            return {}, spec.record(old.generation), ""
        own = old is not None and old.id == spec.id
        number = old.generation + bool(spec.streams) if old is not None and own else 1
        stands = self._stands(query, old) if old is not None and old.streams else []
        found = {
            stream.key: self._generation(stream, number, stands, ends=not taken)
            for stream in query.streams
        }
        note = _said(old, number) if old is not None and not again else ""
        return found, spec.record(number), note

    def _generation(
        self, stream: Stream, number: int, stands: Sequence[Stand], *, ends: bool
    ) -> Generation:
        """Where to begin with a table: where it stands if it was read before, else where it says.

        A partition that has come since begins with its oldest message, and so does a topic that
        the pattern of a table did not find before. With `ends` those that were decided before are
        kept.
        """
        cluster, source = stream.cluster, stream.source
        topics = starting.topics_of(source, cluster)
        if not topics and source.discovery_ms is None and not source.bounded:
            raise starting.nothing(source)
        taken: Offsets = {}
        before: Offsets = {}
        for stand in sorted(stands, key=lambda stand: stand.view != stream.input.view):
            for name, id_ in stand.began.topic_ids.items():
                topic = topics.get(name)
                if topic is None or name in taken or name not in stand.at:
                    continue
                if topic.id == id_:
                    taken[name] = stand.at[name]
                    before[name] = (stand.began.ends or {}).get(name, {})
                elif stand.view == stream.input.view:
                    raise errors.KAFKA_TOPIC_REPLACED(
                        topic=name, old_id=id_, new_id=topic.id, remedy=starting.AGAIN
                    )
        rest = {name: topic for name, topic in topics.items() if name not in taken}
        known = {name: topic for name, topic in topics.items() if name in taken}
        later = source.pattern and any(stand.view == stream.input.view for stand in stands)
        starts: Offsets = {}
        if rest:
            said = starting.EARLIEST if later else source.start
            starts = starting.starts(source, rest, cluster, said)
        if known:
            starts = starts | offsets.merged(cluster.earliest(known), taken)
        stops = starting.ends(source, topics, cluster)
        if stops is not None and ends:
            stops = offsets.merged(stops, before)
        ids = {name: topic.id for name, topic in topics.items()}
        return Generation(number, starts, ids, shared=True, ends=stops)

    def _stands(self, query: JobQuery, old: Record) -> list[Stand]:
        """Where the query stands that this one goes on for, behind what all outputs have.

        A batch that only some outputs have, or a part of one, is brought to the others first, as
        this query makes it. One that keeps state cannot do that, but has a single output.

        Raises:
            SluiceError: JOB_BATCH_HALF_WRITTEN if that output has a part of a batch, and
                JOB_STATE_MISSING.
        """
        checkpoint = self._checkpoints / old.id / str(old.generation)
        began = []
        for n in range(len(old.streams)):
            generation = self._catalog.generation(f"{old.id}/{n}", old.generation)
            if generation is None:
                raise errors.JOB_STATE_MISSING(job=self._spec.id, path=checkpoint)
            began.append(generation)
        with ExitStack() as stack:
            writers = self._writers(stack, query, old)
            held = [_number(writer.last_batch()) for writer in writers.values()]
            held = held or self._others(query, old)
            if old.whole:
                done = bool(held) and min(held) >= 0
                ats = [each.ends if done and each.ends else each.starts for each in began]
                return [Stand(*each) for each in zip(old.streams, began, ats, strict=True)]
            begun = offsets.last_logged(checkpoint)
            if not checkpoint.exists() or max(held, default=-1) > begun:
                raise errors.JOB_STATE_MISSING(job=self._spec.id, path=checkpoint)
            places = order(checkpoint, old.streams)
            at = offsets.last_logged(checkpoint, "commits")
            if begun > at and held and min(held) >= begun:
                at = begun
            elif begun > at and _keeps(query, old):
                self._check_whole(query, writers, begun)
            elif begun > at and _partly(writers.values(), begun):
                ranges = {
                    view: offsets.ranges(query.title, checkpoint, begun, generation, places[view])
                    for view, generation in zip(old.streams, began, strict=True)
                }
                for n, writer in writers.items():
                    if _number(writer.last_batch()) < begun:
                        query.repeat(n, writer, begun, ranges)
                at = begun
        ats = []
        for view, generation in zip(old.streams, began, strict=True):
            read = offsets.logged(checkpoint, at, places[view]) if at >= 0 else None
            ats.append(offsets.merged(generation.starts, read or {}))
        return [Stand(*each) for each in zip(old.streams, began, ats, strict=True)]

    def _check_whole(self, query: JobQuery, writers: Mapping[int, Writer], batch: int) -> None:
        """Refuse to begin before a batch that is half written: its rows would come again."""
        if self._spec.settings.get(UNCLAIMED, "").lower() == "true":
            return
        for n, writer in writers.items():
            if _partly([writer], batch):
                table = query.spec.outputs[n].table.full_name
                raise errors.JOB_BATCH_HALF_WRITTEN(job=self._spec.id, batch=batch, table=table)

    def _writers(self, stack: ExitStack, query: JobQuery, old: Record) -> dict[int, Writer]:
        """The outputs of this query that were outputs of the one before, as it wrote to them."""
        found: dict[int, Writer] = {}
        numbers = {_into(name): k for k, name in enumerate(old.names)}
        for n, name in enumerate(query.spec.names):
            number = numbers.get(_into(name))
            if number is not None:
                found[n] = writer_of(
                    query.spec.outputs[n],
                    query.session(),
                    self._store,
                    old.id,
                    old.generation,
                    number,
                )
                stack.callback(found[n].close)
                found[n].start()
        return found

    def _others(self, query: JobQuery, old: Record) -> list[int]:
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


def note_order(checkpoint: AnyPath, views: Sequence[str]) -> None:
    """Write down in which order Spark has the sources in its log."""
    path = checkpoint / _ORDER
    if not path.exists():
        write_whole(path, json.dumps({"sources": list(views)}))


def order(checkpoint: AnyPath, views: Sequence[str]) -> Mapping[str, int]:
    """The place of each view among the sources."""
    path = checkpoint / _ORDER
    kept = json.loads(path.read_text("utf-8"))["sources"] if path.exists() else list(views)
    return {view: place for place, view in enumerate(kept)}


def _number(batch: int | None) -> int:
    return -1 if batch is None else batch


def _partly(writers: Iterable[Writer], batch: int) -> bool:
    return any(_number(writer.newest_batch()) >= batch for writer in writers)


def _keeps(query: JobQuery, old: Record) -> bool:
    return query.spec.stateful or bool(old.state)


def _into(name: str) -> str:
    return name.partition("/")[2]


def _said(old: Record, number: int) -> str:
    kept = f"The query has changed: generation {number} goes on where generation"
    said = f"{kept} {old.generation} of {old.id} stood"
    return f"{said}; dropped: {', '.join(old.state)}" if old.state else said
