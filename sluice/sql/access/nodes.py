"""What the statements about access mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.access.entities import Names
    from sluice.parameters.secret import Secret


@dataclass(frozen=True, slots=True)
class EntityName:
    """The name of an entity; that of a row policy has the table, `*` for all of a database."""

    name: str
    table: ir.Name | None = None


@dataclass(frozen=True, slots=True)
class Identified:
    """A clause of IDENTIFIED: a password to be hashed, a hash, or the names of certificates."""

    kind: str
    password: Secret | None = None
    hash: str = field(default="", repr=False)
    salt: str = field(default="", repr=False)
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What a grant is on; `database` is None for the current one, and `*` stands for all.

    A grant on a named collection or a user has the name in `table`.
    """

    database: str | None = "*"
    table: str = "*"


@dataclass(frozen=True, slots=True)
class GrantElement:
    """Privileges by their names, with columns if there are any, on something."""

    privileges: tuple[tuple[str, tuple[str, ...]], ...]
    target: Target
    place: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CreateEntity(ir.Statement):
    """CREATE USER, ROLE, ROW POLICY, QUOTA or SETTINGS PROFILE; `parts` are its clauses."""

    kind: str
    names: tuple[EntityName, ...]
    parts: Mapping[str, Any] = field(repr=False)
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class AlterEntity(ir.Statement):
    """ALTER of the same: the clauses that are there replace what was."""

    kind: str
    names: tuple[EntityName, ...]
    parts: Mapping[str, Any] = field(repr=False)
    if_exists: bool = False
    rename: str = ""


@dataclass(frozen=True, slots=True)
class DropEntity(ir.Statement):
    """DROP of the same."""

    kind: str
    names: tuple[EntityName, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Grant(ir.Statement):
    """GRANT of privileges or roles; `option` is the GRANT or the ADMIN OPTION."""

    elements: tuple[GrantElement, ...]
    roles: tuple[str, ...]
    to: Names
    option: bool = False
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Revoke(ir.Statement):
    """REVOKE of privileges or roles; with `option` only of the GRANT or the ADMIN OPTION."""

    elements: tuple[GrantElement, ...]
    roles: Names
    to: Names
    option: bool = False


@dataclass(frozen=True, slots=True)
class SetRole(ir.ReadOnly):
    """SET ROLE: the roles that are enabled from here on; None for the default ones."""

    roles: Names | None


@dataclass(frozen=True, slots=True)
class SetDefaultRole(ir.Statement):
    """SET DEFAULT ROLE … TO users."""

    roles: Names
    to: Names


@dataclass(frozen=True, slots=True)
class ShowGrants(ir.ReadOnly):
    """SHOW GRANTS, also of others."""

    of: Names | None = None


@dataclass(frozen=True, slots=True)
class ShowEntities(ir.ReadOnly):
    """SHOW USERS, ROLES, CURRENT ROLES, ENABLED ROLES, POLICIES, QUOTAS, PROFILES or ACCESS."""

    what: str
    table: ir.Name | None = None


@dataclass(frozen=True, slots=True)
class ShowCreateEntity(ir.ReadOnly):
    """SHOW CREATE USER, ROLE, ROW POLICY, QUOTA or SETTINGS PROFILE; without names the current."""

    kind: str
    names: tuple[EntityName, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckGrant(ir.ReadOnly):
    """CHECK GRANT: whether the user has something."""

    elements: tuple[GrantElement, ...]
