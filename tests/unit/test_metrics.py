"""The metrics of an engine that runs nothing: what is exposed for which state of affairs."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from sluice import errors
from sluice.engine.activity import Activity
from sluice.engine.runtime.status import Status, now
from sluice.engine.statistics import Statistics
from sluice.system.background import Background
from sluice.system.health import Health
from sluice.system.prometheus import FAMILIES, Metrics
from sluice.system.prometheus.scrape import Slow
from sluice.system.prometheus.table import with_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.engine.engine import Engine

AWAY = errors.BROKER_UNREACHABLE(brokers="b:1", reason="the password S3CR3T is wrong")
DOCS = Path(__file__).parents[2] / "docs"


@dataclass
class FakeEngine:
    """What metrics and health read of an engine."""

    statistics: Statistics
    activity: Activity
    queries: list[Any] = field(default_factory=list)
    started_spark: Any = None
    jvm_pid: int | None = None
    resumed: bool = True
    gone: errors.SluiceError | None = None
    lineage: Any = None
    snapshot: Callable[[], object] = object
    memory: dict[str, list[int]] = field(default_factory=lambda: {"running": [], "idle": []})

    @property
    def workers(self) -> Any:
        return SimpleNamespace(memory=lambda: self.memory)

    @property
    def supervisor(self) -> Any:
        return SimpleNamespace(
            running=lambda: list(self.queries), broken_tables=self.broken, broken_jobs={}
        )

    broken: dict[str, Any] = field(default_factory=dict)

    @property
    def catalog(self) -> Any:
        return SimpleNamespace(snapshot=self.snapshot)

    def lost(self) -> errors.SluiceError | None:
        return self.gone

    def as_engine(self) -> Engine:
        return cast("Engine", self)


@pytest.fixture(autouse=True)
def without_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sluice.system.prometheus.metrics.measure", lambda _: Slow())


@pytest.fixture
def engine(tmp_path: Path) -> FakeEngine:
    statistics = Statistics()
    return FakeEngine(statistics, Activity(tmp_path, statistics))


def table(name: str, database: str = "default") -> Any:
    return SimpleNamespace(database=database, name=name, full_name=f"{database}.{name}")


def query(
    name: str,
    position: dict[str, dict[int, int]],
    ends: dict[str, dict[int, int]],
    *,
    group: str = "g",
    brokers: str = "127.0.0.1:1",
    job: str = "",
    statistics: Statistics | None = None,
) -> Any:
    """A query over a table, or of a job, that reads partitions at a position."""
    status = Status(statistics or Statistics())
    status.position, status.ends = position, ends
    of = table(name)
    properties = {"bootstrap.servers": brokers, "socket.timeout.ms": "10"}
    source = SimpleNamespace(
        table=of,
        group=group,
        connection=SimpleNamespace(brokers=brokers, librdkafka=lambda: properties),
    )
    stream = SimpleNamespace(
        source=source,
        owned=lambda offsets: offsets,
        oldest_times=dict,
        earliest={topic: dict.fromkeys(parts, 0) for topic, parts in ends.items()},
        generation=SimpleNamespace(topic_ids=dict.fromkeys(ends, "id")),
    )
    spec = SimpleNamespace(of_job=bool(job), outputs=[], state=())
    transform = SimpleNamespace(progress=SimpleNamespace(rows=7 if job else None))
    return SimpleNamespace(
        id=job or name, spec=spec, status=status, streams=[stream], transform=transform
    )


def scraped(engine: FakeEngine) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample by name and labels; no series is there twice."""
    text, _ = Metrics(engine.as_engine()).text()
    found: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    for family in text_string_to_metric_families(text.decode()):
        assert family.documentation, family.name
        assert family.type != "unknown", family.name
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found
            found[key] = sample.value
    return found


def of(found: dict[Any, float], name: str) -> dict[str, float]:
    """The samples of a metric by their labels, without the cluster."""
    return {
        " ".join(f"{k}={v}" for k, v in labels if k != "cluster_name"): value
        for (sample, labels), value in found.items()
        if sample == name
    }


