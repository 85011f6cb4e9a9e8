"""Which rows of system tables a user sees.

A table without a row here is read by those who were granted SELECT on it, and shows them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.catalog.system_tables import INFORMATION, SYSTEM
from sluice.system.clickhouse_columns import ABSENT, NATIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.access import Access
    from sluice.catalog.system_tables import SystemTable

    Shows = Callable[[Access, Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may read a table, and which of its rows.

    With a `privilege` only those who hold it. With `shows` a row is shown if it says so; with
    `own` the rows of the user alone, unless SELECT on the table was granted.
    """

    privilege: str = ""
    shows: Shows | None = None
    own: bool = False


def _tables(database: str = "database", table: str = "table") -> Rule:
    return Rule(shows=lambda access, row: access.shows_table(row[database], row[table]))


def _columns(database: str, table: str, column: str) -> Rule:
    return Rule(
        shows=lambda access, row: access.shows_column(row[database], row[table], row[column])
    )


def _databases(name: str) -> Rule:
    return Rule(shows=lambda access, row: access.shows_database(row[name]))


PUBLIC = Rule()
"""What says the same on every server of the same version, or only what everybody can know."""

_OWN = Rule(own=True)

RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "one", "numbers", "options", "settings", "merge_tree_settings", "functions", "formats",
            "table_engines", "table_functions", "data_type_families", "time_zones",
            "build_options", "clusters", "privileges", "current_roles", "enabled_roles",
            "quota_usage", "database_engines", *ABSENT, *NATIVE,
        ),
        PUBLIC,
    ),
    "databases": _databases("name"),
    "tables": _tables(table="name"),
    "columns": _columns("database", "table", "name"),
    "parts_columns": _columns("database", "table", "column"),
    "views": _tables(table="name"),
    "dictionaries": _tables(table="name"),
    **dict.fromkeys(
        (
            "parts", "data_skipping_indices", "projections", "mutations",
            "kafka_consumers", "pipelines", "ledger", "pipeline_events",
        ),
        _tables(),
    ),
    "named_collections": Rule(
        shows=lambda access, row: access.holds("SHOW NAMED COLLECTIONS", (row["name"],))
    ),
    "query_log": _OWN,
    "processes": _OWN,
    "session_log": _OWN,
    "jobs": Rule("SYSTEM JOBS"),
    "users": Rule("SHOW USERS"),
    "roles": Rule("SHOW ROLES"),
    "grants": Rule("SHOW USERS"),
    "role_grants": Rule("SHOW USERS"),
    "row_policies": Rule("SHOW ROW POLICIES"),
    "quotas": Rule("SHOW QUOTAS"),
    "quotas_usage": Rule("SHOW QUOTAS"),
    "settings_profiles": Rule("SHOW SETTINGS PROFILES"),
    "settings_profile_elements": Rule("SHOW SETTINGS PROFILES"),
}  # fmt: skip
"""Tables of `system`."""

STANDARD: Mapping[str, Rule] = {
    "schemata": _databases("schema_name"),
    "tables": _tables("table_schema", "table_name"),
    "columns": _columns("table_schema", "table_name", "column_name"),
    "views": _tables("table_schema", "table_name"),
    "key_column_usage": _columns("table_schema", "table_name", "column_name"),
    "referential_constraints": PUBLIC,
    "statistics": PUBLIC,
}
"""Tables of `information_schema`."""


def rule_of(table: SystemTable) -> Rule | None:
    """The rule of a table, None if it is read by those who were granted it."""
    rules = STANDARD if INFORMATION.get(table.name) is table else RULES
    return rules.get(table.name)


def check(access: Access, table: SystemTable) -> None:
    """Make sure that a user may read a table.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES.
    """
    rule = rule_of(table)
    if rule is None:
        access.check("SELECT", (_database(table), table.name))
    elif rule.privilege:
        access.check(rule.privilege)


def shown(access: Access, table: SystemTable) -> Callable[[tuple[Any, ...]], bool] | None:
    """Which rows of a table a user sees; None for all."""
    rule = rule_of(table)
    if access.everything or rule is None:
        return None
    names = [name for name, _ in table.columns]
    shows = rule.shows
    if rule.own and not access.holds("SELECT", (_database(table), table.name)):
        shows = _is_own
    if shows is None:
        return None
    test = shows
    return lambda row: test(access, dict(zip(names, row, strict=True)))


def _is_own(access: Access, row: Mapping[str, Any]) -> bool:
    return bool(row["user"] == access.user)


def _database(table: SystemTable) -> str:
    return "system" if SYSTEM.get(table.name) is table else "information_schema"
