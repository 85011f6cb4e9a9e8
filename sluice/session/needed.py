"""The privileges that statements need: one row for each.

A statement without a row is for those who may do everything. Queries are checked again where their
names are resolved: here they have to name tables of which the user may read something.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, TOPIC
from sluice.catalog.system_tables import DATABASES
from sluice.planner import insert_columns
from sluice.session.need import Need, Scope
from sluice.session.needed_access import ACCESS, nothing
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sluice.access.effective import Access
    from sluice.catalog import Catalog


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
    known: Iterable[str] = ()
    if found is not None:
        listed = insert_columns.named(statement, found)
        known = listed or insert_columns.filled(found)
    yield from names.on(statement.name, "INSERT", columns=known or statement.columns)
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
    if statement.column:
        yield from names.on(statement.name, f"ALTER {statement.verb}", columns=[statement.column])
        return
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
    ir.AlterInSteps: lambda of, names: (each for step in of.steps for each in needs(step, names)),
    ir.RenameTables: _rename,
    ir.ExchangeTables: _exchange,
    ir.Truncate: lambda of, names: names.on(of.name, "TRUNCATE"),
    ir.Optimize: lambda of, names: names.on(of.name, "OPTIMIZE"),
    ir.Use: lambda of, _: [Need("SHOW DATABASES", (of.database,))],
    ir.ShowDatabases: nothing,
    ir.ShowTables: nothing,
    ir.ShowCreate: _show_create,
    ir.Describe: _described,
    ir.ShowColumns: _described,
    ir.DescribeQuery: lambda of, names: _select(ir.Select(of.query), names),
    ir.ExplainQuery: nothing,
    ir.Exists: _exists,
    ir.CheckTable: lambda of, names: names.on(of.name, "CHECK") if of.name is not None else (),
    ir.ResetOffsets: lambda of, names: names.on(of.name, "SYSTEM RESET OFFSETS"),
    ir.Consume: _consume,
    ir.System: _system,
    ir.Redrive: _redrive,
    ir.KillQuery: nothing,
    ir.KillMutation: nothing,
    ir.Set: nothing,
    ir.Reset: nothing,
    ir.ShowSettings: nothing,
    ir.CreateNamedCollection: lambda of, _: [Need("CREATE NAMED COLLECTION", (of.name,))],
    ir.AlterNamedCollection: lambda of, _: [Need("ALTER NAMED COLLECTION", (of.name,))],
    ir.DropNamedCollection: lambda of, _: [Need("DROP NAMED COLLECTION", (of.name,))],
    ir.ShowNamedCollections: nothing,
    ir.ExplainMigration: _inner,
    ir.Explain: _inner,
    ir.StatementSet: _inserts,
    ir.CreateCatalog: lambda of, _: [Need("CREATE DATABASE")],
    ir.DropCatalog: lambda of, _: [Need("DROP DATABASE")],
    ir.UseCatalog: nothing,
    ir.Show: nothing,
    ir.ShowJobs: lambda of, _: [Need("SYSTEM JOBS")],
    ir.DescribeJob: lambda of, _: [Need("SYSTEM JOBS")],
    ir.StopJob: lambda of, _: [Need("SYSTEM JOBS")],
    **ACCESS,
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
    ir.StatementSet, ir.CreateDictionary, ir.AlterInSteps,
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
