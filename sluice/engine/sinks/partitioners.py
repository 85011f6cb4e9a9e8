"""An operator's Python class that chooses the partition of each row.

It is named `package.module:Class`, and only names that the server was started with are taken
(`sluice serve --allow-partitioner`, `sluice.connect(partitioners=…)`). Each task makes one object::

    class ByCountry:
        def open(self, task: int, tasks: int) -> None: ...
        def partition(self, row, key, value, topic, partitions) -> int: ...

`open` may be left out. `row` is a dict of the table's columns, `key` and `value` are the message's
bytes or None; the answer is from 0 up to, not including, `partitions`. The module goes to the
workers by itself; what it imports has to be there.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column

TASKS = "sluice.tasks"
"""Spark's local property for the number of tasks that write a batch."""


def is_python(name: str) -> bool:
    """Whether the name is that of a Python class."""
    return ":" in name


def find(name: str) -> Any:
    """The class of a name.

    Raises:
        ImportError: if there is none.
    """
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute, None)
    if not isinstance(found, type) or not callable(getattr(found, "partition", None)):
        message = f"{name} is no class with a method `partition`"
        raise ImportError(message)
    return found


def column(name: str, topic: str, partitions: int, *given: Column) -> Column:
    """The partition of a row, from its struct, its key and its value."""
    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.sql.pandas.functions import arrow_udf

    kind = find(name)
    cloudpickle.register_pickle_by_value(sys.modules[kind.__module__])  # type: ignore[no-untyped-call]

    def chosen(batches: Iterator[tuple[Any, Any, Any]]) -> Iterator[Any]:
        chooser = None
        for batch in batches:
            if chooser is None:
                chooser = _opened(kind)
            messages = zip(*(part.to_pylist() for part in batch), strict=True)
            found = (chooser.partition(*each, topic, partitions) for each in messages)
            yield pa.array([_checked(name, each, partitions) for each in found], pa.int32())

    each, three, udf = Iterator, tuple, arrow_udf  # type: tuple[Any, Any, Any]
    chosen.__annotations__ = {
        "batches": each[three[pa.Array, pa.Array, pa.Array]],
        "return": each[pa.Array],
    }
    found: Column = udf(chosen, "int")(*given)
    return found


def _opened(kind: Any) -> Any:
    from pyspark import TaskContext

    made = kind()
    context = TaskContext.get()
    if context is not None and hasattr(made, "open"):
        made.open(context.partitionId(), int(context.getLocalProperty(TASKS) or 1))
    return made


def _checked(name: str, partition: Any, partitions: int) -> int:
    if not isinstance(partition, int) or not 0 <= partition < partitions:
        message = f"{name} gave the partition {partition!r} of a topic with {partitions}"
        raise ValueError(message)
    return partition
