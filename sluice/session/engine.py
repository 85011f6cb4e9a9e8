"""What all sessions of a process share: the data folder, the catalog, Spark and the pipelines."""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, Catalog, temporary
from sluice.errors import SluiceError
from sluice.kafka import java
from sluice.kafka.logins import URL as TOKEN_URL
from sluice.pipelines import faults
from sluice.pipelines.dead_letters import LETTERS, MARKS
from sluice.pipelines.delta import DeltaStore
from sluice.pipelines.jobs.jobs import RUNNING, Jobs
from sluice.pipelines.locations import Locations
from sluice.pipelines.store_path import StorePath, check_url, remove
from sluice.pipelines.supervisor import Supervisor
from sluice.pipelines.totals import Totals
from sluice.pipelines.upkeep import Upkeep
from sluice.pipelines.watch import Watch
from sluice.plan import PipelineSpec
from sluice.session import graph
from sluice.session.activity import Activity
from sluice.session.claim import claim
from sluice.session.folder import Folder
from sluice.session.logs import log_to
from sluice.session.merging import merging_of
from sluice.session.named import configured, source_of
from sluice.session.views import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from sluice.catalog import Instance, Table
    from sluice.config import Config
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import ViewPlan
    from sluice.plan.functions import UserFunction


log = logging.getLogger(__name__)


