"""A job from a topic to another, by Flink or by Sluice: from its INSERT to the last visible row.

The first job of the process, over the warm topic, is ended when enough of its rows are there; then
comes the one that is measured. Rows of an open transaction are not visible.
"""

from __future__ import annotations

from functools import partial

from contenders import copied, counted, engines, grouped
from contenders.job import Answer, Job, serve
from contenders.outlet import Growth, Outlet

PARTITIONS = 3


def run(job: Job) -> Answer:
    """Warm up, measure, and look at every row."""
    with engines.start(job) as engine:
        _warm_up(engine, job)
        outlet = Outlet(job.broker, f"{job.name}-{job.topic}", PARTITIONS)
        task = _task(job, job.topic, job.rows, outlet)
        for table in task.flow.tables:
            engine.run(table)
        growth = Growth(outlet)
        started = engine.run(task.flow.insert)
        growth.watch(task.rows, job.patience, partial(engine.check, started))
    task.check(outlet.messages())
    outlet.delete()
    return Answer(job.rows, growth.seconds, growth.own_seconds, growth.cpu, {"first": growth.first})


def _warm_up(engine: engines.Engine, job: Job) -> None:
    outlet = Outlet(job.broker, f"{job.name}-{job.warm_topic}", PARTITIONS)
    task = _task(job, job.warm_topic, job.warm_rows, outlet)
    for table in task.flow.tables:
        engine.run(table)
    started = engine.run(task.flow.insert)
    Growth(outlet).watch(task.rows, job.patience, partial(engine.check, started), quiet=0)
    engine.stop(started)
    outlet.delete()


def _task(
    job: Job, topic: str, rows: int, outlet: Outlet
) -> copied.Copied | counted.Counted | grouped.Grouped:
    """What is to be done, and what must come of it."""
    if job.flow == "window":
        return counted.Counted(job.broker, topic, outlet.topic, rows)
    if job.flow.startswith("groups"):
        return grouped.Grouped(job.broker, topic, outlet.topic, rows)
    return copied.Copied(job.broker, topic, outlet.topic, rows, job.flow)


if __name__ == "__main__":
    serve(run)
