"""The one way in: every door and every Python user runs statements here."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import DEFAULT_DATABASE
from sluice.options import job_settings
from sluice.pipelines import faults
from sluice.plan.functions import using
from sluice.session import (
    alter,
    consuming,
    ddl,
    dead_letters,
    flink,
    insert,
    jobs,
    killing,
    migration,
    named,
    queries,
    storing,
    system,
)
from sluice.session.engine import Engine
from sluice.session.result import Result, ResultColumn
from sluice.sql import ir
from sluice.types.flink import summary
from sluice.types.model import AggregateState, SimpleAggregate, String

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from sluice.config import Config
    from sluice.plan.functions import UserFunction

    Handler = Callable[[Engine, Any, str], Result]

CHANGES: Mapping[type[ir.Statement], Handler] = {
    ir.CreateDatabase: ddl.create_database,
    ir.DropDatabase: ddl.drop_database,
    ir.CreateTable: ddl.create_table,
    ir.CreateMaterializedView: ddl.create_view,
    ir.Drop: ddl.drop,
    ir.Detach: ddl.detach,
    ir.Attach: ddl.attach,
    ir.ResetOffsets: consuming.reset_offsets,
    ir.Consume: consuming.consume,
    ir.CreateNamedCollection: named.create,
    ir.AlterNamedCollection: named.alter,
    ir.DropNamedCollection: named.drop,
    ir.AlterTable: alter.alter_table,
    ir.RenameTables: alter.rename_tables,
    ir.ExchangeTables: alter.exchange_tables,
    ir.Truncate: storing.truncate,
    ir.Optimize: storing.optimize,
    ir.System: ddl.system,
    ir.Redrive: dead_letters.redrive,
}
"""Statements that change the catalog; they run one at a time."""

READS: Mapping[type[ir.Statement], Handler] = {
    ir.Select: queries.select,
    ir.Insert: insert.insert,
    ir.Describe: queries.describe,
    ir.DescribeQuery: queries.describe_query,
    ir.Exists: queries.exists,
    ir.ShowDatabases: queries.show_databases,
    ir.ShowTables: queries.show_tables,
    ir.ShowCreate: queries.show_create,
    ir.ShowNamedCollections: queries.show_collections,
    ir.ExplainMigration: migration.explain_migration,
    ir.KillQuery: killing.kill_query,
}
"""Statements that run side by side."""

HANDLERS: Mapping[str, tuple[Mapping[type[ir.Statement], Handler], ...]] = {
    "clickhouse": (CHANGES, READS),
    "flink": ({**CHANGES, **flink.CHANGES}, {**READS, **flink.READS}),
}


@contextmanager
def _full_disk_named() -> Iterator[None]:
    """A full disk is one error, whichever of the catalog, Spark and our own files met it."""
    try:
        yield
    except Exception as fault:
        full = faults.no_space(fault)
        if full is None:
            raise
        raise full from fault


class Session:
    """Runs statements against one data folder; each session has its own current database."""

    def __init__(self, engine: Engine, database: str = DEFAULT_DATABASE) -> None:
        self._engine = engine
        self.database = database
        self.settings: dict[str, Any] = {}

    def execute(
        self,
        sql: str,
        *,
        dialect: str = "clickhouse",
        readonly: bool = False,
        settings: Mapping[str, str] | None = None,
        query_id: str = "",
    ) -> Result:
        """Run one statement; `query_id` is its name in `system.query_log`.

        Raises:
            SluiceError: with its place in the text, and what would be right.
        """
        engine = self._engine
        with (
            engine.activity.statement(sql, self.database, dialect, query_id) as noted,
            _alive(engine),
            using(engine.functions),
            _full_disk_named(),
        ):
            statement = _parse(sql, dialect)
            noted.kind, noted.understood = type(statement).__name__, True
            noted.leave_out(getattr(statement, "data", None))
            if dialect == "flink" and isinstance(statement, ir.Insert | ir.StatementSet):
                statement = replace(statement, text=sql)
            self._engine.activity.admit(noted)
            given = self._given(statement, dialect, settings or {})
            with noted.limited(float(given.get("max_execution_time", 0))):
                result = self._execute(statement, dialect, settings or {}, readonly=readonly)
            if dialect == "flink":
                result.columns = tuple(map(_in_flinks_words, result.columns))
            noted.rows = len(result.rows)
            return result

    def _execute(
        self,
        statement: ir.Statement,
        dialect: str,
        settings: Mapping[str, str],
        *,
        readonly: bool,
    ) -> Result:
        if readonly and statement.writes:
            raise errors.READONLY(what=type(statement).__name__)
        _check_format(statement)
        flink.check_catalog(statement)
        if isinstance(statement, ir.Use):
            return self._use(statement)
        if isinstance(statement, ir.Set):
            self.take(statement.settings, dialect)
            return Result()
        if isinstance(statement, ir.Reset):
            return self._reset(statement)
        if isinstance(statement, ir.ShowSettings):
            return self._show_settings()
        if isinstance(statement, ir.CreateTable):
            statement = replace(statement, session=dict(self.settings))
        if dialect == "flink":
            statement = _with_settings(statement, {**self.settings, **flink.settings(settings)})
        elif isinstance(statement, ir.Select | ir.Insert):
            given = self._given(statement, dialect, settings) | {"readonly": int(readonly)}
            statement = replace(statement, settings=given)
        changes, reads = HANDLERS[dialect]
        change = changes.get(type(statement))
        if change is None:
            return _reader(statement, reads)(self._engine, statement, self.database)
        with self._engine.changes:
            result = change(self._engine, statement, self.database)
            jobs.revive(self._engine)
            return result

    def _given(
        self, statement: ir.Statement, dialect: str, settings: Mapping[str, str]
    ) -> dict[str, Any]:
        """The settings of a statement of ClickHouse's: the nearer to it, the more they count."""
        if dialect != "clickhouse":
            return {}
        own = statement.settings if isinstance(statement, ir.Select | ir.Insert) else {}
        return {**self._profile(), **self.settings, **settings, **own}

    def take(self, settings: Mapping[str, Any], dialect: str = "clickhouse") -> None:
        """Settings for all that follows, as SET gives them.

        Raises:
            SluiceError: UNKNOWN_SETTING, OPTION_REFUSED or BAD_ARGUMENTS.
        """
        self.settings |= flink.settings(settings) if dialect == "flink" else settings

    def child(self, database: str | None = None) -> Session:
        """Another session over the same engine, with a current database of its own.

        Raises:
            SluiceError: UNKNOWN_DATABASE.
        """
        new = Session(self._engine, self.database)
        if database is not None:
            new._use(ir.Use(database))
        return new

    def cancel(self, query_id: str, reason: str = "") -> bool:
        """Cancel a statement of any session of this engine; False if it does not run."""
        running = self._engine.activity.find(query_id)
        if running is not None:
            running.cancel(errors.QUERY_WAS_CANCELLED(reason=reason))
        return running is not None

    def start(self) -> None:
        """Resume the attached pipelines and have Spark ready."""
        self._engine.start()

    def lost(self) -> errors.SluiceError | None:
        """SPARK_LOST once Spark's JVM has died: the session can only be closed."""
        return self._engine.lost()

    def say_url(self, url: str) -> None:
        """Write into the folder's lock where this process answers."""
        self._engine.folder.say(url)

    @property
    def logs(self) -> Path:
        """The folder of the log files."""
        return self._engine.folder.logs

    def ask_to_stop(self) -> None:
        """Let the pipelines end behind the batches that run; `close` waits for that."""
        self._engine.ask_to_stop()

    def close(self, patience: float = math.inf) -> None:
        """Stop the pipelines behind their batches, then Spark.

        A batch that takes longer than `patience` seconds is given up; it runs again at the next
        start.
        """
        self._engine.close(patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _profile(self) -> dict[str, str]:
        config = self._engine.config
        return config.settings() if config is not None else {}

    def _reset(self, statement: ir.Reset) -> Result:
        if statement.name is None:
            self.settings.clear()
        else:
            self.settings.pop(statement.name, None)
            self.settings.pop(flink.setting_name(statement.name), None)
        return Result()

    def _show_settings(self) -> Result:
        rows = job_settings.shown(self.settings)
        return queries.answer([("key", String()), ("value", String())], rows, None)

    def _use(self, statement: ir.Use) -> Result:
        known = system.all_databases(self._engine)
        if statement.database not in known:
            hint = errors.nearest(statement.database, known)
            raise errors.UNKNOWN_DATABASE(database=statement.database, hint=hint)
        self.database = statement.database
        return Result()


def connect(
    data: str | Path = "sluice-data",
    *,
    master: str = "local[*]",
    pipelines: bool = True,
    config: Config | None = None,
    catalog: str | None = None,
    spark: Mapping[str, str] | None = None,
    partitioners: Collection[str] = (),
    paths: Iterable[str | Path] = (),
    hosts: Collection[str] = (),
    store: str | None = None,
    functions: Mapping[str, tuple[Callable[..., Any], Sequence[str], str]] | None = None,
    copied: str = "",
) -> Session:
    """Open a data folder. Its pipelines run for as long as the session is open.

    Args:
        data: the folder; it is made if it is new.
        master: the Spark master.
        pipelines: whether to run the folder's pipelines.
        config: what configuration files say (`sluice.config.load`).
        catalog: where the catalog is kept if not in the folder, as SQLAlchemy names databases:
            `postgresql+psycopg://user@host/database`.
        spark: settings of Spark's, besides and before Sluice's own.
        partitioners: classes that tables may name in `sink.partitioner`: Java's by their full
            names, Python's as `package.module:Class`.
        paths: directories besides the data folder that the `path` of a table may lead into.
        hosts: names of hosts, alone or as `host:port`, that URLs of schema registries may lead to;
            without any, all that have public addresses.
        store: where tables and checkpoints are if not in the folder, as Hadoop names places:
            `s3a://bucket/folder`. It is remembered: once said, it need not be said again.
        functions: what Flink's SQL may call besides its own, by name: the function, the types of
            its arguments, and that of what it gives back, such as `(str.title, ["STRING"],
            "STRING")`.
        copied: what a folder is that was copied: `moved` if its original does not run any more,
            `new` if it is to be an instance of its own, with other names in Kafka.

    Raises:
        SluiceError: WAREHOUSE_LOCKED when another process has the folder. DATA_FOLDER_COPIED for a
            copy of which nothing was said. STORE_REFUSED, when Spark
            starts, for a store with the tables of another catalog.
    """
    known: Mapping[str, UserFunction] = {}
    if functions:
        from sluice.sql.flink.functions import read_functions

        known = read_functions(functions)
    if partitioners or hosts:
        from sluice.config import Config, Hosts

        config = config or Config()
        if partitioners:
            config = replace(config, partitioners=tuple(partitioners))
        if hosts:
            listed = (config.hosts or Hosts()).with_names(tuple(hosts))
            config = replace(config, hosts=listed)
    engine = Engine(
        data,
        master=master,
        pipelines=pipelines,
        config=config,
        catalog=catalog,
        spark=spark,
        paths=paths,
        store=store,
        functions=known,
        copied=copied,
    )
    engine.sync()
    if pipelines:
        with using(engine.functions):
            jobs.resume(engine)
    return Session(engine)


@contextmanager
def _alive(engine: Engine) -> Iterator[None]:
    """Raise SPARK_LOST in the place of whatever a lost JVM breaks."""
    if lost := engine.lost():
        raise lost
    try:
        yield
    except Exception as fault:
        if lost := engine.lost(fault):
            raise lost from fault
        raise


def _in_flinks_words(column: ResultColumn) -> ResultColumn:
    """A column whose type has Flink's name; states of ClickHouse's aggregates have none."""
    if isinstance(column.type, AggregateState | SimpleAggregate):
        return column
    return replace(column, spelled=summary(column.type))


def _parse(sql: str, dialect: str) -> ir.Statement:
    if dialect not in HANDLERS:
        hint = f"Statements can be written in {' and '.join(HANDLERS)}."
        raise errors.UNSUPPORTED_STATEMENT(what=f"The dialect {dialect}", hint=hint)
    if dialect == "flink":
        from sluice.sql.flink import parse
    else:
        from sluice.sql.clickhouse import parse

    return parse(sql)


def _with_settings(statement: ir.Statement, settings: Mapping[str, Any]) -> ir.Statement:
    """A statement of Flink's with what was set before it."""
    if isinstance(statement, ir.Explain):
        return replace(statement, statement=_with_settings(statement.statement, settings))
    if isinstance(statement, ir.Select | ir.Insert | ir.StatementSet):
        return replace(statement, settings=settings)
    return statement


def _reader(statement: ir.Statement, reads: Mapping[type[ir.Statement], Handler]) -> Handler:
    if type(statement) not in reads:
        what = f"The statement {type(statement).__name__}"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="")
    return reads[type(statement)]


def _check_format(statement: ir.Statement) -> None:
    """An unknown format is found before the statement runs, not behind it."""
    wanted = getattr(statement, "format", None)
    if wanted is not None and not isinstance(statement, ir.Insert):
        from sluice.formats.output import find_format

        find_format(wanted)
