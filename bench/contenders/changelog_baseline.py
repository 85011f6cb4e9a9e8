"""A table kept by key from Debezium's events, by hand: foreachBatch and MERGE into Delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

import changes

from contenders import hand_written
from contenders.job import Answer, Job, Stopwatch, expect, serve

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PER_BATCH = 250_000


def run(job: Job) -> Answer:
    """Apply the warm topic, then measure the other from the query's start to its end."""
    from pyspark.sql import functions as F

    spark = hand_written.session()
    _apply(spark, job, job.warm_topic)
    with Stopwatch() as watch:
        batches = _apply(spark, job, job.topic)
    table = spark.read.format("delta").load(hand_written.table_path(job, job.topic))
    found = tuple(table.select(F.count("*"), F.sum("amount")).collect()[0])
    spark.stop()
    expect("rows and amounts", found, changes.left(job.rows))
    return watch.answer(job.rows, batches=batches)


def _apply(spark: SparkSession, job: Job, topic: str) -> int:
    """Apply a topic's changes as a stream; how many batches that took."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    path = hand_written.table_path(job, topic)
    spark.createDataFrame([], changes.COLUMNS).write.format("delta").save(path)
    row = f"STRUCT<{', '.join(c.replace(' ', ': ', 1) for c in changes.COLUMNS.split(', '))}>"
    envelope = f"before {row}, after {row}, op STRING"

    def merge(messages: DataFrame) -> None:
        event = F.from_json(F.col("value").cast("string"), envelope).alias("e")
        found = messages.select(event, "partition", "offset").select(
            F.coalesce("e.after", "e.before").alias("row"), "e.op", "partition", "offset"
        )
        by = Window.partitionBy("row.id").orderBy(F.desc("partition"), F.desc("offset"))
        last = found.withColumn("place", F.row_number().over(by)).where("place = 1")
        last.select("row.*", "op").createOrReplaceTempView("changed")
        names = [column.split()[0] for column in changes.COLUMNS.split(", ")]
        values = ", ".join(f"s.{name}" for name in names)
        messages.sparkSession.sql(
            f"MERGE INTO delta.`{path}` t USING changed s ON t.id = s.id "  # noqa: S608
            "WHEN MATCHED AND s.op = 'd' THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {', '.join(f't.{n} = s.{n}' for n in names)} "
            f"WHEN NOT MATCHED AND s.op <> 'd' THEN INSERT ({', '.join(names)}) VALUES ({values})"
        )

    messages = hand_written.messages(spark, job, topic, maxOffsetsPerTrigger=PER_BATCH)
    return hand_written.merged(messages, job, topic, merge, "append")


if __name__ == "__main__":
    serve(run)
