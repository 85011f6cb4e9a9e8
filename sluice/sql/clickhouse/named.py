"""NAMED COLLECTION: CREATE, ALTER and DROP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.catalog import Value
from sluice.sql import ir
from sluice.sql.clickhouse.clusters import on_cluster

if TYPE_CHECKING:
    from sluice.sql.core.cursor import Cursor

_NAME = "a collection's name"


def create(cursor: Cursor) -> ir.CreateNamedCollection:
    """Read what follows CREATE NAMED COLLECTION."""
    exists = cursor.word("IF", "NOT", "EXISTS")
    place, name = cursor.place(), cursor.identifier(_NAME)
    on_cluster(cursor)
    cursor.need("AS")
    return ir.CreateNamedCollection(name, _values(cursor), exists, place=place)


def alter(cursor: Cursor) -> ir.AlterNamedCollection:
    """Read what follows ALTER NAMED COLLECTION."""
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), cursor.identifier(_NAME)
    on_cluster(cursor)
    values = _values(cursor) if cursor.word("SET") else {}
    delete: list[str] = []
    if cursor.word("DELETE"):
        delete.append(cursor.identifier("a key"))
        while cursor.mark(TokenType.COMMA):
            delete.append(cursor.identifier("a key"))
    if not values and not delete:
        raise cursor.wrong(reason="expected SET or DELETE")
    return ir.AlterNamedCollection(name, values, tuple(delete), exists, place=place)


def drop(cursor: Cursor) -> ir.DropNamedCollection:
    """Read what follows DROP NAMED COLLECTION."""
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), cursor.identifier(_NAME)
    on_cluster(cursor)
    return ir.DropNamedCollection(name, exists, place=place)


def _values(cursor: Cursor) -> dict[str, Value]:
    """`key = value [[NOT] OVERRIDABLE], …`."""
    found: dict[str, Value] = {}
    while True:
        place = cursor.place()
        key = cursor.identifier("a key")
        if key in found:
            reason = f"The key {key} is written twice"
            raise errors.SYNTAX_ERROR(reason=reason, place=place)
        cursor.need_mark(TokenType.EQ, "=")
        value = cursor.literal(f"the value of {key}")
        found[key] = Value(value, _overridable(cursor))
        if not cursor.mark(TokenType.COMMA):
            return found


def _overridable(cursor: Cursor) -> bool | None:
    if cursor.word("NOT", "OVERRIDABLE"):
        return False
    return True if cursor.word("OVERRIDABLE") else None
