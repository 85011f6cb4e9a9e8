"""The Spark sessions that jobs run in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from sluice.sql.core.user_functions import UserFunction

_SETTINGS = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # A batch that is run again must be cut into the same tasks.
    "spark.sql.adaptive.enabled": "false",
    # A shuffle that two operators share hides the watermark from the second one: it would keep
    # its windows open for ever.
    "spark.sql.exchange.reuse": "false",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
}


def new_session(spark: SparkSession, functions: Mapping[str, UserFunction]) -> SparkSession:
    """A session with names of its own, and the operator's functions."""
    made = spark.newSession()
    for name, value in _SETTINGS.items():
        made.conf.set(name, value)
    register(made, functions)
    return made


def register(spark: SparkSession, functions: Mapping[str, UserFunction]) -> None:
    """Let SQL call Python functions, which get rows one by one in processes of Python."""
    for each in functions.values():
        made = F.udf(each.call, returnType=spark_type(each.gives), useArrow=False)
        spark.udf.register(each.spark_name, made)
