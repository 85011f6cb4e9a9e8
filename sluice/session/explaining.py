"""Flink's EXPLAIN: Sluice's plan as text, and Spark's with ESTIMATED_COST."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sluice.engine.spark.analysis import over_nothing
from sluice.engine.spark.job_session import new_session
from sluice.planner.explain_job import explained, read_lines
from sluice.planner.job_planner import plan_job
from sluice.planner.planning import Planning
from sluice.session.jobs import inserts_of, new_job
from sluice.session.queries import texts
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.engine.engine import Engine
    from sluice.formats.result import Result
    from sluice.planner.query import Input, JobSpec, QuerySpec
    from sluice.session.context import Context
    from sluice.sql.relation import Step

COST, CHANGES = "ESTIMATED_COST", "CHANGELOG_MODE"
AS_JSON, ADVICE = "JSON_EXECUTION_PLAN", "PLAN_ADVICE"


def explain(context: Context, statement: ir.Explain) -> Result:
    """EXPLAIN [details] of a query, an INSERT or a statement set; nothing is started."""
    engine, database = context.engine, context.database
    inner, details = statement.statement, statement.details
    if isinstance(inner, ir.Select):
        lines = _select(engine, inner, database, details)
    elif isinstance(inner, ir.Insert | ir.StatementSet):
        spec = plan_job(engine.environment, new_job(context, inner), inserts_of(inner))
        if AS_JSON in details:
            lines = iter([json.dumps({"queries": list(map(_tree, spec.queries))}, indent=2)])
        else:
            lines = _job(engine, spec, details)
    else:
        raise TypeError(inner)
    return texts(["result"], [("\n".join(lines),)])


def _job(engine: Engine, spec: JobSpec, details: tuple[str, ...]) -> Iterator[str]:
    yield from explained(spec, advice=ADVICE in details, changes=CHANGES in details)
    if COST in details:
        for query in spec.queries:
            for output in query.outputs:
                yield f"\n== Spark's plan for {output.table.full_name} =="
                yield _plan(engine, query.inputs, output.sql, output.steps)


def _select(
    engine: Engine, statement: ir.Select, database: str, details: tuple[str, ...]
) -> Iterator[str]:
    from sluice.sql.flink import lower_query

    planning = Planning(engine.environment, database)
    lowered = lower_query(statement.query, planning.ended)
    yield "Query: once, over the rows that exist now"
    yield from read_lines(planning.inputs.values())
    if COST in details:
        yield "\n== Spark's plan =="
        yield _plan(engine, planning.inputs.values(), lowered.sql, lowered.steps)


def _tree(query: QuerySpec) -> dict[str, Any]:
    return {
        "reads": [
            {
                "table": each.table.full_name,
                "topics": list(each.source.topics) or [each.source.pattern] if each.source else [],
                "watermark": each.watermark[0] if each.watermark else None,
            }
            for each in query.inputs
        ],
        "state": list(query.state),
        "bounded": query.bounded,
        "writes": [
            {
                "table": each.table.full_name,
                "columns": list(each.columns),
                "updating": each.updating,
                "delivery": each.sink.guarantee if each.sink else "exactly-once",
            }
            for each in query.outputs
        ],
    }


def _plan(engine: Engine, inputs: Iterable[Input], sql: str, steps: Iterable[Step]) -> str:
    """Spark's own plan, made over tables without rows: nothing is read for it."""
    spark = new_session(engine.spark(), engine.functions)
    frame: Any = over_nothing(spark, inputs, sql, steps)
    jvm: Any = spark._jvm
    mode = jvm.org.apache.spark.sql.execution.ExplainMode.fromString("cost")
    return str(frame._jdf.queryExecution().explainString(mode)).strip()