def test_names_follow_the_conventions() -> None:
    names = [each.name for each in FAMILIES]
    assert len(set(names)) == len(names)
    for each in FAMILIES:
        assert each.name.startswith(("kafka_", "sluice_", "jvm_"))
        assert each.name.endswith("_total") == (each.kind == "counter"), each.name
        assert each.help[0].isupper() or each.help[0] == "1"


def test_lag_and_offsets_of_consumer_groups(engine: FakeEngine) -> None:
    reader = query("q", {"t": {0: 5, 1: 8}}, {"t": {0: 9, 1: 8}})
    reader.streams[0].oldest_times = lambda: {("t", 0): (time.time() - 100) * 1000}
    engine.queries = [reader]
    found = scraped(engine)
    assert of(found, "kafka_consumergroup_lag") == {
        "consumergroup=g partition=0 topic=t": 4,
        "consumergroup=g partition=1 topic=t": 0,
    }
    assert of(found, "kafka_consumergroup_lag_sum") == {"consumergroup=g topic=t": 4}
    assert of(found, "kafka_consumergroup_current_offset") == {
        "consumergroup=g partition=0 topic=t": 5,
        "consumergroup=g partition=1 topic=t": 8,
    }
    assert of(found, "kafka_topic_partition_current_offset") == {
        "partition=0 topic=t": 9,
        "partition=1 topic=t": 8,
    }
    assert of(found, "kafka_topic_partition_oldest_offset") == {
        "partition=0 topic=t": 0,
        "partition=1 topic=t": 0,
    }
    assert of(found, "kafka_topic_partitions") == {"topic=t": 2}
    seconds = of(found, "kafka_consumergroup_group_lag_seconds")
    assert seconds["group=g partition=1 topic=t"] == 0
    assert 100 <= seconds["group=g partition=0 topic=t"] < 200
    assert 100 <= of(found, "kafka_consumergroup_group_max_lag_seconds")["group=g"] < 200
    assert of(found, "sluice_pipeline_lag_messages") == {"pipeline=default.q": 4}


def test_a_group_that_reads_twice_is_as_late_as_its_last_reader(engine: FakeEngine) -> None:
    engine.queries = [
        query("q", {"t": {0: 5}}, {"t": {0: 9}}),
        query("r", {"t": {0: 7}}, {"t": {0: 10}}, job="1f"),
        query("s", {"t": {0: 1}}, {"t": {0: 2}}, brokers="127.0.0.1:2"),
    ]
    lags = {
        dict(labels)["cluster_name"]: value
        for (name, labels), value in scraped(engine).items()
        if name == "kafka_consumergroup_lag"
    }
    assert lags == {"127.0.0.1:1": 5, "127.0.0.1:2": 1}


def test_a_job_without_a_group_has_the_lag_of_its_pipeline(engine: FakeEngine) -> None:
    engine.queries = [query("q", {"t": {0: 5}}, {"t": {0: 9}}, group="", job="1f")]
    found = scraped(engine)
    assert of(found, "kafka_consumergroup_lag") == {}
    assert of(found, "sluice_pipeline_lag_messages") == {"pipeline=1f": 4}
    assert of(found, "sluice_pipeline_state_rows") == {"pipeline=1f": 7}


def test_the_state_of_a_pipeline(engine: FakeEngine) -> None:
    fine, waits = query("q", {}, {}), query("w", {}, {}, statistics=engine.statistics)
    fine.status.running()
    waits.status.waiting(AWAY, now())
    waits.status.retries = 3
    broken = errors.CHECKPOINT_MISSING(table="b", path="p")
    engine.queries, engine.broken = [fine, waits], {"id": (table("b"), broken)}
    found = scraped(engine)
    states = of(found, "sluice_pipeline_state")
    assert len(states) == 3 * 7
    assert [name for name, value in states.items() if value] == [
        "pipeline=default.q state=RUNNING",
        "pipeline=default.w state=WAITING",
        "pipeline=default.b state=FAILED",
    ]
    assert of(found, "sluice_pipeline_error") == {
        "condition=BROKER_UNREACHABLE pipeline=default.w": 1,
        "condition=CHECKPOINT_MISSING pipeline=default.b": 1,
    }
    assert of(found, "sluice_errors_total") == {"condition=BROKER_UNREACHABLE": 1}
    assert of(found, "sluice_pipeline_retries_total")["pipeline=default.w"] == 3


