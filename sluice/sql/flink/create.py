"""CREATE: catalogs, databases, tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.core import places
from sluice.sql.flink import reading
from sluice.sql.flink.columns import Schema, comment
from sluice.sql.flink.cursor import DEFAULT_CATALOG
from sluice.sql.flink.types import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Place
    from sluice.sql.flink.cursor import Cursor

FEATURES = (
    "ALL", "CONSTRAINTS", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS",
)  # fmt: skip
"""What LIKE takes over or leaves out."""

OVERWRITABLE = ("GENERATED", "METADATA", "OPTIONS", "WATERMARKS")

_REFUSED = {
    "OR": ("CREATE OR REPLACE", "DROP the table first"),
    "FUNCTION": (
        "CREATE FUNCTION",
        "Python functions: sluice serve --functions",
    ),
    "MODEL": ("CREATE MODEL", ""),
    "MATERIALIZED": ("CREATE MATERIALIZED TABLE", "Use CREATE TABLE and INSERT INTO … SELECT …"),
    "SINK": ("CREATE SINK STREAM", "Use CREATE TABLE … WITH ('connector.type' = …)"),
    "SOURCE": ("CREATE SOURCE STREAM", "Use CREATE TABLE … WITH ('connector.type' = …)"),
    "TEMP": ("CREATE TEMP STREAM", "Use CREATE TEMPORARY VIEW"),
}
_KINDS = "Supported: CREATE TABLE, CREATE VIEW, CREATE DATABASE"


def create(cursor: Cursor) -> ir.Statement:
    """Read what follows CREATE."""
    place = places.of_token(cursor.text, cursor.tokens[0])
    temporary = cursor.word("TEMPORARY")
    if cursor.word("TABLE"):
        return _table(cursor, temporary=temporary)
    if cursor.word("VIEW"):
        return _view(cursor, temporary=temporary)
    if not temporary and cursor.word("DATABASE"):
        return _database(cursor)
    if not temporary and cursor.word("CATALOG"):
        return _catalog(cursor)
    word = cursor.token.text.upper() if cursor.token is not None else ""
    if word == "SYSTEM":
        word = "FUNCTION"
    what, hint = _REFUSED.get(word, (f"CREATE {word}".strip(), _KINDS))
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)


def options(cursor: Cursor) -> tuple[dict[str, str], dict[str, Place]]:
    """`('key' = 'value', …)`; of a key that is there twice the last one holds, as in Flink."""
    found: dict[str, str] = {}
    where: dict[str, Place] = {}

    def one() -> None:
        place = cursor.place()
        key = cursor.string("an option's name")
        cursor.need_mark(TokenType.EQ, "=")
        found[key] = option_value(cursor, key)
        where[key] = place

    cursor.listed(one)
    return found, where


def option_value(cursor: Cursor, key: str) -> str:
    """The value of an option; anything else there is not shown, it may be a secret."""
    token = cursor.token
    if token is None or token.token_type != TokenType.STRING:
        reason = f"expected the value of '{key}' in quotes"
        raise errors.SYNTAX_ERROR(reason=reason, place=cursor.place())
    return cursor.string()


def _database(cursor: Cursor) -> ir.CreateDatabase:
    exists = cursor.word("IF", "NOT", "EXISTS")
    place = cursor.place()
    name = database_name(cursor, place)
    text = comment(cursor)
    if cursor.is_word("WITH"):
        hint = "Leave it out; options belong to tables"
        raise cursor.unsupported(clause="WITH for a database", hint=hint)
    return ir.CreateDatabase(name, exists, text)


def database_name(cursor: Cursor, place: Place) -> str:
    """`database`, or `catalog.database` with the default catalog."""
    parts = cursor.parts("a database's name", 2)
    if len(parts) == 2 and parts[0] != DEFAULT_CATALOG:
        raise errors.UNKNOWN_CATALOG(name=parts[0], catalog=DEFAULT_CATALOG, place=place)
    return parts[-1]


def _catalog(cursor: Cursor) -> ir.CreateCatalog:
    exists = cursor.word("IF", "NOT", "EXISTS")
    place = cursor.place()
    name = cursor.identifier("a catalog's name")
    text = comment(cursor)
    cursor.need("WITH")
    settings, where = options(cursor)
    return ir.CreateCatalog(name, settings, where, exists, text, place=place)


def _table(cursor: Cursor, *, temporary: bool) -> ir.CreateTable:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name()
    schema = Schema()
    written = cursor.opens()
    if written:
        schema.read(cursor)
    text = comment(cursor)
    if cursor.is_word("DISTRIBUTED"):
        raise cursor.unsupported(clause="DISTRIBUTED BY", hint="Leave it out")
    partitioned = cursor.word("PARTITIONED", "BY")
    partitions, partition_places = cursor.columns("the partitions") if partitioned else ((), ())
    settings, where = options(cursor) if cursor.word("WITH") else ({}, {})
    like, like_options = _like(cursor)
    if cursor.is_word("AS"):
        hint = "Create the table with its columns, then INSERT INTO … SELECT …"
        raise cursor.unsupported(clause="CREATE TABLE … AS SELECT", hint=hint)
    columns = schema.checked(partial=like is not None)
    if like is None:
        if not columns and (written or not _has_format(settings)):
            raise errors.SYNTAX_ERROR(reason="expected at least one column", place=name.place)
        _check_partitions(columns, partitions, partition_places)
    return ir.CreateTable(
        name,
        columns,
        _engine(settings, where),
        like,
        order_by=(),
        partition_by=", ".join(map(quote, partitions)) or None,
        settings=settings,
        setting_places=where,
        comment=text,
        if_not_exists=exists,
        dialect="flink",
        primary_key=schema.keys,
        watermark=schema.watermark,
        like_options=like_options,
        temporary=temporary,
    )


def _engine(settings: dict[str, str], where: dict[str, Place]) -> ir.Engine:
    """The connector; a table without one is a stored table."""
    for key in ("connector", "connector.type"):
        if key in settings:
            return ir.Engine(settings[key], (), where[key])
    return ir.Engine("")


def _has_format(settings: dict[str, str]) -> bool:
    """Whether messages have a format, so that the columns may be found in them or in its schema."""
    return any(key in settings for key in ("format", "value.format", "format.type"))


def _check_partitions(
    columns: tuple[ir.ColumnDef, ...], partitions: Sequence[str], where: Sequence[Place]
) -> None:
    known = {column.name for column in columns}
    for name, place in zip(partitions, where, strict=True):
        if name not in known:
            available = ", ".join(f"'{each}'" for each in known)
            raise errors.UNKNOWN_PARTITION_COLUMN(column=name, available=available, place=place)


def _like(cursor: Cursor) -> tuple[ir.Name | None, tuple[str, ...]]:
    if not cursor.word("LIKE"):
        return None, ()
    base = cursor.name()
    if not cursor.opens():
        return base, ()
    cursor.need_mark(TokenType.L_PAREN, "(")
    found: list[str] = []
    while not cursor.mark(TokenType.R_PAREN):
        found.append(_like_option(cursor))
        cursor.mark(TokenType.COMMA)
    if not found:
        raise cursor.wrong(reason="expected INCLUDING, EXCLUDING or OVERWRITING")
    return base, tuple(found)


def _like_option(cursor: Cursor) -> str:
    place = cursor.place()
    strategy = cursor.one_of("INCLUDING", "EXCLUDING", "OVERWRITING")
    if strategy is None:
        raise cursor.wrong(reason="expected INCLUDING, EXCLUDING or OVERWRITING")
    feature = cursor.one_of(*FEATURES)
    if feature is None:
        raise cursor.wrong(reason=f"expected one of {', '.join(FEATURES)}")
    if strategy == "OVERWRITING" and feature not in OVERWRITABLE:
        reason = f"Illegal merging strategy 'OVERWRITING' for '{feature}' option."
        raise errors.CONFLICTING_LIKE(reason=reason, place=place)
    return f"{strategy} {feature}"


def _view(cursor: Cursor, *, temporary: bool) -> ir.CreateView:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name("a view's name")
    columns: list[tuple[str, str]] = []
    if cursor.opens():
        columns = cursor.listed(lambda: (cursor.identifier("a column's name"), comment(cursor)))
    text = comment(cursor)
    cursor.need("AS")
    query = reading.read_query(cursor)
    return ir.CreateView(name, query, tuple(columns), text, exists, temporary)
