"""SHOW CREATE: a table or a view as the statement that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.sql import ir
from sluice.sql.flink.types import quote, write_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table


def from_catalog(table: Table, settings: Mapping[str, Any]) -> ir.CreateTable:
    """The statement that made a table; `settings` are the table's, with its secrets hidden."""
    columns = tuple(
        ir.ColumnDef(
            c.name,
            c.type,
            c.alias,
            c.comment,
            c.default,
            c.default_kind,
            c.metadata,
            c.virtual,
        )
        for c in table.columns
    )
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
    if column.alias is not None:
        text = f"{quote(column.name)} AS {column.alias}"
    else:
        text = f"{quote(column.name)} {write_type(column.type)}"
        if column.metadata is not None:
            text += " METADATA"
            if column.metadata != column.name:
                text += f" FROM {string(column.metadata)}"
            text += " VIRTUAL" if column.virtual else ""
    return f"{text} COMMENT {string(column.comment)}" if column.comment else text
