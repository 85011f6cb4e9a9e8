"""The statements about users, roles, grants, row policies, quotas and profiles."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sluice import errors
from sluice.access import passwords, texts
from sluice.access import privileges as p
from sluice.access.control import all_rights
from sluice.access.effective import grant_text, target_text
from sluice.access.entities import (
    BUILT_IN,
    KINDS,
    NO_PASSWORD,
    POLICY,
    PROFILE,
    QUOTA,
    ROLE,
    USER,
    Authentication,
    Hosts,
    Names,
    Policy,
    Role,
    User,
)
from sluice.access.rights import Rights
from sluice.clickhouse import allowed, syntax
from sluice.session import constraints
from sluice.session.clickhouse_prepared import taken
from sluice.session.queries import answer
from sluice.session.queries import texts as texts_of
from sluice.sql.access.clauses import CURRENT
from sluice.sql.access.elements import elements_of
from sluice.sql.access.nodes import (
    AlterEntity,
    CheckGrant,
    CreateEntity,
    DropEntity,
    Grant,
    Revoke,
    SetDefaultRole,
    ShowCreateEntity,
    ShowEntities,
    ShowGrants,
)
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sluice.access.control import AccessControl
    from sluice.access.entities import Entity
    from sluice.access.rights import Element
    from sluice.formats.result import Result
    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.sql.access.nodes import EntityName, GrantElement, Identified


T = TypeVar("T")


def create(context: Context, statement: CreateEntity) -> None:
    """CREATE USER, ROLE, ROW POLICY, QUOTA or SETTINGS PROFILE."""
    control, made = context.engine.access, []
    for name in statement.names:
        key, head = _key(context, statement.kind, name)
        there = control.find(statement.kind, key)
        other = {USER: ROLE, ROLE: USER}.get(statement.kind)
        taken_by = control.find(other, key) if other else None
        if there is not None and statement.if_not_exists:
            continue
        if (there is not None and not statement.or_replace) or taken_by is not None:
            kind = (taken_by or there).kind.lower()  # type: ignore[union-attr]
            raise errors.ACCESS_ENTITY_ALREADY_EXISTS(kind=kind, name=key, place=statement.place)
        new: Entity = KINDS[statement.kind](name=key, **head)
        if there is not None:
            new = replace(new, id=there.id)
        made.append(_changed(context, _with_roles(context, new, statement.parts), statement.parts))
    control.put(*made, place=statement.place)


def _with_roles(context: Context, new: Entity, parts: Mapping[str, Any]) -> Entity:
    """A new user with the default roles, which are granted to it, as ClickHouse does.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES if the user who creates it may not grant them.
    """
    wanted = parts.get("default_roles")
    if not isinstance(new, User) or wanted is None or wanted.all:
        return new
    names = _known(context, wanted).names
    for role in names:
        context.engine.access.need(ROLE, role)
        _check_may_grant_role(context, role)
    return replace(new, roles={**new.roles, **dict.fromkeys(names, False)})


def alter(context: Context, statement: AlterEntity) -> None:
    """ALTER of the same."""
    control, made = context.engine.access, []
    for name in statement.names:
        key, _ = _key(context, statement.kind, name)
        if statement.if_exists and control.find(statement.kind, key) is None:
            continue
        old = control.need(statement.kind, key, statement.place)
        if statement.parts or not statement.rename:
            made.append(_changed(context, old, statement.parts))
    control.put(*made, place=statement.place)
    if statement.rename and len(statement.names) == 1:
        _rename(context, statement)


def _rename(context: Context, statement: AlterEntity) -> None:
    control = context.engine.access
    key, head = _key(context, statement.kind, statement.names[0])
    if control.find(statement.kind, key) is None:
        return
    to = statement.rename
    if statement.kind == POLICY:
        old = control.find(POLICY, key)
        to = f"{to} ON {head['database']}.{head['table'] or '*'}"
        if isinstance(old, Policy):
            control.put(replace(old, short_name=statement.rename), place=statement.place)
    control.rename(statement.kind, key, to, statement.place)


def drop(context: Context, statement: DropEntity) -> None:
    """DROP of the same."""
    control = context.engine.access
    keys = [_key(context, statement.kind, name)[0] for name in statement.names]
    for key in keys:
        if not statement.if_exists:
            control.need(statement.kind, key, statement.place)
    for key in keys:
        if control.find(statement.kind, key) is not None:
            control.remove(statement.kind, key, statement.place)


def _key(context: Context, kind: str, name: EntityName) -> tuple[str, dict[str, Any]]:
    """What an entity is known by; a row policy by its table, too."""
    if kind != POLICY or name.table is None:
        return name.name, {}
    database, table = name.table.database or context.database, name.table.table
    head = {"short_name": name.name, "database": database, "table": table}
    return f"{name.name} ON {database}.{table or '*'}", head


def _changed(context: Context, entity: Entity, parts: Mapping[str, Any]) -> Entity:
    """An entity with the clauses of a statement."""
    given = dict(parts)
    more = given.pop("more_authentication", ())
    newest = given.pop("newest_authentication", False)
    more_hosts, fewer_hosts = given.pop("more_hosts", None), given.pop("fewer_hosts", None)
    for name, value in given.items():
        if isinstance(value, Names):
            given[name] = _known(context, value)
    if "authentication" in given:
        given["authentication"] = tuple(map(_hashed, given["authentication"]))
    if "settings" in given:
        _check_settings(context.engine.access, given["settings"])
    if given.get("condition"):
        given["condition"] = _condition(context, given["condition"])
    if isinstance(entity, User):
        if entity.storage == BUILT_IN:
            given.setdefault("rights", all_rights())
        if more:
            kept = [each for each in entity.authentication if each.kind != NO_PASSWORD]
            given["authentication"] = (*kept, *map(_hashed, more))
        if newest:
            given["authentication"] = given.get("authentication", entity.authentication)[-1:]
        if more_hosts is not None:
            given["hosts"] = _joined(entity.hosts, more_hosts)
        if fewer_hosts is not None:
            given["hosts"] = _reduced(entity.hosts, fewer_hosts)
        _check_default_roles(entity, given)
    return replace(entity, **given)


def _check_default_roles(user: User, given: Mapping[str, Any]) -> None:
    """Default roles must be granted first."""
    wanted = given.get("default_roles")
    for role in wanted.names if wanted is not None else ():
        if role not in user.roles:
            raise errors.SET_NON_GRANTED_ROLE(role=role, user=user.name)


def _hashed(given: Identified) -> Authentication:
    if given.password is not None:
        return passwords.hashed(given.kind, given.password.reveal())
    return Authentication(given.kind, given.hash, given.salt, given.names)


def _joined(old: Hosts, new: Hosts) -> Hosts:
    parts: list[Any] = [a or b if isinstance(a, bool) else a + b for a, b in _pairs(old, new)]
    return Hosts(*parts)


def _reduced(old: Hosts, less: Hosts) -> Hosts:
    parts: list[Any] = [
        a and not b if isinstance(a, bool) else tuple(each for each in a if each not in b)
        for a, b in _pairs(old, less)
    ]
    return Hosts(*parts)


def _pairs(a: Hosts, b: Hosts) -> list[tuple[Any, Any]]:
    return [(getattr(a, name), getattr(b, name)) for name in Hosts.__slots__]


def _known(context: Context, names: Names) -> Names:
    """Names of users and roles that exist; CURRENT_USER is who runs the statement."""
    control = context.engine.access
    for name in (*names.names, *names.but):
        if name != CURRENT:
            control.grantee(name)
    return replace(
        names,
        names=tuple(context.principal if n == CURRENT else n for n in names.names),
        but=tuple(context.principal if n == CURRENT else n for n in names.but),
    )


def _check_settings(control: AccessControl, settings: Iterable[Any]) -> None:
    """Settings of a profile must be ones that there are."""
    for each in settings:
        if each.profile:
            control.need(PROFILE, each.profile)
            continue
        for value in (each.value, each.least, each.most):
            if value is not None:
                constraints.read(each.name, value)


def _condition(context: Context, text: str) -> str:
    """A condition of a row policy, checked: it calls what queries may, and reads nothing else."""
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        query = syntax.read(worker, f"SELECT 1 WHERE {text}", {})
    allowed.check(query)
    reads = query.tables | query.perhaps | query.table_functions
    if reads or not query.text.startswith("SELECT 1 WHERE "):
        raise errors.ROW_POLICY_REFUSED(reason="it may use the columns of the table, and no table")
    return query.text.removeprefix("SELECT 1 WHERE ")


# Grants


def grant(context: Context, statement: Grant) -> None:
    """GRANT privileges ON something TO users and roles, or roles."""
    control = context.engine.access
    elements = _elements(context, statement.elements, option=statement.option)
    for each in elements:
        _check_may_grant(context, each)
    for role in statement.roles:
        control.need(ROLE, role)
        _check_may_grant_role(context, role)
    made = []
    for grantee in _grantees(context, statement.to):
        _check_grantee(context, grantee)
        rights = Rights([] if statement.replace and elements else grantee.rights.elements())
        for each in elements:
            rights.grant(each)
        roles = {} if statement.replace and statement.roles else dict(grantee.roles)
        roles |= {r: statement.option or roles.get(r, False) for r in statement.roles}
        _check_cycle(control, grantee, statement.roles)
        made.append(replace(grantee, rights=rights, roles=roles))
    control.put(*made)


def revoke(context: Context, statement: Revoke) -> None:
    """REVOKE privileges or roles, or only the option to grant them."""
    control = context.engine.access
    elements = _elements(context, statement.elements, option=statement.option)
    for each in elements:
        _check_may_grant(context, each)
    for role in statement.roles.names:
        control.need(ROLE, role)
        _check_may_grant_role(context, role)
    if statement.roles.all:
        context.access.check("ROLE ADMIN")
    made = []
    for grantee in _grantees(context, statement.to):
        rights = Rights(grantee.rights.elements())
        for each in elements:
            rights.revoke(each)
        roles = dict(grantee.roles)
        for role in [each for each in roles if statement.roles.has(each)]:
            if statement.option:
                roles[role] = False
            else:
                del roles[role]
        made.append(replace(grantee, rights=rights, roles=roles))
    control.put(*made)


def _elements(
    context: Context, given: Iterable[GrantElement], *, option: bool = False
) -> list[Element]:
    return [e for each in given for e in elements_of(each, context.database, option=option)]


def _grantees(context: Context, to: Names) -> list[User | Role]:
    control = context.engine.access
    known = _known(context, to)
    if not known.all:
        return [control.grantee(name) for name in known.names]
    every: list[User | Role] = [*control.users(), *control.roles()]
    return [each for each in every if each.name not in known.but and each.storage == "catalog"]


def _check_grantee(context: Context, grantee: User | Role) -> None:
    """Whether the user may grant to somebody at all: GRANTEES."""
    own = context.engine.access.user(context.principal)
    if context.access.unlimited or own is None or own.grantees.has(grantee.name):
        return
    reason = f"{own.name}: User {grantee.name} is not allowed as a grantee"
    raise errors.ACCESS_DENIED(reason=reason)


def _check_may_grant(context: Context, element: Element) -> None:
    """Whoever grants something must have it, with the grant option."""
    access = context.access
    if access.unlimited:
        return
    held = access.mask(element.path, option=True)
    missing = element.mask & ~held
    if missing:
        among = p.grantable(len(element.path), element.parameter)
        names = p.names_of(missing, among)
        path, columns = element.path[:2], element.path[2:]
        text = (
            f"{', '.join(names)} ON {target_text(path, element.parameter)}"
            if element.parameter
            else grant_text(names, path, columns)
        )
        raise access.denied(text, option=True)


def _check_may_grant_role(context: Context, role: str) -> None:
    access = context.access
    if not (access.unlimited or role in access.admin_of or access.holds("ROLE ADMIN")):
        raise errors.NOT_ENOUGH_PRIVILEGES(
            user=access.user, grant=f"{role} WITH ADMIN OPTION, or ROLE ADMIN ON *.*"
        )


def _check_cycle(control: AccessControl, grantee: User | Role, roles: Iterable[str]) -> None:
    if isinstance(grantee, Role) and grantee.name in control.closure(roles):
        reason = f"role {grantee.name} would be granted to itself"
        raise errors.ACCESS_DENIED(reason=reason)


def set_default_role(context: Context, statement: SetDefaultRole) -> None:
    """SET DEFAULT ROLE: the granted roles that are enabled at login."""
    made = []
    roles = _known(context, statement.roles)
    for grantee in _grantees(context, statement.to):
        if not isinstance(grantee, User):
            raise errors.UNKNOWN_USER(name=grantee.name)
        _check_default_roles(grantee, {"default_roles": roles})
        made.append(replace(grantee, default_roles=roles))
    context.engine.access.put(*made)


# Answers


def show_grants(context: Context, statement: ShowGrants) -> Result:
    """SHOW GRANTS."""
    of = statement.of or Names((CURRENT,))
    if context.access.unlimited and statement.of is None:
        rows = [("GRANT ALL ON *.* TO default WITH GRANT OPTION",)]
    else:
        rows = [
            (text,)
            for each in _grantees(context, of)
            for text in texts.grants(each.name, each.rights, each.roles)
        ]
    return texts_of(["GRANTS"], rows, statement.format)


def check_grant(context: Context, statement: CheckGrant) -> Result:
    """CHECK GRANT: 1 if the user has all that is listed."""
    access = context.access
    held = all(
        access.unlimited or each.mask & ~access.mask(each.path) == 0
        for each in _elements(context, statement.elements)
    )
    return answer([("result", m.Int(8, signed=False))], [(int(held),)], statement.format)


_KINDS_LISTED = {"USERS": USER, "ROLES": ROLE, "QUOTAS": QUOTA, "PROFILES": PROFILE}


def show_entities(context: Context, statement: ShowEntities) -> Result:
    """SHOW USERS and the like."""
    control, access = context.engine.access, context.access
    what, form = statement.what, statement.format
    if what in _KINDS_LISTED:
        return texts_of(["name"], [(each.name,) for each in control.all(_KINDS_LISTED[what])], form)
    if what == "POLICIES":
        rows = [
            (each.name if statement.table is None else each.short_name,)
            for each in control.policies()
            if statement.table is None or _is_on(context, each, statement.table)
        ]
        return texts_of(["name"], rows, form)
    if what in ("CURRENT ROLES", "ENABLED ROLES"):
        chosen = [role for role in access.roles if role in access.granted_roles]
        listed = chosen if what == "CURRENT ROLES" else access.roles
        return texts_of(["role_name"], [(role,) for role in listed], form)
    if what == "PRIVILEGES":
        return texts_of(["privilege"], [(name,) for name in p.privileges()], form)
    found = [each for kind in KINDS for each in control.all(kind)]
    rows = [(texts.create_statement(each),) for each in found]
    rows += [
        (text,)
        for each in found
        if isinstance(each, User | Role)
        for text in texts.grants(each.name, each.rights, each.roles)
    ]
    return texts_of(["ACCESS"], rows, form)


def _is_on(context: Context, policy: Policy, name: ir.Name) -> bool:
    return (policy.database, policy.table) == (name.database or context.database, name.table)


def show_create(context: Context, statement: ShowCreateEntity) -> Result:
    """SHOW CREATE USER and the like."""
    control = context.engine.access
    keys = [_key(context, statement.kind, name)[0] for name in statement.names]
    if not keys and statement.kind == USER:
        keys = [context.principal]
    elif not keys and statement.kind == QUOTA:
        keys = [each.name for each in context.access.quotas]
    elif not keys:
        keys = [each.name for each in control.all(statement.kind)]
    made = [control.need(statement.kind, key, statement.place) for key in keys]
    column = f"CREATE {statement.kind}"
    return texts_of([column], [(texts.create_statement(each),) for each in made], statement.format)


def _placed(run: Callable[[Context, Any], T]) -> Callable[[Context, Any], T]:
    """A handler whose errors have the statement's place, if they have none of their own."""

    def run_placed(context: Context, statement: ir.Statement) -> T:
        with errors.at(statement.place):
            return run(context, statement)

    return run_placed


_CHANGES: Mapping[type[ir.Statement], Callable[[Context, Any], None]] = {
    CreateEntity: create,
    AlterEntity: alter,
    DropEntity: drop,
    Grant: grant,
    Revoke: revoke,
    SetDefaultRole: set_default_role,
}
_READS: Mapping[type[ir.Statement], Callable[[Context, Any], Result]] = {
    ShowGrants: show_grants,
    ShowEntities: show_entities,
    ShowCreateEntity: show_create,
    CheckGrant: check_grant,
}

CHANGES = {kind: _placed(run) for kind, run in _CHANGES.items()}
"""Those that change the catalog."""

READS = {kind: _placed(run) for kind, run in _READS.items()}
