"""Sessions: HTTP, the command line and Python callers all run statements here."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.access import Access, owner
from sluice.access.clients import LOCAL
from sluice.catalog import DEFAULT_DATABASE, temporary
from sluice.formats.answers import DEFAULT
from sluice.formats.result import Result, ResultColumn
from sluice.options.query_settings import FLATTEN, MAX_TIME
from sluice.planner.flink_tables import check_catalog
from sluice.session import (
    clickhouse_select,
    constraints,
    ddl,
    dispatch,
    needed,
    queries,
    sql_functions,
)
from sluice.session.context import Context, Output
from sluice.session.guards import guarded
from sluice.session.parsing import answer_format, parse
from sluice.session.queries import known_database
from sluice.session.session_settings import SessionSettings, defaults
from sluice.sql import ir
from sluice.sql.access.nodes import SetRole
from sluice.sql.core.user_functions import using
from sluice.system.health import Health
from sluice.types.flink import summary
from sluice.types.model import AggregateState, SimpleAggregate
from sluice.types.named import flattening

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from sluice.access.clients import Client
    from sluice.access.entities import Names
    from sluice.access.logins import Credentials
    from sluice.catalog import Table
    from sluice.engine.activity import Statement
    from sluice.engine.engine import Engine
    from sluice.session.context import ExternalTable
    from sluice.system.prometheus import Metrics

    Handler = Callable[["Session", Context, Any], Result | None]


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
        self._settings = SessionSettings()
        self._temporary: dict[tuple[str, str], Table] = {}

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
            default_format: the format of the answer if the statement has no FORMAT clause.
            stream: whether a query may answer with `Result.stream`, the bytes of the answer.
            parameters: values for `{name:Type}` in a query.
            revision: that of ClickHouse's protocol, for an answer in the format Native.
            external: tables that a query may read besides those of the catalog.
            client: the client that has sent it, for `system.query_log`.

        Raises:
            SluiceError: with its place in the text, and a hint.
        """
        engine, access = self._engine, self.access
        within = self.database if database is None else self._known(database)
        with (
            engine.activity.statement(
                sql, within, dialect, query_id, access.user, access.address, client
            ) as noted,
            guarded(engine, access, dialect),
            using(engine.functions),
            temporary.seeing(self._temporary),
        ):
            statement = self._parsed(sql, dialect, noted)
            needed.check(access, statement, engine.catalog, within)
            profile = self._admit(access, noted)
            readonly = readonly or bool(profile.get(constraints.READONLY))
            if readonly and statement.writes:
                raise errors.READONLY(what=type(statement).__name__)
            chosen = self._settings.chosen(access, statement, dialect, settings or {})
            before = defaults(engine.config, dialect, profile)
            fixed = {"readonly": int(readonly)} if dialect == "clickhouse" else {}
            wanted = answer_format(statement) or default_format or DEFAULT
            context = Context(
                engine,
                within,
                dialect,
                {**before, **chosen, **fixed},
                access,
                unasked=frozenset(before.keys() - chosen.keys()),
                query_id=noted.id,
                text=sql,
                output=Output(wanted, revision) if stream else None,
                parameters={**self._settings.parameters, **(parameters or {})},
                external=external,
            )
            return self._answer(context, statement, noted)

    def _parsed(self, sql: str, dialect: str, noted: Statement) -> ir.Statement:
        """The statement of a text, with the functions that it calls in place."""
        statement = parse(sql, dialect)
        noted.kind, noted.understood = type(statement).__name__, True
        noted.leave_out(getattr(statement, "data", None))
        if dialect == "clickhouse":
            return sql_functions.lasting(self._engine, statement)
        return statement

    def _admit(self, access: Access, noted: Statement) -> dict[str, Any]:
        """The settings of the user's profiles, if the user may run one more statement."""
        profile = constraints.of_profiles(access)
        self._engine.activity.admit(noted, profile.pop(constraints.USER_QUERIES, 0))
        if access.quotas:
            usage = self._engine.access.usage
            usage.begin(access, noted.kind)
            noted.at_end = lambda made, fault: usage.end(
                access,
                failed=fault is not None,
                rows=made.rows,
                read=made.read,
                seconds=made.seconds(),
            )
        return profile

    def _answer(self, context: Context, statement: ir.Statement, noted: Statement) -> Result:
        """Run a statement within its limits, and write its rows if bytes are wanted."""
        flattens = bool(context.settings.get(FLATTEN, True))
        with noted.limited(float(context.settings.get(MAX_TIME, 0))), flattening(flattens):
            if not flattens and isinstance(statement, _WITH_COLUMNS):
                again = parse(context.text, context.dialect)
                statement = sql_functions.lasting(context.engine, again)
            result = self._execute(context, statement) or Result()
        if context.dialect == "flink":
            result.columns = tuple(map(_in_flinks_words, result.columns))
        noted.rows, noted.written = noted.rows or len(result.rows), result.written
        noted.written_bytes, result.progress = result.written_bytes, noted.progress
        if context.output is not None and result.columns:
            return clickhouse_select.written(context, result)
        return result

    def _execute(self, context: Context, statement: ir.Statement) -> Result | None:
        check_catalog(statement)
        if (own := _OWN.get(type(statement))) is not None:
            return own(self, context, statement)
        if getattr(statement, "temporary", False):
            verb = "DROP" if isinstance(statement, ir.Drop) else "CREATE"
            self._check_lasting(f"{verb} TEMPORARY", "leave TEMPORARY out")
        return dispatch.run(context, statement)

    def _check_lasting(self, what: str, instead: str) -> None:
        """Refuse what would hold for the statements that follow if none do.

        Raises:
            SluiceError: THERE_IS_NO_SESSION.
        """
        if not self._lasting:
            raise errors.THERE_IS_NO_SESSION(what=what, instead=instead)

    def _known(self, database: str) -> str:
        """The name of a database; whether there is one is not told to those who may not know."""
        if not self.access.shows_database(database):
            return database
        return known_database(self._engine, database)

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

    def _use(self, context: Context, statement: ir.Use) -> None:
        self._check_lasting("USE", "send database=NAME with each request")
        self.database = self._known(statement.database)

    def _set_settings(self, context: Context, statement: ir.Set) -> None:
        self._check_lasting("SET", "send SETTING=VALUE with each request")
        self._settings.set(self.access, statement, context.dialect)

    def _reset(self, context: Context, statement: ir.Reset) -> None:
        self._check_lasting("RESET", "send SETTING=VALUE with each request")
        self._settings.reset(statement, context.dialect)

    def _show_settings(self, context: Context, statement: ir.ShowSettings) -> Result:
        return queries.texts(("key", "value"), self._settings.shown(context.dialect))

    def _set_role(self, context: Context, statement: SetRole) -> None:
        with errors.at(statement.place):
            self._check_lasting("SET ROLE", "send role=NAME with each request")
            self.choose_roles(statement.roles)

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
        self._settings.clear()
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

    def progress(self, query_id: str, user: str) -> Mapping[str, int]:
        """What a user's statement has read and written so far; nothing if there is none."""
        running = self._engine.activity.find(query_id)
        return running.progress() if running is not None and running.user == user else {}

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


_OWN: Mapping[type[ir.Statement], Handler] = {
    ir.Use: Session._use,
    ir.Set: Session._set_settings,
    ir.Reset: Session._reset,
    ir.ShowSettings: Session._show_settings,
    SetRole: Session._set_role,
}
"""Statements that concern their session alone."""


def _in_flinks_words(column: ResultColumn) -> ResultColumn:
    """A column whose type has Flink's name; states of ClickHouse's aggregates have none."""
    if isinstance(column.type, AggregateState | SimpleAggregate):
        return column
    return replace(column, spelled=summary(column.type))


_WITH_COLUMNS = ir.CreateTable | ir.CreateMaterializedView
