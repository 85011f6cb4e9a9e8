"""OpenLineage events of pipelines: what is in them, when they are sent, and where to."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from sluice import errors
from sluice.config import Config, Hosts, OpenLineage
from sluice.engine.lineage import transports
from sluice.engine.lineage.emitter import Lineage
from sluice.engine.lineage.events import event
from sluice.engine.lineage.transports import HttpTransport
from sluice.engine.runtime.status import Status
from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from session.lab import Lab

RUN = "3d7d3e0c-6b5c-4c4c-9d2f-3b6a0c3a9a11"
TIME = "2026-01-01T00:00:00+00:00"
AWAY = errors.BROKER_UNREACHABLE(brokers="b:1", reason="it is off")
GONE = errors.CHECKPOINT_MISSING(table="t", path="p")


def running(lab: Lab, name: str) -> Any:
    """The query of a table, as far as lineage looks at it."""
    spec = lab.spec(name)
    streams = [
        SimpleNamespace(source=each.source, input=each, generation=SimpleNamespace(topic_ids={}))
        for each in spec.streams
    ]
    return SimpleNamespace(
        id=spec.id, title=name, spec=spec, streams=streams, resources=lab.engine, status=Status()
    )


@pytest.fixture
def pipeline(lab: Lab) -> Any:
    lab.run(
        "CREATE TABLE q (id UInt64, name String, extra String) "
        "ENGINE = Kafka('b1:9092,b2:9092', 'in', 'g', 'JSONEachRow') "
        "SETTINGS kafka_security_protocol = 'sasl_ssl', kafka_sasl_mechanism = 'PLAIN', "
        "kafka_sasl_username = 'me', kafka_sasl_password = 'S3CR3T'",
        "CREATE TABLE v (id UInt64, name String) ENGINE = MergeTree ORDER BY id",
        "CREATE TABLE w (name String) ENGINE = Kafka('b1:9092', 'out', 'g', 'JSONEachRow')",
        "CREATE TABLE n (id UInt64) ENGINE = Null",
        "CREATE MATERIALIZED VIEW a TO v AS SELECT id, upper(name) AS name FROM q",
        "CREATE MATERIALIZED VIEW b TO w AS SELECT name FROM q",
        "CREATE MATERIALIZED VIEW c TO n AS SELECT id FROM q",
    )
    return running(lab, "q")


def checked(made: dict[str, Any]) -> dict[str, Any]:
    """An event that has what the specification requires of one."""
    assert made.keys() == {
        "eventType", "eventTime", "producer", "schemaURL", "run", "job", "inputs", "outputs"
    }  # fmt: skip
    assert made["schemaURL"] == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    datasets = [*made["inputs"], *made["outputs"]]
    for part in (made["run"], made["job"], *datasets):
        for facet in part["facets"].values():
            assert facet["_producer"] == made["producer"]
            assert facet["_schemaURL"].startswith("https://openlineage.io/spec/facets/")
    for each in (made["job"], *datasets):
        assert each["namespace"]
        assert each["name"]
    assert json.loads(json.dumps(made)) == made
    return made


def test_the_event_of_a_pipeline(lab: Lab, pipeline: Any) -> None:
    made = checked(event("START", TIME, RUN, "shop", pipeline))
    assert (made["eventType"], made["eventTime"]) == ("START", TIME)
    assert made["run"] == {"runId": RUN, "facets": {}}
    assert (made["job"]["namespace"], made["job"]["name"]) == ("shop", "default.q")
    assert made["job"]["facets"]["jobType"]["processingType"] == "STREAMING"
    (topic,) = made["inputs"]
    assert (topic["namespace"], topic["name"]) == ("kafka://b1:9092", "in")
    assert topic["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "UInt64"},
        {"name": "name", "type": "String"},
        {"name": "extra", "type": "String"},
    ]
    stored, written = made["outputs"]
    path = str(lab.engine.store.path(lab.table("v")))
    assert (stored["namespace"], stored["name"]) == ("file", path)
    assert stored["facets"]["symlinks"]["identifiers"] == [
        {"namespace": "sluice", "name": "default.v", "type": "TABLE"}
    ]
    used = stored["facets"]["columnLineage"]["dataset"]
    assert [(each["name"], each["field"]) for each in used] == [("in", "id"), ("in", "name")]
    assert (written["namespace"], written["name"]) == ("kafka://b1:9092", "out")
    assert "S3CR3T" not in json.dumps(made)


def test_the_event_of_a_failure_has_its_condition(pipeline: Any) -> None:
    made = checked(event("FAIL", TIME, RUN, "sluice", pipeline, "CHECKPOINT_MISSING"))
    assert made["run"]["facets"]["errorMessage"]["message"] == "CHECKPOINT_MISSING"


def kinds(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [checked(json.loads(line))["eventType"] for line in lines]


def followed(path: Path, pipeline: Any) -> Lineage:
    lineage = Lineage.of(Config(openlineage=OpenLineage(path)))
    assert lineage is not None
    lineage.follow(pipeline)
    return lineage


def test_a_run_starts_once_and_ends_once(tmp_path: Path, pipeline: Any) -> None:
    lineage, status = followed(tmp_path / "events", pipeline), pipeline.status
    status.waiting(AWAY, None)
    status.running()
    status.running()
    status.waiting(AWAY, None)
    status.running()
    status.failed(GONE)
    status.stopped()
    lineage.close(20)
    assert kinds(tmp_path / "events") == ["START", "RUNNING", "FAIL"]
    assert lineage.counts == {"sent": 3}
    assert (tmp_path / "events").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("end", "sent"),
    [
        (Status.finished, ["START", "COMPLETE"]),
        (Status.stopped, ["START", "ABORT"]),
        (lambda status: status.failed(GONE), ["START", "FAIL"]),
    ],
)
def test_how_a_run_ends(tmp_path: Path, pipeline: Any, end: Any, sent: list[str]) -> None:
    lineage = followed(tmp_path / "events", pipeline)
    pipeline.status.running()
    end(pipeline.status)
    lineage.close(20)
    assert kinds(tmp_path / "events") == sent


def test_a_pipeline_that_never_ran_has_no_run_unless_it_fails(
    tmp_path: Path, pipeline: Any
) -> None:
    lineage = followed(tmp_path / "events", pipeline)
    pipeline.status.halted("PAUSED")
    pipeline.status.stopped()
    lineage.close(20)
    assert kinds(tmp_path / "events") == []
    lineage = followed(tmp_path / "events", pipeline)
    pipeline.status.failed(GONE)
    lineage.close(20)
    assert kinds(tmp_path / "events") == ["START", "FAIL"]


def test_a_pipeline_never_waits_for_its_events(pipeline: Any) -> None:
    released = threading.Event()
    stuck: Any = SimpleNamespace(send=lambda _: released.wait(30))
    lineage = Lineage([stuck], "sluice")
    lineage.follow(pipeline)
    for _ in range(1100):
        pipeline.status.running()
        pipeline.status.waiting(AWAY, None)
    assert lineage.counts["dropped"] >= 99
    released.set()
    lineage.close(20)


class Collector(HTTPServer):
    """Takes events; answers with the statuses of a list, then with 201."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.received: list[tuple[str, str | None, Any]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v1/lineage"


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received = (self.path, self.headers["Authorization"], json.loads(body))
        self.server.received.append(received)
        status = self.server.statuses.pop(0) if self.server.statuses else 201
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


