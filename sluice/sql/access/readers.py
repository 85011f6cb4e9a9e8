"""Statements about access: from the words that each begins with to the function that reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from sluice.access.entities import POLICY, PROFILE, QUOTA, ROLE, USER, Interval
from sluice.access.usage import COUNTED, KEYS
from sluice.sql import ir
from sluice.sql.access import clauses, grants
from sluice.sql.access.nodes import (
    AlterEntity,
    CreateEntity,
    DropEntity,
    EntityName,
    SetDefaultRole,
    SetRole,
    ShowCreateEntity,
    ShowEntities,
    ShowGrants,
)
from sluice.sql.access.users import user_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.core.cursor import Cursor
    from sluice.sql.core.statements import Statements

WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    USER: (("USER",), ("USERS",)),
    ROLE: (("ROLE",), ("ROLES",)),
    POLICY: (("ROW", "POLICY"), ("POLICY",), ("ROW", "POLICIES"), ("POLICIES",)),
    QUOTA: (("QUOTA",), ("QUOTAS",)),
    PROFILE: (("SETTINGS", "PROFILE"), ("PROFILE",), ("SETTINGS", "PROFILES"), ("PROFILES",)),
}
"""How each kind is called."""

_SECONDS = {
    "SECOND": 1,
    "MINUTE": 60,
    "HOUR": 3600,
    "DAY": 86_400,
    "WEEK": 604_800,
    "MONTH": 2_629_746,
    "QUARTER": 7_889_238,
    "YEAR": 31_556_952,
}


def _policy_names(cursor: Cursor) -> tuple[EntityName, ...]:
    """Read `name[, name] ON table[, table], …`."""
    found: list[EntityName] = []
    while True:
        named = clauses.several(cursor, lambda: clauses.name(cursor, "a policy's name"))
        _cluster(cursor)
        cursor.need("ON")
        while True:
            table = _policy_table(cursor)
            found += [EntityName(name, table) for name in named]
            at = cursor.index
            if not cursor.mark(TokenType.COMMA):
                return tuple(found)
            if _names_another(cursor):
                break
            if cursor.token is None:
                cursor.index = at
                return tuple(found)


def _names_another(cursor: Cursor) -> bool:
    """Whether the name of a policy follows, which has an ON after it, and no table."""
    following = cursor.tokens[cursor.index + 1 : cursor.index + 2]
    return bool(following) and following[0].text.upper() == "ON"


def _policy_table(cursor: Cursor) -> ir.Name:
    place = cursor.place()
    first = cursor.identifier("a table's name")
    if not cursor.mark(TokenType.DOT):
        return ir.Name(first, None, place)
    if cursor.mark(TokenType.STAR):
        return ir.Name("", first, place)
    return ir.Name(cursor.identifier("a table's name"), first, place)


def _cluster(cursor: Cursor) -> None:
    if cursor.word("ON", "CLUSTER"):
        clauses.name(cursor, "a cluster's name")


def _policy_parts(cursor: Cursor) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    while cursor.token is not None:
        if cursor.word("FOR"):
            if not (cursor.word("SELECT") or cursor.word("ALL")):
                raise cursor.unsupported(clause="A row policy for other statements than SELECT")
        elif cursor.word("USING"):
            if cursor.word("NONE"):
                parts["condition"] = ""
                continue
            tokens = cursor.until(_ends_condition)
            if not tokens:
                raise cursor.wrong(reason="expected a condition")
            parts["condition"] = cursor.slice(tokens)
        elif cursor.word("AS"):
            word = cursor.one_of("PERMISSIVE", "RESTRICTIVE")
            if word is None:
                raise cursor.wrong(reason="expected PERMISSIVE or RESTRICTIVE")
            parts["restrictive"] = word == "RESTRICTIVE"
        elif cursor.word("TO"):
            parts["to"] = clauses.names(cursor)
        else:
            break
    return parts


def _ends_condition(cursor: Cursor) -> bool:
    ends = (("TO",), ("AS", "PERMISSIVE"), ("AS", "RESTRICTIVE"), ("FOR",))
    return any(cursor.is_word(*words) for words in ends)


def _quota_parts(cursor: Cursor) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    intervals: list[Interval] = []
    while cursor.token is not None:
        if cursor.word("NOT", "KEYED"):
            parts["keys"] = ()
        elif cursor.word("KEYED", "BY") or cursor.word("KEY", "BY"):
            parts["keys"] = _keys(cursor)
        elif cursor.word("FOR"):
            intervals.append(_interval(cursor))
            parts["intervals"] = tuple(intervals)
            if not cursor.is_word("FOR"):
                cursor.mark(TokenType.COMMA)
        elif cursor.word("TO"):
            parts["to"] = clauses.names(cursor)
        else:
            break
    return parts


def _keys(cursor: Cursor) -> tuple[str, ...]:
    key = clauses.name(cursor, "a key").lower()
    if key not in (*KEYS, "none"):
        raise cursor.unsupported(clause=f"KEYED BY {key}", hint=f"Supported: {' and '.join(KEYS)}")
    return (key,) if key in KEYS else ()


def _interval(cursor: Cursor) -> Interval:
    randomized = cursor.word("RANDOMIZED")
    cursor.need("INTERVAL")
    number = cursor.literal("a number")
    unit = next((u for u in _SECONDS if cursor.word(u) or cursor.word(f"{u}S")), None)
    if unit is None or not isinstance(number, int) or number < 1:
        raise cursor.wrong(reason=f"expected a number of {', '.join(_SECONDS)}")
    limits: dict[str, float] = {}
    if not (cursor.word("NO", "LIMITS") or cursor.word("TRACKING", "ONLY")):
        cursor.need("MAX")
        while True:
            name = _counted(cursor)
            cursor.mark(TokenType.EQ)
            limits[name] = float(cursor.literal("a limit"))
            at = cursor.index
            if not cursor.mark(TokenType.COMMA):
                break
            if cursor.is_word("FOR"):
                cursor.index = at
                break
            cursor.word("MAX")
    return Interval(number * _SECONDS[unit], limits, randomized)


def _counted(cursor: Cursor) -> str:
    for name in COUNTED:
        if cursor.word(name.upper()) or cursor.word(*name.upper().split("_")):
            return name
    raise cursor.unsupported(clause="A limit of this", hint=f"Supported: {', '.join(COUNTED)}")


def _settings_parts(cursor: Cursor) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    while cursor.token is not None:
        if cursor.word("SETTINGS") or cursor.word("SETTING"):
            parts["settings"] = clauses.settings(cursor)
        elif cursor.word("TO"):
            parts["to"] = clauses.names(cursor)
        else:
            break
    return parts


_PARTS: dict[str, Callable[[Cursor], dict[str, Any]]] = {
    USER: user_parts,
    ROLE: _settings_parts,
    POLICY: _policy_parts,
    QUOTA: _quota_parts,
    PROFILE: _settings_parts,
}


def _names(cursor: Cursor, kind: str) -> tuple[EntityName, ...]:
    found = _policy_names(cursor) if kind == POLICY else clauses.entity_names(cursor)
    _cluster(cursor)
    return found


def _create(kind: str) -> Callable[[Cursor], CreateEntity]:
    def read(cursor: Cursor) -> CreateEntity:
        exists = cursor.word("IF", "NOT", "EXISTS")
        other = cursor.word("OR", "REPLACE")
        place = cursor.place()
        names = _names(cursor, kind)
        return CreateEntity(kind, names, _PARTS[kind](cursor), exists, other, place=place)

    return read


def _alter(kind: str) -> Callable[[Cursor], AlterEntity]:
    def read(cursor: Cursor) -> AlterEntity:
        exists = cursor.word("IF", "EXISTS")
        place = cursor.place()
        names = _names(cursor, kind)
        rename = clauses.name(cursor, "a new name") if cursor.word("RENAME", "TO") else ""
        return AlterEntity(kind, names, _PARTS[kind](cursor), exists, rename, place=place)

    return read


def _drop(kind: str) -> Callable[[Cursor], DropEntity]:
    def read(cursor: Cursor) -> DropEntity:
        exists = cursor.word("IF", "EXISTS")
        place = cursor.place()
        return DropEntity(kind, _names(cursor, kind), exists, place=place)

    return read


def _show_create(kind: str) -> Callable[[Cursor], ShowCreateEntity]:
    def read(cursor: Cursor) -> ShowCreateEntity:
        place = cursor.place()
        if cursor.token is None or cursor.is_word("FORMAT") or cursor.word("CURRENT_USER"):
            return ShowCreateEntity(kind, (), place=place, format=_format(cursor))
        return ShowCreateEntity(kind, _names(cursor, kind), place=place, format=_format(cursor))

    return read


def _format(cursor: Cursor) -> str | None:
    return cursor.identifier("a format") if cursor.word("FORMAT") else None


def _show(what: str) -> Callable[[Cursor], ShowEntities]:
    def read(cursor: Cursor) -> ShowEntities:
        of_table = what == "POLICIES" and cursor.word("ON")
        table = _policy_table(cursor) if of_table else None
        return ShowEntities(what, table, format=_format(cursor))

    return read


def _show_grants(cursor: Cursor) -> ShowGrants:
    of = clauses.names(cursor) if cursor.word("FOR") else None
    return ShowGrants(of, format=_format(cursor))


def _set_role(cursor: Cursor) -> SetRole:
    return SetRole(None if cursor.word("DEFAULT") else clauses.names(cursor))


def _set_default_role(cursor: Cursor) -> SetDefaultRole:
    roles = clauses.names(cursor)
    cursor.need("TO")
    return SetDefaultRole(roles, clauses.names(cursor))


_LISTS = {
    ("USERS",): "USERS",
    ("CURRENT", "ROLES"): "CURRENT ROLES",
    ("ENABLED", "ROLES"): "ENABLED ROLES",
    ("ROLES",): "ROLES",
    ("ROW", "POLICIES"): "POLICIES",
    ("POLICIES",): "POLICIES",
    ("QUOTAS",): "QUOTAS",
    ("SETTINGS", "PROFILES"): "PROFILES",
    ("PROFILES",): "PROFILES",
    ("ACCESS",): "ACCESS",
    ("PRIVILEGES",): "PRIVILEGES",
}


def _placed(read: Callable[[Any], ir.Statement]) -> Callable[[Any], ir.Statement]:
    """A reader whose statements have the place of what follows their first words."""

    def read_placed(cursor: Cursor) -> ir.Statement:
        place = cursor.place()
        found = read(cursor)
        return found if found.place is not None else replace(found, place=place)

    return read_placed


_READERS: Statements = {
    **{("CREATE", *w): _create(kind) for kind, words in WORDS.items() for w in words},
    **{("ALTER", *w): _alter(kind) for kind, words in WORDS.items() for w in words},
    **{("DROP", *w): _drop(kind) for kind, words in WORDS.items() for w in words},
    **{("SHOW", "CREATE", *w): _show_create(kind) for kind, words in WORDS.items() for w in words},
    **{("SHOW", *words): _show(what) for words, what in _LISTS.items()},
    ("GRANT",): grants.grant,
    ("REVOKE",): grants.revoke,
    ("CHECK", "GRANT"): grants.check,
    ("SHOW", "GRANTS"): _show_grants,
    ("SET", "ROLE"): _set_role,
    ("SET", "DEFAULT", "ROLE"): _set_default_role,
}

STATEMENTS: Statements = {words: _placed(read) for words, read in _READERS.items()}
"""They come before those of the dialect, whose CREATE takes everything else."""
