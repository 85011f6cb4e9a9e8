"""A batch for which the memory was too small is read again in smaller ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice import errors
from sluice.catalog import KAFKA, Catalog, Column, Generation, Table
from sluice.pipelines.delta import DeltaStore
from sluice.pipelines.generations import Generations
from sluice.pipelines.locations import Locations
from sluice.pipelines.pipeline import Pipeline
from sluice.pipelines.sharing import Share
from sluice.pipelines.status import now
from sluice.plan import PipelineSpec, kafka_source
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {
    "kafka_broker_list": "127.0.0.1:1",
    "kafka_topic_list": "t",
    "kafka_group_name": "g",
    "kafka_format": "JSONEachRow",
    "kafka_max_block_size": 256,
}


@pytest.fixture
def generations(tmp_path: Path) -> Iterator[Generations]:
    catalog = Catalog.in_folder(tmp_path)
    yield Generations(
        catalog, DeltaStore(tmp_path / "tables", Locations(tmp_path)), tmp_path / "checkpoints"
    )
    catalog.close()


def test_ch_56_ch_84_half_the_size(generations: Generations, tmp_path: Path) -> None:
    """CH-56: nothing is skipped, each failure halves the batch, a new start has the whole again.

    CH-84: other failures change nothing.
    """
    columns = (Column("key", parse_type("UInt64")),)
    table = Table("u", "d", "q", KAFKA, columns, now(), engine="Kafka", settings=SETTINGS)
    spec = PipelineSpec(kafka_source(table), ())
    share = Share(generations)

    def begun(generation: Generation, until: int) -> None:
        """Write what Spark writes for a batch that it begins and does not end."""
        folder = Path(str(generations.folder("u", generation))) / "offsets"
        folder.mkdir(parents=True)
        (folder / "0").write_text(f"v1\n{{}}\n{json.dumps({'t': {0: until}})}", "utf-8")

    def no_spark() -> None:
        raise AssertionError

    first = Generation(1, {"t": {0: 7}}, {"t": "id"})
    generations.add({"u": first})
    begun(first, 7 + 200)
    pipeline = Pipeline(
        spec,
        spark=no_spark,  # type: ignore[arg-type]
        store=DeltaStore(tmp_path / "tables", Locations(tmp_path)),
        generations=generations,
        share=share,
    )
    full = errors.OUT_OF_MEMORY(reason="Java heap space")
    bad = errors.CANNOT_PARSE_MESSAGE(
        topic="t", partition=0, offset=7, reason="no JSON", skipping=""
    )
    for other in (errors.NO_SPACE(folder="x"), bad):
        pipeline._mend(other)
    assert generations.newest("u") == first
    pipeline._mend(full)
    second = generations.newest("u")
    assert second == Generation(2, {"t": {0: 7}}, {"t": "id"})
    assert pipeline._block == 100
    begun(second, 7 + 100)
    pipeline._mend(full)
    assert pipeline._block == 50
    said = [(event.kind, event.message) for event in generations.catalog.events()]
    assert said == [
        ("BATCH_SIZE_REDUCED", f"Out of memory: at most {size} messages a batch")
        for size in (100, 50)
    ]
    pipeline.close()
