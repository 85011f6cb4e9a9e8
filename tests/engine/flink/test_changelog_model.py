"""Random changes through every changelog sink and back: the table at the end is the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.flink.flink_lab import FlinkLab

ROW = "id BIGINT, name STRING, weight DECIMAL(10, 3), tags ARRAY<STRING>"
FORMATS = ("debezium-json", "canal-json", "maxwell-json", "ogg-json")

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
WEIGHTS = st.none() | st.decimals(-1000, 1000, places=3).map(str)
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 7),
        st.sampled_from(["put", "put", "put", "move", "delete"]),
        TEXTS,
        WEIGHTS,
        st.none() | st.lists(TEXTS, max_size=2),
    ),
    min_size=1,
    max_size=30,
)

Table = dict[int, dict[str, Any]]


def events(table: Table, changes: list[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The changes as Debezium writes them, applied to the table along the way."""
    for key, what, name, weight, tags in changes:
        before = table.pop(key, None)
        if what == "delete":
            if before is not None:
                yield {"before": before, "after": None, "op": "d"}
            continue
        new = (key + 3) % 8 if what == "move" and (key + 3) % 8 not in table else key
        after = table[new] = {"id": new, "name": name, "weight": weight, "tags": tags}
        yield {"before": before, "after": after, "op": "c" if before is None else "u"}


@pytest.mark.slow
def test_through_every_sink_and_back(flink: FlinkLab, topic: str) -> None:
    """Debezium's changes as changes of each format in turn, then by key, then a stored table."""
    steps = [f"step{number}" for number in range(len(FORMATS) + 1)]
    for step, format_ in zip(steps, (*FORMATS, FORMATS[0]), strict=True):
        flink.make_topic(f"{topic}-{step}")
        flink.table(step, ROW, f"{topic}-{step}", format=format_)
    flink.make_topic(f"{topic}-upserts", 3)
    keyed = f"{ROW}, PRIMARY KEY (id) NOT ENFORCED"
    upsert = {"connector": "upsert-kafka", "format": "", "scan__startup__mode": ""}
    flink.table(
        "upserts", keyed, f"{topic}-upserts", **upsert, key__format="json", value__format="json"
    )
    flink.sql(f"CREATE TABLE kept ({keyed})")
    for source, sink in zip(steps, [*steps[1:], "upserts"], strict=True):
        flink.start(f"INSERT INTO {sink} SELECT * FROM {source}")
    flink.start("INSERT INTO kept SELECT * FROM upserts")
    model: Table = {}

    @settings(
        max_examples=4,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(CHANGES)
    def continues(changes: list[tuple[Any, ...]]) -> None:
        """More changes of the same table: what came before stays."""
        flink.produce(f"{topic}-step0", *events(model, changes))
        rows = [(key, *list(row.values())[1:]) for key, row in sorted(model.items())]
        pick = "SELECT id, name, CAST(weight AS STRING), tags FROM"
        flink.arrives(f"{pick} kept ORDER BY id", rows)
        for table in (*steps, "upserts"):
            assert flink.sql(f"{pick} {table} ORDER BY id") == rows, table

    continues()
