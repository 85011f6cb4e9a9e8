"""DELETE FROM, UPDATE, and what ALTER TABLE does to rows: conditions and partitions are texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import clauses
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.clickhouse.columns import column_name
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlglot import Token

    from sluice.errors import Place


def delete(cursor: Cursor) -> ir.Mutation:
    """Read what follows DELETE: `FROM t [IN PARTITION p] WHERE …`."""
    cursor.need("FROM")
    name = cursor.name()
    on_cluster(cursor)
    return _ended(cursor, name, "DELETE", _deleted(cursor))


def update(cursor: Cursor) -> ir.Mutation:
    """Read what follows UPDATE: `t SET a = …, b = … [IN PARTITION p] WHERE …`."""
    name = cursor.name()
    on_cluster(cursor)
    cursor.need("SET")
    return _ended(cursor, name, "UPDATE", _updated(cursor))


def begins(cursor: Cursor) -> bool:
    """Whether a change of rows begins here."""
    return any(cursor.is_word(*words) for words in _CHANGES)


def changed(cursor: Cursor, name: ir.Name, *, if_exists: bool) -> ir.Mutation | None:
    """Read one change of rows in ALTER TABLE; None if another change follows."""
    place = cursor.place()
    for words, hint in _REFUSED.items():
        if cursor.is_word(*words):
            what = f"ALTER TABLE … {' '.join(words)}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    start = cursor.index
    for words, read in _CHANGES.items():
        if not cursor.word(*words):
            continue
        parts = read(cursor)
        command = cursor.slice(cursor.tokens[start : cursor.index])
        parts |= {"if_exists": if_exists, "command": command}
        return ir.Mutation(name, " ".join(words), **parts)
    return None


def _ended(cursor: Cursor, name: ir.Name, verb: str, parts: dict[str, Any]) -> ir.Mutation:
    """The statement, with its SETTINGS."""
    places: dict[str, Place] = {}
    found = clauses.settings(cursor, places) if cursor.word("SETTINGS") else {}
    command = _command(verb, parts)
    return ir.Mutation(name, verb, **parts, command=command, settings=found, setting_places=places)


def _command(verb: str, parts: Mapping[str, Any]) -> str:
    """A DELETE FROM or an UPDATE in the words of ALTER TABLE."""
    given = ", ".join(f"{each.column} = {each.expression}" for each in parts.get("assignments", ()))
    return f"{verb} {given}{' ' if given else ''}WHERE {parts['condition']}"


def _deleted(cursor: Cursor) -> dict[str, Any]:
    partition = _in_partition(cursor)
    return {"partition": partition, "condition": _condition(cursor)}


def _updated(cursor: Cursor) -> dict[str, Any]:
    assignments: list[ir.Assignment] = []
    while not assignments or cursor.mark(TokenType.COMMA):
        place, name = cursor.place(), column_name(cursor)
        cursor.need_mark(TokenType.EQ, "=")
        assignments.append(ir.Assignment(name, _text(cursor, _ends, "an expression"), place))
    partition = _in_partition(cursor)
    condition = _condition(cursor)
    return {"assignments": tuple(assignments), "partition": partition, "condition": condition}


def _dropped(cursor: Cursor) -> dict[str, Any]:
    return {"partition": partition(cursor)}


def _replaced(cursor: Cursor) -> dict[str, Any]:
    found = partition(cursor)
    cursor.need("FROM")
    return {"partition": found, "source": cursor.name()}


def _of_column(cursor: Cursor) -> dict[str, Any]:
    exists = not cursor.word("IF", "EXISTS")
    name = column_name(cursor)
    return {"column": name, "column_exists": exists, "partition": _in_partition(cursor)}


_CHANGES: Mapping[tuple[str, ...], Callable[[Cursor], dict[str, Any]]] = {
    ("DELETE",): _deleted,
    ("UPDATE",): _updated,
    ("DROP", "PARTITION"): _dropped,
    ("REPLACE", "PARTITION"): _replaced,
    ("CLEAR", "COLUMN"): _of_column,
    ("MATERIALIZE", "COLUMN"): _of_column,
}

_NO_PARTS = "The rows are in Delta Lake, which has no parts that are detached, moved or frozen"
_REFUSED: Mapping[tuple[str, ...], str] = {
    ("DETACH", "PARTITION"): f"{_NO_PARTS}: DROP PARTITION deletes the rows",
    ("ATTACH", "PARTITION"): f"{_NO_PARTS}: INSERT INTO … SELECT copies rows",
    ("DETACH", "PART"): f"{_NO_PARTS}: DROP PARTITION deletes rows",
    ("ATTACH", "PART"): f"{_NO_PARTS}: INSERT INTO … SELECT copies rows",
    ("DROP", "PART"): f"{_NO_PARTS}: DROP PARTITION deletes rows",
    ("DROP", "DETACHED"): f"{_NO_PARTS}: there is nothing detached",
    ("MOVE", "PARTITION"): f"{_NO_PARTS}: REPLACE PARTITION … FROM copies one, DROP PARTITION "
    "deletes it",
    ("FREEZE",): f"{_NO_PARTS}: every version of a table stays readable for a week",
    ("UNFREEZE",): _NO_PARTS,
    ("FETCH", "PARTITION"): f"{_NO_PARTS}: there is one server",
    ("MATERIALIZE", "TTL"): "DELETE FROM … WHERE deletes rows: a TTL is kept, and has no effect",
    ("APPLY", "DELETED", "MASK"): "Compaction does it; OPTIMIZE TABLE … FINAL does it now",
}


def _ends(cursor: Cursor) -> bool:
    return any(cursor.is_word(*words) for words in (("WHERE",), ("IN", "PARTITION")))


def _ends_condition(cursor: Cursor) -> bool:
    return cursor.is_word("SETTINGS") and cursor.index + 2 < len(cursor.tokens)


def _text(cursor: Cursor, stop: Callable[[Cursor], bool], what: str) -> str:
    """The text of an expression up to a comma at the top, or to where `stop` says."""
    tokens = cursor.until(stop)
    if not tokens:
        raise cursor.wrong(reason=f"expected {what}")
    return cursor.slice(tokens)


def _condition(cursor: Cursor) -> str:
    cursor.need("WHERE")
    return _text(cursor, _ends_condition, "a condition")


def _in_partition(cursor: Cursor) -> ir.Partition | None:
    return partition(cursor) if cursor.word("IN", "PARTITION") else None


_AFTER_PARTITION = ("WHERE", "FROM", "FORMAT", "FINAL", "DEDUPLICATE")


def partition(cursor: Cursor) -> ir.Partition:
    """`ALL`, `ID 'id'`, a value, or a tuple of values."""
    if cursor.word("ALL"):
        return ir.Partition(all=True)
    if cursor.word("ID"):
        return ir.Partition(id=cursor.string("the id of a partition"))
    tokens = cursor.until(lambda at: any(map(at.is_word, _AFTER_PARTITION)) or _ends_condition(at))
    if not tokens:
        raise cursor.wrong(reason="expected the value of a partition")
    inside = _inside(tokens)
    if inside is None:
        return ir.Partition((cursor.slice(tokens),))
    within, values = Cursor(cursor.text, inside), []
    while within.token is not None:
        values.append(_text(within, lambda _: False, "a value"))
        within.mark(TokenType.COMMA)
    return ir.Partition(tuple(values))


def _inside(tokens: list[Token]) -> list[Token] | None:
    """What is in `(…)` or `tuple(…)`; None if it is something else."""
    start = 1 if tokens[0].text.lower() == "tuple" else 0
    ends = tokens[-1].token_type == TokenType.R_PAREN
    if len(tokens) < start + 2 or tokens[start].token_type != TokenType.L_PAREN or not ends:
        return None
    return tokens[start + 1 : -1]