class Engine:
    """One per data folder and process. Spark starts when something first needs it."""

    def __init__(
        self,
        data: str | Path,
        *,
        master: str,
        pipelines: bool,
        config: Config | None = None,
        catalog: str | None = None,
        spark: Mapping[str, str] | None = None,
        paths: Iterable[str | Path] = (),
        store: str | None = None,
        functions: Mapping[str, UserFunction] | None = None,
        copied: str = "",
    ) -> None:
        given = check_url(store) if store else ""
        self.config = config
        self.functions = dict(functions or {})
        self.folder = Folder.open(data)
        self._logging = log_to(self.folder.logs / "sluice.log")
        self.catalog = Catalog(catalog) if catalog else Catalog.in_folder(self.folder.path)
        self.instance = self._identify("" if catalog else self.folder.place, copied)
        self.catalog.provide(configured(config))
        url = given or self.catalog.store
        self._remote = StorePath(url, lambda: self.spark()._jvm) if url else None
        where: AnyPath = self._remote or self.folder.path
        self.checkpoints = where / "checkpoints"
        self.locations = Locations(self.folder.path, paths, self._remote)
        self.store = DeltaStore(where / "tables", self.locations, merging_of, self.instance)
        self.totals = Totals()
        self.activity = Activity(self.folder.path)
        self.changes = threading.RLock()
        self._master = master
        self._settings = dict(spark or {})
        self.runs_pipelines = pipelines
        self._spark: SparkSession | None = None
        self._watch: Watch | None = None
        self._starting = threading.Lock()
        self._left_behind = self.catalog.temporary_rows()
        self.supervisor = Supervisor(
            spark=self.spark,
            catalog=self.catalog,
            store=self.store,
            checkpoints=self.checkpoints,
        )
        self.jobs = Jobs(
            spark=self.spark,
            catalog=self.catalog,
            store=self.store,
            checkpoints=self.checkpoints,
        )
        java.provide(lambda: self.spark()._jvm)
        kept = config.letters_kept if config else None
        lifetimes = {table.uuid: kept for table in (LETTERS, MARKS)} if kept else {}
        self.upkeep = Upkeep(self.store, self.spark, self._stored, lifetimes)

    def _identify(self, place: str, copied: str) -> Instance:
        """Make sure that the folder is no copy, and name this start of a server on it."""
        try:
            return self.catalog.start(place, copied)
        except SluiceError:
            self.catalog.close()
            self._logging()
            self.folder.close()
            raise

    def spark(self) -> SparkSession:
        """The Spark session, started at the first call."""
        with self._starting:
            if self._spark is None:
                from sluice.pipelines.spark import start_spark

                urls = self.config.values(TOKEN_URL) if self.config else []
                hosts = self.config.hosts if self.config else None
                spark = start_spark(
                    self.folder.path,
                    self.folder.logs,
                    self._master,
                    urls,
                    self._settings,
                    hosts.flag() if hosts is not None else None,
                )
                if self._remote is not None:
                    self._claim(StorePath(str(self._remote), lambda: spark._jvm), spark)
                self._spark, self._watch = spark, Watch(spark)
                self._sweep(
                    StorePath(str(self._remote), lambda: spark._jvm) if self._remote else None
                )
            return self._spark

    def _sweep(self, store: StorePath | None) -> None:
        """Delete the rows of temporary tables of earlier starts, but of those that a job uses."""
        used = {
            uuid
            for job in self.catalog.jobs()
            if job.state == RUNNING
            for uuid in job.plan.get("tables", ())
        }
        tables = store / "tables" if store is not None else self.store.folder
        for uuid in self._left_behind:
            if uuid in used:
                continue
            try:
                remove(tables / uuid)
            except Exception:
                log.warning("rows of temporary table %s cannot be deleted", uuid, exc_info=True)
            else:
                self.catalog.forget_temporary_rows(uuid)

    def lost(self, fault: BaseException | None = None) -> SluiceError | None:
        """SPARK_LOST once Spark's JVM has died, also if that is why something failed."""
        if self._watch is None:
            return None
        return self._watch.lost() if fault is None else self._watch.lost_with(fault)

    def _claim(self, store: StorePath, spark: SparkSession) -> None:
        """Make sure that what is in the store is this catalog's."""
        try:
            claim(store, self.catalog)
        except SluiceError:
            from sluice.pipelines.spark import stop_spark

            stop_spark(spark, self.folder.path)
            raise

    def start(self) -> None:
        """Resume every attached pipeline, and have Spark ready."""
        self.sync()
        self.spark()
        self.upkeep.start()

    def _stored(self) -> list[Table]:
        own = [table for table in (LETTERS, MARKS) if self.store.exists(table)]
        stored = [t for t in self.catalog.tables() if t.kind == STORED and t.attached]
        return [*filter(self.store.reachable, stored), *own]

    def sync(self) -> None:
        """Let run what the catalog says should run."""
        if self.runs_pipelines:
            with self.changes, temporary.seeing({}):
                wanted = self._wanted()
                self.supervisor.sync({spec.id: spec for spec in wanted}, self._others(wanted))

    def _wanted(self) -> list[PipelineSpec]:
        """The pipelines of the tables that views read; a table that cannot be planned is shown."""
        found = []
        self.supervisor.broken.clear()
        for table in self._kafka_tables():
            try:
                spec = self.spec(table)
            except Exception as fault:
                named = faults.classify(fault, table.full_name, "")
                log.warning("%s: %s", table.full_name, named.text(), exc_info=fault)
                self.supervisor.broken[table.uuid] = (table, named)
                continue
            if spec.views:
                found.append(spec)
        return found

    def spec(self, table: Table) -> PipelineSpec:
        """A Kafka table with the attached views that its messages come to."""
        return PipelineSpec(source_of(self, table), self.feeds(table))

    def feeds(self, table: Table) -> tuple[ViewPlan, ...]:
        """The attached views that a table feeds, each with those behind it."""
        if table.temporary:
            return ()
        with temporary.seeing({}):  # views are the catalog's, whichever session inserts
            known = Draft(self.catalog, self.catalog.tables())
            return graph.feeds(known, table, partial(source_of, self))

    def _others(self, wanted: list[PipelineSpec]) -> list[PipelineSpec]:
        """The Kafka tables that are not read, as far as they could be."""
        running, found = {spec.id for spec in wanted}, []
        for table in self.catalog.tables():
            if table.kind == KAFKA and table.uuid not in running:
                with suppress(SluiceError):
                    found.append(self.spec(table))
        return found

    def _kafka_tables(self) -> list[Table]:
        return [t for t in self.catalog.tables() if t.kind == KAFKA and t.attached]

    def ask_to_stop(self) -> None:
        """Let pipelines and jobs end behind the batches that run; `close` waits for that."""
        self.jobs.ask_to_stop()
        self.supervisor.ask_to_stop()

    def close(self, patience: float = math.inf) -> None:
        """Stop the pipelines behind their batches, then Spark, then give the folder back.

        A batch that takes longer than `patience` seconds is given up; it runs again at the next
        start.
        """
        until = time.monotonic() + patience
        lost = self.lost() is not None
        self.activity.cancel_all(errors.QUERY_WAS_CANCELLED(reason=": the server stops"), 1.0)
        self.upkeep.stop()
        with suppress(Exception) if lost else nullcontext():
            self.jobs.close(until)
            self.supervisor.close(until)
        with self._starting:
            if self._spark is not None and self._watch is not None:
                from sluice.pipelines.spark import stop_spark

                self._watch.close()
                stop_spark(self._spark, self.folder.path, lost=lost)
                self._spark = None
        self.catalog.close()
        self._logging()
        self.folder.close()
