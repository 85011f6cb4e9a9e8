"""Statements about tables that are there: RENAME, EXCHANGE, TRUNCATE, OPTIMIZE and SYSTEM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import mutations
from sluice.sql.clickhouse.clusters import on_cluster

if TYPE_CHECKING:
    from sluice.sql.core.cursor import Cursor


_DATABASE = "a database's name"


def _only_tables(cursor: Cursor, verb: str, *, plural: bool = False) -> None:
    """`TABLE`, and nothing else that could stand there."""
    place, word = cursor.place(), "TABLES" if plural else "TABLE"
    for other in ("DATABASE", "DICTIONARY", "DICTIONARIES"):
        if cursor.is_word(*other.split()):
            what, hint = f"{verb} {other}", f"Use {verb} {word}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    cursor.need(word)


def rename(cursor: Cursor) -> ir.Statement:
    """Read what follows RENAME."""
    if cursor.word("DATABASE"):
        return _rename_database(cursor)
    if not cursor.word("DICTIONARY"):
        _only_tables(cursor, "RENAME")
    exists = cursor.word("IF", "EXISTS")
    pairs: list[tuple[ir.Name, ir.Name]] = []
    while not pairs or cursor.mark(TokenType.COMMA):
        old = cursor.name()
        cursor.need("TO")
        pairs.append((old, cursor.name()))
    on_cluster(cursor)
    return ir.RenameTables(tuple(pairs), exists)


def _rename_database(cursor: Cursor) -> ir.RenameDatabase:
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), cursor.identifier(_DATABASE)
    cursor.need("TO")
    to = cursor.identifier(_DATABASE)
    on_cluster(cursor)
    return ir.RenameDatabase(name, to, exists, place=place)


def exchange(cursor: Cursor) -> ir.ExchangeTables:
    """Read what follows EXCHANGE."""
    _only_tables(cursor, "EXCHANGE", plural=True)
    first = cursor.name()
    cursor.need("AND")
    second = cursor.name()
    on_cluster(cursor)
    return ir.ExchangeTables(first, second)


def truncate(cursor: Cursor) -> ir.Statement:
    """Read what follows TRUNCATE; the word TABLE may be left out."""
    if cursor.word("ALL", "TABLES", "FROM") or cursor.word("TABLES", "FROM"):
        return _truncate_tables(cursor)
    if cursor.word("DATABASE"):
        exists = cursor.word("IF", "EXISTS")
        place, database = cursor.place(), cursor.identifier(_DATABASE)
        on_cluster(cursor)
        return ir.TruncateDatabase(database, exists, place=place)
    cursor.word("TABLE")
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name()
    on_cluster(cursor)
    cursor.word("SYNC")
    return ir.Truncate(name, exists)


def _truncate_tables(cursor: Cursor) -> ir.TruncateTables:
    """`database [[NOT] LIKE | ILIKE 'pattern']`."""
    exists = cursor.word("IF", "EXISTS")
    place, database = cursor.place(), cursor.identifier(_DATABASE)
    negated = cursor.word("NOT")
    how = cursor.one_of("LIKE", "ILIKE")
    if negated and how is None:
        raise cursor.wrong(reason="expected LIKE or ILIKE")
    pattern = cursor.string("a pattern") if how is not None else None
    any_case = how == "ILIKE"
    on_cluster(cursor)
    return ir.TruncateTables(database, exists, pattern, negated, any_case, place=place)


def optimize(cursor: Cursor) -> ir.Optimize:
    """Read what follows OPTIMIZE."""
    _only_tables(cursor, "OPTIMIZE")
    name = cursor.name()
    on_cluster(cursor)
    partition = mutations.partition(cursor) if cursor.word("PARTITION") else None
    final = cursor.word("FINAL")
    place = cursor.place()
    if cursor.is_word("DEDUPLICATE"):
        hint = "DELETE FROM deletes rows; ReplacingMergeTree keeps one of each key"
        raise errors.UNSUPPORTED_STATEMENT(what="OPTIMIZE … DEDUPLICATE", hint=hint, place=place)
    return ir.Optimize(name, final, partition)


def reset_offsets(cursor: Cursor) -> ir.ResetOffsets:
    """Read what follows SYSTEM RESET OFFSETS."""
    name = cursor.name()
    cursor.need("TO")
    for word in ("EARLIEST", "LATEST", "GROUP"):
        if cursor.word(word):
            return ir.ResetOffsets(name, word)
    for word, what in (("TIMESTAMP", "a time"), ("OFFSETS", "topic:partition:offset")):
        if cursor.word(word):
            place = cursor.place()
            return ir.ResetOffsets(name, word, cursor.string(what), place=place)
    raise cursor.wrong(reason="expected EARLIEST, LATEST, GROUP, TIMESTAMP or OFFSETS")


_CONSUMING = ("STOP", "START", "PAUSE", "RESUME", "CANCEL", "REFRESH")


def consume(cursor: Cursor) -> ir.Consume | None:
    """Read `STOP t`, `START ALL BACKGROUND` and the like; None if it is something else."""
    for word in _CONSUMING:
        if not cursor.is_word(word):
            continue
        cursor.word(word)
        if cursor.word("ALL", "BACKGROUND"):
            return ir.Consume(word, None)
        on_cluster(cursor)
        return ir.Consume(word, cursor.name())
    return None


_CACHES = (
    "DNS", "CONNECTIONS", "MARK", "PRIMARY INDEX", "UNCOMPRESSED", "INDEX MARK",
    "INDEX UNCOMPRESSED", "MMAP", "PAGE", "QUERY", "QUERY CONDITION", "SCHEMA", "FORMAT SCHEMA",
    "COMPILED EXPRESSION", "FILESYSTEM", "S3 CLIENT",
)  # fmt: skip
_NOTHING_TO_DO = (
    "RELOAD CONFIG", "RELOAD USERS", "RELOAD FUNCTIONS", "RELOAD DICTIONARIES",
    "RELOAD ASYNCHRONOUS METRICS", "FLUSH LOGS", "FLUSH ASYNC INSERT QUEUE", "RESTART REPLICAS",
    "JEMALLOC PURGE",
    *(f"{verb} {cache} CACHE" for verb in ("DROP", "CLEAR") for cache in _CACHES),
)  # fmt: skip
"""There is nothing of the kind to reload, flush or drop: what is asked for is so already."""

_OF_TABLES = (
    "STOP MERGES", "START MERGES", "STOP TTL MERGES", "START TTL MERGES", "STOP MOVES",
    "START MOVES", "STOP FETCHES", "START FETCHES", "STOP REPLICATED SENDS",
    "START REPLICATED SENDS", "STOP REPLICATION QUEUES", "START REPLICATION QUEUES",
    "SYNC REPLICA", "RESTART REPLICA",
)  # fmt: skip
"""The same, but a table may follow."""


def system(cursor: Cursor) -> ir.Statement:
    """Read what follows SYSTEM."""
    place = cursor.place()
    if cursor.word("RELOAD", "DICTIONARY"):
        on_cluster(cursor)
        return ir.System("RELOAD DICTIONARY", cursor.name("a dictionary's name"))
    if cursor.word("RESET", "OFFSETS"):
        return reset_offsets(cursor)
    for action in (*_NOTHING_TO_DO, *_OF_TABLES):
        if not cursor.word(*action.split()):
            continue
        on_cluster(cursor)
        if action == "FLUSH LOGS":
            _logs(cursor)
        if action.endswith("FORMAT SCHEMA CACHE") and cursor.word("FOR"):
            cursor.name("Protobuf or Files")  # ClickHouse has a cache for each, Sluice one for both
        named = action in _OF_TABLES and cursor.token is not None
        return ir.System(action, cursor.name() if named else None)
    for refused, hint in _NO_SYSTEM.items():
        if cursor.is_word(*refused):
            what = f"SYSTEM {' '.join(refused)}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    consuming = consume(cursor)
    if consuming is not None:
        return consuming
    words = " ".join(token.text.upper() for token in cursor.tokens[cursor.index :][:3])
    known = ("RESET OFFSETS", *_CONSUMING, *_NOTHING_TO_DO, *_OF_TABLES)
    near = errors.nearest(words, known, say="Did you mean SYSTEM {}?")
    raise errors.UNSUPPORTED_STATEMENT(
        what=f"SYSTEM {words}".strip(),
        hint=near or "Supported: SYSTEM RESET OFFSETS, STOP, START, PAUSE, RESUME, REFRESH",
        place=place,
    )


def _logs(cursor: Cursor) -> None:
    """The names of logs, if there are any: all of them are flushed as it is."""
    while cursor.token is not None and not cursor.is_word("ON", "CLUSTER"):
        cursor.name("a log's name")
        if not cursor.mark(TokenType.COMMA):
            return


_OF_PROCESS = "Send the process SIGTERM: batches end first, and nothing is lost"
_VIEWS = "Materialized views run with every batch: STOP, START and REFRESH are for Kafka tables"
_REPLICAS = "There is one server, and no replicas"
_NO_SYSTEM: dict[tuple[str, ...], str] = {
    ("SHUTDOWN",): _OF_PROCESS,
    ("KILL",): _OF_PROCESS,
    **{(verb, noun): _VIEWS for verb in ("STOP", "START") for noun in ("VIEW", "VIEWS")},
    **{(verb, "VIEW"): _VIEWS for verb in ("REFRESH", "CANCEL", "WAIT", "PAUSE")},
    **{(verb, "LISTEN"): "Ports are those of sluice serve" for verb in ("STOP", "START")},
    ("DROP", "REPLICA"): _REPLICAS,
    ("RESTORE", "REPLICA"): _REPLICAS,
    ("FLUSH", "DISTRIBUTED"): "There is one server, and no Distributed tables",
    ("UNFREEZE",): "There are no parts that are frozen",
}
"""SYSTEM statements that there are not, and what to do instead."""
