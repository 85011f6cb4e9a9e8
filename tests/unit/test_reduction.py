"""A batch for which the memory was too small is read again in smaller ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice import errors
from sluice.catalog import KAFKA, Catalog, Column, Generation, Table
from sluice.engine.runtime.generations import Generations
from sluice.engine.runtime.query import RunningQuery
from sluice.engine.runtime.resources import Resources
from sluice.engine.runtime.status import now
from sluice.engine.runtime.table_positions import TablePositions
from sluice.engine.sources.assignment import GroupAssignment
from sluice.engine.storage.locations import Locations
from sluice.engine.storage.tables import DeltaStore
from sluice.planner.query import QuerySpec
from sluice.planner.source import kafka_source
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SETTINGS = {
    "kafka_broker_list": "127.0.0.1:1",
    "kafka_topic_list": "t",
    "kafka_group_name": "g",
    "kafka_format": "JSONEachRow",
    "kafka_max_block_size": 256,
}


def resources(catalog: Catalog, folder: Path) -> Resources:
    """A data folder without Spark."""

    def no_spark() -> SparkSession:
        raise AssertionError

    store = DeltaStore(folder / "tables", Locations(folder))
    return Resources(no_spark, catalog, store, folder / "checkpoints")


@pytest.fixture
def generations(tmp_path: Path) -> Iterator[Generations]:
    catalog = Catalog.in_folder(tmp_path)
    yield Generations(resources(catalog, tmp_path))
    catalog.close()


def test_ch_56_ch_84_half_the_size(generations: Generations, tmp_path: Path) -> None:
    """CH-56: nothing is skipped, each failure halves the batch, a new start has the whole again.

    CH-84: other failures change nothing.
    """
    columns = (Column("key", parse_type("UInt64")),)
    table = Table("u", "d", "q", KAFKA, columns, now(), engine="Kafka", settings=SETTINGS)
    spec = QuerySpec.of_table(kafka_source(table), ())

    def begun(generation: Generation, until: int) -> None:
        """Write what Spark writes for a batch that it begins and does not end."""
        folder = Path(str(generations.folder("u", generation.number))) / "offsets"
        folder.mkdir(parents=True)
        (folder / "0").write_text(f"v1\n{{}}\n{json.dumps({'t': {0: until}})}", "utf-8")

    first = Generation(1, {"t": {0: 7}}, {"t": "id"})
    generations.add({"u": first})
    begun(first, 7 + 200)
    query = RunningQuery(
        spec,
        resources=resources(generations.catalog, tmp_path),
        positions=TablePositions(generations, GroupAssignment(generations)),
    )
    full = errors.OUT_OF_MEMORY(reason="Java heap space")
    bad = errors.CANNOT_PARSE_MESSAGE(
        topic="t", partition=0, offset=7, reason="no JSON", skipping=""
    )
    for other in (errors.NO_SPACE(folder="x"), bad):
        query._retries(other)
    assert generations.newest("u") == first
    query._retries(full)
    second = generations.newest("u")
    assert second == Generation(2, {"t": {0: 7}}, {"t": "id"})
    assert query._most == 100
    begun(second, 7 + 100)
    query._retries(full)
    assert query._most == 50
    said = [(event.kind, event.message) for event in generations.catalog.events.all()]
    assert said == [
        ("BATCH_SIZE_REDUCED", f"Out of memory: at most {size} messages a batch")
        for size in (100, 50)
    ]
    query.close()
