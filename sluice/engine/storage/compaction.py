"""Files of a table replaced by others that mean the same, in one commit beside those of writers.

What Delta's own OPTIMIZE does with rows as they are, this does with rows that are changed on the
way: exactly the files that were read go, so what others append meanwhile stays.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame as Classic

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

_DATA_CHANGE = "dataChange"
_OPERATION = "org.apache.spark.sql.delta.DeltaOperations$ManualUpdate$"


def replace_files(
    spark: SparkSession, path: str, below: int | None, make: Callable[[DataFrame], DataFrame]
) -> bool:
    """Put what `make` makes of a table's files in their place; of those `below` a size, if given.

    Whether there was more than one such file.
    """
    jvm: Any = spark._jvm
    session: Any = spark
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session._jsparkSession, path)
    none = jvm.scala.Option.empty()
    transaction = log.startTransaction(none, none)
    snapshot = transaction.snapshot()
    old = [f for f in snapshot.allFiles().collectAsList() if below is None or f.size() < below]
    if len(old) < 2:
        return False
    files = jvm.java.util.ArrayList()
    for file in old:
        files.add(file)
    frame = log.createDataFrame(snapshot, _seq(jvm, files), False, none)
    made: Any = make(Classic(frame, spark))
    actions = jvm.java.util.ArrayList()
    written = transaction.writeFiles(made._jdf, none)
    for at in range(written.size()):
        actions.add(_rearranged(written.apply(at)))
    now = int(time.time() * 1000)
    for file in old:
        actions.add(file.removeWithTimestamp(now, False))
    operation = getattr(getattr(jvm, _OPERATION), "MODULE$")
    transaction.commit(_seq(jvm, actions), operation)
    return True


def _rearranged(added: Any) -> Any:
    """An added file, marked as without new rows: it does not conflict with appends."""
    parts = [added.productElement(at) for at in range(added.productArity())]
    names = [added.productElementName(at) for at in range(added.productArity())]
    parts[names.index(_DATA_CHANGE)] = False
    return added.copy(*parts)


def _seq(jvm: Any, items: Any) -> Any:
    return jvm.scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq()
