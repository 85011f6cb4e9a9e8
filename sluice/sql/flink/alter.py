"""ALTER TABLE and ALTER VIEW."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import reading
from sluice.sql.flink.columns import Schema, expression, not_enforced, read_column
from sluice.sql.flink.create import options

if TYPE_CHECKING:
    from sluice.sql.flink.cursor import Cursor


def alter(cursor: Cursor) -> ir.Statement:
    """Read what follows ALTER."""
    place = cursor.place()
    if cursor.word("VIEW"):
        return _view(cursor)
    if not cursor.word("TABLE"):
        word = cursor.token.text.upper() if cursor.token is not None else ""
        hint = "Supported: ALTER TABLE, ALTER VIEW"
        raise errors.UNSUPPORTED_STATEMENT(what=f"ALTER {word}".strip(), hint=hint, place=place)
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name()
    if cursor.word("RENAME"):
        return _rename(cursor, name, exists=exists)
    changes: tuple[ir.Alteration, ...]
    place = cursor.place()
    if cursor.word("SET"):
        settings, places = options(cursor)
        changes = (ir.ModifySetting(settings, (), places),)
    elif cursor.word("RESET"):
        reset = cursor.listed(lambda: cursor.string("an option's name"))
        changes = (ir.ModifySetting({}, tuple(reset)),)
    elif cursor.word("ADD"):
        _refuse_partition(cursor)
        changes = _schema(cursor, add=True)
    elif cursor.word("MODIFY"):
        changes = _schema(cursor, add=False)
    elif cursor.word("DROP"):
        _refuse_partition(cursor)
        changes = _drop(cursor)
    else:
        raise cursor.wrong(reason="expected RENAME, SET, RESET, ADD, MODIFY or DROP")
    if not changes or changes == (ir.ModifySetting(),):
        raise errors.SYNTAX_ERROR(reason="this ALTER TABLE changes nothing", place=place)
    return ir.AlterTable(name, changes, exists)


def _view(cursor: Cursor) -> ir.Statement:
    name = cursor.name("a view's name")
    if cursor.word("AS"):
        return ir.AlterView(name, reading.read_query(cursor))
    if cursor.word("RENAME"):
        cursor.need("TO")
        return ir.RenameTables(((name, cursor.name("a view's name")),))
    raise cursor.wrong(reason="expected AS or RENAME")


def _refuse_partition(cursor: Cursor) -> None:
    if cursor.is_word("PARTITION"):
        hint = "A partition exists as long as it has rows"
        raise cursor.unsupported(clause="PARTITION in ALTER TABLE", hint=hint)


def _rename(cursor: Cursor, name: ir.Name, *, exists: bool) -> ir.Statement:
    if cursor.word("TO"):
        return ir.RenameTables(((name, cursor.name()),), exists)
    place = cursor.place()
    old = cursor.identifier("a column's name")
    cursor.need("TO")
    change = ir.RenameColumn(old, cursor.identifier("a column's name"), place=place)
    return ir.AlterTable(name, (change,), exists)


def _schema(cursor: Cursor, *, add: bool) -> tuple[ir.Alteration, ...]:
    """One column, key or watermark, or several in parentheses."""
    cursor.word("COLUMN")
    found: list[ir.Alteration] = []

    def part() -> None:
        found.extend(_part(cursor, add=add))

    if cursor.opens():
        cursor.enclosed(part)
    else:
        part()
    return tuple(found)


def _part(cursor: Cursor, *, add: bool) -> list[ir.Alteration]:
    if cursor.is_word("WATERMARK", "FOR"):
        cursor.need("WATERMARK", "FOR")
        column = ".".join(cursor.parts("a column's name", 8))
        cursor.need("AS")
        return [ir.ModifyWatermark(ir.Watermark(column, expression(cursor)), add)]
    if cursor.is_word("PRIMARY", "KEY") or cursor.is_word("CONSTRAINT"):
        schema = Schema()
        schema.constraint(cursor, cursor.place())
        return [ir.ModifyKey(schema.keys, add)]
    place = cursor.place()
    column_def, is_key = read_column(cursor, placed=True)
    if is_key:
        not_enforced(cursor, place)
    after = _position(cursor)
    found: list[ir.Alteration] = [
        ir.AddColumn(column_def, after=after) if add else _modified(column_def, after)
    ]
    return [*found, ir.ModifyKey((column_def.name,), add)] if is_key else found


def _modified(column: ir.ColumnDef, after: str | None) -> ir.ModifyColumn:
    """Flink's MODIFY gives the whole column; a comment that is not written stays."""
    changes = {
        "type": column.type,
        "alias": column.alias,
        "metadata": column.metadata,
        "virtual": column.virtual,
    }
    if column.comment:
        changes["comment"] = column.comment
    return ir.ModifyColumn(column.name, changes, after=after, place=column.place)


def _position(cursor: Cursor) -> str | None:
    if cursor.word("FIRST"):
        return ""
    return cursor.identifier("a column's name") if cursor.word("AFTER") else None


def _drop(cursor: Cursor) -> tuple[ir.Alteration, ...]:
    if cursor.word("PRIMARY", "KEY"):
        return (ir.ModifyKey(),)
    if cursor.word("CONSTRAINT"):
        cursor.identifier("the name of the constraint")
        return (ir.ModifyKey(),)
    if cursor.word("WATERMARK"):
        return (ir.ModifyWatermark(),)
    cursor.word("COLUMN")
    if cursor.opens():
        return tuple(cursor.listed(lambda: _dropped(cursor)))
    return (_dropped(cursor),)


def _dropped(cursor: Cursor) -> ir.DropColumn:
    place = cursor.place()
    return ir.DropColumn(cursor.identifier("a column's name"), place=place)
