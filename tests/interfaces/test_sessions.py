"""HTTP sessions: what `session_id` names."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest
from waiting import eventually

from sluice.formats.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interfaces.fakes import FakeSession
    from sluice.server.run import Server


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
        yield client


def code(answer: httpx.Response) -> str:
    return str(answer.headers.get("x-clickhouse-exception-code", "0"))


def test_a_session_keeps_database_and_settings(http: httpx.Client, session: FakeSession) -> None:
    for text in ("USE d", "SET 'pipeline.name' = 'n'", "SELECT 1"):
        assert http.post("/?session_id=s&dialect=flink", content=text).status_code == 200
    http.post("/?session_id=s&database=other", content="SELECT 1")
    http.post("/?session_id=s", content="SELECT 1")
    http.post("/?session_id=t", content="SELECT 1")
    http.post("/", content="SELECT 1")
    kept = {"pipeline.name": "n"}
    seen = [(call.database, call.settings, call.lasting) for call in session.calls[2:]]
    assert seen == [
        ("d", kept, True),
        ("other", kept, True),
        ("d", kept, True),
        ("default", {}, True),
        ("default", {}, False),
    ]


def test_a_session_is_there_or_not(http: httpx.Client, session: FakeSession) -> None:
    assert code(http.post("/?session_id=s&session_check=1", content="SELECT 1")) == "372"
    assert not session.calls
    assert code(http.post("/?session_id=s", content="SELECT 1")) == "0"
    assert code(http.post("/?session_id=s&session_check=1", content="SELECT 1")) == "0"
    last = http.post("/?session_id=s&session_check=1&close_session=1", content="")
    assert (code(last), last.text) == ("0", "")
    assert len(session.shared.ended) == 1
    assert code(http.post("/?session_id=s&session_check=1", content="SELECT 1")) == "372"


def test_a_session_ends_when_it_is_not_used(http: httpx.Client, session: FakeSession) -> None:
    http.post("/?session_id=kept&session_timeout=3600", content="SELECT 1")
    http.post("/?session_id=s&session_timeout=0", content="SELECT 1")
    eventually(lambda: len(session.shared.ended) == 1)
    assert code(http.post("/?session_id=s&session_check=1", content="SELECT 1")) == "372"
    assert code(http.post("/?session_id=kept&session_check=1", content="SELECT 1")) == "0"


@pytest.mark.parametrize("timeout", ["3601", "-1", "1.5", "x", ""])
def test_bad_timeouts(http: httpx.Client, session: FakeSession, timeout: str) -> None:
    answer = http.post(f"/?session_id=s&session_timeout={timeout}", content="SELECT 1")
    assert (answer.status_code, code(answer)) == (400, "374")
    assert not session.calls


def test_one_request_at_a_time(http: httpx.Client, session: FakeSession) -> None:
    entered, release = threading.Event(), threading.Event()

    def slow() -> Result:
        entered.set()
        release.wait(30)
        return Result()

    session.shared.answers["SELECT slow"] = slow
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(http.post, "/?session_id=s", content="SELECT slow")
        assert entered.wait(10)
        second = http.post("/?session_id=s", content="SELECT 1")
        assert (second.status_code, code(second)) == (423, "373")
        release.set()
        assert first.result().status_code == 200
    assert http.post("/?session_id=s", content="SELECT 1").status_code == 200
