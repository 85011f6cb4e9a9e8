"""What stands in the parentheses of a CREATE TABLE: columns, the watermark, the primary key."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import reading
from sluice.sql.flink.types import read_type, write_type
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.errors import Place
    from sluice.sql.core.cursor import Cursor as Tokens
    from sluice.sql.flink.cursor import Cursor

ROWTIME = (
    "Invalid data type of time field for watermark definition. The field must be of type "
    "TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time "
    "field type is {type}"
)
_MILLISECONDS = 3


@dataclass(slots=True)
class Schema:
    """The parts of a table's schema, as they are read."""

    columns: list[ir.ColumnDef] = field(default_factory=list)
    watermark: ir.Watermark | None = None
    watermark_place: Place | None = None
    keys: tuple[str, ...] = ()
    key_places: tuple[Place, ...] = ()

    def read(self, cursor: Cursor) -> None:
        """`(…)`, which may be empty."""
        if cursor.next_is(TokenType.R_PAREN):
            cursor.index += 2
        else:
            cursor.enclosed(lambda: self._item(cursor))

    def _item(self, cursor: Cursor) -> None:
        place = cursor.place()
        if cursor.is_word("WATERMARK", "FOR"):
            self._watermark(cursor, place)
        elif self._is_constraint(cursor):
            self.constraint(cursor, place)
        else:
            self._column(cursor, place)

    def _is_constraint(self, cursor: Cursor) -> bool:
        if cursor.is_word("PRIMARY", "KEY") or cursor.is_word("CONSTRAINT"):
            return True
        return (cursor.is_word("UNIQUE") or cursor.is_word("CHECK")) and cursor.next_is(
            TokenType.L_PAREN
        )

    def _watermark(self, cursor: Cursor, place: Place) -> None:
        cursor.need("WATERMARK", "FOR")
        if self.watermark is not None:
            reason = "Multiple WATERMARK definition is not supported yet."
            raise errors.INVALID_WATERMARK(reason=reason, place=place)
        self.watermark_place = cursor.place()
        column = ".".join(cursor.parts("a column's name", 8))
        cursor.need("AS")
        self.watermark = ir.Watermark(column, expression(cursor))

    def constraint(self, cursor: Cursor, place: Place) -> None:
        """`[CONSTRAINT name] PRIMARY KEY (…) NOT ENFORCED`."""
        if cursor.word("CONSTRAINT"):
            cursor.identifier("the name of the constraint")
        if cursor.is_word("UNIQUE") or cursor.is_word("CHECK"):
            word = cursor.identifier().upper()
            hint = "Supported: PRIMARY KEY (…) NOT ENFORCED"
            raise errors.UNSUPPORTED_CLAUSE(clause=f"A {word} constraint", hint=hint, place=place)
        cursor.need("PRIMARY", "KEY")
        self._key(cursor, *cursor.columns("the primary key"), place)

    def _key(
        self, cursor: Cursor, keys: tuple[str, ...], places: tuple[Place, ...], place: Place
    ) -> None:
        if self.keys:
            reason = "Duplicate primary key definition"
            raise errors.INVALID_PRIMARY_KEY(reason=reason, place=place)
        not_enforced(cursor, place)
        self.keys, self.key_places = keys, places

    def _column(self, cursor: Cursor, place: Place) -> None:
        column, is_key = read_column(cursor)
        self.columns.append(column)
        if is_key:
            self._key(cursor, (column.name,), (place,), place)
            self.columns[-1] = replace(column, comment=comment(cursor) or column.comment)

    def checked(self, *, partial: bool = False) -> tuple[ir.ColumnDef, ...]:
        """The columns, those of the primary key NOT NULL.

        A `partial` schema is merged with another table's (LIKE): it may name columns of that one.
        """
        unique(self.columns)
        return check(self.columns, self.keys, self.key_places, self.watermark,
                     self.watermark_place, partial=partial)  # fmt: skip


def check(
    columns: Iterable[ir.ColumnDef],
    keys: tuple[str, ...],
    key_places: tuple[Place, ...],
    watermark: ir.Watermark | None,
    watermark_place: Place | None,
    *,
    partial: bool = False,
) -> tuple[ir.ColumnDef, ...]:
    """Check the primary key and the watermark against the columns."""
    by_name = {column.name: column for column in columns}
    places = key_places or (None,) * len(keys)
    for key, place in zip(keys, places, strict=True):
        if key not in by_name:
            if partial:
                continue
            reason = f"Primary key column '{key}' is not defined in the schema"
            raise errors.INVALID_PRIMARY_KEY(reason=reason, place=place)
        column = by_name[key]
        if column.alias is not None or column.metadata is not None:
            reason = (
                f"Could not create a PRIMARY KEY with column '{key}'. A PRIMARY KEY constraint "
                "must be declared on physical columns."
            )
            raise errors.INVALID_PRIMARY_KEY(reason=reason, place=place)
        if isinstance(column.type, m.Nullable):
            by_name[key] = replace(column, type=column.type.item)
    if watermark is not None:
        _check_rowtime(watermark, watermark_place, by_name, partial=partial)
    return tuple(by_name.values())


