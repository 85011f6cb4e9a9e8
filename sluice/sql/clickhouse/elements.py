"""INDEX, PROJECTION and CONSTRAINT: among the columns of a CREATE TABLE, and in ALTER TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog.entities import CONSTRAINT, ELEMENTS, INDEX, PROJECTION, Element
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMS = {
    INDEX: ("expression TYPE type [GRANULARITY number]", ("TYPE",)),
    PROJECTION: ("(SELECT …)", ("(", "INDEX")),
    CONSTRAINT: ("CHECK condition or ASSUME condition", ("CHECK", "ASSUME")),
}
"""How each is written after its name, and a word that tells it from a column of that name."""

_OTHERS = {INDEX: (), PROJECTION: (), CONSTRAINT: ("PRIMARY", "UNIQUE", "FOREIGN", "EXCLUDE")}
"""What other databases have, and ClickHouse has not."""


def follows(cursor: Cursor) -> str | None:
    """The kind of the element that begins here; None for a column, which may be called like one."""
    for kind in ELEMENTS:
        if not cursor.is_word(kind):
            continue
        ahead = Cursor(cursor.text, cursor.tokens)
        ahead.index = cursor.index + 1
        words = [token.text.upper() for token in ahead.until(lambda _: False)]
        if len(words) > 1 and not set(words[1:]).isdisjoint((*_FORMS[kind][1], *_OTHERS[kind])):
            return kind
    return None


def read(
    cursor: Cursor, kind: str, end: Callable[[Cursor], bool] = lambda _: False
) -> tuple[Element, errors.Place]:
    """What follows the word for its kind, up to a comma or where `end` says; and its place."""
    place = cursor.place()
    name = cursor.identifier(f"the name of the {kind.lower()}")
    form, words = _FORMS[kind]
    tokens = cursor.until(end)
    if kind == CONSTRAINT and tokens and tokens[0].text.upper() not in words:
        hint = "Supported: CONSTRAINT name CHECK condition"
        what = f"CONSTRAINT {name} {tokens[0].text.upper()}"
        raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=place)
    if len(tokens) < 2 or {token.text.upper() for token in tokens}.isdisjoint(words):
        raise cursor.wrong(reason=f"expected {form}")
    return Element(kind, name, cursor.slice(tokens)), place


def in_create(cursor: Cursor, kind: str) -> tuple[Element, errors.Place]:
    """One in the list of columns."""
    cursor.need(kind)
    return read(cursor, kind)
