"""The interface of sinks: what both of them promise about the rows they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.engine import row_kinds
from sluice.engine.sinks.sink import sink_of
from sluice.engine.storage.ledger import Writer
from sluice.errors import SluiceError
from sluice.planner.named_collections import source_of
from sluice.planner.sink import kafka_sink
from sluice.planner.spec import SinkSpec

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.engine.sinks.sink import Sink


def test_sinks_take_inserts_once(lab: Lab, topic: str) -> None:
    """Rows of a changelog are written if they are inserts, and a committed batch is known.

    A table has the batch with its ranges; a topic that is written at least once cannot tell.
    """
    lab.make_topic(topic)
    lab.queue("q", topic, "key UInt64")
    lab.sql("CREATE TABLE s (key UInt64) ENGINE = MergeTree ORDER BY key")
    engine = lab.session._engine
    spark = engine.spark()
    kinds = {
        kind: spark.sql(f"SELECT 7 AS key, '{kind}' AS {row_kinds.COLUMN}")
        for kind in (
            row_kinds.INSERT,
            row_kinds.UPDATE_BEFORE,
            row_kinds.UPDATE_AFTER,
            row_kinds.DELETE,
        )
    }
    ranges = {topic: {0: (0, 3)}}

    def opened(name: str) -> Sink:
        table = engine.catalog.find(lab.database, name)
        assert table is not None
        kafka = kafka_sink(source_of(engine.environment, table)) if name == "q" else None
        sink = sink_of(SinkSpec(table, kafka), engine.store, spark, Writer("p", 1, "v"))
        sink.start()
        return sink

    for name in ("s", "q"):
        sink = opened(name)
        assert sink.last_batch() == -1
        assert not sink.has(0, ranges)
        sink.write(sink.prepare(kinds[row_kinds.INSERT]), 0, ranges)
        for kind in (row_kinds.UPDATE_BEFORE, row_kinds.UPDATE_AFTER, row_kinds.DELETE):
            text = f"takes rows of kind \\{row_kinds.INSERT} alone, and not \\{kind}"
            with pytest.raises(Exception, match=text):
                sink.write(sink.prepare(kinds[kind]), 1, ranges)
        sink.close()
        again = opened(name)
        assert again.last_batch() == (0 if name == "s" else -1)
        assert again.has(0, ranges) == (name == "s")
        again.close()
    assert lab.sql("SELECT key FROM s") == [(7,)]
    assert [message.value for message in lab.consume(topic)] == [b'{"key":7}\n']
    with pytest.raises(SluiceError) as said:
        opened("s").has(0, {topic: {0: (1, 3)}})
    assert said.value.condition.name == "BATCH_RANGES_DIFFER"
