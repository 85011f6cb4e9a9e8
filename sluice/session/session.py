"""Sessions: HTTP, the command line and Python callers all run statements here."""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.access import Access, owner
from sluice.access.clients import LOCAL
from sluice.catalog import DEFAULT_DATABASE, temporary
from sluice.engine import faults
from sluice.engine.engine import Engine
from sluice.engine.logs import TEXT
from sluice.formats.answers import DEFAULT, find_answer
from sluice.formats.result import Result, ResultColumn
from sluice.options import job_settings, query_settings
from sluice.options.query_settings import FLATTEN, MAX_TIME
from sluice.planner.flink_tables import check_catalog
from sluice.session import (
    access_statements,
    changes,
    clickhouse_explain,
    clickhouse_mutations,
    clickhouse_select,
    constraints,
    ddl,
    flink,
    insert,
    jobs,
    migration,
    needed,
    queries,
    sql_functions,
)
from sluice.session.context import Context, Output, read_job_settings, read_settings
from sluice.session.queries import known_database
from sluice.sql import ir
from sluice.sql.access.nodes import SetRole
from sluice.sql.clickhouse.queries import Unread
from sluice.sql.core.recent import Recent
from sluice.sql.core.user_functions import using
from sluice.system.health import Health
from sluice.types.flink import summary
from sluice.types.model import AggregateState, SimpleAggregate
from sluice.types.named import flattening

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from sluice.access.clients import Client
    from sluice.access.entities import Names
    from sluice.access.logins import Credentials
    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.engine.activity import Statement
    from sluice.session.context import ExternalTable
    from sluice.sql.core.user_functions import UserFunction
    from sluice.system.prometheus import Metrics

    Handler = Callable[[Context, Any], Result | None]

READS: Mapping[type[ir.Statement], Handler] = {
    ir.Select: queries.select,
    ir.Insert: insert.insert,
    ir.Mutation: clickhouse_mutations.mutate,
    ir.Describe: queries.describe,
    ir.DescribeQuery: queries.describe_query,
    ir.ExplainQuery: clickhouse_explain.explain,
    ir.Exists: queries.exists,
    ir.ShowDatabases: queries.show_databases,
    ir.ShowTables: queries.show_tables,
    ir.ShowCreate: queries.show_create,
    ir.ShowNamedCollections: queries.show_collections,
    ir.ExplainMigration: migration.explain_migration,
    ir.KillQuery: queries.kill_query,
    ir.KillMutation: queries.kill_mutation,
    **access_statements.READS,
}
"""Statements that run side by side."""

