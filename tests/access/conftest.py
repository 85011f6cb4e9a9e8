from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from access.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One data folder for all: a database with a Kafka table, a stored one, a view."""
    with Lab(tmp_path_factory.mktemp("access")) as lab:
        lab.run(
            "CREATE DATABASE db",
            "CREATE TABLE db.t (a UInt64, b String, c UInt8) ENGINE = MergeTree ORDER BY a",
            "CREATE TABLE db.u (a UInt64) ENGINE = MergeTree ORDER BY a",
            "CREATE TABLE db.q (a UInt64) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')",
            "CREATE MATERIALIZED VIEW db.v TO db.u AS SELECT a FROM db.q",
            "CREATE NAMED COLLECTION hidden_collection AS kafka_broker_list = 'b'",
        )
        lab.run("CREATE TABLE flinks (a BIGINT) WITH ('connector' = 'delta')", dialect="flink")
        yield lab
