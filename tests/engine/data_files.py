"""Delta tables written twice: by Sluice's Parquet writer and by that of Delta Lake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

NO_BOUNDS = {"delta.dataSkippingNumIndexedCols": "0"}


class Files:
    """Writes rows twice: as Sluice does, and with Delta's own writer."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.ours, self.theirs = folder / "ours", folder / "theirs"

    def write(self, rows: DataFrame, **properties: str) -> None:
        properties = properties or NO_BOUNDS
        assert self.append(rows, properties)
        rows.write.format("delta").options(**properties).save(str(self.theirs))

    def append(
        self,
        rows: DataFrame,
        properties: dict[str, str] | None = None,
        writer: str | None = None,
        batch: int = 0,
        *,
        partitions: Sequence[str] = (),
    ) -> bool:
        jvm: Any = self.spark._jvm
        frame: Any = rows
        how = NO_BOUNDS if properties is None else properties
        where, parts = str(self.ours), list(partitions)
        append = jvm.sluice.parquet.Append.append
        return bool(append(frame._jdf, where, "said", writer, batch, True, False, parts, how) >= 0)

    def rows(self, folder: Path) -> DataFrame:
        return self.spark.read.format("delta").load(str(folder))

    def same(self) -> None:
        """Spark and Arrow find the same in both."""
        ours, theirs = self.arrow(self.ours), self.arrow(self.theirs)
        assert str(ours.schema.remove_metadata()) == str(theirs.schema.remove_metadata())
        for name in ours.column_names:
            assert ours[name].equals(theirs[name]), name
        one = self.rows(self.ours).selectExpr("to_json(struct(*)) AS text", "id")
        other = self.rows(self.theirs).selectExpr("to_json(struct(*)) AS other", "id")
        differing = one.join(other, "id", "full").where("text IS DISTINCT FROM other")
        assert differing.take(3) == []

    def arrow(self, folder: Path) -> pa.Table:
        return pq.read_table(sorted(folder.rglob("part-*.parquet"))).sort_by("id")

    def added(self, folder: Path) -> list[dict[str, Any]]:
        lines = (folder / "_delta_log" / f"{0:020}.json").read_text().splitlines()
        return [json.loads(line)["add"] for line in lines if "add" in json.loads(line)]
