"""GRANT, REVOKE and CHECK GRANT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.access.entities import NOBODY
from sluice.access.privileges import NONE, find, privileges
from sluice.sql.access import clauses
from sluice.sql.access.nodes import CheckGrant, Grant, GrantElement, Revoke, Target

if TYPE_CHECKING:
    from sluice.sql.core.cursor import Cursor


def grant(cursor: Cursor) -> Grant:
    """Read what follows GRANT."""
    _cluster(cursor)
    _refuse_current(cursor)
    elements: tuple[GrantElement, ...] = ()
    roles: tuple[str, ...] = ()
    if _has_target(cursor, "TO"):
        elements = privileges_on(cursor)
    else:
        roles = clauses.several(cursor, lambda: clauses.name(cursor, "a role's name"))
    cursor.need("TO")
    to = clauses.names(cursor)
    option = replace = False
    while cursor.word("WITH"):
        word = cursor.one_of("GRANT", "ADMIN", "REPLACE")
        if word is None:
            raise cursor.wrong(reason="expected GRANT, ADMIN or REPLACE")
        cursor.need("OPTION")
        option, replace = option or word != "REPLACE", replace or word == "REPLACE"
    return Grant(elements, roles, to, option, replace)


def revoke(cursor: Cursor) -> Revoke:
    """Read what follows REVOKE."""
    _cluster(cursor)
    option = cursor.word("GRANT", "OPTION", "FOR") or cursor.word("ADMIN", "OPTION", "FOR")
    elements: tuple[GrantElement, ...] = ()
    roles = NOBODY
    if _has_target(cursor, "FROM"):
        elements = privileges_on(cursor)
    else:
        roles = clauses.names(cursor)
    cursor.need("FROM")
    return Revoke(elements, roles, clauses.names(cursor), option)


def check(cursor: Cursor) -> CheckGrant:
    """Read what follows CHECK GRANT."""
    return CheckGrant(privileges_on(cursor))


def _cluster(cursor: Cursor) -> None:
    if cursor.word("ON", "CLUSTER"):
        clauses.name(cursor, "a cluster's name")


def _refuse_current(cursor: Cursor) -> None:
    if cursor.is_word("CURRENT", "GRANTS"):
        raise cursor.unsupported(clause="GRANT CURRENT GRANTS", hint="Name the privileges.")


def _has_target(cursor: Cursor, end: str) -> bool:
    """Whether ON comes before the word that ends the list."""
    for token in cursor.tokens[cursor.index :]:
        word = token.text.upper()
        if token.token_type in (TokenType.IDENTIFIER, TokenType.STRING):
            continue
        if word in ("ON", end):
            return word == "ON"
    return False


def privileges_on(cursor: Cursor) -> tuple[GrantElement, ...]:
    """Read `privileges ON target, …`."""
    found = []
    while True:
        place = cursor.place()
        listed = [_privilege(cursor)]
        while cursor.mark(TokenType.COMMA):
            listed.append(_privilege(cursor))
        cursor.need("ON")
        kept = tuple(each for each in listed if each[0] not in NONE)
        found.append(GrantElement(kept, _target(cursor), place))
        if not cursor.mark(TokenType.COMMA):
            return tuple(found)


def _privilege(cursor: Cursor) -> tuple[str, tuple[str, ...]]:
    """Read a privilege, with its columns if there are any."""
    place, words = cursor.place(), []
    while (token := cursor.token) is not None:
        marks = (TokenType.COMMA, TokenType.L_PAREN, TokenType.IDENTIFIER, TokenType.STRING)
        if token.token_type in marks or cursor.is_word("ON"):
            break
        words.append(token.text)
        cursor.index += 1
    text = " ".join(words)
    if text.upper() in NONE:
        return text.upper(), ()
    known = find(text)
    if known is None:
        hint = errors.nearest(text, privileges())
        raise errors.UNKNOWN_PRIVILEGE(privilege=text, hint=hint, place=place)
    columns = tuple(cursor.listed(cursor.identifier)) if cursor.opens() else ()
    return known.name, columns


def _target(cursor: Cursor) -> Target:
    """Read `*.*`, `db.*`, `db.table`, `table`, `*` or a name."""
    if cursor.mark(TokenType.STAR):
        if not cursor.mark(TokenType.DOT):
            return Target(None, "*")
        cursor.need_mark(TokenType.STAR, "*")
        return Target()
    first = clauses.name(cursor, "what the grant is on")
    if not cursor.mark(TokenType.DOT):
        return Target(None, first)
    if cursor.mark(TokenType.STAR):
        return Target(first, "*")
    found = Target(first, clauses.name(cursor, "a table's name"))
    if cursor.token is not None and cursor.token.token_type == TokenType.STAR:
        raise cursor.unsupported(clause="A grant on names that begin with a text")
    return found
