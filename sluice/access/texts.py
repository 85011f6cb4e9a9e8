"""Entities and grants as the statements that make them; passwords and hashes are never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.access.effective import names_in, target_text
from sluice.access.entities import (
    ALL,
    ANYWHERE,
    CERTIFICATE,
    NOBODY,
    Policy,
    Profile,
    Quota,
    Role,
    User,
)
from sluice.types import quote_string
from sluice.types.quoting import quote_if_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.access.entities import Authentication, Entity, Hosts, Names, Setting
    from sluice.access.rights import Rights

_UNITS = (
    ("year", 31_556_952), ("quarter", 7_889_238), ("month", 2_629_746), ("week", 604_800),
    ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
)  # fmt: skip


def create_statement(entity: Entity) -> str:
    """The statement that creates an entity."""
    return " ".join(part for part in _parts(entity) if part)


def _parts(entity: Entity) -> Iterator[str]:
    match entity:
        case User():
            yield f"CREATE USER {quote_if_needed(entity.name)}"
            yield f"IDENTIFIED WITH {', '.join(map(_method, entity.authentication))}"
            if entity.valid_until is not None:
                yield f"VALID UNTIL {quote_string(f'{entity.valid_until:%Y-%m-%d %H:%M:%S}')}"
            yield f"HOST {_hosts(entity.hosts)}" if entity.hosts != ANYWHERE else ""
            if entity.default_roles != ALL:
                yield f"DEFAULT ROLE {names_text(entity.default_roles)}"
            if entity.default_database:
                yield f"DEFAULT DATABASE {quote_if_needed(entity.default_database)}"
            yield _settings(entity.settings)
            if entity.grantees != ALL:
                yield f"GRANTEES {names_text(entity.grantees)}"
        case Role():
            yield f"CREATE ROLE {quote_if_needed(entity.name)}"
            yield _settings(entity.settings)
        case Policy():
            table = quote_if_needed(entity.table) if entity.table else "*"
            on = f"{quote_if_needed(entity.database)}.{table}"
            yield f"CREATE ROW POLICY {quote_if_needed(entity.short_name)} ON {on} FOR SELECT"
            yield f"USING {entity.condition}" if entity.condition else ""
            yield f"AS {'restrictive' if entity.restrictive else 'permissive'}"
            yield _to(entity.to)
        case Quota():
            yield f"CREATE QUOTA {quote_if_needed(entity.name)}"
            yield f"KEYED BY {', '.join(entity.keys)}" if entity.keys else ""
            yield ", ".join(_interval(each.seconds, each.limits) for each in entity.intervals)
            yield _to(entity.to)
        case Profile():
            yield f"CREATE SETTINGS PROFILE {quote_if_needed(entity.name)}"
            yield _settings(entity.settings)
            yield _to(entity.to)


def _to(names: Names) -> str:
    return f"TO {names_text(names)}" if names != NOBODY else ""


def _method(method: Authentication) -> str:
    names = ", ".join(map(quote_string, method.names))
    return f"{method.kind} CN {names}" if method.kind == CERTIFICATE else method.kind


def _hosts(hosts: Hosts) -> str:
    found = ["ANY"] if hosts.any else []
    found += ["LOCAL"] if hosts.local else []
    found += [f"IP {quote_string(each)}" for each in hosts.addresses]
    found += [f"NAME {quote_string(each)}" for each in hosts.names]
    found += [f"REGEXP {quote_string(each)}" for each in hosts.patterns]
    found += [f"LIKE {quote_string(each)}" for each in hosts.likes]
    return ", ".join(found) or "NONE"


def names_text(names: Names) -> str:
    """A list of users and roles."""
    if names.all:
        rest = ", ".join(map(quote_if_needed, names.but))
        return f"ALL EXCEPT {rest}" if rest else "ALL"
    return ", ".join(map(quote_if_needed, names.names)) or "NONE"


def _settings(settings: Iterable[Setting]) -> str:
    listed = ", ".join(map(_setting, settings))
    return f"SETTINGS {listed}" if listed else ""


def _setting(each: Setting) -> str:
    if each.profile:
        return f"PROFILE {quote_if_needed(each.profile)}"
    parts = [each.name]
    parts += [f"= {_value(each.value)}"] if each.value is not None else []
    parts += [f"MIN {_value(each.least)}"] if each.least is not None else []
    parts += [f"MAX {_value(each.most)}"] if each.most is not None else []
    return " ".join([*parts, each.writability] if each.writability else parts)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return (
        f"{value:g}"
        if isinstance(value, float)
        else (str(value) if isinstance(value, int) else quote_string(str(value)))
    )


def _interval(seconds: int, limits: Mapping[str, float]) -> str:
    unit, size = next((u, s) for u, s in _UNITS if seconds % s == 0)
    listed = ", ".join(f"{name} = {limit:g}" for name, limit in limits.items())
    counted = f"MAX {listed}" if listed else "TRACKING ONLY"
    return f"FOR INTERVAL {seconds // size} {unit} {counted}"


def grants(name: str, rights: Rights, roles: Mapping[str, bool]) -> list[str]:
    """The GRANT and REVOKE statements that give a user or role what it has."""
    to = quote_if_needed(name)
    found = []
    merged: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    for each in rights.elements():
        key = (each.path[:2], each.revoked, each.option, each.parameter)
        on = merged.setdefault(key, {})
        for privilege in names_in(each):
            on.setdefault(privilege, []).extend(map(quote_if_needed, each.path[2:]))
    for (path, revoked, option, parameter), listed in merged.items():
        names = [f"{name}({', '.join(of)})" if of else name for name, of in listed.items()]
        verb, word = ("REVOKE", "FROM") if revoked else ("GRANT", "TO")
        what = f"{', '.join(names)} ON {target_text(path, parameter)}"
        more = " WITH GRANT OPTION" if option and not revoked else ""
        kind = f"{verb} GRANT OPTION FOR" if option and revoked else verb
        found.append(f"{kind} {what} {word} {to}{more}")
    for admin in (False, True):
        of = ", ".join(quote_if_needed(r) for r, with_ in sorted(roles.items()) if with_ is admin)
        if of:
            found.append(f"GRANT {of} TO {to}{' WITH ADMIN OPTION' * admin}")
    return found
