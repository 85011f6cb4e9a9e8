"""Keeps exactly the queries running that the catalog says should run."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from sluice.engine.runtime.generations import Generations
from sluice.engine.runtime.job_positions import JobPositions
from sluice.engine.runtime.query import RunningQuery
from sluice.engine.runtime.realtime import RealtimeQuery
from sluice.engine.runtime.status import FINISHED, RUNNING, now
from sluice.engine.runtime.table_positions import TablePositions
from sluice.engine.sources.assignment import GroupAssignment, components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sluice.catalog import Table
    from sluice.engine.runtime.resources import Resources
    from sluice.errors import SluiceError
    from sluice.planner.query import JobSpec, QuerySpec
    from sluice.planner.spec import Point

_WAIT = 0.2


class Supervisor:
    """Starts, restarts and stops the queries of tables and jobs; one per data folder.

    A table has one query, a job one or several; both are known by their ids.
    """

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._generations = Generations(resources)
        self._running: dict[str, list[RunningQuery]] = {}
        self.broken_tables: dict[str, tuple[Table, SluiceError]] = {}
        """Tables, by id, that cannot be planned as they are, and why."""
        self.broken_jobs: dict[str, SluiceError] = {}
        self._assignments: dict[tuple[str, ...], GroupAssignment] = {}
        self._lock = threading.Lock()
        self._changing = threading.RLock()
        """Tables are started and stopped by one thread at a time."""

    def queries(self, owner: str) -> list[RunningQuery]:
        """The queries of a table or job that was started."""
        with self._lock:
            return list(self._running.get(owner, ()))

    def running(self) -> list[RunningQuery]:
        """The queries of all tables and jobs that were started and have not been stopped."""
        with self._lock:
            return [query for queries in self._running.values() for query in queries]

    def tables(self) -> list[RunningQuery]:
        """The queries of tables that run now, or are halted."""
        return [query for query in self.running() if not query.spec.of_job]

    def _start(self, owner: str, queries: list[RunningQuery]) -> None:
        with self._lock:
            self._running[owner] = queries
        for query in queries:
            query.start()

    def stop(self, *owners: str, until: float = math.inf) -> None:
        """Stop tables and jobs, each after its batch, in parallel.

        A batch that has not ended by `until`, a time of the monotonic clock, is abandoned.
        """
        with self._lock:
            stopping = [query for owner in owners for query in self._running.pop(owner, ())]
            for owner in owners:
                self.broken_jobs.pop(owner, None)
        for query in stopping:
            query.ask_to_stop()
        for query in stopping:
            query.stop(until)

    def ask_to_stop(self) -> None:
        """Let all end after the batches that run; `close` waits for that."""
        for query in self.running():
            query.ask_to_stop()

    def close(self, until: float = math.inf) -> None:
        """Stop all, each after its batch; those that last longer than `until` are abandoned."""
        with self._changing:
            self.stop(*list(self._running), until=until)

    # jobs

    def start_job(self, spec: JobSpec) -> None:
        """Run a job, from its position."""
        self.broken_jobs.pop(spec.id, None)
        self._start(spec.id, self._queries_of(spec))

    def run_now(self, spec: JobSpec) -> None:
        """Run a job that reads no topic, to its end.

        Raises:
            SluiceError: what went wrong.
        """
        for query in self._queries_of(spec):
            query.run_now()

    def _queries_of(self, spec: JobSpec) -> list[RunningQuery]:
        positions = JobPositions(spec, self._resources)
        made = positions.queries = [
            (RealtimeQuery if each.realtime else RunningQuery)(
                each,
                resources=self._resources,
                positions=positions,
                settings=spec.settings,
                ended=lambda: self._ended(spec.id),
            )
            for each in spec.queries
        ]
        return made

    def wait(self, job: str, check: Callable[[], None]) -> None:
        """Wait until a job is finished or stopped; `check` may end the wait.

        Raises:
            SluiceError: the terminal error of a query.
        """
        queries = self.queries(job)
        while not all(query.join(_WAIT) for query in queries):
            check()
            for query in queries:
                fault = query.status.error
                if fault is not None and query.status.state.startswith("FAILED"):
                    raise fault

    def _ended(self, job: str) -> None:
        """A query is finished; with the last one, the job is."""
        queries = self.queries(job)
        if all(query.status.state == FINISHED for query in queries):
            jobs = self._resources.catalog.jobs
            known = jobs.find(job)
            if known is not None and known.state == RUNNING:
                jobs.update(job, state=FINISHED, ended=now())
            with self._lock:
                self._running.pop(job, None)
            for query in queries:
                query.close()

    # tables

    def sync(self, wanted: Mapping[str, QuerySpec], others: Iterable[QuerySpec] = ()) -> None:
        """Run exactly the wanted tables; one whose specification changed restarts with it.

        `others` are the tables that are not to run. Where a group gets other readers, all of them
        stop first and begin again with their new assignments.
        """
        with self._changing:
            assignments = self._shared(wanted, others)
            running = {query.id: query for query in self.tables()}
            kept = {
                key
                for key, query in running.items()
                if wanted.get(key) == query.spec and assignments.get(key) is _assignment(query)
            }
            self.stop(*(running.keys() - kept))
            for key, spec in wanted.items():
                if key not in kept:
                    positions = TablePositions(self._generations, assignments[key])
                    query = RunningQuery(spec, resources=self._resources, positions=positions)
                    self._start(key, [query])

    def _shared(
        self, wanted: Mapping[str, QuerySpec], others: Iterable[QuerySpec]
    ) -> dict[str, GroupAssignment]:
        """The group assignment of each table; one lasts while its readers are the same."""
        kept, found = {}, {}
        for members in components([*wanted.values(), *others]):
            active = sorted(
                (spec for spec in members if spec.id in wanted and not spec.halted),
                key=lambda spec: (spec.source.table.created, spec.id),
            )
            resting = [spec for spec in members if spec not in active]
            key = tuple(spec.id for spec in active) or tuple(sorted(spec.id for spec in resting))
            assignment = kept[key] = self._assignments.get(key) or GroupAssignment(
                self._generations
            )
            assignment.of(active, resting)
            found.update(dict.fromkeys((spec.id for spec in members), assignment))
        self._assignments = kept
        return found

    def drop(self, spec: QuerySpec) -> None:
        """Stop a table for good, leaving its position to whoever reads for the group next."""
        with self._changing:
            unreachable = any(query.unreachable for query in self.queries(spec.id))
            self.stop(spec.id)
        assignment = GroupAssignment(self._generations)
        TablePositions(self._generations, assignment).hand_over(spec, unreachable=unreachable)

    def reset(self, spec: QuerySpec, reset: Point) -> None:
        """Stop a table, and all of its consumer group, and let them begin elsewhere.

        `sync` starts them again.
        """
        with self._changing:
            assignment = next((s for s in self._assignments.values() if s.has(spec)), None)
            assignment = assignment or GroupAssignment(self._generations)
            self.stop(*(each.id for each in self.tables() if _assignment(each) is assignment))
            TablePositions(self._generations, assignment).reset(spec, reset)


def _assignment(query: RunningQuery) -> GroupAssignment | None:
    return query.positions.assignment if isinstance(query.positions, TablePositions) else None