def _check_rowtime(
    watermark: ir.Watermark,
    place: Place | None,
    by_name: dict[str, ir.ColumnDef],
    *,
    partial: bool,
) -> None:
    first, *rest = watermark.column.split(".")
    column = by_name.get(watermark.column) or by_name.get(first)
    if column is None:
        if partial:
            return
        available = ", ".join(f"'{name}'" for name in by_name)
        reason = (
            f"The rowtime attribute field '{watermark.column}' is not defined in the table schema. "
            f"Available fields: [{available}]"
        )
        raise errors.INVALID_WATERMARK(reason=reason, place=place)
    type_ = bare(column.type)
    for part in rest if watermark.column not in by_name else ():
        fields = dict(type_.struct) if isinstance(type_, m.Tuple) else {}
        if part not in fields:
            raise errors.INVALID_WATERMARK(
                reason=f"The rowtime attribute field '{watermark.column}' is not defined in the "
                "table schema",
                place=place,
            )
        type_ = bare(fields[part])
    if isinstance(type_, m.Inferred):
        return
    fits = isinstance(type_, m.LocalDateTime | m.DateTime)
    if not fits or (type_.precision or 0) > _MILLISECONDS:  # type: ignore[attr-defined]
        shown = write_type(m.Nullable(type_))
        raise errors.INVALID_WATERMARK(reason=ROWTIME.format(type=shown), place=place)


def unique(columns: Iterable[ir.ColumnDef]) -> None:
    """No two columns may have one name."""
    seen: set[str] = set()
    for column in columns:
        if column.name.casefold() in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=column.place)
        seen.add(column.name.casefold())


def read_column(cursor: Cursor, *, placed: bool = False) -> tuple[ir.ColumnDef, bool]:
    """One column, and whether PRIMARY KEY follows its type.

    A `placed` column may be followed by FIRST or AFTER, which end an expression.
    """
    place = cursor.place()
    name = cursor.identifier("a column's name")
    if cursor.word("AS"):
        alias = expression(cursor, comments=True, placed=placed)
        return ir.ColumnDef(name, m.Inferred(), alias, comment(cursor), place=place), False
    if cursor.token is None or cursor.token.token_type in (TokenType.COMMA, TokenType.R_PAREN):
        raise cursor.wrong(reason=f"expected the type of column {name}")
    type_ = read_type(cursor)
    key, virtual = None, False
    if cursor.word("METADATA"):
        key = _metadata_key(cursor) if cursor.word("FROM") else name
        virtual = cursor.word("VIRTUAL")
    column = ir.ColumnDef(
        name, type_, None, comment(cursor), metadata=key, virtual=virtual, place=place
    )
    if cursor.is_word("CONSTRAINT") or cursor.is_word("PRIMARY", "KEY"):
        if cursor.word("CONSTRAINT"):
            cursor.identifier("the name of the constraint")
        cursor.need("PRIMARY", "KEY")
        return column, True
    if cursor.is_word("UNIQUE"):
        raise cursor.unsupported(
            clause="A UNIQUE constraint", hint="Supported: PRIMARY KEY NOT ENFORCED"
        )
    return column, False


def _metadata_key(cursor: Cursor) -> str:
    place = cursor.place()
    key = cursor.string("the key of the metadata")
    if not key:
        raise errors.SYNTAX_ERROR(reason="the key of the metadata is empty", place=place)
    return key


def not_enforced(cursor: Cursor, place: Place) -> None:
    """Flink does not own the data, so it takes no key that it would have to enforce."""
    if cursor.word("NOT", "ENFORCED"):
        return
    cursor.word("ENFORCED")
    reason = (
        "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED "
        "controls if the constraint checks are performed on the incoming/outgoing data. Flink does "
        "not own the data therefore the only supported mode is the NOT ENFORCED mode"
    )
    raise errors.INVALID_PRIMARY_KEY(reason=reason, place=place)


def expression(cursor: Cursor, *, comments: bool = False, placed: bool = False) -> str:
    """The text of an expression up to a comma or the end; COMMENT, FIRST and AFTER may end it."""

    def stops(at: Tokens) -> bool:
        if comments and at.is_word("COMMENT") and at.next_is(TokenType.STRING):
            return True
        return placed and (at.is_word("FIRST") or at.is_word("AFTER"))

    tokens = cursor.until(stops)
    if not tokens:
        raise cursor.wrong(reason="expected an expression")
    reading.READER.expression(cursor.text, tokens)
    return cursor.canonical(tokens)


def comment(cursor: Cursor) -> str:
    """`[COMMENT 'text']`."""
    return cursor.string("the comment") if cursor.word("COMMENT") else ""
