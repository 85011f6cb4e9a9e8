"""CREATE DICTIONARY: a table of the catalog, held in memory by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import showing
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.clickhouse.columns import column_name, read_column

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.core.cursor import Cursor

_LAYOUTS = (
    "FLAT", "HASHED", "SPARSE_HASHED", "HASHED_ARRAY", "RANGE_HASHED", "COMPLEX_KEY_HASHED",
    "COMPLEX_KEY_SPARSE_HASHED", "COMPLEX_KEY_HASHED_ARRAY", "COMPLEX_KEY_RANGE_HASHED", "IP_TRIE",
)  # fmt: skip
"""Those that hold all rows in memory; others ask their source each time, or write files."""

_FLAGS = ("HIERARCHICAL", "BIDIRECTIONAL", "INJECTIVE", "IS_OBJECT_ID")
_HOSTS = ("localhost", "127.0.0.1")
_ONLY = "A dictionary reads a table of this catalog: SOURCE(CLICKHOUSE(TABLE 't' DB 'd'))"


def create(cursor: Cursor) -> ir.CreateDictionary:
    """Read what follows CREATE DICTIONARY."""
    return _create(cursor, replaces=False)


def create_or_replace(cursor: Cursor) -> ir.CreateDictionary:
    """Read what follows CREATE OR REPLACE DICTIONARY."""
    return _create(cursor, replaces=True)


def _create(cursor: Cursor, *, replaces: bool) -> ir.CreateDictionary:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name("a dictionary's name")
    on_cluster(cursor)
    flags: dict[str, str] = {}
    columns = tuple(cursor.listed(lambda: _attribute(cursor, flags)))
    parts: dict[str, str] = {}
    key: tuple[str, ...] = ()
    source: ir.Name | None = None
    while cursor.token is not None:
        place = cursor.place()
        if cursor.word("PRIMARY", "KEY"):
            key = _key(cursor)
        elif cursor.word("SOURCE"):
            source = _source(cursor)
        elif cursor.word("COMMENT"):
            parts["comment"] = cursor.string()
        elif (word := next((word for word in _PARTS if cursor.word(word)), None)) is not None:
            parts[word.lower()] = _PARTS[word](cursor)
        else:
            raise cursor.wrong(reason="expected PRIMARY KEY, SOURCE, LAYOUT, LIFETIME or RANGE")
        if cursor.word("SETTINGS"):
            raise errors.UNSUPPORTED_CLAUSE(clause="SETTINGS", hint="Leave it out", place=place)
    for what, given in (("PRIMARY KEY", key), ("SOURCE", source), ("LAYOUT", parts.get("layout"))):
        if not given:
            raise cursor.wrong(reason=f"expected {what}")
    assert source is not None  # noqa: S101 - or it has raised
    return ir.CreateDictionary(name, columns, key, source, parts, flags, exists, replaces)


def _key(cursor: Cursor) -> tuple[str, ...]:
    """`a, b` or `(a, b)`."""
    if cursor.opens():
        return tuple(cursor.listed(lambda: column_name(cursor)))
    found = [column_name(cursor)]
    while cursor.mark(TokenType.COMMA):
        found.append(column_name(cursor))
    return tuple(found)


def _attribute(cursor: Cursor, flags: dict[str, str]) -> ir.ColumnDef:
    """`name type [DEFAULT constant] [HIERARCHICAL] …`."""
    draft = read_column(cursor, _at_flag)
    place = cursor.place()
    if cursor.is_word("EXPRESSION"):
        hint = "Compute it in the table, as a MATERIALIZED column"
        raise errors.UNSUPPORTED_CLAUSE(clause="EXPRESSION", hint=hint, place=place)
    found = []
    while (word := cursor.one_of(*_FLAGS)) is not None:
        found.append(word)
    if found:
        flags[draft.name] = " ".join(found)
    if "type" not in draft.given or draft.given.keys() - {"type", "default", "default_kind"}:
        raise cursor.wrong(reason=f"expected a type and a DEFAULT of attribute {draft.name}")
    if any(letter in draft.given.get("default", "") for letter in "()"):
        reason = f"the DEFAULT of attribute {draft.name} is a constant"
        raise errors.SYNTAX_ERROR(reason=reason, place=draft.default_place)
    return draft.definition(draft.given["type"])


def _at_flag(cursor: Cursor) -> bool:
    return any(cursor.is_word(word) for word in (*_FLAGS, "EXPRESSION"))


def _source(cursor: Cursor) -> ir.Name:
    """`(CLICKHOUSE(TABLE 't' [DB 'd'] …))`: what it says of this server itself is passed over."""
    cursor.need_mark(TokenType.L_PAREN, "(")
    place = cursor.place()
    kind = cursor.identifier("a source")
    if kind.upper() != "CLICKHOUSE":
        what = f"A dictionary with SOURCE({kind.upper()}(…))"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=_ONLY, place=place)
    cursor.need_mark(TokenType.L_PAREN, "(")
    given: dict[str, str] = {}
    while not cursor.mark(TokenType.R_PAREN):
        place = cursor.place()
        word = cursor.identifier("TABLE or DB").upper()
        if word not in ("TABLE", "DB", "HOST", "PORT", "USER", "PASSWORD", "SECURE"):
            hint = "Make a table of the rows, with a materialized view"
            raise errors.UNSUPPORTED_CLAUSE(clause=f"{word} of a source", hint=hint, place=place)
        named = cursor.token is not None and cursor.token.token_type != TokenType.STRING
        value = cursor.identifier if named and word in ("TABLE", "DB") else cursor.literal
        given[word] = str(value(f"the value of {word}"))
        if word == "HOST" and given[word] not in _HOSTS:
            raise errors.UNSUPPORTED_STATEMENT(
                what="A dictionary of another server", hint=_ONLY, place=place
            )
    cursor.need_mark(TokenType.R_PAREN, ")")
    if "TABLE" not in given:
        raise errors.SYNTAX_ERROR(reason="the source needs TABLE 'name'", place=place)
    return ir.Name(given["TABLE"], given.get("DB") or None, place)


def _layout(cursor: Cursor) -> str:
    cursor.need_mark(TokenType.L_PAREN, "(")
    place = cursor.place()
    name = cursor.identifier("a layout").upper()
    if name not in _LAYOUTS:
        hint = f"Supported: {', '.join(_LAYOUTS)}"
        raise errors.UNSUPPORTED_CLAUSE(clause=f"LAYOUT({name})", hint=hint, place=place)
    inner = _pairs(cursor) if cursor.opens() else ""
    cursor.need_mark(TokenType.R_PAREN, ")")
    return f"{name}({inner})"


def _lifetime(cursor: Cursor) -> str:
    """`(300)`, or `(MIN 0 MAX 300)`."""
    return _pairs(cursor)


def _pairs(cursor: Cursor) -> str:
    """`(name value …)`: names, numbers and strings."""
    cursor.need_mark(TokenType.L_PAREN, "(")
    start = cursor.index
    while not cursor.mark(TokenType.R_PAREN):
        number = cursor.token is not None and cursor.token.token_type == TokenType.NUMBER
        text = cursor.token is not None and cursor.token.token_type == TokenType.STRING
        _ = cursor.literal("a value") if number or text else cursor.identifier("a word")
    return cursor.slice(cursor.tokens[start : cursor.index - 1])


_PARTS: dict[str, Callable[[Cursor], str]] = {
    "LAYOUT": _layout,
    "LIFETIME": _lifetime,
    "RANGE": _pairs,
}

show = showing.dictionaries
