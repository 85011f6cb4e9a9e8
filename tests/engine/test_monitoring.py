"""Metrics and health of a real server while a pipeline runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from waiting import eventually

from engine.lab import Lab, keys
from sluice.kafka.producer import Message
from sluice.server.run import Server
from sluice.system.prometheus.slow import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.session import Session

DASHBOARD = Path(__file__).parents[2] / "docs" / "grafana" / "sluice.json"
_TYPE = re.compile(r"^# TYPE (\S+) (\S+)$", re.MULTILINE)
_NAME = re.compile(r"\b(?:kafka|sluice|jvm|process)_\w+")


@pytest.fixture
def http(engine: Session) -> Iterator[httpx.Client]:
    with (
        Server(port=0).start(engine) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client,
    ):
        yield client


def samples(http: httpx.Client) -> dict[str, list[tuple[dict[str, str], float]]]:
    """What is measured now, by name."""
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    answer = http.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def declared(http: httpx.Client) -> set[str]:
    """The names of all series that there can be, as the answer declares them."""
    found = set()
    for name, kind in _TYPE.findall(http.get("/metrics").text):
        found.add(name)
        if kind in ("histogram", "summary"):
            found |= {f"{name}_{part}" for part in ("bucket", "count", "sum")}
    return found


def expressions(node: Any) -> Iterator[str]:
    """The queries of a dashboard."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("expr", "definition") if key in node)
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from expressions(child)


def test_what_prometheus_sees_of_a_pipeline(lab: Lab, topic: str, http: httpx.Client) -> None:
    lab.pipe(topic, kafka_handle_error_mode="dead_letter_queue")
    copied = f"{topic}-copied"
    lab.make_topic(copied)
    lab.queue("w", copied)
    lab.sql("CREATE MATERIALIZED VIEW n TO w AS SELECT key FROM q WHERE key < 2")
    lab.produce(topic, *keys(4), Message(b"{bad"))
    lab.counted("v", 4)
    mine = {"pipeline": f"{lab.database}.q"}

    def value(name: str, **labels: str) -> float | None:
        wanted = [
            value
            for given, value in samples(http).get(name, [])
            if given.items() >= (labels or mine).items()
        ]
        return wanted[0] if len(wanted) == 1 else None

    rows = "sluice_pipeline_rows_written_total"
    written = {f"{lab.database}.v": 4, f"{lab.database}.w": 2}
    eventually(lambda: {each: value(rows, **mine, target=each) for each in written} == written)
    eventually(
        lambda: value("kafka_topic_partition_current_offset", topic=topic), lambda end: end == 5
    )
    group = {"consumergroup": topic, "topic": topic, "partition": "0", "cluster_name": lab.brokers}
    assert value("kafka_consumergroup_current_offset", **group) == 5
    assert value("kafka_consumergroup_lag", **group) == 0
    assert value("kafka_consumergroup_lag_sum", consumergroup=topic) == 0
    assert value("kafka_consumergroup_group_max_lag_seconds", group=topic) == 0
    assert value("kafka_topic_partitions", topic=topic) == 1
    assert value("kafka_topic_partition_oldest_offset", topic=topic) == 0
    assert value("sluice_pipeline_state", **mine, state="RUNNING") == 1
    assert value("sluice_pipeline_messages_total") == 5
    assert value("sluice_pipeline_dead_letters_total") == 1
    measured = measure(lab.session._engine)
    assert measured.earliest[lab.brokers][topic] == {0: 0}
    assert (value("sluice_pipeline_batch_seconds_total") or 0) > 0
    found = samples(http)
    for name in ("jvm_threads_current", "sluice_http_connections", "process_open_fds"):
        assert found[name][0][1] > 0
    assert found["jvm_memory_used_bytes"][0][1] > 1e6
    assert found["sluice_jvm_process_resident_memory_bytes"][0][1] > 1e6
    assert sum(n for _, n in found["sluice_batch_duration_seconds_count"]) > 0
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    used = {name for text in expressions(dashboard) for name in _NAME.findall(text)}
    assert used - declared(http) == set(), "the dashboard asks for metrics that do not exist"
    assert len(used) > 30

    report = http.get("/health").json()
    assert report["status"] == "ok"
    assert [check["name"] for check in report["checks"]] == ["jvm", "spark", "catalog", "pipelines"]
    assert report["pipelines"]["RUNNING"] >= 1
    assert http.get("/health/live").json()["status"] == "ok"
