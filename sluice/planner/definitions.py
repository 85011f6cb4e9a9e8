"""From a statement to what the catalog keeps: pure, so that it can be tested on its own."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4, uuid5

from sluice import errors
from sluice.catalog import KAFKA, QUERY, STORED, VIEW, Column, Table
from sluice.catalog.entities import CONSTRAINT, INDEX
from sluice.planner import merging, table_engines
from sluice.planner.arguments import settings_of
from sluice.planner.relations import columns_of
from sluice.planner.stored import check_kept_by_key
from sluice.planner.table_engines import engine_of
from sluice.types import bare
from sluice.types import model as m
from sluice.types.semistructured import Variant, is_opaque

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sluice.catalog.entities import Element
    from sluice.errors import Place
    from sluice.sql import ir
    from sluice.types import Type

Key = tuple[str, str]


def column_of(column: ir.ColumnDef) -> Column:
    """A column as the catalog keeps it."""
    return Column(**column.parts())


def table_of(
    statement: ir.CreateTable,
    key: Key,
    uuid: str,
    like: Table | None = None,
    selected: Iterable[Column] = (),
) -> Table:
    """The table that a CREATE TABLE creates; `like` is the one after AS.

    `selected` are the columns of one that has none written.

    Raises:
        SluiceError: for an engine, its arguments or its settings.
    """
    written = tuple(map(column_of, statement.columns)) or tuple(selected)
    columns = like.columns if like is not None else written
    head: dict[str, Any] = {
        "uuid": uuid,
        "database": key[0],
        "name": key[1],
        "created": datetime.now(UTC),
    }
    if not statement.engine.name and like is not None:
        if like.kind in (VIEW, QUERY):
            raise errors.CREATE_AS_VIEW(view=like.full_name, place=statement.name.place)
        comment = statement.comment or like.comment
        temporary = statement.temporary
        return replace(like, **head, attached=True, comment=comment, temporary=temporary)
    engine, name = table_engines.find_engine(statement.engine)
    parts: dict[str, Any] = _kafka(statement) if engine.kind == KAFKA else {}
    if engine.keyed and statement.order_by is None:
        raise errors.ENGINE_NEEDS_ORDER_BY(engine=name, place=statement.engine.place)
    order_by = statement.order_by or ()
    if engine.kind == KAFKA and order_by == statement.primary_key:
        order_by = ()  # messages have no order; those of changes may have a key
    if engine.kind == STORED:
        names = [column.name for column in columns]
        parts["engine_args"] = table_engines.arguments(statement.engine, engine, names)
        table_engines.check_settings(statement.settings, statement.setting_places)
        parts["settings"] = statement.settings
    return Table(
        **head,
        kind=engine.kind,
        columns=columns,
        engine=name,
        order_by=order_by,
        partition_by=statement.partition_by,
        primary_key=statement.primary_key,
        sample_by=statement.sample_by,
        ttl=statement.ttl,
        comment=statement.comment,
        dialect=statement.dialect,
        temporary=statement.temporary,
        elements=statement.elements,
        **parts,
    )


def _kafka(statement: ir.CreateTable) -> dict[str, Any]:
    given = statement.engine
    if given.collection is not None:
        args = (given.collection, dict(given.overrides))
        return {"settings": dict(statement.settings), "engine_args": args}
    places = statement.setting_places
    return {"settings": settings_of(given.args, statement.settings, places, given.place)}


def view_of(statement: ir.CreateMaterializedView, key: Key, uuid: str, database: str) -> Table:
    """The view that a CREATE MATERIALIZED VIEW makes; what it reads is for the caller to add."""
    view = Table(
        uuid=uuid,
        database=key[0],
        name=key[1],
        kind=VIEW,
        columns=(),
        created=datetime.now(UTC),
        query=statement.query.text,
        comment=statement.comment,
    )
    target = statement.target
    place = (target.database or database, target.table) if target is not None else view.inner_key
    return replace(view, target=place)


def query_view_of(
    statement: ir.CreateView, key: Key, engine: str, settings: Mapping[str, Any]
) -> Table:
    """The view that a CREATE VIEW creates; its columns are for the caller to add."""
    return Table(
        uuid=str(uuid4()),
        database=key[0],
        name=key[1],
        kind=QUERY,
        columns=(),
        created=datetime.now(UTC),
        engine=engine,
        settings=settings,
        comment=statement.comment,
        query=statement.query.text,
        dialect=statement.query.dialect,
        temporary=statement.temporary,
    )


def inner_of(statement: ir.CreateMaterializedView, view: Table, columns: Iterable[Column]) -> Table:
    """The table of a view without TO, whose id is made of the view's."""
    assert statement.inner is not None  # noqa: S101 - there is no TO
    own = uuid5(UUID(view.uuid), "inner")
    return table_of(statement.inner, view.inner_key, str(own), selected=columns)


def check(table: Table, place_of: Callable[[str], Place | None]) -> None:
    """Whether a table's parts fit together; `place_of` says where a column was written.

    Raises:
        SluiceError: naming what does not fit.
    """
    seen: set[str] = set()
    used: dict[str, frozenset[str]] = {}
    for column in table.columns:
        if column.name.casefold() in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=place_of(column.name))
        seen.add(column.name.casefold())
        _check_computed(table, column, place_of(column.name))
        _check_values(table, column, place_of(column.name))
        for expression in (column.alias, column.default):
            if expression is not None:
                used[column.name] = _computable(expression, table, place_of(column.name))
        _check_ttl(column.ttl, table, place_of(column.name))
    try:
        TopologicalSorter(used).prepare()
    except CycleError as cycle:
        names = list(dict.fromkeys(cycle.args[1]))
        raise errors.CYCLIC_DEFAULTS(columns=", ".join(names), place=place_of(names[0])) from None
    _check_clauses(table, place_of(""))
    _check_elements(table, place_of)
    merging.check(table, place_of(""))
    check_kept_by_key(table, place_of(""))


