"""Pipelines: their states, lag, batches, rows, errors, dead letters and retries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.engine.runtime.status import FINISHED, RUNNING, STARTING, STOPPED
from sluice.system.prometheus.family import (
    COUNTER,
    GAUGE,
    HISTOGRAM,
    Family,
    buckets,
    of_pipelines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sluice.engine.runtime.status import Status
    from sluice.system.prometheus.family import Values
    from sluice.system.prometheus.scrape import Pipeline, Scrape

STATES = (STARTING, RUNNING, "WAITING", "FAILED", STOPPED, "PAUSED", FINISHED)

_PIPELINE = "pipeline"


def of_status(value: Callable[[Status], float | None]) -> Values:
    """A value of each pipeline that was started."""
    return of_pipelines(lambda each: None if each.status is None else value(each.status))


def _info(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.pipelines:
        yield (each.name, each.kind, each.database, each.table), 1


def _states(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.pipelines:
        for state in STATES:
            yield (each.name, state), int(each.state == state)


def _current_errors(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.pipelines:
        if each.error is not None:
            yield (each.name, each.error.condition.name), 1


def _last_batch(status: Status) -> float | None:
    return None if status.last_commit is None else status.last_commit.timestamp()


def _state_rows(pipeline: Pipeline) -> float | None:
    return None if pipeline.query is None else pipeline.query.transform.progress.rows


def _rows(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.pipelines:
        if each.status is not None:
            for target, rows in each.status.rows.copy().items():
                yield (each.name, target), rows


def _state_bytes(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.pipelines:
        if each.query is not None and each.query.id in scrape.slow.state:
            yield (each.name,), scrape.slow.state[each.query.id]


def _durations(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    yield (), *buckets(scrape.engine.statistics.batch_seconds)


def _errors(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for each in scrape.engine.statistics.errors():
        yield (each.condition.name,), each.count


FAMILIES = (
    Family(
        GAUGE,
        "sluice_pipeline_info",
        "1 for each pipeline: a Kafka table with its views, or a query of a job",
        "pipeline kind database table",
        _info,
    ),
    Family(
        GAUGE,
        "sluice_pipeline_state",
        "1 for the state that a pipeline is in, 0 for the others",
        "pipeline state",
        _states,
    ),
    Family(
        GAUGE,
        "sluice_pipeline_error",
        "1 while a pipeline waits or has failed, with the condition of its error",
        "pipeline condition",
        _current_errors,
    ),
    Family(
        GAUGE,
        "sluice_pipeline_lag_messages",
        "Messages that a pipeline has not read yet",
        _PIPELINE,
        of_status(lambda status: status.lag()),
    ),
    Family(
        GAUGE,
        "sluice_pipeline_lag_seconds",
        "Age of the oldest message that a pipeline has not read yet",
        _PIPELINE,
        of_status(lambda status: status.lag_seconds()),
    ),
    Family(
        GAUGE,
        "sluice_pipeline_last_batch_timestamp_seconds",
        "When the last batch of a pipeline was committed",
        _PIPELINE,
        of_status(_last_batch),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_messages_total",
        "Messages that a pipeline has read",
        _PIPELINE,
        of_status(lambda status: status.messages),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_batches_total",
        "Batches that a pipeline has committed",
        _PIPELINE,
        of_status(lambda status: status.commits),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_batch_seconds_total",
        "Time that the batches of a pipeline took",
        _PIPELINE,
        of_status(lambda status: status.batch_seconds),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_rows_written_total",
        "Rows, or messages, that a pipeline has written to a target",
        "pipeline target",
        _rows,
    ),
    Family(
        COUNTER,
        "sluice_pipeline_skipped_messages_total",
        "Bad messages that a pipeline has skipped",
        _PIPELINE,
        of_status(lambda status: status.skipped),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_dead_letters_total",
        "Bad messages that a pipeline has kept as dead letters",
        _PIPELINE,
        of_status(lambda status: status.dead_letters),
    ),
    Family(
        COUNTER,
        "sluice_pipeline_retries_total",
        "Restarts of a pipeline after an error",
        _PIPELINE,
        of_status(lambda status: status.retries),
    ),
    Family(
        GAUGE,
        "sluice_pipeline_state_rows",
        "Rows in the state of a stateful query, where Spark counts them",
        _PIPELINE,
        of_pipelines(_state_rows),
    ),
    Family(
        GAUGE,
        "sluice_pipeline_state_bytes",
        "Size of the state of a stateful query in its checkpoint, refreshed every 30 seconds",
        _PIPELINE,
        _state_bytes,
    ),
    Family(
        HISTOGRAM,
        "sluice_batch_duration_seconds",
        "Durations of the batches of all pipelines",
        "",
        _durations,
    ),
    Family(
        COUNTER,
        "sluice_errors_total",
        "Errors of pipelines and statements, by condition",
        "condition",
        _errors,
    ),
)
