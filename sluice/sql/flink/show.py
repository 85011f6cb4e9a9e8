"""SHOW CREATE: a table or a view as the statement that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice.sql import ir
from sluice.sql.flink.types import quote, write_type
from sluice.types import is_nullable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table


def from_catalog(table: Table, settings: Mapping[str, Any]) -> ir.CreateTable:
    """The statement that made a table; `settings` are the table's, with its secrets hidden."""
    columns = tuple(ir.ColumnDef(**column.parts()) for column in table.columns)
    return ir.CreateTable(
        ir.Name(table.name, table.database),
        columns,
        ir.Engine(table.engine),
        partition_by=table.partition_by,
        settings=settings,
        comment=table.comment,
        dialect="flink",
        primary_key=table.primary_key,
        watermark=ir.Watermark(*table.watermark) if table.watermark else None,
    )


def view_from_catalog(view: Table, *, named: bool) -> ir.CreateView:
    """The statement that made a view; `named` if it gave its columns names of its own."""
    query = ir.Query(exp.Select(), view.query or "", "flink")  # shown by its text alone
    columns = tuple((column.name, column.comment) for column in view.columns) if named else ()
    return ir.CreateView(ir.Name(view.name, view.database), query, columns, view.comment)


def create_table(table: ir.CreateTable) -> str:
    """The statement in Flink's syntax; `parse` reads the same meaning from it."""
    items = [_column(column) for column in table.columns]
    if table.watermark is not None:
        # The parts are those of a column inside a ROW, if there is no column of that name.
        names = {column.name for column in table.columns}
        whole = table.watermark.column in names or "." not in table.watermark.column
        parts = [table.watermark.column] if whole else table.watermark.column.split(".")
        shown = ".".join(map(quote, parts))
        items.append(f"WATERMARK FOR {shown} AS {table.watermark.delay}")
    if table.primary_key:
        items.append(f"PRIMARY KEY ({', '.join(map(quote, table.primary_key))}) NOT ENFORCED")
    lines = [_head("TABLE", table)]
    if items:
        body = ",\n".join(f"  {item}" for item in items)
        lines[0] += f" (\n{body}\n)"
    if table.comment:
        lines.append(f"COMMENT {string(table.comment)}")
    if table.partition_by:
        lines.append(f"PARTITIONED BY ({table.partition_by})")
    if table.settings:
        lines.append(f"WITH {options(table.settings)}")
    if table.like is not None:
        lines.append(f"LIKE {name(table.like)}")
        if table.like_options:
            lines[-1] += " (" + " ".join(table.like_options) + ")"
    return "\n".join(lines)


DESCRIBED = ("name", "type", "null", "key", "extras", "watermark", "comment")
"""The columns of DESCRIBE, as Flink has them."""


def describe(table: ir.CreateTable) -> list[tuple[str, ...]]:
    """The rows of DESCRIBE, one for each column."""
    rows: list[tuple[str, ...]] = []
    for column in table.columns:
        shown = write_type(column.type).removesuffix(" NOT NULL")
        watermark = table.watermark
        timed = watermark is not None and watermark.column == column.name
        rows.append(
            (
                column.name,
                f"{shown} *ROWTIME*" if timed else shown,
                "TRUE" if is_nullable(column.type) else "FALSE",
                f"PRI({', '.join(table.primary_key)})" if column.name in table.primary_key else "",
                _extras(column),
                watermark.delay if watermark is not None and timed else "",
                column.comment,
            )
        )
    return rows


def create_view(view: ir.CreateView) -> str:
    """CREATE VIEW, with the query as it was written."""
    columns = ", ".join(
        f"{quote(each)} COMMENT {string(text)}" if text else quote(each)
        for each, text in view.columns
    )
    lines = [_head("VIEW", view) + (f" ({columns})" if columns else "")]
    if view.comment:
        lines.append(f"COMMENT {string(view.comment)}")
    return "\n".join([*lines, f"AS {view.query.text}"])


def _head(kind: str, made: ir.CreateTable | ir.CreateView) -> str:
    words = ["CREATE", *(["TEMPORARY"] if made.temporary else []), kind]
    words += ["IF NOT EXISTS"] if made.if_not_exists else []
    return " ".join([*words, name(made.name)])


def name(table: ir.Name) -> str:
    """A table's name, every part in back-quotes."""
    return ".".join(
        quote(part) for part in (table.catalog, table.database, table.table) if part is not None
    )


def string(text: str) -> str:
    """A string literal: only the quote is special."""
    return "'" + text.replace("'", "''") + "'"


def options(settings: Mapping[str, Any]) -> str:
    """`('key' = 'value', …)`, one on a line."""
    pairs = ",\n".join(f"  {string(key)} = {string(str(v))}" for key, v in settings.items())
    return f"(\n{pairs}\n)"


def _column(column: ir.ColumnDef) -> str:
    words = [quote(column.name)]
    words += [write_type(column.type)] if column.alias is None else []
    words += [extras] if (extras := _extras(column)) else []
    words += [f"COMMENT {string(column.comment)}"] if column.comment else []
    return " ".join(words)


def _extras(column: ir.ColumnDef) -> str:
    """What makes a column no physical one."""
    if column.alias is not None:
        return f"AS {column.alias}"
    if column.metadata is None:
        return ""
    source = "" if column.metadata == column.name else f" FROM {string(column.metadata)}"
    return f"METADATA{source}{' VIRTUAL' if column.virtual else ''}"
