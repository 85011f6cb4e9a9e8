"""REDRIVE DEAD LETTERS: decode dead letters again and write their rows."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sluice import errors
from sluice.catalog import KAFKA
from sluice.engine.runtime.redrive import ANSWER, Redrive
from sluice.engine.sinks.dead_letters import REDRIVEN, STARTED, DeadLetters
from sluice.engine.sinks.fan_out import check_plans
from sluice.options.kafka import KAFKA as OPTIONS
from sluice.planner.named_collections import source_of
from sluice.planner.query import QuerySpec
from sluice.planner.relations import check_dialect, find
from sluice.session.direct import Reading
from sluice.session.frames import guarded
from sluice.session.queries import answer, typed_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.errors import Place
    from sluice.formats.result import Result
    from sluice.session.context import Context
    from sluice.sql import ir

_READING = frozenset({"format", "schema", "row_delimiter", "schema_registry_skip_bytes"})
"""Options of a table that say how a message is read; those of formats do too."""


def redrive(context: Context, statement: ir.Redrive) -> Result:
    """REDRIVE DEAD LETTERS FROM a Kafka table."""
    engine, database = context.engine, context.database
    table = find(engine.catalog, statement.name, database)
    check_dialect(table, statement.name.place)
    if table.kind != KAFKA:
        place = statement.name.place
        raise errors.NOT_A_KAFKA_TABLE(table=table.full_name, what="dead letters", place=place)
    settings = _settings(statement)
    spec = _spec(engine, table, settings, statement.setting_places)
    if not spec.outputs:
        raise errors.REDRIVE_WITHOUT_VIEWS(table=table.full_name, place=statement.name.place)
    check_plans(spec.outputs)
    if not statement.dry:
        _finish(engine, table)
    with Reading(engine, statement.query, {}, context.access) as reading:
        chosen = _of(typed_rows(engine, statement.query, database, reading)[0], table)
    chosen = chosen.where(~chosen["outcome"].isin(REDRIVEN, STARTED))
    made = Redrive(engine.store, spec, str(uuid4()), json.dumps(settings))
    run = made.rehearse if statement.dry else made.run
    rows = guarded(lambda: run(made.outcomes(chosen)))
    return answer(list(ANSWER.items()), rows, statement.format)


def _finish(engine: Engine, table: Table) -> None:
    """Bring the tries to their end that a fault or a crash cut short."""
    from pyspark.sql import functions as F

    def unfinished() -> list[tuple[str, str]]:
        rows = started.select("redrive", "settings").distinct().collect()
        return [(row["redrive"], row["settings"]) for row in rows]

    letters = _of(DeadLetters(engine.store).marked(engine.spark().newSession()), table)
    started = letters.where(F.col("outcome") == STARTED)
    for id_, text in guarded(unfinished):
        spec = _spec(engine, table, json.loads(text), {})
        left = started.where(F.col("redrive") == id_)
        guarded(partial(Redrive(engine.store, spec, id_, text).finish, left))


def _of(letters: DataFrame, table: Table) -> DataFrame:
    """The letters of a table: those it read, and those of one that had its name before."""
    from pyspark.sql import functions as F

    named = (F.col("database") == table.database) & (F.col("table") == table.name)
    return letters.where((F.col("pipeline") == table.uuid) | named)


def _settings(statement: ir.Redrive) -> dict[str, Any]:
    """How the messages are to be read this time, where that differs."""
    known = OPTIONS.named("clickhouse")
    given = dict(statement.settings)
    for name in given:
        if name in known and not (known[name].part or known[name].key in _READING):
            raise errors.REDRIVE_SETTING(setting=name, place=statement.setting_places.get(name))
    if statement.using is not None:
        given["kafka_format"] = statement.using
    return given


def _spec(
    engine: Engine, table: Table, settings: Mapping[str, Any], places: Mapping[str, Place]
) -> QuerySpec:
    other = replace(table, settings={**table.settings, **settings})
    return QuerySpec.of_table(
        source_of(engine.environment, other, places), engine.planner.feeds(table)
    )
