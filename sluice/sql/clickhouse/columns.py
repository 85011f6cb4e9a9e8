"""The columns in a CREATE TABLE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import reading
from sluice.sql.clickhouse.cursor import Cursor
from sluice.sql.clickhouse.lowering import scalar_type
from sluice.sql.relation import RelationColumn
from sluice.types import Type, is_nullable, parse_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.errors import Place

_WORDS = (("DEFAULT",), ("MATERIALIZED",), ("EPHEMERAL",), ("ALIAS",), ("NULL",), ("NOT", "NULL"))
"""What may stand behind a column's type; more is in `_at_end`."""

_NOT_COLUMNS = (
    ("INDEX", "TYPE", "Leave it out; it changes no result"),
    ("PROJECTION", "(", "Leave it out; it changes no result"),
    ("CONSTRAINT", "", "Filter the rows in the SELECT of the view that fills the table"),
)
_COMPUTED = ("DEFAULT", "MATERIALIZED", "EPHEMERAL")
_KAFKA = "KafkaEngine doesn't support DEFAULT/MATERIALIZED/EPHEMERAL expressions for columns."


@dataclass(slots=True)
class _Column:
    name: str
    place: Place
    type: Type | None = None
    alias: str | None = None
    comment: str = ""


@dataclass(slots=True)
class Columns:
    """Reads a list of columns; what depends on the engine is checked when that is known."""

    cursor: Cursor
    found: list[_Column] = field(default_factory=list)
    computed: list[tuple[str, str, Place]] = field(default_factory=list)

    def read(self) -> None:
        """`(name type …, …)`."""
        self.cursor.listed(self._item)
        if not self.found:
            raise self.cursor.wrong(reason="expected at least one column")
        seen: set[str] = set()
        for column in self.found:
            if column.name.casefold() in seen:
                raise errors.DUPLICATE_COLUMN(column=column.name, place=column.place)
            seen.add(column.name.casefold())

    def check(self, engine: ir.Engine) -> None:
        """Refuse columns that compute their values."""
        for name, kind, place in self.computed:
            if engine.name == "Kafka":
                raise errors.BAD_ARGUMENTS(reason=_KAFKA, place=place)
            what = f"{kind} of column {name}"
            hint = "Compute the value in the SELECT of the view that fills the table"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)

    def defs(self) -> tuple[ir.ColumnDef, ...]:
        """The columns; an ALIAS without a type gets that of its expression."""
        known = [RelationColumn(c.name, c.type, c.alias) for c in self.found if c.type is not None]
        return tuple(
            ir.ColumnDef(
                c.name, c.type or self._inferred(c, known), c.alias, c.comment, place=c.place
            )
            for c in self.found
        )

    def _inferred(self, column: _Column, known: list[RelationColumn]) -> Type:
        type_ = scalar_type(column.alias, known) if column.alias else None
        if type_ is None:
            reason = (
                f"The type of column {column.name} cannot be told from its expression; write it"
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=column.place)
        return type_

    def _item(self) -> None:
        cursor = self.cursor
        self._refuse_others()
        place = cursor.place()
        name = cursor.identifier("a column's name")
        while cursor.mark(TokenType.DOT):
            name += "." + cursor.identifier("a column's name")
        column = _Column(name, place)
        type_place = cursor.place()
        tokens = cursor.until(_at_attribute)
        if tokens:
            column.type = _type(cursor, tokens, type_place)
        self._attributes(column)
        if column.type is None and column.alias is None and not self.computed:
            raise cursor.wrong(reason=f"expected the type of column {name}")
        self.found.append(column)

    def _refuse_others(self) -> None:
        cursor = self.cursor
        for word, test, hint in _NOT_COLUMNS:
            if not cursor.is_word(word):
                continue
            ahead = Cursor(cursor.text, cursor.tokens)
            ahead.index = cursor.index + 1
            words = [token.text.upper() for token in ahead.until(lambda _: False)]
            if len(words) > 2 and (test in words or not test):
                what = f"{word} in CREATE TABLE"
                raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())
        if cursor.is_word("PRIMARY", "KEY"):
            hint = "Write ORDER BY (…) behind the ENGINE"
            what = "PRIMARY KEY among the columns"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())

    def _attributes(self, column: _Column) -> None:
        cursor = self.cursor
        while cursor.token is not None:
            place = cursor.place()
            if cursor.word("ALIAS"):
                tokens = cursor.until(_at_end)
                if not tokens:
                    raise cursor.wrong(reason="expected an expression")
                reading.parse_tokens(cursor.text, tokens)
                column.alias = cursor.slice(tokens)
            elif cursor.word("COMMENT"):
                column.comment = cursor.string()
            elif cursor.word("CODEC"):
                cursor.listed(lambda: cursor.until(lambda _: False))
            elif cursor.word("TTL"):
                cursor.until(_at_end)
            elif cursor.word("NOT", "NULL"):
                pass
            elif cursor.word("NULL"):
                column.type = _nullable(column.type)
            elif any(cursor.is_word(word) for word in _COMPUTED):
                kind = cursor.identifier()
                cursor.until(_at_end)
                self.computed.append((column.name, kind.upper(), place))
            else:
                return


def _at_attribute(cursor: Cursor) -> bool:
    """Whether a type ends here."""
    return any(cursor.is_word(*words) for words in _WORDS) or _at_end(cursor)


def _at_end(cursor: Cursor) -> bool:
    """Whether an expression ends here; these words may also be names of columns in it."""
    return (
        (cursor.is_word("COMMENT") and cursor.next_is(TokenType.STRING))
        or (cursor.is_word("CODEC") and cursor.next_is(TokenType.L_PAREN))
        or (cursor.is_word("TTL") and not cursor.next_is(TokenType.R_PAREN))
    )


def _nullable(type_: Type | None) -> Type | None:
    return type_ if type_ is None or is_nullable(type_) else m.Nullable(type_)


def _type(cursor: Cursor, tokens: list[Token], place: Place) -> Type:
    try:
        return parse_type(cursor.slice(tokens))
    except errors.SluiceError as bad:
        raise bad.at(place) from bad
