"""From the clauses of GRANT to what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.access import privileges as p
from sluice.access.effective import target_text
from sluice.access.privileges import COLLECTION, PARAMETERS, USER_NAME
from sluice.access.rights import Element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.access.rights import Path
    from sluice.sql.access.nodes import GrantElement


def elements_of(given: GrantElement, database: str, *, option: bool) -> Iterator[Element]:
    """What a clause of GRANT is about; privileges that are not about such a thing are refused."""
    for name, columns in given.privileges:
        known = p.privileges()[name]
        path, parameter = _path(database, known, given)
        mask = known.mask & p.grantable(3 if columns else len(path), parameter)
        if not mask:
            raise _invalid(known, given, path, parameter)
        if columns:
            for column in columns:
                yield Element(mask, (*path, column), option)
        else:
            yield Element(mask, path, option, parameter=parameter)


def _path(current: str, privilege: p.Privilege, given: GrantElement) -> tuple[Path, str]:
    """The names that lead to what is granted on; `*` alone is the current database's tables."""
    target = given.target
    levels = {each.level for each in p.single(privilege.mask)}
    if levels <= set(PARAMETERS) and target.database in (None, "*"):
        parameter = next(iter(levels)) or ""
        return ((), "") if target.table == "*" else ((target.table,), parameter)
    if target.database == "*":
        return (), ""
    if target.database is None and target.table == "*" and levels == {p.GLOBAL}:
        return (), ""
    database = target.database or current
    return ((database,) if target.table == "*" else (database, target.table)), ""


def _invalid(
    privilege: p.Privilege, given: GrantElement, path: Path, parameter: str
) -> errors.SluiceError:
    words = {p.GLOBAL: "*.*", COLLECTION: "a named collection", USER_NAME: "a user"}
    levels = sorted({str(each.level) for each in p.single(privilege.mask)})
    level = " or ".join(words.get(each, f"a {each.lower()}") for each in levels)
    return errors.INVALID_GRANT(
        privilege=privilege.name,
        target=target_text(path, parameter),
        level=level,
        place=given.place,
    )
