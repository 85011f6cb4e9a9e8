"""The privileges: ClickHouse's names and hierarchy, and those of Sluice's own statements.

A privilege that has no others below it is a bit; one that has is all of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GLOBAL, DATABASE, TABLE, COLUMN = "GLOBAL", "DATABASE", "TABLE", "COLUMN"
VIEW, DICTIONARY = "VIEW", "DICTIONARY"
COLLECTION, USER_NAME = "NAMED_COLLECTION", "USER_NAME"

DEPTHS = {GLOBAL: 0, DATABASE: 1, TABLE: 2, VIEW: 2, DICTIONARY: 2, COLUMN: 3}
"""How many names lead to what a privilege of a level is about: database, table, column."""

PARAMETERS = (COLLECTION, USER_NAME)
"""Levels of privileges on things that are in no database, each with a name."""

_TABLE = """
ALL
  SHOW
    SHOW DATABASES: DATABASE
    SHOW TABLES: TABLE
    SHOW COLUMNS: COLUMN
    SHOW DICTIONARIES: DICTIONARY
  SELECT: COLUMN
  INSERT: COLUMN
  ALTER
    ALTER TABLE
      ALTER UPDATE: COLUMN
      ALTER DELETE: COLUMN
      ALTER COLUMN
        ALTER ADD COLUMN: COLUMN
        ALTER MODIFY COLUMN: COLUMN
        ALTER DROP COLUMN: COLUMN
        ALTER COMMENT COLUMN: COLUMN
        ALTER CLEAR COLUMN: COLUMN
        ALTER RENAME COLUMN: COLUMN
        ALTER MATERIALIZE COLUMN: COLUMN
      ALTER MODIFY COMMENT: TABLE
      ALTER INDEX
        ALTER ORDER BY: TABLE
        ALTER SAMPLE BY: TABLE
        ALTER ADD INDEX: TABLE
        ALTER DROP INDEX: TABLE
        ALTER MATERIALIZE INDEX: TABLE
        ALTER CLEAR INDEX: TABLE
      ALTER PROJECTION
        ALTER ADD PROJECTION: TABLE
        ALTER DROP PROJECTION: TABLE
        ALTER MATERIALIZE PROJECTION: TABLE
        ALTER CLEAR PROJECTION: TABLE
      ALTER CONSTRAINT
        ALTER ADD CONSTRAINT: TABLE
        ALTER DROP CONSTRAINT: TABLE
      ALTER TTL: TABLE
      ALTER MATERIALIZE TTL: TABLE
      ALTER SETTINGS: TABLE
      ALTER MOVE PARTITION: TABLE
      ALTER FETCH PARTITION: TABLE
      ALTER FREEZE PARTITION: TABLE
    ALTER DATABASE
      ALTER MODIFY DATABASE COMMENT: DATABASE
      ALTER DATABASE SETTINGS: DATABASE
    ALTER VIEW
      ALTER VIEW MODIFY QUERY: VIEW
      ALTER VIEW MODIFY REFRESH: VIEW
      ALTER VIEW MODIFY SQL SECURITY: VIEW
  CREATE
    CREATE DATABASE: DATABASE
    CREATE TABLE: TABLE
    CREATE VIEW: VIEW
    CREATE DICTIONARY: DICTIONARY
    CREATE ARBITRARY TEMPORARY TABLE
      CREATE TEMPORARY TABLE: GLOBAL
    CREATE FUNCTION: GLOBAL
  DROP
    DROP DATABASE: DATABASE
    DROP TABLE: TABLE
    DROP VIEW: VIEW
    DROP DICTIONARY: DICTIONARY
    DROP FUNCTION: GLOBAL
  TRUNCATE: TABLE
  OPTIMIZE: TABLE
  CHECK: TABLE
  KILL QUERY: GLOBAL
  ACCESS MANAGEMENT
    CREATE USER: USER_NAME
    ALTER USER: USER_NAME
    DROP USER: USER_NAME
    CREATE ROLE: USER_NAME
    ALTER ROLE: USER_NAME
    DROP ROLE: USER_NAME
    ROLE ADMIN: GLOBAL
    CREATE ROW POLICY: TABLE
    ALTER ROW POLICY: TABLE
    DROP ROW POLICY: TABLE
    CREATE QUOTA: GLOBAL
    ALTER QUOTA: GLOBAL
    DROP QUOTA: GLOBAL
    CREATE SETTINGS PROFILE: GLOBAL
    ALTER SETTINGS PROFILE: GLOBAL
    DROP SETTINGS PROFILE: GLOBAL
    SHOW ACCESS
      SHOW USERS: GLOBAL
      SHOW ROLES: GLOBAL
      SHOW ROW POLICIES: TABLE
      SHOW QUOTAS: GLOBAL
      SHOW SETTINGS PROFILES: GLOBAL
  NAMED COLLECTION ADMIN
    CREATE NAMED COLLECTION: NAMED_COLLECTION
    ALTER NAMED COLLECTION: NAMED_COLLECTION
    DROP NAMED COLLECTION: NAMED_COLLECTION
    SHOW NAMED COLLECTIONS: NAMED_COLLECTION
    NAMED COLLECTION: NAMED_COLLECTION
  SYSTEM
    SYSTEM DROP CACHE: GLOBAL
    SYSTEM RELOAD
      SYSTEM RELOAD CONFIG: GLOBAL
      SYSTEM RELOAD USERS: GLOBAL
      SYSTEM RELOAD DICTIONARY: GLOBAL
      SYSTEM RELOAD FUNCTION: GLOBAL
    SYSTEM MERGES: TABLE
    SYSTEM TTL MERGES: TABLE
    SYSTEM FETCHES: TABLE
    SYSTEM MOVES: TABLE
    SYSTEM SENDS
      SYSTEM DISTRIBUTED SENDS: TABLE
      SYSTEM REPLICATED SENDS: TABLE
    SYSTEM REPLICATION QUEUES: TABLE
    SYSTEM SYNC REPLICA: TABLE
    SYSTEM RESTART REPLICA: TABLE
    SYSTEM FLUSH
      SYSTEM FLUSH LOGS: GLOBAL
      SYSTEM FLUSH ASYNC INSERT QUEUE: GLOBAL
    SYSTEM BACKGROUND
      SYSTEM VIEWS: VIEW
      SYSTEM STREAMING ENGINES: TABLE
    SYSTEM RESET OFFSETS: TABLE
    SYSTEM REDRIVE DEAD LETTERS: TABLE
    SYSTEM JOBS: GLOBAL
  dictGet: DICTIONARY
  SOURCES
    FILE: GLOBAL
    URL: GLOBAL
    REMOTE: GLOBAL
    S3: GLOBAL
    HDFS: GLOBAL
    AZURE: GLOBAL
    MYSQL: GLOBAL
    POSTGRES: GLOBAL
    MONGO: GLOBAL
    REDIS: GLOBAL
    SQLITE: GLOBAL
    ODBC: GLOBAL
    JDBC: GLOBAL
    HIVE: GLOBAL
    KAFKA: GLOBAL
    NATS: GLOBAL
    RABBITMQ: GLOBAL
