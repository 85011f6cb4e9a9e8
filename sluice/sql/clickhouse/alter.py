"""ALTER: a table from the words of each change to the function that reads it."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from sluice import errors
from sluice.catalog.entities import ELEMENTS, INDEX, PROJECTION
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, elements, mutations, named, queries
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.clickhouse.columns import column_name, end_of_change, read_column
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import Place


def alter(cursor: Cursor) -> ir.Statement:
    """Read what follows ALTER."""
    place = cursor.place()
    if cursor.word("NAMED", "COLLECTION"):
        return named.alter(cursor)
    if cursor.word("DATABASE"):
        return _database(cursor)
    if not (cursor.word("TABLE") or cursor.word("VIEW")):
        hint = "Supported: ALTER TABLE, ALTER VIEW, ALTER DATABASE, ALTER NAMED COLLECTION"
        raise errors.UNSUPPORTED_STATEMENT(what="This ALTER", hint=hint, place=place)
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name()
    on_cluster(cursor)
    changes: list[ir.Mutation | ir.Alteration] = []
    while not changes or cursor.mark(TokenType.COMMA):
        changes.append(mutations.changed(cursor, name, if_exists=exists) or _change(cursor))
    steps = [
        _step(name, list(alike), exists=exists)
        for _, alike in groupby(changes, lambda each: isinstance(each, ir.Mutation))
    ]
    if isinstance(steps[0], ir.AlterTable) and len(steps) == 1:
        return steps[0]
    places: dict[str, Place] = {}
    given = clauses.settings(cursor, places) if cursor.word("SETTINGS") else {}
    if isinstance(steps[0], ir.Mutation) and len(steps) == 1:
        return replace(steps[0], settings=given, setting_places=places)
    return ir.AlterInSteps(name, tuple(steps), given, places)


def _step(
    name: ir.Name, changes: list[ir.Mutation | ir.Alteration], *, exists: bool
) -> ir.AlterTable | ir.Mutation:
    """Changes that follow each other, all of rows or all of columns."""
    rows = [each for each in changes if isinstance(each, ir.Mutation)]
    if rows:
        return replace(rows[0], more=tuple(rows[1:]))
    of_columns = (each for each in changes if isinstance(each, ir.Alteration))
    return ir.AlterTable(name, tuple(of_columns), exists)


def create_index(cursor: Cursor) -> ir.AlterTable:
    """Read what follows CREATE INDEX: `[IF NOT EXISTS] name ON table (expression) TYPE …`."""
    exists = cursor.word("IF", "NOT", "EXISTS")
    named = cursor.tokens[cursor.index : cursor.index + 1]
    _ = cursor.identifier("the name of the index")
    cursor.need("ON")
    name = cursor.name()
    on_cluster(cursor)
    rest = Cursor(cursor.text, [*named, *cursor.tokens[cursor.index :]], lenient=cursor.lenient)
    element, place = elements.read(rest, INDEX)
    cursor.index = len(cursor.tokens) - len(rest.tokens) + rest.index
    return ir.AlterTable(name, (ir.AddElement(element, exists, place=place),))


def drop_index(cursor: Cursor) -> ir.AlterTable:
    """Read what follows DROP INDEX: `[IF EXISTS] name ON table`."""
    exists = cursor.word("IF", "EXISTS")
    place, index = cursor.place(), cursor.identifier("the name of the index")
    cursor.need("ON")
    name = cursor.name()
    on_cluster(cursor)
    return ir.AlterTable(name, (ir.DropElement(INDEX, index, exists, place=place),))


def _database(cursor: Cursor) -> ir.AlterDatabase:
    place, name = cursor.place(), cursor.identifier("a database's name")
    on_cluster(cursor)
    if cursor.is_word("MODIFY", "SETTING"):
        hint = "A database has no settings here; those of a table are changed with ALTER TABLE"
        what = "ALTER DATABASE … MODIFY SETTING"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())
    cursor.need("MODIFY", "COMMENT")
    return ir.AlterDatabase(name, cursor.string("a comment"), place=place)


def _change(cursor: Cursor) -> ir.Alteration:
    place = cursor.place()
    for words, read in _CHANGES.items():
        if cursor.word(*words):
            return read(cursor)
    if cursor.token is None:
        raise cursor.wrong(reason="expected a change")
    for words, hint in _REFUSED.items():
        if cursor.is_word(*words):
            what = f"ALTER TABLE … {' '.join(words)}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    shown = " ".join(token.text.upper() for token in cursor.tokens[cursor.index :][:2])
    known = [" ".join(each) for each in _CHANGES]
    hint = errors.nearest(shown, known) or f"Supported: {', '.join(known)}"
    raise errors.UNSUPPORTED_STATEMENT(what=f"ALTER TABLE … {shown}", hint=hint, place=place)


_OTHER_TABLE = (
    "Create a table with the other key, fill it with INSERT INTO … SELECT, and EXCHANGE the two"
)
_REFUSED: dict[tuple[str, ...], str] = {
    ("MODIFY", "ORDER", "BY"): _OTHER_TABLE,
    ("MODIFY", "SAMPLE", "BY"): "A query takes a part of the rows with WHERE rand() % 10 = 0",
    ("REMOVE", "SAMPLE", "BY"): "SAMPLE BY has no effect here",
    **{
        (verb, "STATISTICS"): "Delta Lake keeps the least and the greatest value of each column"
        for verb in ("ADD", "DROP", "MODIFY", "CLEAR", "MATERIALIZE")
    },
}
"""Changes that there are not, and what to do instead."""


def _begins(cursor: Cursor) -> bool:
    """Whether a change begins here."""
    return mutations.begins(cursor) or any(cursor.is_word(*words) for words in _CHANGES)


def _position(cursor: Cursor) -> str | None:
    """FIRST or AFTER name, if one follows."""
    if cursor.word("FIRST"):
        return ""
    return column_name(cursor) if cursor.word("AFTER") else None


def _add(cursor: Cursor) -> ir.AddColumn:
    exists = cursor.word("IF", "NOT", "EXISTS")
    draft = read_column(cursor, end_of_change)
    if "type" not in draft.given:
        raise cursor.wrong(reason=f"expected the type of column {draft.name}")
    column = draft.definition(draft.given["type"])
    return ir.AddColumn(column, exists, _position(cursor))


def _adding(kind: str) -> Callable[[Cursor], ir.AddElement]:
    def read(cursor: Cursor) -> ir.AddElement:
        exists = cursor.word("IF", "NOT", "EXISTS")
        element, place = elements.read(cursor, kind, end_of_change)
        return ir.AddElement(element, exists, _position(cursor), place=place)

    return read


def _dropping(kind: str, verb: str) -> Callable[[Cursor], ir.DropElement]:
    def read(cursor: Cursor) -> ir.DropElement:
        exists = cursor.word("IF", "EXISTS")
        place, name = cursor.place(), cursor.identifier(f"the name of the {kind.lower()}")
        if verb != "DROP" and cursor.word("IN", "PARTITION"):
            cursor.until(_begins)
        return ir.DropElement(kind, name, exists, verb, place=place)

    return read


def _drop(cursor: Cursor) -> ir.DropColumn:
    exists = cursor.word("IF", "EXISTS")
    place = cursor.place()
    return ir.DropColumn(column_name(cursor), exists, place=place)


_REMOVED: dict[str, dict[str, Any]] = {
    "DEFAULT": {"default": None, "default_kind": ""},
    "MATERIALIZED": {"default": None, "default_kind": ""},
    "EPHEMERAL": {"default": None, "default_kind": ""},
    "ALIAS": {"alias": None},
    "COMMENT": {"comment": ""},
    "CODEC": {"codec": ""},
    "TTL": {"ttl": ""},
}
"""What MODIFY COLUMN x REMOVE word takes away."""


def _modify(cursor: Cursor) -> ir.ModifyColumn:
    exists = cursor.word("IF", "EXISTS")
    ahead = cursor.index
    place, name = cursor.place(), column_name(cursor)
    if cursor.word("REMOVE"):
        return ir.ModifyColumn(name, _removed(cursor), exists, place=place)
    cursor.index = ahead
    draft = read_column(cursor, end_of_change)
    after = _position(cursor)
    if not draft.given and after is None:
        raise cursor.wrong(reason=f"expected what is to change in column {name}")
    changes = dict(draft.given)
    if "alias" in changes:
        changes |= {"default": None, "default_kind": ""}
    elif "default_kind" in changes:
        changes["alias"] = None
    return ir.ModifyColumn(name, changes, exists, after, place=place)


def _removed(cursor: Cursor) -> dict[str, Any]:
    for word, changes in _REMOVED.items():
        if cursor.word(word):
            return dict(changes)
    raise cursor.wrong(reason=f"expected {', '.join(_REMOVED)}")


def _retype(cursor: Cursor) -> ir.ModifyColumn:
    """`ALTER COLUMN x TYPE T`, an older way to write MODIFY COLUMN."""
    exists = cursor.word("IF", "EXISTS")
    tokens = list(cursor.tokens)
    after_name = cursor.index
    place, name = cursor.place(), column_name(cursor)
    cursor.need("TYPE")
    cursor.tokens = tokens[: cursor.index - 1] + tokens[cursor.index :]
    cursor.index = after_name
    draft = read_column(cursor, end_of_change)
    return ir.ModifyColumn(name, dict(draft.given), exists, _position(cursor), place=place)


def _rename(cursor: Cursor) -> ir.RenameColumn:
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), column_name(cursor)
    cursor.need("TO")
    return ir.RenameColumn(name, column_name(cursor), exists, place=place)


def _comment(cursor: Cursor) -> ir.ModifyColumn:
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), column_name(cursor)
    return ir.ModifyColumn(name, {"comment": cursor.string()}, exists, place=place)


def _set(cursor: Cursor) -> ir.ModifySetting:
    places: dict[str, Place] = {}
    return ir.ModifySetting(clauses.settings(cursor, places, _begins), places=places)


def _reset(cursor: Cursor) -> ir.ModifySetting:
    places: dict[str, Place] = {}
    while True:
        place = cursor.place()
        places[cursor.identifier("a setting's name")] = place
        if not clauses.next_one(cursor, _begins):
            return ir.ModifySetting(reset=tuple(places), places=places)


def _query(cursor: Cursor) -> ir.ModifyQuery:
    return ir.ModifyQuery(queries.read(cursor)[0])


def _comment_table(cursor: Cursor) -> ir.ModifyComment:
    return ir.ModifyComment(cursor.string())


def _ttl(cursor: Cursor) -> ir.ModifyTtl:
    place = cursor.place()
    return ir.ModifyTtl(clauses.ttl(cursor, _begins), place=place)


def _remove_ttl(cursor: Cursor) -> ir.ModifyTtl:
    return ir.ModifyTtl()


_CHANGES: dict[tuple[str, ...], Callable[[Cursor], ir.Alteration]] = {
    ("ADD", "COLUMN"): _add,
    ("DROP", "COLUMN"): _drop,
    ("MODIFY", "COLUMN"): _modify,
    ("ALTER", "COLUMN"): _retype,
    ("RENAME", "COLUMN"): _rename,
    ("COMMENT", "COLUMN"): _comment,
    ("MODIFY", "SETTING"): _set,
    ("RESET", "SETTING"): _reset,
    ("MODIFY", "QUERY"): _query,
    ("MODIFY", "COMMENT"): _comment_table,
    ("MODIFY", "TTL"): _ttl,
    ("REMOVE", "TTL"): _remove_ttl,
    **{("ADD", kind): _adding(kind) for kind in ELEMENTS},
    **{("DROP", kind): _dropping(kind, "DROP") for kind in ELEMENTS},
    **{
        (verb, kind): _dropping(kind, verb)
        for verb in ("MATERIALIZE", "CLEAR")
        for kind in (INDEX, PROJECTION)
    },
}
