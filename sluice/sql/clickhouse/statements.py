"""Statements: a table from the words a statement begins with to the function that reads it."""

from __future__ import annotations

from sqlglot import TokenType

from sluice import errors
from sluice.sql import access, ir
from sluice.sql.clickhouse import (
    alter,
    clauses,
    dead_letters,
    dictionaries,
    explaining,
    mutations,
    named,
    reading,
    showing,
    sql_functions,
    tables,
)
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.clickhouse.create import create, replace_table
from sluice.sql.clickhouse.insert import after_with, follows_with, insert, with_data
from sluice.sql.clickhouse.queries import begins, format_clause, select
from sluice.sql.core.cursor import Cursor
from sluice.sql.core.lowering import placed
from sluice.sql.core.statements import Statements, check_one, read, trimmed, unknown


def parse(text: str, *, lenient: bool = False) -> ir.Statement:
    """Read exactly one statement; every error has a place.

    A `lenient` reader takes any SELECT: ClickHouse's own parser decides about it.
    """
    with placed():
        return _parse(text, lenient=lenient)


def _parse(text: str, *, lenient: bool) -> ir.Statement:
    data = with_data(text, lenient=lenient)
    if data is not None:
        return data
    tokens = trimmed(reading.tokenize(text))
    check_one(text, tokens)
    cursor = Cursor(text, tokens, lenient=lenient)
    if follows_with(cursor):
        found: ir.Statement = after_with(cursor)
    elif begins(cursor.token, lenient=lenient):
        found = select(cursor)
    else:
        found = read(cursor, access.STATEMENTS) or _read(cursor, STATEMENTS)
    cursor.end()
    return found


def _read(cursor: Cursor, table: Statements) -> ir.Statement:
    found = read(cursor, table)
    if found is None:
        raise unknown(cursor, [" ".join(words) for words in STATEMENTS], _REFUSED)
    return found


_REFUSED = {
    "UNDROP": "The rows of a dropped table are deleted at once",
    "ANALYZE": "Delta Lake keeps what it needs to know about the files",
    "MOVE": "There are no parts that are moved",
    "BACKUP": "Copy the data folder while the server is stopped",
    "RESTORE": "Copy the data folder back while the server is stopped",
    "BEGIN": "Each statement is a transaction of its own",
    "COMMIT": "Each statement is a transaction of its own",
    "ROLLBACK": "Each statement is a transaction of its own",
}
"""Statements that there are not, and what to do instead."""


def _select(cursor: Cursor) -> ir.Select:
    cursor.index = 0
    return select(cursor)


def _kind(cursor: Cursor, *kinds: str) -> str | None:
    """TABLE, VIEW or another word; a MATERIALIZED VIEW is a VIEW."""
    if cursor.word("MATERIALIZED", "VIEW"):
        return "VIEW"
    return next((kind for kind in kinds if cursor.word(kind)), None)


_DROPPED = ("TABLE", "VIEW", "DICTIONARY", "DATABASE")
_DROPPABLE = (*_DROPPED, "FUNCTION", "NAMED COLLECTION")


def _drop(cursor: Cursor) -> ir.Statement:
    place = cursor.place()
    if cursor.word("NAMED", "COLLECTION"):
        return named.drop(cursor)
    temporary = cursor.word("TEMPORARY")
    kind = _kind(cursor, *(("TABLE",) if temporary else _DROPPED))
    if kind is None:
        hint = f"Supported: {', '.join(f'DROP {kind}' for kind in _DROPPABLE)}"
        raise errors.UNSUPPORTED_STATEMENT(what="This DROP", hint=hint, place=place)
    exists = cursor.word("IF", "EXISTS")
    empty = kind == "TABLE" and cursor.word("IF", "EMPTY")
    name = cursor.name() if kind != "DATABASE" else ir.Name(cursor.identifier("a database's name"))
    more: list[ir.Name] = []
    while kind != "DATABASE" and cursor.mark(TokenType.COMMA):
        more.append(cursor.name())
    on_cluster(cursor)
    _ = cursor.word("SYNC") or cursor.word("NO", "DELAY")
    if kind == "DATABASE":
        return ir.DropDatabase(name.table, exists)
    return ir.Drop(kind, name, exists, temporary, tuple(more), empty)


def _need_kind(cursor: Cursor, verb: str) -> str:
    place = cursor.place()
    kind = _kind(cursor, "TABLE", "VIEW", "DICTIONARY")
    if kind is None:
        hint = f"Supported: {verb} TABLE, {verb} VIEW, {verb} DICTIONARY"
        raise errors.UNSUPPORTED_STATEMENT(what=f"This {verb}", hint=hint, place=place)
    return kind