def test_batches_and_rows(engine: FakeEngine) -> None:
    reader = query("q", {}, {}, statistics=engine.statistics)
    reader.status.batch_done(10, {"t": {0: 10}}, 0.3)
    reader.status.batch_done(5, {"t": {0: 15}}, 400.0)
    reader.status.batch_done(5, {"t": {0: 20}})
    reader.status.rows["default.v"] += 15
    engine.queries = [reader]
    found = scraped(engine)
    assert of(found, "sluice_pipeline_batches_total") == {"pipeline=default.q": 3}
    assert of(found, "sluice_pipeline_messages_total") == {"pipeline=default.q": 20}
    assert of(found, "sluice_pipeline_batch_seconds_total") == {"pipeline=default.q": 400.3}
    assert of(found, "sluice_pipeline_rows_written_total") == {
        "pipeline=default.q target=default.v": 15
    }
    buckets = of(found, "sluice_batch_duration_seconds_bucket")
    assert [buckets[f"le={le}"] for le in ("0.25", "0.5", "300.0", "+Inf")] == [0, 1, 1, 2]


def test_statements_by_kind(engine: FakeEngine) -> None:
    with engine.activity.statement("SELECT 1", "default", "clickhouse") as made:
        made.kind = "Select"
        assert of(scraped(engine), "sluice_queries_running") == {"kind=Select": 1}
    with (
        pytest.raises(errors.SluiceError),
        engine.activity.statement("SELEC 1", "default", "clickhouse"),
    ):
        raise errors.SYNTAX_ERROR(reason="expected SELECT")
    found = scraped(engine)
    assert of(found, "sluice_query_duration_seconds_count") == {"kind=Select": 1, "kind=Invalid": 1}
    assert of(found, "sluice_queries_failed_total") == {"kind=Select": 0, "kind=Invalid": 1}
    assert of(found, "sluice_queries_running") == {}


def test_workers_of_queries(engine: FakeEngine) -> None:
    engine.memory = {"running": [300, 200], "idle": [100]}
    found = scraped(engine)
    assert of(found, "sluice_query_workers") == {"state=running": 2, "state=idle": 1}
    memory = of(found, "sluice_query_workers_memory_bytes")
    assert memory == {"state=running": 500, "state=idle": 100}


def test_openmetrics_for_those_who_ask(engine: FakeEngine) -> None:
    engine.queries = [query('q"\n\\', {"t": {0: 5}}, {"t": {0: 9}})]
    text, content_type = Metrics(engine.as_engine()).text(
        "application/openmetrics-text;version=nonsense;q=0.5,text/plain", 3
    )
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    assert text.endswith(b"# EOF\n")
    parse: Any = openmetrics.text_string_to_metric_families
    found = {each.name: each for each in parse(text.decode())}
    (lag,) = found["sluice_pipeline_lag_messages"].samples
    assert (lag.labels, lag.value) == ({"pipeline": 'default.q"\n\\'}, 4)
    assert found["sluice_pipeline_batches"].type == "counter"
    (open_,) = found["sluice_http_connections"].samples
    assert open_.value == 3


def test_no_secret_is_exposed(engine: FakeEngine) -> None:
    waits = query("q", {}, {}, statistics=engine.statistics)
    waits.status.waiting(AWAY, now())
    engine.queries = [waits]
    with engine.activity.statement("SELECT 'S3CR3T'", "default", "clickhouse"):
        text, _ = Metrics(engine.as_engine()).text()
    assert b"S3CR3T" not in text
    assert "S3CR3T" not in str(Health(engine.as_engine()).report())


