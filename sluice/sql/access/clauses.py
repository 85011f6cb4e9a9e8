"""Clauses that several statements about access share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.access.entities import ALL, NOBODY, Names, Setting
from sluice.sql.access.nodes import EntityName

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.core.cursor import Cursor

CURRENT = "\0current"
"""Stands for CURRENT_USER until it is known who that is."""

_STRINGS = (TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING)
_WRITABILITY = {
    "READONLY": "CONST",
    "CONST": "CONST",
    "WRITABLE": "WRITABLE",
    "CHANGEABLE_IN_READONLY": "CHANGEABLE_IN_READONLY",
}


def name(cursor: Cursor, what: str = "a name") -> str:
    """Read a name, as an identifier or in quotes."""
    if cursor.token is not None and cursor.token.token_type in _STRINGS:
        place, found = cursor.place(), cursor.string(what)
        if not found or "\0" in found:
            raise errors.SYNTAX_ERROR(reason=f"expected {what}", place=place)
        return found
    return cursor.identifier(what)


def several(cursor: Cursor, item: Callable[[], str]) -> tuple[str, ...]:
    """Read `a, b, …`."""
    found = [item()]
    while cursor.mark(TokenType.COMMA):
        found.append(item())
    return tuple(found)


def entity_names(cursor: Cursor) -> tuple[EntityName, ...]:
    """Read names of users, roles, quotas or profiles."""
    return tuple(map(EntityName, several(cursor, lambda: name(cursor))))


def one(cursor: Cursor) -> str:
    """Read a user's or role's name, or CURRENT_USER."""
    if cursor.word("CURRENT_USER"):
        if cursor.mark(TokenType.L_PAREN):
            cursor.need_mark(TokenType.R_PAREN, ")")
        return CURRENT
    return name(cursor, "the name of a user or role")


def names(cursor: Cursor, *, any_word: bool = False) -> Names:
    """Read `NONE | ALL [EXCEPT a, …] | a, …`."""
    if cursor.word("NONE"):
        return NOBODY
    if cursor.word("ALL") or (any_word and cursor.word("ANY")):
        if cursor.word("EXCEPT"):
            return Names(all=True, but=several(cursor, lambda: one(cursor)))
        return ALL
    return Names(several(cursor, lambda: one(cursor)))


def settings(cursor: Cursor) -> tuple[Setting, ...]:
    """Read `name = value [MIN v] [MAX v] [CONST …] | PROFILE name, …`; NONE is nothing."""
    if cursor.word("NONE"):
        return ()
    found = [_setting(cursor)]
    while cursor.mark(TokenType.COMMA):
        found.append(_setting(cursor))
    return tuple(found)


def _setting(cursor: Cursor) -> Setting:
    if cursor.word("PROFILE") or cursor.word("INHERIT"):
        return Setting(profile=name(cursor, "a profile's name"))
    called = cursor.identifier("a setting's name")
    value = cursor.literal(f"the value of {called}") if cursor.mark(TokenType.EQ) else None
    least = most = None
    writability = ""
    while True:
        if cursor.word("MIN"):
            cursor.mark(TokenType.EQ)
            least = cursor.literal("the least value")
        elif cursor.word("MAX"):
            cursor.mark(TokenType.EQ)
            most = cursor.literal("the greatest value")
        elif (word := cursor.one_of(*_WRITABILITY)) is not None:
            writability = _WRITABILITY[word]
        else:
            return Setting(called, value, least, most, writability)