def _detach(cursor: Cursor) -> ir.Detach:
    kind = _need_kind(cursor, "DETACH")
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name()
    on_cluster(cursor)
    cursor.word("PERMANENTLY")  # a detached table stays so after a restart, with or without it
    cursor.word("SYNC")
    return ir.Detach(kind, name, exists)


def _attach(cursor: Cursor) -> ir.Attach:
    kind = _need_kind(cursor, "ATTACH")
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name()
    on_cluster(cursor)
    return ir.Attach(kind, name, exists)


def _use(cursor: Cursor) -> ir.Use:
    cursor.word("DATABASE")
    return ir.Use(cursor.identifier("a database's name"))


def _like(cursor: Cursor) -> str | None:
    return cursor.string("a pattern") if cursor.word("LIKE") else None


def _show_databases(cursor: Cursor) -> ir.Statement:
    if not showing.is_plain(cursor):
        return showing.listed("databases", "name")(cursor)
    return ir.ShowDatabases(_like(cursor), format=format_clause(cursor))


def _show_tables(cursor: Cursor) -> ir.Statement:
    if not showing.is_plain(cursor):
        cursor.index -= 1
        return showing.tables(cursor)
    inside = cursor.word("FROM") or cursor.word("IN")
    database = cursor.identifier("a database's name") if inside else None
    return ir.ShowTables(database, _like(cursor), format=format_clause(cursor))


def _show_create(cursor: Cursor) -> ir.ShowCreate:
    if cursor.word("DATABASE"):
        place = cursor.place()
        name = ir.Name(cursor.identifier("a database's name"), place=place)
        return ir.ShowCreate("DATABASE", name, format=format_clause(cursor))
    if cursor.word("NAMED", "COLLECTION"):
        place = cursor.place()
        name = ir.Name(cursor.identifier("a collection's name"), place=place)
        return ir.ShowCreate("NAMED COLLECTION", name, format=format_clause(cursor))
    cursor.word("TEMPORARY")  # a table of the session comes first anyway
    kind = _kind(cursor, "TABLE", "VIEW", "DICTIONARY") or "TABLE"
    return ir.ShowCreate(kind, cursor.name(), format=format_clause(cursor))


def _show_one(cursor: Cursor) -> ir.ShowCreate:
    """`SHOW TABLE t` and the like, which are `SHOW CREATE TABLE t`."""
    cursor.index -= 1
    return _show_create(cursor)


def _show_collections(cursor: Cursor) -> ir.ShowNamedCollections:
    return ir.ShowNamedCollections(_like(cursor), format=format_clause(cursor))


def _describe(cursor: Cursor) -> ir.Statement:
    cursor.word("TABLE")
    found = explaining.described(cursor)
    if found is not None:
        return found
    name, form = cursor.name(), format_clause(cursor)
    # The other settings of DESCRIBE concern columns that ClickHouse adds.
    given = clauses.settings(cursor, {}) if cursor.word("SETTINGS") else {}
    compact = bool(given.get("describe_compact_output"))
    return ir.Describe(name, compact, format=form or format_clause(cursor))


def _check(cursor: Cursor) -> ir.CheckTable:
    name = partition = part = None
    if not cursor.word("ALL", "TABLES"):
        cursor.need("TABLE")
        name = cursor.name()
        if cursor.word("PARTITION"):
            partition = mutations.partition(cursor)
        elif cursor.word("PART"):
            part = cursor.string("the name of a part")
    form, places = format_clause(cursor), dict[str, errors.Place]()
    found = clauses.settings(cursor, places) if cursor.word("SETTINGS") else {}
    form = form or format_clause(cursor)
    return ir.CheckTable(name, partition, part, found, places, format=form)


def _exists(cursor: Cursor) -> ir.Exists:
    temporary = cursor.word("TEMPORARY")
    kind = _kind(cursor, *_DROPPED) or "TABLE"
    return ir.Exists(kind, cursor.name(), temporary, format=format_clause(cursor))


def _set(cursor: Cursor) -> ir.Set:
    places: dict[str, errors.Place] = {}
    defaults: list[str] = []
    found = clauses.settings(cursor, places, defaults=defaults)
    return ir.Set(found, places, tuple(defaults))


_PROCESSES = "SELECT query_id, user, query FROM system.processes WHERE"
_MUTATIONS = "SELECT database, table, mutation_id, command FROM system.mutations WHERE"


def _kill_query(cursor: Cursor) -> ir.KillQuery:
    return ir.KillQuery(*_killed(cursor, _PROCESSES))


def _kill_mutation(cursor: Cursor) -> ir.KillMutation:
    return ir.KillMutation(*_killed(cursor, _MUTATIONS))


