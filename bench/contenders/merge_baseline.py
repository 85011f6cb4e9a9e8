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
    table = spark.read.format("delta").load(_path(job, job.topic))
    found = table.select(F.sum("events"), F.count("*"), F.count_distinct("actor_login"))
    events, rows, actors = found.collect()[0]
    spark.stop()
    expect("events and actors", (events, rows), (job.rows, actors))
    return watch.answer(job.rows, actors=actors, batches=batches)


def _count(spark: SparkSession, job: Job, topic: str) -> int:
    """Count a topic's events as a stream; how many batches that took."""
    from pyspark.sql import functions as F

    path = _path(job, topic)
    batches: list[int] = []
    empty = spark.createDataFrame([], "actor_login STRING, events BIGINT, newest TIMESTAMP")
    empty.write.format("delta").save(path)

    def merge(rows: DataFrame, batch: int) -> None:
        rows.createOrReplaceTempView("counted")
        rows.sparkSession.sql(
            f"MERGE INTO delta.`{path}` t USING counted s ON t.actor_login = s.actor_login "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        batches.append(batch)

    counted = (
        hand_written.events(spark, job, topic)
        .groupBy("actor_login")
        .agg(F.count("*").alias("events"), F.max("created_at").alias("newest"))
    )
    query = (
        counted.writeStream.foreachBatch(merge)
        .outputMode("update")
        .option("checkpointLocation", f"{job.folder}/{topic}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return len(batches)


def _path(job: Job, topic: str) -> str:
    return f"{job.folder}/{topic}/table"


if __name__ == "__main__":
    serve(run)
