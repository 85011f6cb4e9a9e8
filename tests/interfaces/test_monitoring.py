"""Metrics and health over HTTP, and logs that machines read."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import httpx
import pytest

from sluice import errors
from sluice.engine.activity import Activity
from sluice.engine.logs import about_pipeline, log_to
from sluice.engine.statistics import Statistics
from sluice.server.run import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interfaces.fakes import FakeSession


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
        yield client


def test_metrics_are_asked_for_with_the_accepted_format(http: httpx.Client) -> None:
    answer = http.get("/metrics", headers={"Accept": "application/openmetrics-text"})
    assert answer.status_code == 200
    assert answer.text == "accept application/openmetrics-text\nconnections 1\n"
    assert http.post("/metrics").status_code == 405


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_readiness_is_not_liveness(http: httpx.Client, session: FakeSession, path: str) -> None:
    assert http.get(path).json() == {
        "status": "ok",
        "checks": [
            {"name": "jvm", "ok": True, "detail": ""},
            {"name": "spark", "ok": True, "detail": ""},
        ],
        "pipelines": {"WAITING": 1},
        "not_running": [],
    }
    session.shared.ready = False
    answer = http.get(path)
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert http.get("/health/live").status_code == 200
    assert http.get("/ping").text == "Ok.\n"


def test_a_server_without_its_jvm_is_not_alive(http: httpx.Client, session: FakeSession) -> None:
    session.shared.lost = errors.SPARK_LOST(reason="it was killed")
    assert http.get("/health/live").status_code == 503
    assert http.get("/health/ready").status_code == 503


def test_replicas_status_as_clickhouse_answers(http: httpx.Client) -> None:
    assert http.get("/replicas_status").text == "Ok.\n"


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_line_of_a_json_log_is_an_object(tmp_path: Path) -> None:
    log, path = logging.getLogger("sluice.test"), tmp_path / "sluice.log"
    activity = Activity(tmp_path, Statistics())
    end = log_to(path, "json")
    try:
        with activity.statement("SELECT 1", "default", "clickhouse", "q-1"):
            log.warning("two\nlines of %s", "яж")
        with about_pipeline("default.q"):
            try:
                raise ValueError("bad")
            except ValueError:
                log.exception("it failed")
        log.error("")
    finally:
        end()
    first, second, third = lines(path)
    assert first.pop("time").endswith("+00:00")
    assert first == {
        "level": "WARNING",
        "logger": "sluice.test",
        "message": "two\nlines of яж",
        "query_id": "q-1",
    }
    assert second["pipeline"] == "default.q"
    assert second["exception"].endswith("ValueError: bad")
    assert third["message"] == ""


def test_the_log_of_a_server_is_json_if_it_is_told_so(session: FakeSession) -> None:
    with Server(port=0, log_format="json").start(session.as_session()) as server:
        url = f"{server.url}/?query=SELECT+broken&query_id=one"
        assert httpx.get(url, trust_env=False).status_code == 500
    failed = [each for each in lines(session.logs / "server.log") if each["level"] == "ERROR"]
    assert [each["message"] for each in failed] == ["Request one failed"]
    assert "ValueError" in failed[0]["exception"]