"""
"""Each privilege in its group, with the level of what it is about."""

OWN = frozenset({"SYSTEM RESET OFFSETS", "SYSTEM REDRIVE DEAD LETTERS", "SYSTEM JOBS"})
"""Privileges that ClickHouse does not have."""

_ALIASES = {
    "ALL PRIVILEGES": "ALL",
    "DELETE": "ALTER DELETE",
    "UPDATE": "ALTER UPDATE",
    "ADD COLUMN": "ALTER ADD COLUMN",
    "MODIFY COLUMN": "ALTER MODIFY COLUMN",
    "DROP COLUMN": "ALTER DROP COLUMN",
    "COMMENT COLUMN": "ALTER COMMENT COLUMN",
    "RENAME COLUMN": "ALTER RENAME COLUMN",
    "MODIFY SETTING": "ALTER SETTINGS",
    "ALTER SETTING": "ALTER SETTINGS",
    "MODIFY QUERY": "ALTER VIEW MODIFY QUERY",
    "ALTER MODIFY QUERY": "ALTER VIEW MODIFY QUERY",
    "NAMED COLLECTION USAGE": "NAMED COLLECTION",
    "USE NAMED COLLECTION": "NAMED COLLECTION",
    "NAMED COLLECTION CONTROL": "NAMED COLLECTION ADMIN",
    "SHOW CREATE TABLE": "SHOW COLUMNS",
    "DICTGET": "dictGet",
}

NONE = frozenset({"NONE", "USAGE", "NO PRIVILEGES"})
"""What a GRANT of nothing is called."""


@dataclass(frozen=True, slots=True)
class Privilege:
    """A privilege: its group (none for ALL), its level (none for a group) and its bits."""

    name: str
    parent: str | None
    level: str | None
    mask: int


@cache
def privileges() -> dict[str, Privilege]:
    """All of them by name, each group before what is in it."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in _TABLE.strip().split("\n")]
    found: dict[str, tuple[str | None, str | None]] = {}
    above: list[str] = []
    for indent, text in lines:
        name, _, level = text.partition(": ")
        del above[indent // 2 :]
        found[name] = (above[-1] if above else None, level or None)
        above.append(name)
    bits = {name: 1 << at for at, name in enumerate(n for n, (_, level) in found.items() if level)}
    masks = dict.fromkeys(found, 0)
    for name, bit in bits.items():
        group: str | None = name
        while group is not None:
            masks[group] |= bit
            group = found[group][0]
    return {name: Privilege(name, *found[name], masks[name]) for name in found}


def mask_of(*names: str) -> int:
    """The bits of some privileges."""
    mask = 0
    for name in names:
        mask |= privileges()[name].mask
    return mask


def find(text: str) -> Privilege | None:
    """A privilege by its name or one of its aliases, in any case."""
    folded = _ALIASES.get(text.upper(), text.upper())
    return privileges().get(folded) or privileges().get(text)


def aliases(name: str) -> list[str]:
    """Other names of a privilege."""
    return sorted(alias for alias, other in _ALIASES.items() if other == name)


def longest() -> int:
    """How many words the longest name has."""
    return max(len(name.split()) for name in (*privileges(), *_ALIASES, *NONE))


@cache
def grantable(depth: int, parameter: str = "") -> int:
    """The bits of what can be granted on something that so many names lead to."""
    mask = 0
    for each in privileges().values():
        if each.level is None:
            continue
        if parameter:
            fits = each.level == parameter
        elif each.level in PARAMETERS:
            fits = depth == 0
        else:
            fits = DEPTHS[each.level] >= depth
        mask |= each.mask if fits else 0
    return mask


def names_of(mask: int, among: int = -1) -> list[str]:
    """The fewest names for some bits; a group counts as whole if it has all bits `among` these."""
    return list(_names("ALL", mask, among))


def _names(name: str, mask: int, among: int) -> Iterator[str]:
    own = privileges()[name].mask & among
    if not own & mask:
        return
    if own & mask == own:
        yield name
        return
    for child in _children(name):
        yield from _names(child, mask, among)


@cache
def _children(name: str) -> tuple[str, ...]:
    return tuple(each.name for each in privileges().values() if each.parent == name)


def single(mask: int) -> Iterable[Privilege]:
    """The privileges that some bits are, without groups."""
    return (p for p in privileges().values() if p.level is not None and p.mask & mask)