HANDLERS: Mapping[str, Mapping[type[ir.Statement], Handler]] = {
    "clickhouse": READS,
    "flink": {**READS, **flink.READS},
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


@contextmanager
def _in_words_of(dialect: str) -> Iterator[None]:
    """Errors are reported in the words of the statement's dialect."""
    try:
        yield
    except errors.SluiceError as error:
        error.dialect = dialect
        raise


@contextmanager
def _names_kept(access: Access) -> Iterator[None]:
    """Hints do not tell names to a user who may not see everything."""
    try:
        yield
    except errors.SluiceError as error:
        if not access.everything and error.condition.name in _NAMING and "hint" in error.params:
            error.params["hint"] = ""
        raise


_SELECTS: Recent[ir.Select] = Recent(most=128, longest=1 << 11)
"""Queries as they were parsed; a tree takes hundreds of times the memory of its text."""

_NAMING = frozenset({"UNKNOWN_TABLE", "UNKNOWN_DATABASE", "UNKNOWN_COLUMN", "UNKNOWN_JOB"})
"""Errors whose hints name what comes near."""


class Session:
    """Runs statements against one data folder.

    It has a current database and settings of its own, which hold until it ends. One that is not
    `lasting` runs a single statement, so that it refuses what would hold for those that follow.
    """

    def __init__(
        self,
        engine: Engine,
        database: str = DEFAULT_DATABASE,
        *,
        lasting: bool = True,
        user: str | None = None,
        address: str = "",
    ) -> None:
        self._user = user
        self._address = address
        self._roles: tuple[str, ...] | None = None
        self._engine = engine
        self._lasting = lasting
        self.database = database
        self._set: dict[str, dict[str, Any]] = {dialect: {} for dialect in HANDLERS}
        self._temporary: dict[tuple[str, str], Table] = {}
        self._parameters: dict[str, str] = {}

    @property
    def access(self) -> Access:
        """What its user may do; whoever has opened the data folder may do everything."""
        if self._user is None:
            return owner()
        return self._engine.access.access(self._user, self._roles, self._address)

    def execute(
        self,
        sql: str,
        *,
        dialect: str = "clickhouse",
        readonly: bool = False,
        settings: Mapping[str, str] | None = None,
        database: str | None = None,
        query_id: str = "",
        default_format: str | None = None,
        stream: bool = False,
        parameters: Mapping[str, str] | None = None,
        revision: int = 0,
        external: Sequence[ExternalTable] = (),
        client: Client = LOCAL,
    ) -> Result:
        """Run one statement.

        Args:
            sql: its text.
            dialect: `clickhouse` or `flink`.
            readonly: whether a statement that changes something is refused.
            settings: settings for this statement, besides the session's.
            database: its current database, if it is not the session's.
            query_id: its name in `system.processes` and `system.query_log`.
            default_format: what the answer is written in if the statement does not say.
            stream: whether a query may answer with `Result.stream`, the bytes of the answer.
            parameters: values for `{name:Type}` in a query.
            revision: that of ClickHouse's protocol, for an answer in the format Native.
            external: tables that a query may read besides those of the catalog.
            client: what has sent it, for `system.query_log`.

        Raises:
            SluiceError: with its place in the text, and what would be right.
        """
        engine, access = self._engine, self.access
        within = self.database if database is None else self._known(database)
        with (
            engine.activity.statement(
                sql, within, dialect, query_id, access.user, access.address, client
            ) as noted,
            _names_kept(access),
            _alive(engine),
            using(engine.functions),
            _full_disk_named(),
            temporary.seeing(self._temporary),
            _in_words_of(dialect),
        ):
            statement = _parse(sql, dialect)
            noted.kind, noted.understood = type(statement).__name__, True
            noted.leave_out(getattr(statement, "data", None))
            if dialect == "clickhouse":
                statement = sql_functions.lasting(engine, statement)
            needed.check(access, statement, engine.catalog, within)
            profile = constraints.of_profiles(access)
            self._engine.activity.admit(noted, profile.pop(constraints.USER_QUERIES, 0))
            self._count(access, noted)
            readonly = readonly or bool(profile.get(constraints.READONLY))
            if readonly and statement.writes:
                raise errors.READONLY(what=type(statement).__name__)
            chosen = self._chosen(dialect, settings or {})
            own = _own_settings(statement, dialect)
            constraints.check(access, own)
            given = chosen
            if dialect == "clickhouse":
                given = {**self._profile(), **profile, **chosen}
            merged = {**given, **own}
            merged |= {"readonly": int(readonly)} if dialect == "clickhouse" else {}
            wanted = _answer_format(statement) or default_format or DEFAULT
            context = Context(
                engine,
                within,
                dialect,
                merged,
                access,
                unasked=frozenset(given.keys() - chosen.keys() - own.keys()),
                query_id=noted.id,
                text=sql,
                output=Output(wanted, revision) if stream else None,
                parameters={**self._parameters, **(parameters or {})},
                external=external,
            )
            flattens = bool(merged.get(FLATTEN, True))
            with noted.limited(float(merged.get(MAX_TIME, 0))), flattening(flattens):
                if not flattens and isinstance(statement, _WITH_COLUMNS):
                    statement = sql_functions.lasting(engine, _parse(sql, dialect))
                result = self._execute(context, statement) or Result()
            if dialect == "flink":
                result.columns = tuple(map(_in_flinks_words, result.columns))
            noted.rows, noted.written = noted.rows or len(result.rows), result.written
            if stream and result.columns:
                return clickhouse_select.written(context, result)
            return result

    def _execute(self, context: Context, statement: ir.Statement) -> Result | None:
        check_catalog(statement)
        if isinstance(statement, ir.Use | ir.Set | ir.Reset):
            self._change(statement, context.dialect)
            return None
        if isinstance(statement, SetRole):
            with errors.at(statement.place):
                self._set_role(statement)
            return None
        if isinstance(statement, ir.ShowSettings):
            return queries.texts(("key", "value"), job_settings.shown(self._set[context.dialect]))
        if getattr(statement, "temporary", False) and not self._lasting:
            verb = "DROP" if isinstance(statement, ir.Drop) else "CREATE"
            what, instead = f"{verb} TEMPORARY", "leave TEMPORARY out"
            raise errors.THERE_IS_NO_SESSION(what=what, instead=instead)
        if type(statement) in changes.CHANGES[context.dialect]:
            return changes.apply(context, statement)
        if type(statement) not in HANDLERS[context.dialect]:
            what = f"The statement {type(statement).__name__}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="")
        return HANDLERS[context.dialect][type(statement)](context, statement)

    def _chosen(self, dialect: str, settings: Mapping[str, str]) -> dict[str, Any]:
        """The settings of the session and of a request, checked."""
        read = read_job_settings if dialect == "flink" else query_settings.read
        found = read(settings)
        constraints.check(self.access, found)
        return {**self._set[dialect], **found}

    def _known(self, database: str) -> str:
        """The name of a database; whether there is one is not told to those who may not know."""
        if not self.access.shows_database(database):
            return database
        return known_database(self._engine, database)

    def _count(self, access: Access, noted: Statement) -> None:
        """Count a statement for the quotas of its user."""
        if not access.quotas:
            return
        usage = self._engine.access.usage
        usage.begin(access, noted.kind)
        noted.at_end = lambda made, fault: usage.end(
            access,
            failed=fault is not None,
            rows=made.rows,
            read=made.read,
            seconds=made.seconds(),
        )

    def _set_role(self, statement: SetRole) -> None:
        """SET ROLE: of the roles that are granted."""
        if not self._lasting:
            instead = "send role=NAME with each request"
            raise errors.THERE_IS_NO_SESSION(what="SET ROLE", instead=instead)
        self.choose_roles(statement.roles)

    def choose_roles(self, roles: Names | None) -> None:
        """Enable these of the granted roles, and no others; None enables the default ones.

        Raises:
            SluiceError: SET_NON_GRANTED_ROLE.
        """
        granted = self.access.granted_roles
        for role in roles.names if roles is not None else ():
            if role not in granted:
                raise errors.SET_NON_GRANTED_ROLE(role=role, user=self.access.user)
        chosen = None if roles is None else tuple(role for role in granted if roles.has(role))
        self._roles = chosen

    def _change(self, statement: ir.Use | ir.Set | ir.Reset, dialect: str) -> None:
        """What holds for the statements that follow."""
        if not self._lasting:
            what = "USE" if isinstance(statement, ir.Use) else type(statement).__name__.upper()
            one = "database=NAME" if isinstance(statement, ir.Use) else "SETTING=VALUE"
            instead = f"send {one} with each request"
            raise errors.THERE_IS_NO_SESSION(what=what, instead=instead)
        if isinstance(statement, ir.Use):
            self.database = self._known(statement.database)
        elif isinstance(statement, ir.Set):
            given = dict(statement.settings)
            for name in [name for name in given if name.startswith("param_")]:
                self._parameters[name.removeprefix("param_")] = str(given.pop(name))
            changed = read_settings(replace(statement, settings=given), dialect)
            constraints.check(self.access, changed)
            for name in statement.defaults:
                query_settings.check_known(name, statement.setting_places.get(name))
                self._set[dialect].pop(name, None)
            self._set[dialect] |= changed
        elif statement.name is None:
            self._set[dialect].clear()
        else:
            self._set[dialect].pop(statement.name, None)
            self._set[dialect].pop(job_settings.first_name(statement.name), None)

    def child(
        self,
        database: str | None = None,
        *,
        lasting: bool = True,
        user: str | None = None,
        address: str = "",
    ) -> Session:
        """Another session over the same engine, with a current database of its own.

        It is that of a `user` who has logged in from an address; without one it is for the owner of
        the data folder, as this one.

        Raises:
            SluiceError: UNKNOWN_DATABASE.
        """
        user = self._user if user is None else user
        made = Session(self._engine, self.database, lasting=lasting, user=user, address=address)
        if database is not None:
            made.database = made._known(database)
        elif user is not None and made.access.default_database:
            made.database = made._known(made.access.default_database)
        return made

    def end(self) -> None:
        """Drop what belongs to this session alone; the engine keeps running."""
        for settings in self._set.values():
            settings.clear()
        if self._temporary:
            with self._engine.changes, temporary.seeing(self._temporary):
                ddl.end_temporary(self._engine, list(self._temporary.values()))
            self._temporary.clear()

    def known_login(self, given: Credentials) -> str | None:
        """The user that credentials belong to, if they were right before; nothing is computed."""
        return self._engine.logins.known(given)

    def login(self, given: Credentials) -> str:
        """The user that credentials belong to.

        Raises:
            SluiceError: AUTHENTICATION_FAILED.
        """
        return self._engine.logins.login(given)

    def has_remote_users(self) -> bool:
        """Whether somebody can log in from another machine, with a password or a certificate."""
        return self._engine.logins.has_remote_users()

    def cancel(self, query_id: str, reason: str = "", user: str | None = None) -> bool:
        """Cancel a statement, if it runs and is the user's: of any user if none is given."""
        running = self._engine.activity.find(query_id)
        if running is not None and (user or self._user) in (None, running.user):
            running.cancel(errors.QUERY_WAS_CANCELLED(reason=reason))
            return True
        return False

    def start(self) -> None:
        """Resume the attached pipelines and have Spark ready."""
        self._engine.start()

    def lost(self) -> errors.SluiceError | None:
        """SPARK_LOST once Spark's JVM has died: the session can only be closed."""
        return self._engine.lost()

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics of the engine, for Prometheus."""
        from sluice.system.prometheus import Metrics

        return Metrics(self._engine)

    @cached_property
    def health(self) -> Health:
        """Whether the engine lives and is ready."""
        return Health(self._engine)

    def say_url(self, url: str) -> None:
        """Write into the folder's lock where this process answers."""
        self._engine.folder.say(url)

    @property
    def logs(self) -> Path:
        """The folder of the log files."""
        return self._engine.folder.logs

    def ask_to_stop(self) -> None:
        """Let the pipelines stop after their current batches; `close` waits for that."""
        self._engine.ask_to_stop()

    def close(self, patience: float = math.inf) -> None:
        """Stop the pipelines after their current batches, then Spark.

        A batch that takes longer than `patience` seconds is given up; it runs again at the next
        start.
        """
        if self._engine.lost() is None:
            self.end()
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

    def _profile(self) -> dict[str, Any]:
        """The settings of the configuration's profile that mean something here."""
        config = self._engine.config
        found: dict[str, Any] = {}
        for name, value in (config.settings() if config is not None else {}).items():
            with suppress(errors.SluiceError):
                found |= query_settings.read({name: value})
        return found


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
    log_format: str = TEXT,
    format_schemas: str | Path | None = None,
) -> Session:
    """Open a data folder. Its pipelines run for as long as the session is open.

    Args:
        data: the folder; it is made if it is new.
        master: the Spark master.
        pipelines: whether to run the folder's pipelines.
        config: what configuration files say (`sluice.config.load`).
        catalog: where the catalog is kept if not in the folder, as SQLAlchemy names databases:
            `postgresql+psycopg://user@host/database`.
        spark: Spark settings, which override Sluice's.
        partitioners: classes that tables may name in `sink.partitioner`: Java's by their full
            names, Python's as `package.module:Class`.
        paths: directories besides the data folder that the `path` of a table may lead into.
        hosts: names of hosts, alone or as `host:port`, that URLs of schema registries may lead to;
            without any, all that have public addresses.
        store: where tables and checkpoints are if not in the folder, as Hadoop names places:
            `s3a://bucket/folder`. The catalog remembers it.
        functions: what Flink's SQL may call besides its own, by name: the function, the types of
            its arguments, and that of what it gives back, such as `(str.title, ["STRING"],
            "STRING")`.
        copied: what a folder is that was copied: `moved` if its original does not run any more,
            `new` if it is to be an instance of its own, with other names in Kafka.
        log_format: `text`, or `json` for one JSON object per line of `sluice.log`.
        format_schemas: the directory with the schemas of formats such as Protobuf; if it is not
            given, `format_schemas` in the data folder.

    Raises:
        SluiceError: WAREHOUSE_LOCKED when another process has the folder. DATA_FOLDER_COPIED for a
            copy if `copied` is not given. STORE_REFUSED, when Spark
            starts, for a store with the tables of another catalog.
    """
    known: Mapping[str, UserFunction] = {}
    if functions:
        from sluice.sql.flink.functions import read_functions

        known = read_functions(functions)
    if partitioners or hosts or format_schemas:
        from sluice.config import Config, Hosts

        config = config or Config()
        if format_schemas:
            config = replace(config, format_schemas=Path(format_schemas).absolute())
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
        log_format=log_format,
    )
    engine.sync()
    if pipelines:
        with using(engine.functions):
            jobs.resume(engine)
    engine.resumed = True
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


