"""What one user may do: the union of the user's own rights and those of the enabled roles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.access.privileges import grantable, mask_of, names_of
from sluice.types.quoting import quote_if_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.access.entities import Policy, Quota, Setting
    from sluice.access.rights import Element, Path, Rights
    from sluice.errors import Place

OWNER = "default"
"""The user of those who open the data folder themselves: they may do everything."""

_ALL = mask_of("ALL")
_TABLES, _COLUMNS, _DATABASES = (
    mask_of(name) for name in ("SHOW TABLES", "SHOW COLUMNS", "SHOW DATABASES")
)
_ON_TABLES = grantable(2) & ~mask_of("SHOW DATABASES")
_ON_COLUMNS = grantable(3)


@dataclass(frozen=True)
class Access:
    """The rights of a user in one session, as they are now.

    `unlimited` is whoever opened the data folder. `roles` are those that are enabled, `settings`
    those of the user's profiles, and `policies` the row policies by database and table.
    """

    user: str = OWNER
    unlimited: bool = False
    rights: tuple[Rights, ...] = ()
    roles: tuple[str, ...] = ()
    admin_of: frozenset[str] = frozenset()
    granted_roles: tuple[str, ...] = ()
    default_roles: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    policies: Mapping[tuple[str, str], tuple[Policy, ...]] = field(default_factory=dict)
    quotas: tuple[Quota, ...] = ()
    address: str = ""
    default_database: str = ""
    exists: bool = True

    @cached_property
    def everything(self) -> bool:
        """Whether the user may do everything with everything, so that nothing is to be hidden."""
        return self.unlimited or any(each.everywhere() == _ALL for each in self.rights)

    def mask(self, path: Path, *, option: bool = False) -> int:
        """The bits that hold for something."""
        mask = 0
        for each in self.rights:
            mask |= each.held(path, option=option)
        if not option:
            mask |= self._implied(path)
        return mask

    def anywhere(self, path: Path = ()) -> int:
        """The bits that hold for something, or for something in it."""
        mask = 0
        for each in self.rights:
            mask |= each.anywhere(path)
        return mask

    def _implied(self, path: Path) -> int:
        """Whoever may do something with a table may know that it is there."""
        if not path:
            return 0
        below = here = 0
        for each in self.rights:
            below, here = below | each.anywhere(path), here | each.held(path)
        implied = _DATABASES if len(path) == 1 and below & grantable(1) else 0
        if len(path) >= 2 and below & _ON_TABLES:
            implied |= _TABLES
        if len(path) >= 2 and here & _ON_COLUMNS:
            implied |= _COLUMNS
        return implied

    def holds(self, privilege: str, path: Path = (), *, option: bool = False) -> bool:
        """Whether a privilege is held for something, with the grant option if asked for."""
        wanted = mask_of(privilege)
        return self.unlimited or self.mask(path, option=option) & wanted == wanted

    def holds_somewhere(self, privilege: str, path: Path = ()) -> bool:
        """Whether it is held for something, or for something in it, such as one column."""
        wanted = mask_of(privilege)
        return self.unlimited or self.anywhere(path) & wanted == wanted

    def shows_table(self, database: str, table: str) -> bool:
        """Whether the user may know that a table is there."""
        if self.unlimited or not database:
            return True
        below = self.anywhere((database, table))
        return bool(below & (_TABLES | _ON_TABLES))

    def shows_column(self, database: str, table: str, column: str) -> bool:
        """Whether the user may know that a column is there."""
        if self.unlimited or not database:
            return True
        return bool(self.anywhere((database, table, column)) & (_COLUMNS | _ON_COLUMNS))

    def shows_database(self, database: str) -> bool:
        """Whether the user may know that a database is there."""
        return self.unlimited or bool(self.anywhere((database,)) & grantable(1))

    def check(
        self,
        privilege: str,
        path: Path = (),
        columns: Iterable[str] = (),
        *,
        option: bool = False,
        place: Place | None = None,
    ) -> None:
        """Make sure that the user may do something.

        Without `columns` the privilege is needed for what the path leads to as a whole.

        Raises:
            SluiceError: ACCESS_DENIED, with the grant that is missing.
        """
        if self.unlimited or self.holds(privilege, path, option=option):
            return
        columns = sorted(set(columns))
        if columns:
            missing = [c for c in columns if not self.holds(privilege, (*path, c), option=option)]
            if not missing:
                return
        shown = columns if columns and self.holds_somewhere(privilege, path) else ()
        raise self.denied(grant_text([privilege], path, shown), option=option, place=place)

    def check_somewhere(self, privilege: str, path: Path, place: Place | None = None) -> None:
        """Make sure that the user may do something with a table, or with a column of it."""
        if not self.holds_somewhere(privilege, path):
            raise self.denied(grant_text([privilege], path), place=place)

    def denied(
        self, grant: str, *, option: bool = False, place: Place | None = None
    ) -> errors.SluiceError:
        """The error of a user who lacks a grant."""
        more = " WITH GRANT OPTION" if option else ""
        return errors.NOT_ENOUGH_PRIVILEGES(user=self.user, grant=grant + more, place=place)

    def row_filter(self, database: str, table: str) -> str | None:
        """The condition of the rows that the user sees, in ClickHouse's SQL; None for all rows.

        Rows must fulfil one of the permissive policies that are for the user, and all of the
        restrictive ones. A user for whom a table with policies has none sees no row.
        """
        found = self.policies.get((database, table), ()) + self.policies.get((database, ""), ())
        if self.unlimited or not found:
            return None
        own = [policy for policy in found if policy.to.has(self.user, *self.roles)]
        permissive = [f"({policy.condition})" for policy in own if not policy.restrictive]
        restrictive = [f"({policy.condition})" for policy in own if policy.restrictive]
        wanted = [f"({' OR '.join(permissive)})"] if permissive else []
        if not permissive and any(not policy.restrictive for policy in found):
            wanted = ["0"]
        return " AND ".join(wanted + restrictive) or None

    @cached_property
    def limits(self) -> Mapping[str, Setting]:
        """The settings of the profiles by name: the value that counts, and the limits."""
        found: dict[str, Setting] = {}
        for each in self.settings:
            before = found.get(each.name, each)
            found[each.name] = replace(
                each,
                value=before.value if each.value is None else each.value,
                least=before.least if each.least is None else each.least,
                most=before.most if each.most is None else each.most,
                writability=each.writability or before.writability,
            )
        return found

    def values(self) -> dict[str, Any]:
        """The values that settings have for the user before any is set."""
        return {name: each.value for name, each in self.limits.items() if each.value is not None}

    def elements(self) -> Iterator[Element]:
        """Everything that was granted to the user or to an enabled role."""
        for each in self.rights:
            yield from each.elements()


def grant_text(privileges: Iterable[str], path: Path = (), columns: Iterable[str] = ()) -> str:
    """What GRANT says: `SELECT(a, b) ON db.t`."""
    listed = ", ".join(map(quote_if_needed, columns))
    names = ", ".join(f"{name}({listed})" if listed else name for name in privileges)
    return f"{names} ON {target_text(path)}"


def target_text(path: Path, parameter: str = "") -> str:
    """What a grant is on: `*.*`, `db.*`, `db.t`, or a name."""
    if parameter:
        return quote_if_needed(path[0]) if path else "*"
    return (
        ".".join(map(quote_if_needed, path[:2])) + (".*" if len(path) == 1 else "")
        if path
        else "*.*"
    )


def owner() -> Access:
    """The rights of whoever opens the data folder."""
    return Access(unlimited=True)


def names_in(element: Element) -> list[str]:
    """The privileges of an element, by the fewest names."""
    return names_of(element.mask, grantable(len(element.path), element.parameter))
