"""The columns in a CREATE TABLE, and the one in an ALTER."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, elements, reading
from sluice.sql.clickhouse.lowering import lower_expression
from sluice.sql.core.cursor import Cursor
from sluice.sql.relation import RelationColumn
from sluice.types import Type, is_nullable, parse_type, quote_name
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.catalog.entities import Element
    from sluice.errors import Place

_WORDS = (("DEFAULT",), ("MATERIALIZED",), ("EPHEMERAL",), ("ALIAS",), ("NULL",), ("NOT", "NULL"))
"""What may follow a column's type; more is in `_at_end`."""

_COMPUTED = ("DEFAULT", "MATERIALIZED", "EPHEMERAL")


@dataclass(slots=True)
class Draft:
    """A column while it is read; `given` are its parts so far."""

    name: str
    place: Place
    given: dict[str, Any] = field(default_factory=dict)
    default_place: Place | None = None
    is_key: bool = False

    def definition(self, type_: Type) -> ir.ColumnDef:
        """The column, once its type is known."""
        return ir.ColumnDef(self.name, place=self.place, **{**self.given, "type": type_})


@dataclass(slots=True)
class Columns:
    """Reads a list of columns; what depends on the engine is checked when that is known.

    The types of those that need not be `typed` may be left to a query.
    """

    cursor: Cursor
    typed: bool = True
    found: list[Draft] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    element_places: dict[str, Place] = field(default_factory=dict)
    primary_key: tuple[str, ...] | None = None

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
        """Refuse what the engine has no room for."""
        if engine.name.lower() == "kafka":
            for column in self.found:
                if column.default_place is not None:
                    raise errors.KAFKA_COLUMN_DEFAULT(place=column.default_place)

    def defs(self) -> tuple[ir.ColumnDef, ...]:
        """The columns; one without a type gets that of its expression."""
        known = [
            RelationColumn(c.name, c.given["type"], c.given.get("alias"))
            for c in self.found
            if "type" in c.given
        ]
        made = (c.definition(self._type(c, known)) for c in self.found)
        return tuple(each for column in made for each in column.flattened())

    def _type(self, column: Draft, known: list[RelationColumn]) -> Type:
        given: Type | None = column.given.get("type")
        return given or (_inferred(column, known) if self.typed else m.Inferred())

    def _item(self) -> None:
        if self.cursor.word("PRIMARY", "KEY"):
            self.primary_key = clauses.keys(self.cursor)
            return
        kind = elements.follows(self.cursor)
        if kind is not None:
            element, place = elements.in_create(self.cursor, kind)
            self.elements.append(element)
            self.element_places[element.title] = place
            return
        draft = read_column(self.cursor)
        if self.typed and not draft.given.keys() & {"type", "alias", "default"}:
            raise self.cursor.wrong(reason=f"expected the type of column {draft.name}")
        self.found.append(draft)
        if draft.is_key:
            self.primary_key = (*(self.primary_key or ()), _as_key(draft.name))


def _as_key(name: str) -> str:
    return name if name.isidentifier() else quote_name(name)


def column_name(cursor: Cursor) -> str:
    """`name` or `name.part`."""
    parts = [cursor.identifier("a column's name")]
    while cursor.mark(TokenType.DOT):
        parts.append(cursor.identifier("a column's name"))
    return ".".join(parts)


End = Callable[[Cursor], bool]


def read_column(cursor: Cursor, end: End | None = None) -> Draft:
    """`name [type] [DEFAULT …] [COMMENT …] …`, up to where `end` says."""
    end = end or _at_end
    place = cursor.place()
    draft = Draft(column_name(cursor), place)
    type_place = cursor.place()
    tokens = cursor.until(lambda at: end(at) or any(at.is_word(*words) for words in _WORDS))
    if tokens:
        draft.given["type"] = _type(cursor, tokens, type_place)
    while cursor.token is not None and _attribute(cursor, draft, end):
        pass
    return draft


def _attribute(cursor: Cursor, draft: Draft, end: End) -> bool:
    """Read one part, if one follows."""
    place, given = cursor.place(), draft.given
    kind = next((word for word in _COMPUTED if cursor.word(word)), None)
    if kind is not None:
        given["default_kind"], draft.default_place = kind, place
        if kind != "EPHEMERAL" or not _ends(cursor, end):
            given["default"] = _expression(cursor, end)
    elif cursor.word("ALIAS"):
        given["alias"] = _expression(cursor, end)
    elif cursor.word("COMMENT"):
        given["comment"] = cursor.string()
    elif cursor.word("CODEC"):
        items = cursor.listed(lambda: cursor.slice(cursor.until(lambda _: False)))
        given["codec"] = ", ".join(items)
    elif cursor.word("TTL"):
        given["ttl"] = _expression(cursor, end, check=False)
    elif cursor.word("NOT", "NULL"):
        pass
    elif end is _at_end and cursor.word("PRIMARY", "KEY"):
        draft.is_key = True
    elif cursor.word("NULL"):
        if "type" not in given:
            raise errors.SYNTAX_ERROR(reason="NULL follows a type", place=place)
        given["type"] = _nullable(given["type"])
    else:
        return False
    return True


def _expression(cursor: Cursor, end: End, *, check: bool = True) -> str:
    tokens = cursor.until(end)
    if not tokens:
        raise cursor.wrong(reason="expected an expression")
    if check:
        reading.READER.expression(cursor.text, tokens)
    return cursor.slice(tokens)


def _inferred(column: Draft, known: list[RelationColumn]) -> Type:
    expression = column.given.get("alias") or column.given.get("default")
    type_ = lower_expression(expression, known).type if expression else None
    if type_ is None:
        raise errors.COLUMN_TYPE_REQUIRED(column=column.name, place=column.place)
    return type_


def _ends(cursor: Cursor, end: End) -> bool:
    """Whether nothing of a column follows."""
    marks = (TokenType.COMMA, TokenType.R_PAREN)
    return cursor.token is None or cursor.token.token_type in marks or end(cursor)


def _at_end(cursor: Cursor) -> bool:
    """Whether an expression ends here; these words may also be names of columns in it."""
    return (
        (cursor.is_word("COMMENT") and cursor.next_is(TokenType.STRING))
        or (cursor.is_word("CODEC") and cursor.next_is(TokenType.L_PAREN))
        or (cursor.is_word("TTL") and not cursor.next_is(TokenType.R_PAREN))
        or cursor.is_word("PRIMARY", "KEY")
    )


def end_of_change(cursor: Cursor) -> bool:
    """The same in an ALTER, where FIRST or AFTER may follow."""
    at_first = cursor.is_word("FIRST") and _last(cursor)
    return at_first or (cursor.is_word("AFTER") and not _last(cursor)) or _at_end(cursor)


def _last(cursor: Cursor) -> bool:
    """Whether the next word is the last of its column."""
    return len(cursor.tokens) == cursor.index + 1 or cursor.next_is(TokenType.COMMA)


def _nullable(type_: Type) -> Type:
    return type_ if is_nullable(type_) else m.Nullable(type_)


def _type(cursor: Cursor, tokens: list[Token], place: Place) -> Type:
    try:
        return parse_type(cursor.slice(tokens))
    except errors.SluiceError as bad:
        raise bad.at(place) from bad
