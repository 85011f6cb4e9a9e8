"""Whatever stands in options or in a configuration file: an error of ours, or a table."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from options.tables import DLI, FLINK, NEEDED, UPSERT, clickhouse, flink
from sluice.config import load
from sluice.errors import SluiceError
from sluice.options.kafka import KAFKA
from sluice.planner.explain import explain
from sluice.planner.source import check_create
from sluice.planner.topic_sink import flink_sink
from sluice.planner.topic_source import flink_source

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.one_of(
    st.text(max_size=30),
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(),
    st.sampled_from(
        ["", "true", "json", "csv", "avro-confluent", "JSONEachRow", "none", "a;b", "1 s", "{x}",
         "timestamp", "specific-offsets", "partition:0,offset:1", "exactly-once", "custom", "("]
    ),
)  # fmt: skip


def options(dialect: str) -> st.SearchStrategy[dict[str, Any]]:
    prefix = KAFKA.properties.get(dialect, "kafka_")
    names = st.one_of(
        st.sampled_from(sorted(KAFKA.named(dialect))),
        st.text(max_size=12).map(lambda tail: prefix + tail),
        st.text(max_size=12),
        st.sampled_from(["connector.properties.0.key", "connector.specific-offsets.9.offset"]),
    )
    return st.dictionaries(names, VALUES, max_size=6)


COLUMNS = "id name ts@timestamp x=upper(name) p@partition!"


@settings(max_examples=80, deadline=None)
@given(options("clickhouse"))
def test_clickhouse(given_options: dict[str, Any]) -> None:
    table = clickhouse({**NEEDED, **given_options}, "a b=lower(a)")
    with suppress(SluiceError):
        check_create(table)
    assert len(explain(table)) >= len(table.settings)
    KAFKA.shown(table.settings, "clickhouse")


@settings(max_examples=80, deadline=None)
@given(st.sampled_from([FLINK, UPSERT]), options("flink"), st.sampled_from(["", "id", "id none"]))
def test_flink(base: dict[str, Any], given_options: dict[str, Any], key: str) -> None:
    check({**base, **given_options}, key)


@settings(max_examples=80, deadline=None)
@given(options("dli"), st.sampled_from(["", "id"]))
def test_dli(given_options: dict[str, Any], key: str) -> None:
    check({**DLI, **given_options}, key)


def check(given_options: dict[str, Any], key: str) -> None:
    table = flink(given_options, COLUMNS, key)
    for use in (flink_source, flink_sink):
        with suppress(SluiceError):
            use(table)
    explain(table)
    KAFKA.shown(given_options, "flink")


PIECES = st.sampled_from(
    ["<clickhouse>", "</clickhouse>", "<kafka>", "</kafka>", "<retries>", "</retries>", "1", "&lt;",
     "<kafka_topic>", "<name>t</name>", "</kafka_topic>", "<consumer>", "</consumer>", "<debug/>",
     "<named_collections>", "</named_collections>", "<k>", "</k>", "<profiles>", "</profiles>",
     "<!DOCTYPE a>", "<![CDATA[x]]>", "kafka:", "\n  ", "- ", "retries: 1", "{", "}", "&a", "*a",
     "!!python/name:os", "\x00", "é"]
)  # fmt: skip


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["xml", "yaml"]))
def test_files(tmp_path: Path, text: str, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text(text, "utf-8")
    with suppress(SluiceError):
        assert load(path).files == (str(path),)


def test_a_long_login_takes_no_time() -> None:
    for long in ("a=" * 50_000, "x required " + "a" * 100_000, 'x required a="' + "\\" * 99_999):
        table = flink({**FLINK, "properties.sasl.jaas.config": long})
        with suppress(SluiceError):
            flink_source(table)
