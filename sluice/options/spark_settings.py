"""Settings of Sluice among those of Spark: `sluice serve --conf NAME=VALUE`."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.parameters.kinds import Text
from sluice.parameters.option import SINK, Option

if TYPE_CHECKING:
    from collections.abc import Mapping

SPARK = "spark"
_PREFIX = "spark.sluice."

SPARK_SETTINGS = (
    Option("parquet_writer", {SPARK: "spark.sluice.parquet.writer"}, Text(("sluice", "delta"), exact=True), "Which writer makes the data files of managed tables: Sluice's Parquet writer, which takes a third less CPU time, or that of Delta Lake. The rows and the commits are the same. Partitioned tables, tables at a path, MERGE, OVERWRITE and compaction always use Delta Lake's.", "sluice", scope=SINK),
)  # fmt: skip


def check(given: Mapping[str, str]) -> None:
    """Check the settings of Sluice among those of Spark.

    Raises:
        SluiceError: UNKNOWN_SETTING or BAD_CONFIG.
    """
    named = {option.names[SPARK]: option for option in SPARK_SETTINGS}
    for name, value in given.items():
        if not name.startswith(_PREFIX):
            continue
        if name not in named:
            raise errors.UNKNOWN_SETTING(setting=name, hint=errors.nearest(name, named))
        try:
            named[name].kind.read(value, SPARK)
        except ValueError as bad:
            raise errors.BAD_CONFIG(file=name, reason=f"{bad}, not '{value}'", hint="") from None
