"""Kafka to Delta by hand: Structured Streaming, from_json with a schema, the defaults."""

from __future__ import annotations

from contenders import hand_written
from contenders.job import Answer, Job, Stopwatch, expect, serve


def run(job: Job) -> Answer:
    """Read the warm topic, then measure the other from the query's start to its end."""
    from pyspark.sql.functions import count_distinct

    spark = hand_written.session()
    hand_written.ingest(spark, job, job.warm_topic)
    with Stopwatch() as watch:
        table = hand_written.ingest(spark, job, job.topic)
    expect("rows", table.count(), job.rows)
    expect("distinct", table.select(count_distinct("comment_id")).collect()[0][0], job.rows)
    spark.stop()
    return watch.answer(job.rows)


if __name__ == "__main__":
    serve(run)