def test_engines_share_nothing(engine: FakeEngine, tmp_path: Path) -> None:
    other = FakeEngine(Statistics(), Activity(tmp_path, Statistics()))
    engine.statistics.report(AWAY)
    assert of(scraped(engine), "sluice_errors_total")
    assert not of(scraped(other), "sluice_errors_total")


def test_a_scrape_of_500_tables_takes_little_time(engine: FakeEngine) -> None:
    parts = dict.fromkeys(range(3), 5)
    engine.queries = [
        query(f"q{n}", {f"t{n}": parts}, {f"t{n}": parts}, group=f"g{n}") for n in range(500)
    ]
    metrics = Metrics(engine.as_engine())
    best = min(_cpu_seconds(metrics.text) for _ in range(5))
    assert best < 0.3, "many times as long as on a machine that does nothing else"


def _cpu_seconds(call: Callable[[], object]) -> float:
    begun = time.thread_time()
    call()
    return time.thread_time() - begun


def test_what_does_not_answer_is_not_waited_for() -> None:
    released = threading.Event()
    calls = []

    def read() -> str:
        calls.append(1)
        released.wait(20)
        return "read"

    slow = Background(read, "nothing", patience=0.01)
    assert [slow.value(), slow.value()] == ["nothing"] * 2
    assert len(calls) == 1, "it is asked once at a time"
    released.set()
    for _ in range(200):
        if slow.value() == "read":
            break
    assert slow.value() == "read"


def test_a_value_that_cannot_be_read_again_expires() -> None:
    answers = iter(["read"])
    short = Background(lambda: next(answers), "nothing", patience=5, lasts=0.2)
    assert short.value() == "read"
    time.sleep(0.25)
    assert short.value() == "nothing"


def test_a_server_is_ready_although_a_pipeline_waits(engine: FakeEngine) -> None:
    waits = query("w", {}, {})
    waits.status.waiting(AWAY, now())
    engine.queries, engine.started_spark = [waits], object()
    report = Health(engine.as_engine()).report()
    assert report.ok
    assert report.fields()["pipelines"] == {"WAITING": 1}
    assert report.fields()["not_running"] == [
        {"pipeline": "default.w", "state": "WAITING", "error": "BROKER_UNREACHABLE"}
    ]


def test_each_check_of_readiness(engine: FakeEngine) -> None:
    def closed() -> object:
        raise OSError

    engine.resumed, engine.snapshot = False, closed
    health = Health(engine.as_engine())
    assert {each.name: each.ok for each in health.report().checks} == {
        "jvm": True,
        "spark": False,
        "catalog": False,
        "pipelines": False,
    }
    assert health.live().ok, "a server that starts is alive"
    engine.gone = errors.SPARK_LOST(reason="it was killed")
    assert not health.live().ok


def test_the_page_lists_every_metric_and_no_other(engine: FakeEngine) -> None:
    page = (DOCS / "MONITORING.md").read_text("utf-8")
    assert page == with_table(page), "run python -m sluice.system.prometheus"
    known = {name for name, _ in scraped(engine)} | {each.name for each in FAMILIES}
    named = set(re.findall(r"\b(?:kafka|sluice|jvm|process)_\w+(?<!_)", page))
    assert named - known <= {"kafka_exporter", "sluice_jvm"}
    assert {name for name in known if name.startswith("process_")} <= named


def test_the_dashboard_shows_every_metric_of_ours() -> None:
    text = (DOCS / "grafana" / "sluice.json").read_text("utf-8")
    shown = set(re.findall(r"\bsluice_\w+", text))
    ours = {each.name for each in FAMILIES if each.name.startswith("sluice_")}
    endings = ("", "_bucket", "_count")
    assert not [name for name in ours if not any(f"{name}{end}" in shown for end in endings)]
