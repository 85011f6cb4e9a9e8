"""DEFAULT and MATERIALIZED columns of the rows that an INSERT gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.session.frames import guarded
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import is_nullable
from sluice.types.model import Bool, Nullable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from sluice.catalog import Column, Table
    from sluice.sql.clickhouse.queries import Computed
    from sluice.sql.ir import Name
    from sluice.types import Type

_GIVEN = "given"


def omitted(column: str) -> str:
    """The name of a column that is true in the rows that omit another one."""
    return f"\1omitted {column}"


def with_defaults(rows: DataFrame, table: Table) -> DataFrame:
    """The rows with every column that the table computes and the INSERT omitted.

    A column is omitted as a whole, or in those rows in which a column beside it (`omitted`) says
    so, or in which it has NULL and cannot be NULL. An expression may use any column: one that was
    given as what was given, one that is computed too as its expression, any other as its type's
    default.

    Raises:
        SluiceError: for an expression that cannot be computed.
    """
    from sluice.sql.clickhouse import lower_query
    from sluice.sql.clickhouse.queries import computing

    fields = {field.name: field for field in rows.schema.fields}
    made = {c.name: found for c in table.columns if (found := _computed(c, fields)) is not None}
    if not made:
        return rows
    plain = [c.name for c in table.columns if c.alias is None and c.name not in made]
    types: dict[str, Type] = {c.name: c.type for c in table.columns}
    # Values are brought to their columns' types first: that is what expressions are made for.
    wanted = [(name, name, types[name]) for name in plain]
    for name, each in made.items():
        if each.given:
            wanted.append((name, each.given, _with_null(types[name])))
        if each.omitted:
            wanted.append((each.omitted, each.omitted, Bool()))
    shaped = Select(typed.fitted(rows.schema, wanted))
    relation = Relation(_GIVEN, tuple(RelationColumn(called, type_) for _, called, type_ in wanted))

    def resolve(_: Name) -> Relation:
        return relation

    lowered = lower_query(computing(_GIVEN, plain, made), resolve, database=table.database)

    def run() -> DataFrame:
        spark = rows.sparkSession
        shaped(rows).createOrReplaceTempView(_GIVEN)
        return spark.sql(lowered.sql)

    return guarded(run)


def _computed(column: Column, fields: dict[str, StructField]) -> Computed | None:
    """How a column is computed, if it is for any of the rows."""
    from sluice.sql.clickhouse.queries import Computed

    if column.default is None:
        return None
    given = fields.get(column.name)
    if given is None:
        return Computed(column.default, column.type)
    flag = omitted(column.name)
    if flag in fields:
        return Computed(column.default, column.type, f"\1{column.name}", flag)
    if given.nullable and not is_nullable(column.type):
        return Computed(column.default, column.type, f"\1{column.name}")
    return None


def _with_null(type_: Type) -> Type:
    return type_ if is_nullable(type_) else Nullable(type_)
