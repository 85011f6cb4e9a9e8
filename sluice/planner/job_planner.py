"""From the INSERTs of a job to its queries: what they share, and what each of them continues."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.job_settings import UNCLAIMED
from sluice.planner import realtime
from sluice.planner.planning import Part, Planning
from sluice.planner.query import JobSpec, QuerySpec, Record
from sluice.planner.schema_drift import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Job
    from sluice.planner.environment import Environment
    from sluice.sql import ir


def plan_job(environment: Environment, job: Job, inserts: tuple[ir.Insert, ...]) -> JobSpec:
    """Everything a job needs to run.

    INSERTs that need no state share what they read, unless their positions differ: each
    query continues at most one earlier query.

    Raises:
        SluiceError: what is wrong with a table, an option or a query; nothing has been started.
    """
    parts = _parts(environment, job, inserts)
    records = [Record.of(kept) for kept in job.plan.get("queries", ())]
    groups: dict[tuple[str, str], list[tuple[Part, Record | None]]] = {}
    for part in parts:
        old = _before(part, records, len(parts))
        key = (part.shares or f"#{part.name}", old.id if old is not None else "")
        groups.setdefault(key, []).append((part, old))
    free = [old.id for old in records]
    taken = {*free}
    queries = []
    for n, members in enumerate(groups.values()):
        before = members[0][1]
        id_ = job.id if len(groups) == 1 else f"{job.id}-{n}"
        if before is not None and before.id in free:
            free.remove(before.id)
            id_ = before.id
        elif id_ in taken:
            id_ = next(i for k in itertools.count() if (i := f"{job.id}-{k}") not in taken)
        taken.add(id_)
        query = _query(id_, [part for part, _ in members], before)
        if realtime.wanted(query, job.settings):
            realtime.check(query)
            query = replace(query, realtime=True)
        queries.append(query)
    tables = {uuid: written for part in parts for uuid, written in part.tables.items()}
    found = JobSpec(
        job.id,
        job.name,
        tuple(queries),
        job.settings,
        tuple(sorted(tables)),
        tuple(visible(part.output.columns) for part in parts),
        _digest(" ".join(job.statement.split()), *(tables[uuid] for uuid in sorted(tables))),
        _read(job, parts),
    )
    _check_state(job, found)
    return found


def _check_state(job: Job, found: JobSpec) -> None:
    """Refuse to drop the state of a query that its user has not changed.

    A version that lowers a query in another way cannot use the state it kept. What a version kept
    that did not write definitions down may have been changed too, if another INSERT takes over.

    Raises:
        SluiceError: JOB_STATE_UNUSABLE.
    """
    before = job.plan.get("definition", "" if "took" in job.plan else found.definition)
    if before != found.definition or job.settings.get(UNCLAIMED, "").lower() == "true":
        return
    for query in found.queries:
        old = query.before
        if old is None or old.whole or query.continues(old):
            continue
        if kept := ", ".join(old.state):
            raise errors.JOB_STATE_UNUSABLE(job=job.plan.get("took", job.id), state=kept)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _parts(environment: Environment, job: Job, inserts: tuple[ir.Insert, ...]) -> list[Part]:
    seen: Counter[str] = Counter()
    parts = []
    for n, each in enumerate(inserts):
        # A job keeps the columns it began with, even if its tables have got others since.
        kept = job.plan.get("columns", ())
        before = kept[n] if len(kept) == len(inserts) else ()
        read = job.plan.get("read", {})
        part = Planning(environment, job.database, job.settings, read).insert(each, before)
        into = part.output.table.uuid
        parts.append(replace(part, name=f"{n}/{into}#{seen[into]}"))
        seen[into] += 1
    return parts


def _read(job: Job, parts: Sequence[Part]) -> dict[str, tuple[str, ...]]:
    """What `*` stands for, by the id of a stored table: the columns that it had at first."""
    given = (each for part in parts for each in part.inputs.values() if each.source is None)
    now = {each.table.uuid: [column.name for column in each.table.columns] for each in given}
    kept = job.plan.get("read", {})
    return {id_: tuple(kept.get(id_, names)) for id_, names in now.items()}


def _before(part: Part, records: Sequence[Record], count: int) -> Record | None:
    """The query that an INSERT continues: that of its table, else that of its place."""
    place, _, table = part.name.partition("/")
    names = [(name.partition("/"), record) for record in records for name in record.names]
    for (_, _, known), record in names:
        if known == table:
            return record
    if len(records) == 1:
        return records[0]
    if len(names) == count:
        return next((record for (known, _, _), record in names if known == place), None)
    return None


def _query(id_: str, parts: Sequence[Part], before: Record | None) -> QuerySpec:
    inputs = {view: each for part in parts for view, each in part.inputs.items()}
    return QuerySpec(
        id_,
        tuple(inputs.values()),
        tuple(part.output for part in parts),
        stateful=any(part.stateful for part in parts),
        names=tuple(part.name for part in parts),
        state=tuple(kept for part in parts for kept in part.state),
        before=before,
    )
