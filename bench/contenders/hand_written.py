"""Spark and Delta as one sets them up on a first day: the defaults.

The heap is the one exception: the same as Sluice's, so that memory does not decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.jars import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from contenders.job import Job


def session() -> SparkSession:
    """A session that can read Kafka and write Delta."""
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[*]")
        .appName("bench")
        .config("spark.jars", ",".join(str(jar) for jar in resolve("spark")))
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.memory", "4g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
    )
    return builder.getOrCreate()


def messages(spark: SparkSession, job: Job, topic: str, **options: int) -> DataFrame:
    """The messages of a topic, as a stream."""
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", job.broker)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .options(**options)
        .load()
    )


def table_path(job: Job, topic: str) -> str:
    """Where the Delta table of a topic is."""
    return f"{job.folder}/{topic}/table"


def merged(
    rows: DataFrame, job: Job, topic: str, merge: Callable[[DataFrame], object], mode: str
) -> int:
    """Run a stream up to the end of its topic, each batch by a function; how many there were."""
    batches: list[int] = []

    def run(batch: DataFrame, number: int) -> None:
        merge(batch)
        batches.append(number)

    query = (
        rows.writeStream.foreachBatch(run)
        .outputMode(mode)
        .option("checkpointLocation", f"{job.folder}/{topic}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return len(batches)


def events(spark: SparkSession, job: Job, topic: str) -> DataFrame:
    """The rows of a topic, as a stream."""
    from guide import SPARK_SCHEMA
    from pyspark.sql.functions import col, from_json

    found = messages(spark, job, topic).select(
        from_json(col("value").cast("string"), SPARK_SCHEMA).alias("event")
    )
    return found.select("event.*")


def ingest(spark: SparkSession, job: Job, topic: str) -> DataFrame:
    """Put everything that is in a topic into a Delta table, as a stream; the table."""
    query = (
        events(spark, job, topic)
        .writeStream.format("delta")
        .option("checkpointLocation", f"{job.folder}/{topic}/checkpoint")
        .trigger(availableNow=True)
        .start(f"{job.folder}/{topic}/table")
    )
    query.awaitTermination()
    return spark.read.format("delta").load(f"{job.folder}/{topic}/table")
