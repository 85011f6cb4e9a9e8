"""DEFAULT and MATERIALIZED columns of the rows that an INSERT gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.pipelines import typed
from sluice.pipelines.select import Select
from sluice.session.frames import guarded
from sluice.sql.relation import Relation, RelationColumn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.sql.ir import Name

_GIVEN = "given"


def with_defaults(rows: DataFrame, table: Table) -> DataFrame:
    """The rows with every column that the table computes and the INSERT left out.

    An expression may use any column: one that was given as what was given, one that is computed
    too as its expression, any other as its type's default.

    Raises:
        SluiceError: for an expression that cannot be computed.
    """
    from sluice.sql.clickhouse import lower_query
    from sluice.sql.clickhouse.queries import computing

    computed = {
        c.name: (c.default, c.type)
        for c in table.columns
        if c.default is not None and c.name not in rows.columns
    }
    if not computed:
        return rows
    plain = [c for c in table.columns if c.alias is None and c.name not in computed]
    # Values are brought to their columns' types first: that is what expressions are made for.
    shaped = Select(typed.fitted(rows.schema, [(c.name, c.name, c.type) for c in plain]))
    relation = Relation(_GIVEN, tuple(RelationColumn(c.name, c.type) for c in plain))

    def resolve(_: Name) -> Relation:
        return relation

    query = computing(_GIVEN, [c.name for c in plain], computed)
    lowered = lower_query(query, resolve, database=table.database)

    def run() -> DataFrame:
        spark = rows.sparkSession
        shaped(rows).createOrReplaceTempView(_GIVEN)
        return spark.sql(lowered.sql)

    return guarded(run)
