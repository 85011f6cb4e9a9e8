"""INSERT and sets of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.core.statements import row
from sluice.sql.flink import reading
from sluice.sql.flink.cursor import Cursor

if TYPE_CHECKING:
    from sqlglot import exp


def insert(cursor: Cursor) -> ir.Insert:
    """Read what follows INSERT."""
    overwrite = cursor.word("OVERWRITE")
    if overwrite:
        cursor.word("INTO")
    else:
        cursor.need("INTO")
    cursor.word("TABLE")
    if cursor.is_word("FUNCTION") or cursor.is_word("DIRECTORY"):
        raise cursor.wrong(reason="expected a table's name")
    name = cursor.name()
    if cursor.is_word("PARTITION"):
        hint = "Select the partition's columns with the others"
        raise cursor.unsupported(clause="PARTITION in INSERT", hint=hint)
    columns: tuple[str, ...] = ()
    if _lists_columns(cursor):
        columns = tuple(cursor.listed(lambda: cursor.identifier("a column's name")))
    if cursor.is_word("VALUES") and not _is_more(cursor):
        cursor.need("VALUES")
        return ir.Insert(name, columns, rows=_rows(cursor), overwrite=overwrite, dialect="flink")
    if not reading.begins_query(cursor):
        raise cursor.wrong(reason="expected SELECT or VALUES")
    query = reading.read_query(cursor)
    return ir.Insert(name, columns, query=query, overwrite=overwrite, dialect="flink")


def _lists_columns(cursor: Cursor) -> bool:
    if not cursor.opens():
        return False
    inner = cursor.tokens[cursor.index + 1 : cursor.index + 2]
    kinds = (TokenType.SELECT, TokenType.WITH, TokenType.VALUES, TokenType.L_PAREN)
    return bool(inner) and inner[0].token_type not in kinds


def _is_more(cursor: Cursor) -> bool:
    """Whether the VALUES are part of a larger query, such as a UNION."""
    ahead = Cursor(cursor.text, cursor.tokens, cursor.index + 1)
    depth = 0
    while (token := ahead.token) is not None:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        words = ("UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT")
        if not depth and any(ahead.is_word(word) for word in words):
            return True
        ahead.index += 1
    return False


def _rows(cursor: Cursor) -> tuple[tuple[exp.Expression, ...], ...]:
    rows: list[tuple[exp.Expression, ...]] = []
    while not rows or cursor.mark(TokenType.COMMA):
        cursor.word("ROW")
        place = cursor.place()
        rows.append(row(cursor, reading.READER))
        if len(rows[-1]) != len(rows[0]):
            raise errors.UNEVEN_VALUES(first=len(rows[0]), other=len(rows[-1]), place=place)
    return tuple(rows)


def begin(cursor: Cursor) -> ir.StatementSet:
    """`BEGIN STATEMENT SET; INSERT …; END`."""
    cursor.need_mark(TokenType.SEMICOLON, ";")
    return _set(cursor)


def execute(cursor: Cursor) -> ir.StatementSet:
    """`EXECUTE STATEMENT SET BEGIN INSERT …; END`."""
    cursor.need("BEGIN")
    return _set(cursor)


def _set(cursor: Cursor) -> ir.StatementSet:
    inserts: list[ir.Insert] = []
    while not cursor.word("END"):
        start = cursor.index
        while cursor.token is not None and cursor.token.token_type != TokenType.SEMICOLON:
            cursor.index += 1
        if cursor.token is None:
            last = Cursor(cursor.text, cursor.tokens, start)
            if last.is_word("INSERT"):
                raise cursor.wrong(reason="expected ; and END")
            raise last.wrong(reason="expected INSERT or END")
        inner = Cursor(cursor.text, cursor.tokens[start : cursor.index])
        cursor.index += 1
        if inner.token is None:
            continue
        inner.need("INSERT")
        inserts.append(insert(inner))
        inner.end()
    if not inserts:
        cursor.index -= 1
        raise cursor.wrong(reason="expected at least one INSERT in the statement set")
    return ir.StatementSet(tuple(inserts))