_WITH_COLUMNS = ir.CreateTable | ir.CreateMaterializedView


def _parse(sql: str, dialect: str) -> ir.Statement:
    if dialect not in HANDLERS:
        hint = f"Statements can be written in {' and '.join(HANDLERS)}."
        raise errors.UNSUPPORTED_STATEMENT(what=f"The dialect {dialect}", hint=hint)
    parse: Callable[[str], ir.Statement]
    if dialect == "flink":
        from sluice.sql.flink import parse
    elif (known := _SELECTS.get(sql)) is not None:
        return known
    else:
        from sluice.sql import clickhouse

        parse = partial(clickhouse.parse, lenient=True)
    if not migration.is_explain(sql):
        made = parse(sql)
        if dialect == "clickhouse" and isinstance(made, ir.Select) and _is_read(made.query):
            _SELECTS.keep(sql, made)
        return made
    statement, problems = migration.read(parse, sql)
    if not isinstance(statement, ir.ExplainMigration):
        raise problems[-1]
    return replace(statement, problems=problems)


def _is_read(query: ir.Query) -> bool:
    """Whether a query has a tree: an error in its place gets to know who has asked."""
    return not isinstance(query.tree, Unread)


def _own_settings(statement: ir.Statement, dialect: str) -> dict[str, Any]:
    """The settings in the text of a statement, checked."""
    if dialect == "flink":
        return {}
    if isinstance(statement, ir.Mutation):
        return query_settings.read(statement.settings, statement.setting_places)
    if not isinstance(statement, ir.Select | ir.Insert | ir.CreateTable):
        return {}
    query = statement.query
    where = query.setting_places if query is not None else {}
    if isinstance(statement, ir.CreateTable):  # its own settings are those of the table
        return query_settings.read(query.settings, where) if query is not None else {}
    return query_settings.read(statement.settings, where)


def _answer_format(statement: ir.Statement) -> str | None:
    """The format that a statement asks for; an unknown one is refused before it runs.

    Raises:
        SluiceError: UNKNOWN_FORMAT.
    """
    wanted: str | None = getattr(statement, "format", None)
    if wanted is None or isinstance(statement, ir.Insert):  # that one's is of its data
        return None
    find_answer(wanted)
    return wanted
