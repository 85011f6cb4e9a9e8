"""Row after row with separators: TabSeparated, CSV, TSKV, Values and Markdown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sluice.formats.output import escapes, value_text
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.formats.output.value_text import Style, Writer
    from sluice.formats.result import Result


def delimited(
    table: Result, *, style: Style, separator: str, names: bool = False, types: bool = False
) -> Iterator[str]:
    """One line per row, with the names and the types of the columns above when asked."""
    if names:
        yield separator.join(style.text(c.name) for c in table.columns) + "\n"
    if types:
        yield separator.join(style.text(c.type_name) for c in table.columns) + "\n"
    writers = [_field(column.type, style) for column in table.columns]
    for row in table.rows:
        yield separator.join([w(v) for w, v in zip(writers, row, strict=True)]) + "\n"


tab_separated = partial(delimited, style=value_text.ESCAPED, separator="\t")
tab_separated_raw = partial(delimited, style=value_text.RAW, separator="\t")
csv = partial(delimited, style=value_text.CSV, separator=",")


def _field(type_: m.Type, style: Style) -> Writer:
    inner = bare(type_)
    if style is value_text.CSV and isinstance(inner, m.Tuple):
        return _spread(inner)
    return value_text.writer(type_, style)


def _spread(type_: m.Tuple) -> Writer:
    """A tuple in CSV takes one field per element."""
    items = [_field(item, value_text.CSV) for item in type_.items]
    return lambda row: ",".join([item(v) for item, v in zip(items, row, strict=True)])


def tskv(table: Result) -> Iterator[str]:
    """`name=value` with tabs between."""
    fields = [
        (escapes.tskv_name(c.name) + "=", value_text.writer(c.type, value_text.ESCAPED))
        for c in table.columns
    ]
    for row in table.rows:
        yield "\t".join([n + w(v) for (n, w), v in zip(fields, row, strict=True)]) + "\n"


def sql_values(table: Result) -> Iterator[str]:
    """`(1,'a'),(2,'b')`, as after INSERT … VALUES."""
    writers = [value_text.writer(c.type, value_text.QUOTED) for c in table.columns]
    before = "("
    for row in table.rows:
        yield before + ",".join([w(v) for w, v in zip(writers, row, strict=True)]) + ")"
        before = ",("


def markdown(table: Result) -> Iterator[str]:
    """A Markdown table; numbers and times stand on the right."""
    yield "| " + " | ".join(escapes.tab_escaped(c.name) for c in table.columns) + " |\n"
    sides = ["-:" if aligns_right(c.type) else ":-" for c in table.columns]
    yield "|" + "|".join(sides) + "|\n"
    writers = [value_text.writer(c.type, value_text.ESCAPED) for c in table.columns]
    for row in table.rows:
        yield "| " + " | ".join([w(v) for w, v in zip(writers, row, strict=True)]) + " |\n"


def aligns_right(type_: m.Type) -> bool:
    """Whether a column of this type is set flush right in a table."""
    return isinstance(bare(type_), m.Int | m.Float | m.Decimal | m.Date | m.DateTime)
