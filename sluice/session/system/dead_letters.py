"""The messages that could not be parsed, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.pipelines.dead_letters import QUEUE, DeadLetters
from sluice.session.system.model import TABLES, SystemTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.session.engine import Engine


def _letters(engine: Engine, spark: SparkSession) -> DataFrame:
    return DeadLetters(engine.store).read(spark)


TABLES["dead_letter_queue"] = SystemTable(tuple(QUEUE.items()), lambda engine: (), frame=_letters)
