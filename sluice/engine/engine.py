"""What all sessions of a process share: the data folder, the catalog, Spark and the pipelines."""

from __future__ import annotations

import logging
import math
import shutil
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.access import AccessControl
from sluice.access.configured import entities_of
from sluice.access.logins import Logins
from sluice.catalog import STORED, Catalog
from sluice.clickhouse.pool import Pool, worker_folder
from sluice.clickhouse.worker import NICENESS
from sluice.config import Config
from sluice.engine import faults
from sluice.engine.activity import Activity
from sluice.engine.feeding import Feeding
from sluice.engine.folder import Folder
from sluice.engine.lineage.emitter import Lineage
from sluice.engine.logs import TEXT, log_to
from sluice.engine.mutations import Mutations
from sluice.engine.priorities import lower
from sluice.engine.runtime.evolution import confirm
from sluice.engine.runtime.resources import Resources
from sluice.engine.runtime.status import RUNNING
from sluice.engine.runtime.supervisor import Supervisor
from sluice.engine.sinks.dead_letters import LETTERS, MARKS
from sluice.engine.spark.jvm import Watch
from sluice.engine.statistics import Statistics
from sluice.engine.storage.claim import claim
from sluice.engine.storage.deletion_vectors import DeletedRows
from sluice.engine.storage.locations import Locations
from sluice.engine.storage.maintenance import Maintenance
from sluice.engine.storage.partition_rows import PartitionRows
from sluice.engine.storage.snapshots import Snapshots
from sluice.engine.storage.store_path import StorePath, check_url, remove
from sluice.engine.storage.tables import DeltaStore
from sluice.engine.storage.totals import Totals
from sluice.errors import SluiceError
from sluice.kafka import java
from sluice.kafka.logins import URL as TOKEN_URL
from sluice.options import spark_settings
from sluice.planner.environment import Environment
from sluice.planner.merging import merging_of
from sluice.planner.named_collections import configured
from sluice.planner.planner import Planner
from sluice.sql.access.user_file import read_grant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta
    from pathlib import Path

    from pyspark.sql import SparkSession

    from sluice.catalog import Instance, Table
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.planner import Plan
    from sluice.sql.core.user_functions import UserFunction


