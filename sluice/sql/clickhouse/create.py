"""CREATE: databases, tables and materialized views."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import places, queries
from sluice.sql.clickhouse.columns import Columns
from sluice.sql.clickhouse.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place

_REFUSED = {
    "OR": ("CREATE OR REPLACE", "DROP the table first"),
    "TEMPORARY": ("CREATE TEMPORARY TABLE", "Create a MergeTree table and DROP it when done"),
    "VIEW": ("CREATE VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "LIVE": ("CREATE LIVE VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "WINDOW": ("CREATE WINDOW VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "NAMED": ("CREATE NAMED COLLECTION", "Write the settings into the SETTINGS of the table"),
    "DICTIONARY": ("CREATE DICTIONARY", "Use a table and JOIN"),
    "FUNCTION": ("CREATE FUNCTION", ""),
    "USER": ("CREATE USER", ""),
    "ROLE": ("CREATE ROLE", ""),
}


def create(cursor: Cursor) -> ir.Statement:
    """Read what follows CREATE."""
    place = places.of_token(cursor.text, cursor.tokens[0])
    for words, read in (
        (("DATABASE",), _database),
        (("TABLE",), _table),
        (("MATERIALIZED", "VIEW"), _view),
    ):
        if cursor.word(*words):
            return read(cursor)
    word = cursor.token.text.upper() if cursor.token is not None else ""
    what, hint = _REFUSED.get(word, (f"CREATE {word}".strip(), _KINDS))
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)


_KINDS = "CREATE DATABASE, CREATE TABLE and CREATE MATERIALIZED VIEW are there"


def on_cluster(cursor: Cursor) -> None:
    """`ON CLUSTER name`: there is one server, so it means nothing."""
    if cursor.word("ON", "CLUSTER") and not cursor.mark(TokenType.STRING):
        cursor.identifier("a cluster's name")


def _database(cursor: Cursor) -> ir.CreateDatabase:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.identifier("a database's name")
    on_cluster(cursor)
    if cursor.word("ENGINE"):
        cursor.mark(TokenType.EQ)
        _engine(cursor)
    if cursor.word("COMMENT"):
        cursor.string()
    return ir.CreateDatabase(name, exists)


@dataclass(slots=True)
class _Clauses:
    """The clauses behind the columns, in whatever order they came."""

    engine: ir.Engine | None = None
    order_by: tuple[str, ...] | None = None
    primary_key: tuple[str, ...] | None = None
    partition_by: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    comment: str = ""


def _table(cursor: Cursor) -> ir.CreateTable:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name()
    on_cluster(cursor)
    columns = Columns(cursor)
    like: ir.Name | None = None
    if cursor.token is not None and cursor.token.token_type == TokenType.L_PAREN:
        columns.read()
    elif cursor.word("AS"):
        if cursor.is_word("SELECT") or cursor.is_word("WITH"):
            raise _as_select(cursor)
        like = cursor.name()
    else:
        raise cursor.wrong(reason="expected the columns in parentheses, or AS and another table")
    clauses = _clauses(cursor)
    if clauses.engine is None:
        reason = "CREATE TABLE needs an ENGINE, such as ENGINE = MergeTree ORDER BY tuple()"
        raise errors.BAD_ARGUMENTS(reason=reason, place=name.place)
    columns.check(clauses.engine)
    order = clauses.order_by if clauses.order_by is not None else clauses.primary_key
    return ir.CreateTable(
        name,
        columns.defs(),
        clauses.engine,
        like,
        order or (),
        clauses.partition_by,
        clauses.settings,
        clauses.places,
        clauses.comment,
        exists,
    )


def _as_select(cursor: Cursor) -> errors.SluiceError:
    hint = "Create the table with its columns, then INSERT INTO … SELECT …"
    return errors.UNSUPPORTED_STATEMENT(
        what="CREATE TABLE … AS SELECT", hint=hint, place=cursor.place()
    )


def _clauses(cursor: Cursor) -> _Clauses:
    found = _Clauses()
    while cursor.token is not None:
        for words, read in _CLAUSE_READERS:
            if cursor.word(*words):
                read(cursor, found)
                break
        else:
            if cursor.is_word("AS"):
                raise _as_select(cursor)
            return found
    return found


def _stops(cursor: Cursor) -> bool:
    return cursor.is_word("AS") or any(cursor.is_word(*words) for words, _ in _CLAUSE_READERS)


def _expression(cursor: Cursor) -> list[Token]:
    tokens = cursor.until(_stops)
    if not tokens:
        raise cursor.wrong(reason="expected an expression")
    return tokens


def _keys(cursor: Cursor) -> tuple[str, ...]:
    """`a`, `(a, b)` or `tuple()`."""
    tokens = _expression(cursor)
    words = [token.text.lower() for token in tokens]
    if words == ["tuple", "(", ")"]:
        return ()
    if words[0] == "tuple" and len(words) > 1 and words[1] == "(":
        tokens = tokens[1:]
    if not _wrapped(tokens):
        return (cursor.slice(tokens),)
    inner = Cursor(cursor.text, tokens)
    return tuple(
        inner.slice(item) for item in inner.listed(lambda: inner.until(lambda _: False)) if item
    )


def _wrapped(tokens: Sequence[Token]) -> bool:
    """Whether one pair of parentheses goes around all."""
    depth = 0
    for n, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if not depth:
            return n > 0 and n == len(tokens) - 1
    return False


def _engine(cursor: Cursor) -> ir.Engine:
    place = cursor.place()
    name = cursor.identifier("an engine's name")
    args: tuple[Any, ...] = ()
    if cursor.token is not None and cursor.token.token_type == TokenType.L_PAREN:
        args = tuple(cursor.listed(lambda: _engine_arg(cursor, name)))
    return ir.Engine(name, args, place)


def _engine_arg(cursor: Cursor, engine: str) -> Any:
    place = cursor.place()
    tokens = cursor.until(lambda _: False)
    if not tokens:
        raise cursor.wrong(reason="expected an argument")
    inner = Cursor(cursor.text, tokens)
    try:
        value = inner.literal("a constant")
    except errors.SluiceError:
        text = cursor.slice(tokens)
        if engine == "Kafka":
            what, hint = f"The named collection {text}", "Write its settings behind SETTINGS"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place) from None
        return text
    return value if inner.token is None else cursor.slice(tokens)


def _read_engine(cursor: Cursor, found: _Clauses) -> None:
    cursor.mark(TokenType.EQ)
    found.engine = _engine(cursor)


def _read_partition(cursor: Cursor, found: _Clauses) -> None:
    found.partition_by = cursor.slice(_expression(cursor))


def _read_order(cursor: Cursor, found: _Clauses) -> None:
    found.order_by = _keys(cursor)


def _read_primary(cursor: Cursor, found: _Clauses) -> None:
    found.primary_key = _keys(cursor)


def _read_ttl(cursor: Cursor, _: _Clauses) -> None:
    while _expression(cursor) and cursor.mark(TokenType.COMMA):
        pass


def _refuse_sample(cursor: Cursor, _: _Clauses) -> None:
    raise errors.UNSUPPORTED_STATEMENT(what="SAMPLE BY", hint="", place=cursor.place())


def _read_comment(cursor: Cursor, found: _Clauses) -> None:
    found.comment = cursor.string()


def _read_settings(cursor: Cursor, found: _Clauses) -> None:
    while True:
        place = cursor.place()
        name = cursor.identifier("a setting's name")
        cursor.need_mark(TokenType.EQ, "=")
        found.settings[name] = cursor.literal(f"the value of {name}")
        found.places[name] = place
        if not cursor.mark(TokenType.COMMA):
            return


_CLAUSE_READERS: tuple[tuple[tuple[str, ...], Callable[[Cursor, _Clauses], None]], ...] = (
    (("ENGINE",), _read_engine),
    (("PARTITION", "BY"), _read_partition),
    (("PRIMARY", "KEY"), _read_primary),
    (("ORDER", "BY"), _read_order),
    (("SAMPLE", "BY"), _refuse_sample),
    (("TTL",), _read_ttl),
    (("SETTINGS",), _read_settings),
    (("COMMENT",), _read_comment),
)


def _view(cursor: Cursor) -> ir.CreateMaterializedView:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name("a view's name")
    on_cluster(cursor)
    _skip_columns(cursor)
    if cursor.is_word("REFRESH"):
        hint = "A view runs with every batch of the table it reads"
        what = "REFRESH of a materialized view"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())
    if not cursor.word("TO"):
        hint = f"Create the target table and write CREATE MATERIALIZED VIEW {name} TO target AS …"
        what = "A materialized view without TO"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())
    target = cursor.name()
    _skip_columns(cursor)
    if cursor.is_word("POPULATE"):
        hint = "Use INSERT INTO target SELECT … for the rows that are there already"
        raise errors.UNSUPPORTED_STATEMENT(what="POPULATE", hint=hint, place=cursor.place())
    before = cursor.string() if cursor.word("COMMENT") else ""
    cursor.need("AS")
    comment = _trailing_comment(cursor)
    query, _ = queries.read(cursor)
    return ir.CreateMaterializedView(name, target, query, exists, comment or before)


def _skip_columns(cursor: Cursor) -> None:
    """A list of columns; the query and the target say what they are."""
    if cursor.token is not None and cursor.token.token_type == TokenType.L_PAREN:
        Columns(cursor).read()


def _trailing_comment(cursor: Cursor) -> str:
    """Cut off `COMMENT 'text'` behind the query."""
    ends = cursor.tokens[-2:]
    if len(ends) < 2 or ends[0].text.upper() != "COMMENT" or ends[1].token_type != TokenType.STRING:
        return ""
    cursor.tokens = cursor.tokens[:-2]
    return str(ends[1].text)
