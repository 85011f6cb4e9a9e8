"""Views over a Kafka table whose messages are changes: how their targets apply them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.catalog import KAFKA
from sluice.planner.query import SOURCE_VIEW
from sluice.planner.relations import changelog, hidden_columns
from sluice.planner.spec import STREAM
from sluice.planner.stored import key_of
from sluice.planner.table_engines import column_name
from sluice.planner.virtual_columns import APPLYING, virtual_columns
from sluice.sql.clickhouse.queries import leading_table
from sluice.sql.relation import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.planner.relations import Known
    from sluice.sql import ir
    from sluice.sql.relation import Lowered


def applies_changes(
    known: Known,
    source: Table,
    target: Table,
    query: Callable[[], ir.Query],
    lowered: Lowered,
    *,
    block: str = SOURCE_VIEW,
    place: Place | None = None,
) -> bool:
    """Whether a view passes on what each row does, for a target that is kept by key.

    Otherwise its rows are inserted. Of a table of changes they have to state what they do. The
    `query` of the view is read for such a table alone.

    Raises:
        SluiceError: CHANGES_NOT_APPLIED, CHANGES_NOT_ROW_BY_ROW, VIEW_WITHOUT_KEY or
            CHANGES_WITHOUT_OLD_ROWS.
    """
    flavour = changelog(known, source) if source.kind == KAFKA else ""
    if not flavour:
        return False
    keys = key_of(target)
    if not keys and APPLYING.isdisjoint(lowered.uses.get(block, ())):
        raise errors.CHANGES_NOT_APPLIED(
            source=source.full_name, target=target.full_name, place=place
        )
    asked = query()
    first = leading_table(asked)
    if keys and (first is None or first.table != source.name):
        raise errors.CHANGES_NOT_ROW_BY_ROW(
            what=f"A join in which {source.full_name} is not the first table", place=place
        )
    for name in keys:
        if name not in lowered.columns:
            raise errors.VIEW_WITHOUT_KEY(column=name, target=target.full_name, place=place)
    if flavour == BY_KEY:
        _check_upserts(source, asked, keys, place)
    return bool(keys)


def check_hidden(known: Known, source: Table, lowered: Lowered, plain: Lowered) -> None:
    """Whether the rows of a query still say what they do.

    Raises:
        SluiceError: CHANGES_NOT_ROW_BY_ROW.
    """
    hidden = (column.name for column in hidden_columns(known, source))
    if {*lowered.columns} != {*plain.columns, *hidden}:
        raise errors.CHANGES_NOT_ROW_BY_ROW(what="A subquery")


def _check_upserts(
    source: Table, query: ir.Query, keys: tuple[str, ...], place: Place | None
) -> None:
    """Without old rows a filter may use only the key, and the target has the same key."""
    own = set(map(column_name, source.primary_key))
    fixed = own | virtual_columns(STREAM).keys()
    tree = query.tree
    for clause in tree.find_all(exp.Where):
        for column in clause.find_all(exp.Column):
            if column.name not in fixed:
                raise errors.CHANGES_WITHOUT_OLD_ROWS(
                    source=source.full_name,
                    problem=f"a row that no longer fits the condition on {column.name} would stay",
                    hint="Filter when the target is read, or leave out PRIMARY KEY if messages "
                    "have the whole old row.",
                    place=place,
                )
    if not keys:
        return
    selected = tree.expressions if isinstance(tree, exp.Select) else []
    kept = {
        each.alias_or_name
        for each in selected
        if isinstance(each.unalias(), exp.Column) and each.unalias().name in own
    }
    if any(isinstance(each, exp.Star) for each in selected):
        kept |= own
    if len(keys) != len(own) or not kept.issuperset(keys):
        raise errors.CHANGES_WITHOUT_OLD_ROWS(
            source=source.full_name,
            problem=f"the target's key ({', '.join(keys)}) must be its key ({', '.join(own)})",
            hint="Select the columns of the key, under any name.",
            place=place,
        )