def _check_values(table: Table, column: Column, place: Place | None) -> None:
    """Whether the column's values are known, and cannot be taken for those of other types."""
    kinds = column.type.kinds if isinstance(column.type, Variant) else ()
    for one, other in combinations(kinds, 2):
        if (common := _common(one, other)) is not None:
            raise errors.SUSPICIOUS_VARIANT(
                column=column.name, first=one, second=other, common=common, place=place
            )


def _common(one: Type, other: Type) -> Type | None:
    """The type that ClickHouse has for values of both, if their own are similar."""
    from sluice.sql.clickhouse.promotion import supertype

    kinds = {type(bare(one)), type(bare(other))}
    long = any(isinstance(each, m.Int) and each.bits == 64 for each in (one, other))
    differ = kinds & {m.Uuid, m.Bool} or (m.Float in kinds and (long or m.Decimal in kinds))
    named = getattr(one, "alias", "") or getattr(other, "alias", "")
    return None if differ or named else supertype([one, other])


def _check_computed(table: Table, column: Column, place: Place | None) -> None:
    if not column.default_kind:
        return
    if table.kind == KAFKA:
        raise errors.KAFKA_COLUMN_DEFAULT(place=place)
    if column.default_kind == "EPHEMERAL":
        raise errors.EPHEMERAL_COLUMN(column=column.name, place=place)


def _check_elements(table: Table, place_of: Callable[[str], Place | None]) -> None:
    """Whether an engine has them, and conditions can be checked; others are only kept."""
    own = {column.name for column in table.columns}
    seen: set[tuple[str, str]] = set()
    for each in table.elements:
        place = place_of(each.title)
        if (each.kind, each.name) in seen:
            raise errors.ELEMENT_EXISTS(kind=each.kind.lower(), name=each.name, place=place)
        seen.add((each.kind, each.name))
        if table.kind == KAFKA or (each.kind != CONSTRAINT and not engine_of(table).keyed):
            raise errors.ENGINE_CLAUSE_NOT_SUPPORTED(
                engine=table.engine, clause=each.kind, place=place
            )
        if each.check:
            _computable(f"if({each.check}, 1, 0)", table, place)
        if each.kind == INDEX:
            _check_index(each, own, place)


def _check_index(index: Element, columns: set[str], place: Place | None) -> None:
    from sluice.sql.clickhouse.reading import names_in

    expression = re.split(r"\sTYPE\s", index.text, flags=re.I)[0]
    with errors.at(place, part=True):
        for name in sorted(names_in(expression) - columns):
            hint = errors.nearest(name, columns)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)


def _check_clauses(table: Table, place: Place | None) -> None:
    clauses = {
        "ORDER BY": table.order_by,
        "PRIMARY KEY": table.primary_key,
        "PARTITION BY": table.partition_by,
        "SAMPLE BY": table.sample_by,
        "TTL": table.ttl,
    }
    keyed = engine_of(table).keyed
    if table.kind == KAFKA:
        del clauses["PRIMARY KEY"]  # of changes: whether they are is known with its options
    for clause, value in clauses.items():
        if value and not keyed:
            raise errors.ENGINE_CLAUSE_NOT_SUPPORTED(
                engine=table.engine, clause=clause, place=place
            )
    if table.kind == KAFKA:
        _check_key_of_messages(table, place)
        return
    one = filter(None, [table.partition_by, table.sample_by])
    for expression in (*table.order_by, *table.primary_key, *one):
        _check_key(expression, table, place)
    _check_ttl(table.ttl, table, place)
    prefix = table.order_by[: len(table.primary_key)]
    for at, (key, order) in enumerate(zip(table.primary_key, prefix, strict=False)):
        if key != order:
            problem = f"the column in the position {at} is {order}, not {key}"
            raise errors.PRIMARY_KEY_NOT_A_PREFIX(problem=problem, place=place)
    if len(table.primary_key) > len(table.order_by):
        raise errors.PRIMARY_KEY_NOT_A_PREFIX(problem="its length is greater", place=place)


def _check_key_of_messages(table: Table, place: Place | None) -> None:
    names = [column.name for column in table.columns if column.alias is None]
    for name in table.primary_key:
        if name not in names:
            hint = errors.nearest(name, names)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)


def _check_key(expression: str, table: Table, place: Place | None) -> None:
    from sluice.sql.clickhouse.lowering import check_key
    from sluice.sql.clickhouse.reading import names_in

    used = names_in(expression)
    for column in table.columns:
        if column.name in used and is_opaque(column.type):
            raise errors.DATA_TYPE_CANNOT_BE_USED_IN_KEY(
                column=column.name, type=column.type, place=place
            )
    with errors.at(place, part=True):
        check_key(expression, columns_of(table))


def _check_ttl(ttl: str, table: Table, place: Place | None) -> None:
    from sluice.sql.clickhouse.clauses import ttl_expressions

    with errors.at(place, part=True):
        for expression in ttl_expressions(ttl) if ttl else ():
            _computable(expression, table, place)


def _computable(expression: str, table: Table, place: Place | None) -> frozenset[str]:
    """Check that an expression can be computed, and which columns it uses; errors have `place`."""
    from sluice.sql.clickhouse import lower_expression

    with errors.at(place, part=True):
        return lower_expression(expression, columns_of(table)).uses