_LINEAGE_S = 2.0
"""How long the last lineage events may take to be sent."""

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
        log_format: str = TEXT,
    ) -> None:
        spark_settings.check(spark or {})
        given = check_url(store) if store else ""
        users = entities_of(config, read_grant)
        self.lineage = Lineage.of(config)
        self.functions: dict[str, UserFunction] = dict(functions or {})
        self.folder = Folder.open(data)
        self._logging = log_to(self.folder.logs / "sluice.log", log_format)
        self.catalog = Catalog(catalog) if catalog else Catalog.in_folder(self.folder.path)
        self.instance = self._identify("" if catalog else self.folder.place, copied)
        self.catalog.provide(configured(config))
        self.access = AccessControl(self.catalog.access, users)
        self.logins = Logins(self.access)
        self.changes = threading.RLock()
        self.runs_pipelines = pipelines
        self.resumed = False
        """Whether the pipelines and jobs of the catalog were started."""
        self._master = master
        self._settings = dict(spark or {})
        self._spark: SparkSession | None = None
        self._watch: Watch | None = None
        self._starting = threading.Lock()
        self._left_behind = self.catalog.temporary_rows()
        known = config or Config()
        schemas = known.format_schemas or self.folder.path / "format_schemas"
        known = replace(known, format_schemas=schemas)
        self.environment = Environment(self.catalog, known, self.instance)
        self.planner = Planner(self.environment)
        self._store_tables(given or self.catalog.store, paths)
        self._serve_statements()
        self._supervise(config.letters_kept if config else None)

    def _store_tables(self, url: str, paths: Iterable[str | Path]) -> None:
        """Where tables and checkpoints are: in a store if it has a URL, else in the folder."""
        self._remote = StorePath(url, lambda: self.spark()._jvm) if url else None
        where: AnyPath = self._remote or self.folder.path
        self.checkpoints = where / "checkpoints"
        self.locations = Locations(self.folder.path, paths, self._remote)
        self.store = DeltaStore(
            where / "tables", self.locations, merging_of, self.instance, self._current
        )
        self.snapshots = Snapshots()

    def _serve_statements(self) -> None:
        """What statements use besides Spark: ClickHouse's processes, counters, locks."""
        temporary = self.folder.path / "tmp"
        self.deleted_rows = DeletedRows(_made(temporary / "deleted-rows"))
        self.workers = Pool(worker_folder(temporary))
        self.totals = Totals()
        self.partition_rows = PartitionRows(self.workers, self.deleted_rows)
        self.mutations = Mutations(self.catalog.mutations)
        self.feeding = Feeding()
        self.statistics = Statistics()
        self.activity = Activity(self.folder.path, self.statistics)

    def _supervise(self, letters_kept: timedelta | None) -> None:
        """What runs beside statements: pipelines, jobs and the maintenance of tables."""
        resources = Resources(
            self.spark,
            self.catalog,
            self.store,
            self.checkpoints,
            self.statistics,
            self.changes,
            self.lineage,
        )
        self.supervisor = Supervisor(resources)
        self._without_jvm = java.provide(lambda: self.spark()._jvm)
        lifetimes = {table.uuid: letters_kept for table in (LETTERS, MARKS)} if letters_kept else {}
        self.maintenance = Maintenance(
            self.store, self.spark, self._stored, self.snapshots, lifetimes
        )

    def _identify(self, place: str, copied: str) -> Instance:
        """Make sure that the folder is no copy, and name this start of a server on it."""
        try:
            return self.catalog.start(place, copied)
        except SluiceError:
            self.catalog.close()
            self._logging()
            self.folder.close()
            raise

    @property
    def config(self) -> Config | None:
        """The operator's configuration."""
        return self.environment.config

    def spark(self) -> SparkSession:
        """The Spark session, started at the first call."""
        with self._starting:
            if self._spark is None:
                from sluice.engine.spark.launch import start_spark

                urls = self.config.values(TOKEN_URL) if self.config else []
                hosts = self.config.hosts if self.config else None
                tls = self.config.client_tls if self.config else None
                spark = start_spark(
                    self.folder.path,
                    self.folder.logs,
                    self._master,
                    urls,
                    self._settings,
                    hosts.flag() if hosts is not None else None,
                    tls.flag() if tls is not None else None,
                )
                tables = self.store.folder
                if self._remote is not None:
                    store = StorePath(str(self._remote), lambda: spark._jvm)
                    self._claim(store, spark)
                    tables = store / "tables"
                self._spark, self._watch = spark, Watch(spark)
                self._sweep(tables)
                confirm(self.catalog, self.store, spark, self.catalog.tables())
            return self._spark

    @property
    def is_local(self) -> bool:
        """Whether Spark's tasks run on this machine, and read its files."""
        return self._master.startswith("local")

    @property
    def started_spark(self) -> SparkSession | None:
        """The Spark session if it has started; nothing is started or waited for."""
        return self._spark

    @property
    def jvm_pid(self) -> int | None:
        """The process id of Spark's JVM, if this process has started it."""
        return None if self._watch is None else self._watch.pid

    def _current(self, table: Table) -> Table:
        """A table as the catalog has it now."""
        return self.catalog.snapshot().by_uuid.get(table.uuid, table)

    def _sweep(self, tables: AnyPath) -> None:
        """Delete the rows of temporary tables of earlier starts, but of those that a job uses."""
        used = {
            uuid
            for job in self.catalog.jobs.all()
            if job.state == RUNNING
            for uuid in job.plan.get("tables", ())
        }
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
            from sluice.engine.spark.launch import stop_spark

            stop_spark(spark, self.folder.path)
            raise

    def start(self) -> None:
        """Resume every attached pipeline; Spark gets a lower priority than short statements."""
        self.workers.warm()
        self.sync()
        self.spark()
        if self.jvm_pid is not None:
            lower(self.jvm_pid, NICENESS // 2)
        self.maintenance.start()

    def _stored(self) -> list[Table]:
        own = [table for table in (LETTERS, MARKS) if self.store.exists(table)]
        stored = [t for t in self.catalog.tables() if t.kind == STORED and t.attached]
        return [*filter(self.store.reachable, stored), *own]

    def sync(self) -> None:
        """Run what the catalog says should run."""
        if self.runs_pipelines:
            with self.changes:
                plan = self._plan()
                self.supervisor.sync({spec.id: spec for spec in plan.active}, plan.idle)

    def replan(self) -> None:
        """The same where files have changed that tables depend on."""
        with self.changes:
            self.planner.forget()
            self.sync()

    def _plan(self) -> Plan:
        """What should run; a table that cannot be planned is shown."""
        plan, broken = self.planner.plan(), {}
        for table, fault in plan.broken:
            named = faults.classify(fault, table.full_name, "")
            log.warning("%s: %s", table.full_name, named.text(), exc_info=fault)
            broken[table.uuid] = (table, named)
        self.supervisor.broken_tables = broken
        return plan

    def ask_to_stop(self) -> None:
        """Let pipelines and jobs end after the batches that run; `close` waits for that."""
        self.supervisor.ask_to_stop()

    def close(self, patience: float = math.inf) -> None:
        """Stop the pipelines after their batches, then Spark, then release the folder.

        A batch that takes longer than `patience` seconds is given up; it runs again at the next
        start.
        """
        until = time.monotonic() + patience
        lost = self.lost() is not None
        self.activity.cancel_all(errors.QUERY_WAS_CANCELLED(reason=": the server stops"), 1.0)
        self.workers.close()
        self.maintenance.stop()
        with suppress(Exception) if lost else nullcontext():
            self.supervisor.close(until)
        if self.lineage is not None:
            self.lineage.close(_LINEAGE_S)
        with self._starting:
            if self._spark is not None and self._watch is not None:
                from sluice.engine.spark.launch import stop_spark

                self._watch.close()
                stop_spark(self._spark, self.folder.path, lost=lost)
                self._spark = None
        self._without_jvm()
        self.catalog.close()
        self._logging()
        self.folder.close()


def _made(folder: Path) -> Path:
    """An empty folder, for files of this process alone."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
