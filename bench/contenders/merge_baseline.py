"""Events counted by actor, by hand: foreachBatch and MERGE into Delta, with the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contenders import hand_written
from contenders.job import Answer, Job, Stopwatch, expect, serve

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run(job: Job) -> Answer:
    """Count the warm topic, then measure the other from the query's start to its end."""
    from pyspark.sql import functions as F

    spark = hand_written.session()
    _count(spark, job, job.warm_topic)
    with Stopwatch() as watch:
        batches = _count(spark, job, job.topic)
    table = spark.read.format("delta").load(hand_written.table_path(job, job.topic))
    found = table.select(F.sum("events"), F.count("*"), F.count_distinct("actor_login"))
    events, rows, actors = found.collect()[0]
    spark.stop()
    expect("events and actors", (events, rows), (job.rows, actors))
    return watch.answer(job.rows, actors=actors, batches=batches)


def _count(spark: SparkSession, job: Job, topic: str) -> int:
    """Count a topic's events as a stream; how many batches that took."""
    from pyspark.sql import functions as F

    path = hand_written.table_path(job, topic)
    empty = spark.createDataFrame([], "actor_login STRING, events BIGINT, newest TIMESTAMP")
    empty.write.format("delta").save(path)

    def merge(rows: DataFrame) -> None:
        rows.createOrReplaceTempView("counted")
        rows.sparkSession.sql(
            f"MERGE INTO delta.`{path}` t USING counted s ON t.actor_login = s.actor_login "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )

    counted = (
        hand_written.events(spark, job, topic)
        .groupBy("actor_login")
        .agg(F.count("*").alias("events"), F.max("created_at").alias("newest"))
    )
    return hand_written.merged(counted, job, topic, merge, "update")


if __name__ == "__main__":
    serve(run)
