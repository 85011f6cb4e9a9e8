"""Spark and Delta as one sets them up on a first day: the defaults.

The heap is the one exception: the same as Sluice's, so that memory does not decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.jars import resolve

if TYPE_CHECKING:
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


def events(spark: SparkSession, job: Job, topic: str) -> DataFrame:
    """The rows of a topic, as a stream."""
    from guide import SPARK_SCHEMA
    from pyspark.sql.functions import col, from_json

    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", job.broker)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .load()
    )
    found = messages.select(from_json(col("value").cast("string"), SPARK_SCHEMA).alias("event"))
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
