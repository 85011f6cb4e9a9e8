"""INSERT: values, a query, or data in a format."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.options.patterns import checked
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, queries, reading
from sluice.sql.clickhouse.columns import column_name
from sluice.sql.core.cursor import CLOSING, OPENING, Cursor
from sluice.sql.core.statements import row

if TYPE_CHECKING:
    from sqlglot import Token, exp

_PIECE = re.compile(
    r"""(?P<skip>--[^\n]*|\#[!\ ][^\n]*|/\*.*?\*/|\s+)
      | (?P<quoted>`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*"|'(?:[^'\\]|\\.|'')*')
      | (?P<word>\w+) | (?P<mark>.)""",
    re.S | re.X,
)


_CONSTANT = re.compile(
    r"""\s*(?: '(?P<text>(?:[^'\\]|\'\')*)' | (?P<number>-?\d+)(?![\w.]) | (?P<null>NULL)\b
           | (?P<mark>[(),]) )""",
    re.X | re.I | re.A,
)

MANY = 100
"""Rows of constants from which on no tree is made of them."""


def with_data(text: str, *, lenient: bool = False) -> ir.Insert | None:
    """Read `INSERT INTO t [(columns)] FORMAT name data`; None if the text is something else.

    A query over `input(…)` may stand before FORMAT.

    The data need not be made of tokens, so the statement is looked at by words first. The same goes
    for `VALUES` with many rows of constants.
    """
    form: re.Match[str] | None = None
    words = 0
    for piece in _PIECE.finditer(text):
        if piece["skip"]:
            continue
        word = (piece["word"] or "").upper()
        words += 1
        if form is not None:
            return _data(text, form, piece)
        if word == "VALUES" and words > 2:
            return _constants(text, piece)
        if word in ("SELECT", "WITH") and (words > 1 or word == "WITH"):
            return _over_input(text, lenient=lenient)
        if (words == 1 and word != "INSERT") or word == "VALUES":
            return None
        form = piece if word == "FORMAT" and words > 2 else None
    return None


def awaits_data(text: str) -> bool:
    """Whether a statement is an INSERT whose data is to follow: `… FORMAT name`, `… VALUES`."""
    pieces = [piece for piece in _PIECE.finditer(text) if not piece["skip"]]
    while pieces and pieces[-1][0] == ";":
        pieces.pop()
    words = [(piece["word"] or "").upper() for piece in pieces]
    if not words or "INSERT" not in words or "INFILE" in words:
        return False
    if {"SELECT", "WITH"} & set(words):
        return _INPUT.search(text) is not None and words[-2] == "FORMAT"
    return words[-1] == "VALUES" or (len(words) > 2 and words[-2] == "FORMAT")


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_INPUT = re.compile(r"\binput\s*\(", re.I)
_WITHIN_EXPRESSIONS = frozenset({
    "SELECT", "DISTINCT", "WHERE", "PREWHERE", "HAVING", "QUALIFY", "AND", "OR", "NOT", "BY", "ON",
    "AS", "IN", "LIKE", "ILIKE", "BETWEEN", "THEN", "ELSE", "WHEN", "CASE", "USING", "JOIN", "FROM",
})  # fmt: skip
"""Words after which FORMAT is a name."""


def _over_input(text: str, *, lenient: bool) -> ir.Insert | None:
    """An INSERT of a query over `input(…)`, with FORMAT and the data after it; None for others."""
    if _INPUT.search(text) is None:
        return None
    depth, called, is_name = 0, False, False
    pieces = (piece for piece in _PIECE.finditer(text) if not piece["skip"])
    for piece, following in pairwise(pieces):
        word, mark = (piece["word"] or "").upper(), piece["mark"]
        depth += (mark in _OPENING) - (mark in _CLOSING)
        called = called or (word == "INPUT" and following[0] == "(")
        if word == "FORMAT" and called and not depth and following["word"] and not is_name:
            return _query_with_data(text, piece, following, lenient=lenient)
        is_name = word in _WITHIN_EXPRESSIONS or not (mark is None or mark in _CLOSING)
    return None


def _query_with_data(
    text: str, form: re.Match[str], name: re.Match[str], *, lenient: bool
) -> ir.Insert | None:
    cursor = Cursor(text, reading.tokenize(text[: form.start()]), lenient=lenient)
    if follows_with(cursor):
        found = after_with(cursor)
    elif cursor.word("INSERT"):
        found = insert(cursor)
    else:
        return None
    cursor.end()
    return replace(found, format=name[0], data=_given(text[name.end() :]))


def _given(text: str) -> str:
    """The data that follows the name of its format."""
    data = text.lstrip(" \t").removeprefix("\r").removeprefix("\n")
    return "" if data.strip() == ";" else data


def follows_with(cursor: Cursor) -> bool:
    """Whether a statement is `WITH … INSERT INTO …`."""
    return cursor.is_word("WITH") and _insert_at(cursor) is not None


def _insert_at(cursor: Cursor) -> int | None:
    """Where INSERT INTO stands outside of brackets, before any SELECT that does."""
    depth = 0
    for at, token in enumerate(cursor.tokens):
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth or token.token_type not in (TokenType.INSERT, TokenType.SELECT):
            continue
        following = cursor.tokens[at + 1 : at + 2]
        is_insert = token.token_type == TokenType.INSERT and following
        return at if is_insert and following[0].text.upper() == "INTO" else None
    return None


def after_with(cursor: Cursor) -> ir.Insert:
    """Read `WITH … INSERT INTO t SELECT …`: the WITH is one of the query."""
    start = _insert_at(cursor)
    assert start is not None  # noqa: S101 - it follows WITH
    head, cursor.index = cursor.tokens[:start], start + 1
    found = _target(cursor)
    if not cursor.is_word("SELECT"):
        raise cursor.wrong(reason="expected SELECT")
    rest, end = cursor.tokens[cursor.index :], len(cursor.tokens)
    first, last = cursor.tokens[start].start, rest[0].start
    # What stands between them becomes blanks, so that all else stays where it was.
    text = f"{cursor.text[:first]}{_blank(cursor.text[first:last])}{cursor.text[last:]}"
    query, _ = queries.read(Cursor(text, [*head, *rest]), lenient=cursor.lenient)
    cursor.index = end
    return replace(found, query=query, settings={**found.settings, **query.settings})


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def values_text(text: str) -> str:
    """The rows after VALUES of an INSERT as they are written; empty if it has none."""
    words = 0
    for piece in _PIECE.finditer(text):
        words += not piece["skip"]
        if (piece["word"] or "").upper() == "VALUES" and words > 2:
            return text[piece.end() :].strip().rstrip("; \t\r\n")
    return ""


def _constants(text: str, values: re.Match[str]) -> ir.Insert | None:
    """An INSERT whose rows are many, and nothing but integers, plain texts and NULLs."""
    rows: list[tuple[str | int | None, ...]] = []
    row: list[str | int | None] | None = None
    at, separated = values.end(), True
    while (found := _CONSTANT.match(text, at)) is not None:
        at, mark = found.end(), found["mark"]
        if mark == "(" and row is None:
            row, separated = [], True
        elif mark == ")" and row and not separated:
            rows.append(tuple(row))
            row = None
        elif mark == "," and not separated:
            separated = True
        elif mark is None and row is not None and separated:
            row.append(_constant(found))
            separated = False
        else:
            return None
    if len(rows) < MANY or row is not None or text[at:].strip(" \t\r\n;"):
        return None
    cursor = Cursor(text, reading.tokenize(text[: values.start()]))
    cursor.need("INSERT")
    target = _target(cursor)
    cursor.end()
    return replace(target, constants=tuple(rows))


def _constant(found: re.Match[str]) -> str | int | None:
    if found["text"] is not None:
        return str(found["text"].replace("''", "'"))
    return int(found["number"]) if found["number"] is not None else None


def _data(text: str, form: re.Match[str], name: re.Match[str]) -> ir.Insert | None:
    if not name["word"]:
        return None
    cursor = Cursor(text, reading.tokenize(text[: form.start()]))
    cursor.need("INSERT")
    found = _target(cursor)
    _refuse_infile(cursor)
    cursor.end()
    if name[0].upper() == "VALUES":
        return replace(found, rows=_rows(Cursor(text, _values_tokens(text, name.end()))))
    return replace(found, format=name[0], data=_given(text[name.end() :]))


def _values_tokens(text: str, start: int) -> list[Token]:
    """The tokens after an offset, with their positions in the whole text."""
    return list(reading.tokenize(_blank(text[:start]) + text[start:]))


def insert(cursor: Cursor) -> ir.Insert:
    """Read what follows INSERT, when it is no data."""
    found = _target(cursor)
    if cursor.word("VALUES"):
        return replace(found, rows=_rows(cursor))
    if cursor.is_word("SELECT") or cursor.is_word("WITH") or cursor.opens():
        query, _ = queries.read(cursor, lenient=cursor.lenient)
        return replace(found, query=query, settings={**found.settings, **query.settings})
    _refuse_infile(cursor)
    raise cursor.wrong(reason="expected VALUES, SELECT or FORMAT")


def _refuse_infile(cursor: Cursor) -> None:
    if cursor.is_word("FROM", "INFILE"):
        hint = 'Send the data: sluice sql -e "INSERT INTO t FORMAT CSV" < data.csv'
        raise errors.UNSUPPORTED_CLAUSE(clause="FROM INFILE", hint=hint, place=cursor.place())


def _target(cursor: Cursor) -> ir.Insert:
    """The table, its columns and the settings, with nothing to insert yet."""
    cursor.need("INTO")
    cursor.word("TABLE")
    if cursor.is_word("FUNCTION"):
        raise errors.UNSUPPORTED_CLAUSE(
            clause="INSERT INTO FUNCTION", hint="Insert into a table", place=cursor.place()
        )
    table = cursor.name()
    listed: list[str | ir.ColumnMatcher] = []
    if cursor.opens() and not _is_query(cursor):
        listed = cursor.listed(lambda: _column(cursor))
    settings = clauses.settings(cursor) if cursor.word("SETTINGS") else {}
    names = tuple(each for each in listed if isinstance(each, str))
    if len(names) == len(listed):
        return ir.Insert(table, names, settings=settings)
    return ir.Insert(table, settings=settings, listed=tuple(listed))


def _column(cursor: Cursor) -> str | ir.ColumnMatcher:
    """A column of the list, or a matcher: `*`, `table.*` or COLUMNS(…), and what it excepts."""
    found = _matcher(cursor)
    if found is None:
        return column_name(cursor)
    excepted = []
    while (each := _excepted(cursor)) is not None:
        excepted.append(each)
    return replace(found, excepted=tuple(excepted))


def _matcher(cursor: Cursor) -> ir.ColumnMatcher | None:
    start = cursor.index
    while cursor.token is not None and cursor.next_is(TokenType.DOT):
        cursor.index += 2  # the name of the table
    if cursor.mark(TokenType.STAR):
        return ir.ColumnMatcher()
    if not cursor.is_word("COLUMNS") or not cursor.next_is(TokenType.L_PAREN):
        cursor.index = start
        return None
    cursor.need("COLUMNS")
    pattern = _pattern(cursor)
    if pattern is not None:
        return ir.ColumnMatcher(pattern)
    return ir.ColumnMatcher(names=tuple(cursor.listed(lambda: column_name(cursor))))


def _excepted(cursor: Cursor) -> ir.Excepted | None:
    place = cursor.place()
    other = cursor.one_of("REPLACE", "APPLY")
    if other is not None:
        hint = "Write expressions in the SELECT"
        clause = f"{other} in the columns of an INSERT"
        raise errors.UNSUPPORTED_CLAUSE(clause=clause, hint=hint, place=place)
    if not cursor.word("EXCEPT"):
        return None
    strict = cursor.word("STRICT")
    if not cursor.opens():
        return ir.Excepted((column_name(cursor),), strict=strict)
    pattern = _pattern(cursor)
    if pattern is not None:
        return ir.Excepted(pattern=pattern)
    return ir.Excepted(tuple(cursor.listed(lambda: column_name(cursor))), strict=strict)


def _pattern(cursor: Cursor) -> str | None:
    """A pattern alone in parentheses; None if names follow."""
    if not cursor.next_is(TokenType.STRING):
        return None
    cursor.need_mark(TokenType.L_PAREN, "(")
    place, pattern = cursor.place(), cursor.string()
    cursor.need_mark(TokenType.R_PAREN, ")")
    checked(pattern, place)
    return pattern


def _is_query(cursor: Cursor) -> bool:
    following = cursor.tokens[cursor.index + 1 : cursor.index + 2]
    return bool(following) and following[0].token_type in (TokenType.SELECT, TokenType.WITH)


def _rows(cursor: Cursor) -> tuple[tuple[exp.Expression, ...], ...]:
    rows: list[tuple[exp.Expression, ...]] = []
    while cursor.token is not None:
        rows.append(row(cursor, reading.READER))
        cursor.mark(TokenType.COMMA)
    if not rows:
        raise cursor.wrong(reason="expected a row of values in parentheses")
    return tuple(rows)
