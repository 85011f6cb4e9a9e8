"""The privileges that statements need: one row for each.

A statement without a row is for those who may do everything. Queries are checked again where their
names are resolved: here they have to name tables of which the user may read something.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.access.entities import POLICY, PROFILE, QUOTA, ROLE, USER
from sluice.catalog import KAFKA, TOPIC, temporary
from sluice.catalog.system_tables import DATABASES
from sluice.planner.query_views import is_view, query_of
from sluice.sql import ir
from sluice.sql.access import nodes as s
from sluice.sql.access.clauses import CURRENT
from sluice.sql.clickhouse.queries import in_shape
from sluice.sql.flink.dialect import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sluice.access.effective import Access
    from sluice.access.entities import Names
    from sluice.access.rights import Path
    from sluice.catalog import Catalog, Table
    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class Need:
    """A privilege on something: as a whole, on these columns, or (`somewhere`) on any of it."""

    privilege: str
    path: Path = ()
    columns: tuple[str, ...] = ()
    somewhere: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """How the names of a statement are read: in which database, and what the catalog has."""

    catalog: Catalog
    database: str
    user: str

    def path(self, name: ir.Name) -> Path | None:
        """The database and table of a name; None for a table of the session itself."""
        if name.database is None and temporary.named(None, name.table) is not None:
            return None
        key = (name.database or self.database, name.table)
        return None if key in temporary.current() else key

    def table(self, name: ir.Name) -> Table | None:
        """What the catalog has under a name."""
        path = self.path(name)
        return self.catalog.find(path[0], path[1]) if path else None

    def on(self, name: ir.Name, *privileges: str, columns: Iterable[str] = ()) -> Iterator[Need]:
        """Privileges on a table."""
        path = self.path(name)
        if path is not None:
            for each in privileges:
                yield Need(each, path, tuple(columns), place=name.place)

    def reads(self, query: ir.Query | None, within: tuple[str, ...] = ()) -> Iterator[Need]:
        """SELECT on the columns that a query may read, as far as its text tells.

        It is `within` these views, by their ids.
        """
        if query is None:
            return
        query = in_shape(query)
        if query is None:  # nobody knows what it reads before ClickHouse parses it
            yield Need("SELECT")
            return
        own = {each.alias for each in query.tree.find_all(exp.CTE)}
        words = {each.name for each in query.tree.find_all(exp.Identifier)}
        every = any(query.tree.find_all(exp.Star)) or "columns" in map(str.lower, words)
        for node in query.tree.find_all(exp.Table):
            if node.meta.get(OPTIONS):
                yield Need("KAFKA")  # another broker would get the passwords of the connection
            name = ir.Name(node.name, node.db or None)
            path = self.path(name)
            if not node.name or path is None or path[0] in DATABASES:
                continue
            found = self.catalog.find(path[0], path[1])
            if found is None and not node.db and node.name in own:
                continue
            if found is not None and is_view(found) and found.uuid not in within:
                yield from self._read_by(found, within)
            columns = [c.name for c in found.columns if every or c.name in words] if found else []
            if columns:
                yield Need("SELECT", path, tuple(columns))
            else:
                yield Need("SELECT", path, somewhere=True)

    def _read_by(self, view: Table, within: tuple[str, ...]) -> Iterator[Need]:
        """What a view needs of who reads it: it has their rights."""
        try:
            query = query_of(view)
        except errors.SluiceError:  # only ClickHouse can parse it
            yield Need("SELECT")
            return
        inside = replace(self, database=view.database)
        yield from inside.reads(query, (*within, view.uuid))


def _nothing(statement: Any, names: Scope) -> Iterable[Need]:
    """For statements whose handlers show what the user may see, or check themselves."""
    return ()


def _create_table(statement: ir.CreateTable, names: Scope) -> Iterator[Need]:
    if statement.temporary:
        yield Need("CREATE TEMPORARY TABLE")
    else:
        yield from names.on(statement.name, "CREATE TABLE")
    kafka = "kafka" in statement.engine.name.lower()
    if statement.like is not None:
        yield from names.on(statement.like, "SELECT")
        like = names.table(statement.like)
        kafka = kafka or (like is not None and like.kind in (KAFKA, TOPIC))
    if statement.mode != "CREATE":
        yield from names.on(statement.name, "DROP TABLE")
    if statement.query is not None:  # what it reads is checked where its names are resolved
        yield from names.on(statement.name, "INSERT")
    if kafka:
        yield Need("KAFKA")
    if statement.engine.collection is not None:
        yield Need("NAMED COLLECTION", (statement.engine.collection,))
    yield from _paths(statement.settings)


def _paths(settings: Mapping[str, Any]) -> Iterator[Need]:
    """What the location of a table needs, if a statement chooses it."""
    for name, value in settings.items():
        if name.lower().replace("_", "-") in ("path", "table-path"):
            yield Need("S3" if "://" in str(value) else "FILE")


def _create_view(statement: ir.CreateMaterializedView, names: Scope) -> Iterator[Need]:
    yield from names.on(statement.name, "CREATE VIEW")
    if statement.target is not None:
        yield from names.on(statement.target, "SELECT", "INSERT")
    if statement.inner is not None and "kafka" in statement.inner.engine.name.lower():
        yield Need("KAFKA")
    yield from names.reads(statement.query)


def _view(statement: ir.CreateView, names: Scope) -> Iterator[Need]:
    if statement.temporary:
        yield Need("CREATE TEMPORARY TABLE")
    else:
        yield from names.on(statement.name, "CREATE VIEW")
    if statement.mode != "CREATE":
        yield from names.on(statement.name, "DROP VIEW")
    yield from names.reads(statement.query)


def _create_function(statement: ir.CreateFunction, names: Scope) -> Iterator[Need]:
    yield Need("CREATE FUNCTION")
    if statement.or_replace:
        yield Need("DROP FUNCTION")


def _alter_view(statement: ir.AlterView, names: Scope) -> Iterator[Need]:
    yield from names.on(statement.name, "ALTER VIEW MODIFY QUERY")
    yield from names.reads(statement.query)


def _drop(statement: ir.Drop | ir.Detach, names: Scope) -> Iterator[Need]:
    for name in statement.names if isinstance(statement, ir.Drop) else (statement.name,):
        yield from names.on(name, f"DROP {statement.kind}")


def _attach(statement: ir.Attach, names: Scope) -> Iterator[Need]:
    return names.on(statement.name, f"CREATE {statement.kind}")


def _create_dictionary(statement: ir.CreateDictionary, names: Scope) -> Iterator[Need]:
    yield from names.on(statement.name, "CREATE DICTIONARY")
    if statement.or_replace:
        yield from names.on(statement.name, "DROP DICTIONARY")
    source, within = statement.source, statement.name.database or names.database
    yield from names.on(replace(source, database=source.database or within), "SELECT")


def _insert(statement: ir.Insert, names: Scope) -> Iterator[Need]:
    found = names.table(statement.name)
    known = [c.name for c in found.columns if c.alias is None] if found is not None else []
    yield from names.on(statement.name, "INSERT", columns=statement.columns or known)
    if statement.name.options:
        yield Need("KAFKA")
    if statement.overwrite:
        yield from names.on(statement.name, "TRUNCATE")
    if statement.dialect == "flink":
        yield from names.reads(statement.query)


def _select(statement: ir.Select, names: Scope) -> Iterable[Need]:
    return names.reads(statement.query) if statement.query.dialect == "flink" else ()


def _show_create(statement: ir.ShowCreate, names: Scope) -> Iterable[Need]:
    if statement.kind == "NAMED COLLECTION":
        return [Need("SHOW NAMED COLLECTIONS", (statement.name.table,))]
    if statement.kind == "DATABASE":
        return [Need("SHOW DATABASES", (statement.name.table,))]
    return names.on(statement.name, "SHOW COLUMNS")


def _described(statement: ir.Describe | ir.ShowColumns, names: Scope) -> Iterable[Need]:
    if (statement.name.database or names.database) in DATABASES:
        return ()
    return names.on(statement.name, "SHOW COLUMNS")


def _exists(statement: ir.Exists, names: Scope) -> Iterable[Need]:
    if statement.kind == "DATABASE":
        return [Need("SHOW DATABASES", (statement.name.table,))]
    if (statement.name.database or names.database) in DATABASES:
        return ()
    return names.on(statement.name, "SHOW TABLES")


_ALTERATIONS: Mapping[type[ir.Alteration], str] = {
    ir.AddColumn: "ALTER ADD COLUMN",
    ir.DropColumn: "ALTER DROP COLUMN",
    ir.ModifyColumn: "ALTER MODIFY COLUMN",
    ir.RenameColumn: "ALTER RENAME COLUMN",
    ir.ModifySetting: "ALTER SETTINGS",
    ir.ModifyQuery: "ALTER VIEW MODIFY QUERY",
    ir.ModifyComment: "ALTER MODIFY COMMENT",
    ir.ModifyTtl: "ALTER TTL",
    ir.ModifyKey: "ALTER ORDER BY",
    ir.ModifyWatermark: "ALTER TABLE",
}
"""What each change of ALTER TABLE needs; others need everything."""


def _alter_table(statement: ir.AlterTable, names: Scope) -> Iterator[Need]:
    table = names.table(statement.name)
    for change in statement.changes:
        needed = _ALTERATIONS.get(type(change), "ALL")
        if isinstance(change, ir.AddElement):
            needed = f"ALTER ADD {change.element.kind}"
        elif isinstance(change, ir.DropElement):
            needed = f"ALTER {change.verb} {change.kind}"
        column = getattr(change, "column", None)
        named = getattr(column, "name", None) or getattr(change, "name", None)
        yield from names.on(statement.name, needed, columns=[named] if named else ())
        if isinstance(change, ir.ModifySetting) and table is not None:
            # Another broker would get the passwords of the table's connection.
            yield from [Need("KAFKA")] if table.kind in (KAFKA, TOPIC) else []
        if isinstance(change, ir.ModifySetting):
            yield from _paths(change.settings)
        yield from names.reads(getattr(change, "query", None))


def _mutation(statement: ir.Mutation, names: Scope) -> Iterator[Need]:
    for each in statement.more:
        yield from _mutation(each, names)
    if statement.assignments:
        columns = [each.column for each in statement.assignments]
        yield from names.on(statement.name, "ALTER UPDATE", columns=columns)
        return
    yield from names.on(statement.name, "ALTER DELETE")
    if statement.source is not None:
        yield from names.on(statement.name, "INSERT")
        yield from names.on(statement.source, "SELECT")


def _rename(statement: ir.RenameTables, names: Scope) -> Iterator[Need]:
    for old, new in statement.pairs:
        yield from names.on(old, "SELECT", "DROP TABLE")
        yield from names.on(new, "CREATE TABLE", "INSERT")


def _exchange(statement: ir.ExchangeTables, names: Scope) -> Iterator[Need]:
    for name in (statement.first, statement.second):
        yield from names.on(name, "SELECT", "DROP TABLE", "CREATE TABLE", "INSERT")


_SYSTEM = {
    "RELOAD CONFIG": "SYSTEM RELOAD CONFIG",
    "RELOAD USERS": "SYSTEM RELOAD USERS",
    "RELOAD FUNCTIONS": "SYSTEM RELOAD FUNCTION",
    "RELOAD DICTIONARIES": "SYSTEM RELOAD DICTIONARY",
    "RELOAD DICTIONARY": "SYSTEM RELOAD DICTIONARY",
    "FLUSH LOGS": "SYSTEM FLUSH LOGS",
    "FLUSH ASYNC INSERT QUEUE": "SYSTEM FLUSH ASYNC INSERT QUEUE",
    "SYNC REPLICA": "SYSTEM SYNC REPLICA",
    "RESTART REPLICA": "SYSTEM RESTART REPLICA",
}
_STOPPED = {
    "TTL MERGES": "SYSTEM TTL MERGES",
    "MERGES": "SYSTEM MERGES",
    "MOVES": "SYSTEM MOVES",
    "FETCHES": "SYSTEM FETCHES",
    "SENDS": "SYSTEM SENDS",
    "QUEUES": "SYSTEM REPLICATION QUEUES",
    "CACHE": "SYSTEM DROP CACHE",
}
"""By how the words of a SYSTEM statement end."""


def _system(statement: ir.System, names: Scope) -> Iterable[Need]:
    ends = (needed for end, needed in _STOPPED.items() if statement.action.endswith(end))
    needed = _SYSTEM.get(statement.action) or next(ends, "SYSTEM")
    return [Need(needed)] if statement.name is None else names.on(statement.name, needed)


def _consume(statement: ir.Consume, names: Scope) -> Iterable[Need]:
    if statement.name is None:
        return [Need("SYSTEM STREAMING ENGINES")]
    return names.on(statement.name, "SYSTEM STREAMING ENGINES")


def _redrive(statement: ir.Redrive, names: Scope) -> Iterator[Need]:
    yield from names.on(statement.name, "SYSTEM REDRIVE DEAD LETTERS")
    yield Need("SELECT", ("system", "dead_letter_queue"))


def _inner(statement: ir.Explain | ir.ExplainMigration, names: Scope) -> Iterable[Need]:
    query = getattr(statement.statement, "query", None)
    if isinstance(statement.statement, ir.Select):
        return names.reads(query)
    return [*needs(statement.statement, names), *names.reads(query)]


def _inserts(statement: ir.StatementSet, names: Scope) -> Iterator[Need]:
    for each in statement.inserts:
        yield from _insert(each, names)


_SHOWN = {
    USER: "SHOW USERS",
    ROLE: "SHOW ROLES",
    POLICY: "SHOW ROW POLICIES",
    QUOTA: "SHOW QUOTAS",
    PROFILE: "SHOW SETTINGS PROFILES",
}
_LISTED = {
    "USERS": "SHOW USERS",
    "ROLES": "SHOW ROLES",
    "POLICIES": "SHOW ROW POLICIES",
    "QUOTAS": "SHOW QUOTAS",
    "PROFILES": "SHOW SETTINGS PROFILES",
    "ACCESS": "SHOW ACCESS",
}


def _entity(verb: str) -> Callable[[Any, Scope], Iterator[Need]]:
    def rule(statement: Any, names: Scope) -> Iterator[Need]:
        replaces = getattr(statement, "or_replace", False)
        for word in (verb, "DROP") if replaces else (verb,):
            for each in statement.names:
                yield Need(f"{word} {statement.kind}", _entity_path(statement.kind, each, names))

    return rule


def _entity_path(kind: str, name: s.EntityName, names: Scope) -> Path:
    if kind == POLICY and name.table is not None:
        database = name.table.database or names.database
        return (database, name.table.table) if name.table.table else (database,)
    return (name.name,) if kind in (USER, ROLE) else ()


def _set_default_role(statement: s.SetDefaultRole, names: Scope) -> Iterator[Need]:
    for name in statement.to.names:
        if name not in (CURRENT, names.user):
            yield Need("ALTER USER", (name,))
    if statement.to.all:
        yield Need("ALTER USER")


def _show_grants(statement: s.ShowGrants, names: Scope) -> Iterator[Need]:
    yield from _of_others(statement.of, names)


def _of_others(of: Names | None, names: Scope) -> Iterator[Need]:
    own = of is None or (not of.all and set(of.names) <= {CURRENT, names.user})
    if not own:
        yield Need("SHOW USERS")
        yield Need("SHOW ROLES")


def _show_create_entity(statement: s.ShowCreateEntity, names: Scope) -> Iterator[Need]:
    own = statement.kind == USER and all(n.name == names.user for n in statement.names)
    for each in () if own else statement.names:
        path = _entity_path(statement.kind, each, names) if statement.kind == POLICY else ()
        yield Need(_SHOWN[statement.kind], path)
    if not statement.names and statement.kind not in (USER, QUOTA):
        yield Need(_SHOWN[statement.kind])


def _show_entities(statement: s.ShowEntities, names: Scope) -> Iterator[Need]:
    if statement.what in _LISTED:
        yield Need(_LISTED[statement.what])


NEEDS: Mapping[type[ir.Statement], Callable[[Any, Scope], Iterable[Need]]] = {
    ir.Select: _select,
    ir.Insert: _insert,
    ir.CreateDatabase: lambda of, _: [Need("CREATE DATABASE", (of.name,))],
    ir.AlterDatabase: lambda of, _: [Need("ALTER MODIFY DATABASE COMMENT", (of.name,))],
    ir.DropDatabase: lambda of, _: [Need("DROP DATABASE", (of.name,))],
    ir.RenameDatabase: lambda of, _: [
        Need("DROP DATABASE", (of.name,)),
        Need("CREATE DATABASE", (of.to,)),
    ],
    ir.TruncateDatabase: lambda of, _: [
        Need(each, (of.name,)) for each in ("TRUNCATE", "DROP DATABASE")
    ],
    ir.TruncateTables: lambda of, _: [Need("TRUNCATE", (of.database,))],
    ir.CreateTable: _create_table,
    ir.CreateMaterializedView: _create_view,
    ir.CreateDictionary: _create_dictionary,
    ir.CreateView: _view,
    ir.CreateFunction: _create_function,
    ir.DropFunction: lambda of, _: [Need("DROP FUNCTION")],
    ir.AlterView: _alter_view,
    ir.Drop: _drop,
    ir.Detach: _drop,
    ir.Attach: _attach,
    ir.AlterTable: _alter_table,
    ir.Mutation: _mutation,
    ir.RenameTables: _rename,
    ir.ExchangeTables: _exchange,
    ir.Truncate: lambda of, names: names.on(of.name, "TRUNCATE"),
    ir.Optimize: lambda of, names: names.on(of.name, "OPTIMIZE"),
    ir.Use: lambda of, _: [Need("SHOW DATABASES", (of.database,))],
    ir.ShowDatabases: _nothing,
    ir.ShowTables: _nothing,
    ir.ShowCreate: _show_create,
    ir.Describe: _described,
    ir.ShowColumns: _described,
    ir.DescribeQuery: lambda of, names: _select(ir.Select(of.query), names),
    ir.ExplainQuery: _nothing,
    ir.Exists: _exists,
    ir.ResetOffsets: lambda of, names: names.on(of.name, "SYSTEM RESET OFFSETS"),
    ir.Consume: _consume,
    ir.System: _system,
    ir.Redrive: _redrive,
    ir.KillQuery: _nothing,
    ir.KillMutation: _nothing,
    ir.Set: _nothing,
    ir.Reset: _nothing,
    ir.ShowSettings: _nothing,
    ir.CreateNamedCollection: lambda of, _: [Need("CREATE NAMED COLLECTION", (of.name,))],
    ir.AlterNamedCollection: lambda of, _: [Need("ALTER NAMED COLLECTION", (of.name,))],
    ir.DropNamedCollection: lambda of, _: [Need("DROP NAMED COLLECTION", (of.name,))],
    ir.ShowNamedCollections: _nothing,
    ir.ExplainMigration: _inner,
    ir.Explain: _inner,
    ir.StatementSet: _inserts,
    ir.CreateCatalog: lambda of, _: [Need("CREATE DATABASE")],
    ir.DropCatalog: lambda of, _: [Need("DROP DATABASE")],
    ir.UseCatalog: _nothing,
    ir.Show: _nothing,
    ir.ShowJobs: lambda of, _: [Need("SYSTEM JOBS")],
    ir.DescribeJob: lambda of, _: [Need("SYSTEM JOBS")],
    ir.StopJob: lambda of, _: [Need("SYSTEM JOBS")],
    s.CreateEntity: _entity("CREATE"),
    s.AlterEntity: _entity("ALTER"),
    s.DropEntity: _entity("DROP"),
    s.Grant: _nothing,
    s.Revoke: _nothing,
    s.CheckGrant: _nothing,
    s.SetRole: _nothing,
    s.SetDefaultRole: _set_default_role,
    s.ShowGrants: _show_grants,
    s.ShowEntities: _show_entities,
    s.ShowCreateEntity: _show_create_entity,
}
"""What each statement needs before it runs."""


def needs(statement: ir.Statement, names: Scope) -> Iterable[Need]:
    """The privileges that a statement needs."""
    rule = NEEDS.get(type(statement))
    return [Need("ALL")] if rule is None else rule(statement, names)


def check_reads(access: Access, query: ir.Query, catalog: Catalog, database: str) -> None:
    """Make sure that a user may read the columns that the text of a query names.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES, with the grant that is missing.
    """
    if not access.unlimited:
        _check(access, Scope(catalog, database, access.user).reads(query))


def check(access: Access, statement: ir.Statement, catalog: Catalog, database: str) -> None:
    """Make sure that a user may run a statement.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES, with the grant that is missing.
    """
    if access.unlimited:
        return
    scope = Scope(catalog, database, access.user)
    _check(access, needs(statement, scope))
    if isinstance(statement, _LASTING) and not _is_filtered(statement):
        for need in needs(statement, scope):
            path = (*need.path, "")[:2]
            if need.privilege == "SELECT" and access.row_filter(*path) is not None:
                raise errors.ROW_POLICY_APPLIES(
                    user=access.user, table=".".join(path), what="what the statement creates"
                )


_LASTING = (
    ir.CreateMaterializedView, ir.CreateView, ir.AlterView, ir.AlterTable, ir.Insert,
    ir.StatementSet, ir.CreateDictionary,
)  # fmt: skip
"""Statements whose queries are run later, or by jobs, for everybody."""


def _is_filtered(statement: ir.Statement) -> bool:
    """Whether only its user reads, now, or only others with their own rights, as a view does."""
    if isinstance(statement, ir.CreateView):
        return statement.query.dialect == "clickhouse"
    return isinstance(statement, ir.Insert) and statement.dialect == "clickhouse"


def _check(access: Access, wanted: Iterable[Need]) -> None:
    for each in wanted:
        if each.somewhere:
            access.check_somewhere(each.privilege, each.path, each.place)
        else:
            access.check(each.privilege, each.path, each.columns, place=each.place)