def _killed(cursor: Cursor, chosen: str) -> tuple[ir.Query, str, str | None]:
    """`KILL … [ON CLUSTER …] WHERE … [SYNC | ASYNC | TEST] [FORMAT name]`."""
    on_cluster(cursor)
    cursor.need("WHERE")
    tokens = list(cursor.tokens[cursor.index :])
    form, mode = None, "ASYNC"
    if len(tokens) > 2 and tokens[-2].text.upper() == "FORMAT":
        form, tokens = str(tokens[-1].text), tokens[:-2]
    if len(tokens) > 1 and tokens[-1].text.upper() in ("SYNC", "ASYNC", "TEST"):
        mode, tokens = tokens[-1].text.upper(), tokens[:-1]
    if not tokens:
        raise cursor.wrong(reason="expected which ones to kill, such as query_id = '…'")
    tree = reading.parse_query(cursor.text, [*reading.tokenize(chosen), *tokens])
    cursor.index = len(cursor.tokens)
    query = ir.Query(tree, f"{chosen} {cursor.slice(tokens)}")  # type: ignore[arg-type]
    return query, mode, form


def _explain(cursor: Cursor) -> ir.ExplainMigration:
    rest = Cursor(cursor.text, cursor.tokens[cursor.index :], lenient=cursor.lenient)
    if not rest.tokens:
        raise cursor.wrong(reason="expected a statement")
    cursor.index = len(cursor.tokens)
    statement = _read(rest, {w: read for w, read in STATEMENTS.items() if w[0] != "EXPLAIN"})
    form = format_clause(rest)
    rest.end()
    return ir.ExplainMigration(statement, format=form)


STATEMENTS: Statements = {
    ("SELECT",): _select,
    ("WITH",): _select,
    ("INSERT",): insert,
    ("CREATE", "DICTIONARY"): dictionaries.create,
    ("CREATE", "OR", "REPLACE", "DICTIONARY"): dictionaries.create_or_replace,
    ("CREATE", "FUNCTION"): sql_functions.create,
    ("CREATE", "INDEX"): alter.create_index,
    ("CREATE", "OR", "REPLACE", "FUNCTION"): sql_functions.create_or_replace,
    ("CREATE",): create,
    ("REPLACE",): replace_table,
    ("DROP", "FUNCTION"): sql_functions.drop,
    ("DROP", "INDEX"): alter.drop_index,
    ("DROP",): _drop,
    ("ALTER",): alter.alter,
    ("RENAME",): tables.rename,
    ("EXCHANGE",): tables.exchange,
    ("TRUNCATE",): tables.truncate,
    ("OPTIMIZE",): tables.optimize,
    ("DELETE",): mutations.delete,
    ("UPDATE",): mutations.update,
    ("DETACH",): _detach,
    ("ATTACH",): _attach,
    ("USE",): _use,
    ("SHOW", "DATABASES"): _show_databases,
    ("SHOW", "TABLES"): _show_tables,
    ("SHOW", "CREATE"): _show_create,
    **{("SHOW", kind): _show_one for kind in _DROPPED},
    ("SHOW", "NAMED", "COLLECTIONS"): _show_collections,
    **{("SHOW", word): showing.described for word in showing.FIRST},
    ("SHOW", "QUOTA"): showing.listed("quota_usage"),
    ("SHOW", "CURRENT", "QUOTA"): showing.listed("quota_usage"),
    ("SHOW", "PROCESSLIST"): showing.listed("processes"),
    ("SHOW", "CLUSTERS"): showing.listed("clusters", "DISTINCT cluster AS name"),
    ("SHOW", "FUNCTIONS"): showing.listed("functions"),
    ("SHOW", "DICTIONARIES"): dictionaries.show,
    ("SHOW", "ENGINES"): showing.listed("table_engines"),
    ("SHOW", "SETTINGS"): showing.listed("settings", "name, type, value"),
    ("SHOW", "SETTING"): showing.setting,
    ("SHOW", "CHANGED", "SETTINGS"): showing.listed("settings", "name, type, value", "changed"),
    ("SHOW", "CLUSTER"): showing.cluster,
    ("SHOW", "FILESYSTEM", "CACHES"): showing.listed(
        "filesystem_cache", "DISTINCT cache_name AS Caches", named="cache_name"
    ),
    ("SHOW", "MERGES"): showing.listed("merges", *showing.MERGES),
    **{("SHOW", word): showing.indices for word in showing.INDICES},
    ("DESCRIBE",): _describe,
    ("DESC",): _describe,
    ("EXISTS",): _exists,
    ("CHECK",): _check,
    ("SET",): _set,
    ("SYSTEM",): tables.system,
    ("KILL", "QUERY"): _kill_query,
    ("KILL", "MUTATION"): _kill_mutation,
    ("EXPLAIN", "MIGRATION"): _explain,
    ("EXPLAIN",): explaining.explain,
    ("REDRIVE", "DEAD", "LETTERS"): dead_letters.redrive,
}
"""Anything that begins otherwise is refused."""
