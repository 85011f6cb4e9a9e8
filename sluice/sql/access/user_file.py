"""Grants in `users.xml`: `GRANT SELECT ON db.*`, without the user."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice.sql.access.elements import elements_of
from sluice.sql.access.grants import privileges_on
from sluice.sql.clickhouse import reading
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from sluice.access.rights import Element


def read_grant(text: str) -> list[Element]:
    """What a GRANT or REVOKE without a user is about.

    Raises:
        SluiceError: SYNTAX_ERROR and the like.
    """
    cursor = Cursor(text, reading.tokenize(text))
    revoked = cursor.word("REVOKE")
    if not revoked:
        cursor.need("GRANT")
    found = privileges_on(cursor)
    option = cursor.word("WITH", "GRANT", "OPTION")
    cursor.end()
    return [
        replace(each, revoked=revoked)
        for clause in found
        for each in elements_of(clause, "default", option=option)
    ]
