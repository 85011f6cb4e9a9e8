"""Spark reads the topic and does nothing with it: no pipeline in Spark can be faster.

It is read with the reader's defaults and with the options Sluice reads with; the faster one is the
limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sluice
from contenders import hand_written
from contenders.job import Answer, Job, Stopwatch, serve
from sluice.engine.sources import kafka_reader
from sluice.planner.source import kafka_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def run(job: Job) -> Answer:
    """One pass of each that is not counted, then one that is."""
    tuned = _tuned(job)
    spark = hand_written.session()
    tuned |= {"minPartitions": str(2 * spark.sparkContext.defaultParallelism)}
    ways: dict[str, dict[str, str]] = {"defaults": {}, "tuned": tuned}
    answers: dict[str, Answer] = {}
    for _ in range(2):
        for name, options in ways.items():
            with Stopwatch() as watch:
                _read(spark, job, options)
            answers[name] = watch.answer(job.rows)
    spark.stop()
    seconds = {name: answer.seconds for name, answer in answers.items()}
    best = min(answers.values(), key=lambda answer: answer.seconds)
    return replace(best, notes=seconds)


def _tuned(job: Job) -> dict[str, str]:
    """The options that Sluice gives to the reader for this topic."""
    with sluice.connect(data=f"{job.folder}/data", pipelines=False) as session:
        for statement in job.statements[:-1]:
            session.execute(statement)
        queue = session._engine.catalog.find(job.topic, "github_queue")
        assert queue is not None  # noqa: S101 - it was made a moment ago
        return kafka_reader.read_options(kafka_source(queue))


def _read(spark: SparkSession, job: Job, options: Mapping[str, str]) -> None:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", job.broker)
    messages = reader.option("subscribe", job.topic).options(**options).load()
    messages.write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    serve(run)