ALLOWED = Hosts(("127.0.0.1",))


def test_events_are_posted_and_retried(
    collector: Collector, pipeline: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "_PAUSES_S", (0.0, 0.0, 0.0))
    collector.statuses = [503, 500]
    given = OpenLineage(url=collector.url, key=Secret("S3CR3T"))
    lineage = Lineage.of(Config(openlineage=given, hosts=ALLOWED))
    assert lineage is not None
    lineage.follow(pipeline)
    pipeline.status.running()
    eventually(lambda: lineage.counts["sent"], lambda sent: sent == 1)
    lineage.close(20)
    assert len(collector.received) == 3
    path, key, made = collector.received[-1]
    assert (path, key) == ("/api/v1/lineage", "Bearer S3CR3T")
    assert checked(made)["eventType"] == "START"


def test_a_redirect_is_not_followed(collector: Collector) -> None:
    collector.statuses = [302]
    with pytest.raises(OSError, match="302"):
        HttpTransport(collector.url, ALLOWED).send("{}")
    assert len(collector.received) == 1


@pytest.mark.parametrize(
    ("url", "condition"),
    [
        ("http://127.0.0.1:5000/api", "UNACCEPTABLE_URL"),
        ("http://localhost/api", "UNACCEPTABLE_URL"),
        ("file:///etc/passwd", "INVALID_URL"),
        ("http://me:S3CR3T@example.org/api", "INVALID_URL"),
        ("nonsense", "INVALID_URL"),
    ],
)
def test_urls_that_are_refused(url: str, condition: str) -> None:
    with pytest.raises(errors.SluiceError) as caught:
        Lineage.of(Config(openlineage=OpenLineage(url=url)))
    assert caught.value.condition.name == condition
    assert "S3CR3T" not in caught.value.text()
