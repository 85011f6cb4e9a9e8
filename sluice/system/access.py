"""Users, roles, grants, policies, quotas and profiles as tables, with ClickHouse's columns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.access import privileges as p
from sluice.access.entities import Role, User
from sluice.access.usage import key_of
from sluice.system.registry import EPOCH, system_table, user_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.access import Access
    from sluice.access.entities import Interval, Names, Setting
    from sluice.access.usage import Used
    from sluice.engine.engine import Engine


@system_table(
    "users",
    """
    name String
    id UUID
    storage String
    auth_type Array(String)
    auth_params Array(String)
    valid_until Array(DateTime)
    host_ip Array(String)
    host_names Array(String)
    host_names_regexp Array(String)
    host_names_like Array(String)
    default_roles_all UInt8
    default_roles_list Array(String)
    default_roles_except Array(String)
    grantees_any UInt8
    grantees_list Array(String)
    grantees_except Array(String)
    default_database String
    """,
)
def _users(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for user in engine.access.users():
        hosts = user.hosts
        yield {
            "name": user.name,
            "id": user.id,
            "storage": user.storage,
            "auth_type": [each.kind for each in user.authentication],
            "auth_params": [_parameters(each.names) for each in user.authentication],
            "valid_until": [user.valid_until or EPOCH for _ in user.authentication],
            "host_ip": ["::/0"] if hosts.any else list(hosts.addresses),
            "host_names": [*(["localhost"] if hosts.local else []), *hosts.names],
            "host_names_regexp": list(hosts.patterns),
            "host_names_like": list(hosts.likes),
            **_names("default_roles", user.default_roles),
            **_names("grantees", user.grantees, "any"),
            "default_database": user.default_database,
        }


def _parameters(names: Iterable[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f'{{"common_names":[{listed}]}}' if listed else "{}"


def _names(prefix: str, names: Names, word: str = "all") -> dict[str, Any]:
    return {
        f"{prefix}_{word}": int(names.all),
        f"{prefix}_list": list(names.names),
        f"{prefix}_except": list(names.but),
    }


@system_table("roles", "name String\nid UUID\nstorage String")
def _roles(engine: Engine) -> Iterable[tuple[Any, ...]]:
    return ((role.name, role.id, role.storage) for role in engine.access.roles())


def _holders(engine: Engine) -> Iterator[tuple[User | Role, dict[str, str | None]]]:
    for user in engine.access.users():
        yield user, {"user_name": user.name, "role_name": None}
    for role in engine.access.roles():
        yield role, {"user_name": None, "role_name": role.name}


@system_table(
    "grants",
    """
    user_name Nullable(String)
    role_name Nullable(String)
    access_type String
    database Nullable(String)
    table Nullable(String)
    column Nullable(String)
    is_partial_revoke UInt8
    grant_option UInt8
    """,
)
def _grants(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for holder, names in _holders(engine):
        for element in holder.rights.elements():
            database, table, column = (*element.path, None, None, None)[:3]
            for privilege in element.names():
                yield {
                    **names,
                    "access_type": privilege,
                    "database": database,
                    "table": table,
                    "column": column,
                    "is_partial_revoke": int(element.revoked),
                    "grant_option": int(element.option),
                }


@system_table(
    "role_grants",
    """
    user_name Nullable(String)
    role_name Nullable(String)
    granted_role_name String
    granted_role_id UUID
    granted_role_is_default UInt8
    with_admin_option UInt8
    """,
)
def _role_grants(engine: Engine) -> Iterable[Mapping[str, Any]]:
    ids = {role.name: role.id for role in engine.access.roles()}
    for holder, names in _holders(engine):
        for role, option in sorted(holder.roles.items()):
            default = not isinstance(holder, User) or holder.default_roles.has(role)
            yield {
                **names,
                "granted_role_name": role,
                "granted_role_id": ids.get(role, ""),
                "granted_role_is_default": int(default),
                "with_admin_option": int(option),
            }


@user_table("current_roles", "role_name String\nwith_admin_option UInt8\nis_default UInt8")
def _current_roles(engine: Engine, access: Access) -> Iterable[tuple[Any, ...]]:
    for role in access.roles:
        if role in access.granted_roles:
            yield (role, int(role in access.admin_of), int(role in access.default_roles))


@user_table(
    "enabled_roles",
    "role_name String\nwith_admin_option UInt8\nis_current UInt8\nis_default UInt8",
)
def _enabled_roles(engine: Engine, access: Access) -> Iterable[tuple[Any, ...]]:
    for role in access.roles:
        current = role in access.granted_roles
        default = role in access.default_roles
        yield (role, int(role in access.admin_of), int(current), int(default))


@system_table(
    "row_policies",
    """
    name String
    short_name String
    database String
    table String
    id UUID
    storage String
    select_filter Nullable(String)
    is_restrictive UInt8
    apply_to_all UInt8
    apply_to_list Array(String)
    apply_to_except Array(String)
    """,
)
def _row_policies(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for policy in engine.access.policies():
        yield {
            "name": policy.name,
            "short_name": policy.short_name,
            "database": policy.database,
            "table": policy.table,
            "id": policy.id,
            "storage": policy.storage,
            "select_filter": policy.condition or None,
            "is_restrictive": int(policy.restrictive),
            **_names("apply_to", policy.to),
        }


@system_table(
    "quotas",
    """
    name String
    id UUID
    storage String
    keys Array(String)
    durations Array(UInt32)
    apply_to_all UInt8
    apply_to_list Array(String)
    apply_to_except Array(String)
    """,
)
def _quotas(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for quota in engine.access.quotas():
        yield {
            "name": quota.name,
            "id": quota.id,
            "storage": quota.storage,
            "keys": list(quota.keys),
            "durations": [each.seconds for each in quota.intervals],
            **_names("apply_to", quota.to),
        }


_USED = """
    quota_name String
    quota_key String
    start_time Nullable(DateTime)
    end_time Nullable(DateTime)
    duration Nullable(UInt32)
    queries Nullable(UInt64)
    max_queries Nullable(UInt64)
    query_selects Nullable(UInt64)
    max_query_selects Nullable(UInt64)
    query_inserts Nullable(UInt64)
    max_query_inserts Nullable(UInt64)
    errors Nullable(UInt64)
    max_errors Nullable(UInt64)
    result_rows Nullable(UInt64)
    max_result_rows Nullable(UInt64)
    read_rows Nullable(UInt64)
    max_read_rows Nullable(UInt64)
    execution_time Nullable(Float64)
    max_execution_time Nullable(Float64)
    """


@system_table("quotas_usage", _USED)
def _quotas_usage(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for quota in engine.access.quotas():
        for key, interval, used in engine.access.usage.all(quota):
            yield _used(quota.name, key, interval, used)


@user_table("quota_usage", _USED)
def _quota_usage(engine: Engine, access: Access) -> Iterable[Mapping[str, Any]]:
    for quota in access.quotas:
        own = key_of(quota, access)
        for key, interval, used in engine.access.usage.all(quota):
            if key == own:
                yield _used(quota.name, key, interval, used)


def _used(name: str, key: str, interval: Interval, used: Used) -> dict[str, Any]:
    began = datetime.fromtimestamp(used.began, UTC)
    found: dict[str, Any] = {
        "quota_name": name,
        "quota_key": key,
        "start_time": began,
        "end_time": datetime.fromtimestamp(used.began + interval.seconds, UTC),
        "duration": interval.seconds,
    }
    for counted in ("queries", "query_selects", "query_inserts", "errors", "result_rows"):
        found[counted] = int(used.counts[counted])
    found["read_rows"] = int(used.counts["read_rows"])
    found["execution_time"] = float(used.counts["execution_time"])
    for counted, limit in interval.limits.items():
        found[f"max_{counted}"] = limit if counted == "execution_time" else int(limit)
    return found


@system_table(
    "settings_profiles",
    """
    name String
    id UUID
    storage String
    num_elements UInt64
    apply_to_all UInt8
    apply_to_list Array(String)
    apply_to_except Array(String)
    """,
)
def _settings_profiles(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for profile in engine.access.profiles():
        yield {
            "name": profile.name,
            "id": profile.id,
            "storage": profile.storage,
            "num_elements": len(profile.settings),
            **_names("apply_to", profile.to),
        }


@system_table(
    "settings_profile_elements",
    """
    profile_name Nullable(String)
    user_name Nullable(String)
    role_name Nullable(String)
    index UInt64
    setting_name Nullable(String)
    value Nullable(String)
    min Nullable(String)
    max Nullable(String)
    writability Nullable(String)
    inherit_profile Nullable(String)
    """,
)
def _settings_profile_elements(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for profile in engine.access.profiles():
        yield from _elements({"profile_name": profile.name}, profile.settings)
    for holder, names in _holders(engine):
        yield from _elements(names, holder.settings)


def _elements(
    names: Mapping[str, str | None], settings: Iterable[Setting]
) -> Iterator[Mapping[str, Any]]:
    for at, each in enumerate(settings):
        yield {
            **names,
            "index": at,
            "setting_name": each.name or None,
            "value": _text(each.value),
            "min": _text(each.least),
            "max": _text(each.most),
            "writability": each.writability or None,
            "inherit_profile": each.profile or None,
        }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@system_table(
    "session_log",
    """
    type Enum8('LoginFailure' = 0, 'LoginSuccess' = 1)
    event_date Date
    event_time DateTime
    event_time_microseconds DateTime64(6)
    user String
    auth_type Nullable(String)
    client_address String
    interface String
    failure_reason String
    """,
)
def _session_log(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for event in list(engine.logins.events):
        yield {
            "type": "LoginFailure" if event.failed else "LoginSuccess",
            "event_date": event.time.date(),
            "event_time": event.time,
            "event_time_microseconds": event.time,
            "user": event.user,
            "auth_type": event.kind.upper() or None,
            "client_address": event.address,
            "interface": "HTTP",
            "failure_reason": "Authentication failed" if event.failed else "",
        }


@system_table(
    "privileges",
    """
    privilege String
    aliases Array(String)
    level Nullable(String)
    parent_group Nullable(String)
    """,
)
def _privileges(engine: Engine) -> Iterable[tuple[Any, ...]]:
    for each in p.privileges().values():
        yield (each.name, p.aliases(each.name), each.level, each.parent)
