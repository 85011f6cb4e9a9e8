"""The privileges that statements about users, roles and grants need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.access.entities import POLICY, PROFILE, QUOTA, ROLE, USER
from sluice.session.need import Need, Scope
from sluice.sql.access import nodes as s
from sluice.sql.access.clauses import CURRENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sluice.access.entities import Names
    from sluice.access.rights import Path
    from sluice.sql import ir


_SHOWN = {
    USER: "SHOW USERS",
    ROLE: "SHOW ROLES",
    POLICY: "SHOW ROW POLICIES",
    QUOTA: "SHOW QUOTAS",
    PROFILE: "SHOW SETTINGS PROFILES",
}
_LISTED = {
    "USERS": "SHOW USERS",
    "ROLES": "SHOW ROLES",
    "POLICIES": "SHOW ROW POLICIES",
    "QUOTAS": "SHOW QUOTAS",
    "PROFILES": "SHOW SETTINGS PROFILES",
    "ACCESS": "SHOW ACCESS",
}


def _entity(verb: str) -> Callable[[Any, Scope], Iterator[Need]]:
    def rule(statement: Any, names: Scope) -> Iterator[Need]:
        replaces = getattr(statement, "or_replace", False)
        for word in (verb, "DROP") if replaces else (verb,):
            for each in statement.names:
                yield Need(f"{word} {statement.kind}", _entity_path(statement.kind, each, names))

    return rule


def _entity_path(kind: str, name: s.EntityName, names: Scope) -> Path:
    if kind == POLICY and name.table is not None:
        database = name.table.database or names.database
        return (database, name.table.table) if name.table.table else (database,)
    return (name.name,) if kind in (USER, ROLE) else ()


def _set_default_role(statement: s.SetDefaultRole, names: Scope) -> Iterator[Need]:
    for name in statement.to.names:
        if name not in (CURRENT, names.user):
            yield Need("ALTER USER", (name,))
    if statement.to.all:
        yield Need("ALTER USER")


def _show_grants(statement: s.ShowGrants, names: Scope) -> Iterator[Need]:
    yield from _of_others(statement.of, names)


def _of_others(of: Names | None, names: Scope) -> Iterator[Need]:
    own = of is None or (not of.all and set(of.names) <= {CURRENT, names.user})
    if not own:
        yield Need("SHOW USERS")
        yield Need("SHOW ROLES")


def _show_create_entity(statement: s.ShowCreateEntity, names: Scope) -> Iterator[Need]:
    own = statement.kind == USER and all(n.name == names.user for n in statement.names)
    for each in () if own else statement.names:
        path = _entity_path(statement.kind, each, names) if statement.kind == POLICY else ()
        yield Need(_SHOWN[statement.kind], path)
    if not statement.names and statement.kind not in (USER, QUOTA):
        yield Need(_SHOWN[statement.kind])


def _show_entities(statement: s.ShowEntities, names: Scope) -> Iterator[Need]:
    if statement.what in _LISTED:
        yield Need(_LISTED[statement.what])


def nothing(statement: Any, names: Scope) -> Iterable[Need]:
    """For statements whose handlers show what the user may see, or check themselves."""
    return ()


ACCESS: Mapping[type[ir.Statement], Callable[[Any, Scope], Iterable[Need]]] = {
    s.CreateEntity: _entity("CREATE"),
    s.AlterEntity: _entity("ALTER"),
    s.DropEntity: _entity("DROP"),
    s.Grant: nothing,
    s.Revoke: nothing,
    s.CheckGrant: nothing,
    s.SetRole: nothing,
    s.SetDefaultRole: _set_default_role,
    s.ShowGrants: _show_grants,
    s.ShowEntities: _show_entities,
    s.ShowCreateEntity: _show_create_entity,
}
"""What each statement about users, roles and grants needs."""
