"""The HTTP contract, against a session that answers from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from sluice import errors
from sluice.server import request as limits
from sluice.server.guard import Guard, check_bind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interfaces.fakes import FakeSession
    from sluice.server.run import Server


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
        yield client


def test_post_runs_the_body(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/", content="SELECT 1")
    assert (answer.status_code, answer.text) == (200, "1\n")
    assert answer.headers["content-type"] == "text/tab-separated-values; charset=UTF-8"
    assert answer.headers["x-clickhouse-format"] == "TabSeparated"
    assert answer.headers["x-clickhouse-timezone"] == "UTC"
    assert answer.headers["x-clickhouse-query-id"]
    assert [(c.sql, c.readonly) for c in session.calls] == [("SELECT 1", False)]


def test_get_runs_the_query_read_only(http: httpx.Client, session: FakeSession) -> None:
    assert http.get("/", params={"query": "SELECT 1"}).text == "1\n"
    assert session.calls[0].readonly


def test_get_may_not_write(http: httpx.Client) -> None:
    answer = http.get("/", params={"query": "DROP TABLE t", "readonly": "0"})
    assert answer.status_code == 405
    assert answer.headers["x-clickhouse-exception-code"] == "164"
    assert "POST" in answer.text


def test_post_with_readonly_may_not_write(http: httpx.Client) -> None:
    assert http.post("/?readonly=1", content="DROP TABLE t").status_code == 405


@pytest.mark.parametrize("path", ["/", "/ping"])
def test_says_ok(http: httpx.Client, path: str) -> None:
    assert http.get(path).text == "Ok.\n"
    assert http.head(path).status_code == 200


def test_query_and_body_are_joined(http: httpx.Client, session: FakeSession) -> None:
    insert = "INSERT INTO t FORMAT JSONEachRow"
    assert http.post("/", params={"query": insert}, content='{"a":1}').status_code == 200
    assert session.calls[0].sql == insert + '\n{"a":1}'


def test_a_statement_without_an_answer_has_an_empty_body(http: httpx.Client) -> None:
    answer = http.post("/", content="CREATE DATABASE d")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(
    ("params", "headers", "format_name"),
    [
        ({"default_format": "jsoneachrow"}, {}, "JSONEachRow"),
        ({}, {"X-ClickHouse-Format": "CSV"}, "CSV"),
    ],
)
def test_format_of_the_request(
    http: httpx.Client, params: dict[str, str], headers: dict[str, str], format_name: str
) -> None:
    answer = http.post("/", params=params, headers=headers, content="SELECT 1")
    assert answer.headers["x-clickhouse-format"] == format_name


def test_format_of_the_statement_comes_first(http: httpx.Client) -> None:
    answer = http.post("/?default_format=CSV", content="SELECT 1 FORMAT JSONEachRow")
    assert answer.text == '{"x":1}\n'
    assert answer.headers["content-type"] == "application/x-ndjson; charset=UTF-8"


def test_unknown_default_format_runs_nothing(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/?default_format=JSONEachRaw", content="INSERT INTO t VALUES (1)")
    assert answer.status_code == 404
    assert "JSONEachRow" in answer.text
    assert not session.calls


def test_unknown_format_of_the_statement(http: httpx.Client) -> None:
    assert http.post("/", content="SELECT 1 FORMAT Nope").status_code == 404


def test_long_answers_are_whole(http: httpx.Client) -> None:
    assert http.post("/", content="SELECT many").text == "".join(f"{n}\n" for n in range(50_000))


@pytest.mark.parametrize(
    ("params", "headers"), [({"database": "d"}, {}), ({}, {"X-ClickHouse-Database": "d"})]
)
def test_database(
    http: httpx.Client, session: FakeSession, params: dict[str, str], headers: dict[str, str]
) -> None:
    http.post("/", params=params, headers=headers, content="SELECT 1")
    assert session.calls[0].database == "d"


def test_unknown_database(http: httpx.Client) -> None:
    answer = http.post("/?database=nowhere", content="SELECT 1")
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (404, "81")


def test_other_parameters_are_settings(http: httpx.Client, session: FakeSession) -> None:
    http.post("/?max_threads=2&query_id=q1&user=u&compress=0", content="SELECT 1")
    assert session.calls[0].settings == {"max_threads": "2"}


def test_query_id_is_given_back(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/?query_id=my-1", content="SELECT 1")
    assert session.shared.query_ids == ["my-1"]
    assert answer.headers["x-clickhouse-query-id"] == "my-1"


def test_query_id_of_a_header(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/", content="SELECT 1", headers={"X-ClickHouse-Query-Id": "mine"})
    assert answer.headers["x-clickhouse-query-id"] == "mine"
    assert session.shared.query_ids == ["mine"]


def test_query_id_cannot_forge_headers(http: httpx.Client) -> None:
    answer = http.post("/", params={"query_id": "a\r\nX-Evil: 1"}, content="SELECT 1")
    assert "x-evil" not in answer.headers
    assert len(answer.headers["x-clickhouse-query-id"]) == 36


def test_error_form(http: httpx.Client) -> None:
    answer = http.post("/", content="SELEC 1")
    assert answer.status_code == 400
    assert answer.headers["x-clickhouse-exception-code"] == "62"
    assert answer.headers["content-type"].startswith("text/plain")
    text = "Syntax error: expected SELECT (line 1, column 1)."
    assert answer.text == f"Code: 62. DB::Exception: {text} (SYNTAX_ERROR)\n"
    answer = http.post("/?dialect=flink", content="SELEC 1")
    assert answer.headers["x-clickhouse-exception-code"] == "62"
    assert answer.text == f"Code: 62. SYNTAX_ERROR: {text}\n"


def test_an_unexpected_exception_stays_inside(http: httpx.Client, tmp_path: Path) -> None:
    answer = http.post("/?query_id=q7", content="SELECT broken")
    assert answer.status_code == 500
    assert "q7" in answer.text
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    logged = (tmp_path / "logs" / "server.log").read_text()
    assert "q7" in logged
    assert "ValueError: the secret inside" in logged


@pytest.mark.parametrize("body", [b"", b"  \n"])
def test_empty_statement(http: httpx.Client, body: bytes) -> None:
    assert http.post("/", content=body).status_code == 400


def test_body_must_be_utf8(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/", content=b"SELECT '\xff'")
    assert answer.status_code == 400
    assert "byte 9" in answer.text
    assert not session.calls


def test_non_ascii(http: httpx.Client) -> None:
    assert http.post("/", content="SELECT 'яж'").text == "яж\n"
    assert http.get("/", params={"query": "SELECT 'яж'"}).text == "яж\n"


@pytest.mark.parametrize("params", ["dialect=oracle", "decompress=1", "client_protocol_version=x"])
def test_refused_parameters(http: httpx.Client, session: FakeSession, params: str) -> None:
    assert http.post(f"/?{params}", content="SELECT 1").status_code == 400
    assert not session.calls


def test_refused_encoding(http: httpx.Client) -> None:
    answer = http.post("/", content=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 400


def test_a_long_statement_is_refused(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post("/", content=b"SELECT " + b"(" * limits.STATEMENT_LIMIT)
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (413, "307")
    assert not session.calls


@pytest.mark.parametrize(
    ("query", "head"), [("", "-- rows\n/* all */ insert into t values "), ("INSERT INTO t", "")]
)
def test_an_insert_may_be_longer(
    http: httpx.Client, session: FakeSession, query: str, head: str
) -> None:
    rows = "(1)," * (limits.STATEMENT_LIMIT // 3)
    assert http.post("/", params={"query": query}, content=head + rows).status_code == 200
    assert session.calls[0].sql.endswith(rows)


def test_an_insert_has_a_limit(
    http: httpx.Client, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DATA_LIMIT", 2 << 20)
    content = b"INSERT INTO t VALUES " + b" " * (2 << 20)
    assert http.post("/", content=content).status_code == 413
    assert not session.calls


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/..%2fetc/passwd", 404), ("DELETE", "/", 405),
     ("PATCH", "/", 405), ("DELETE", "/ping", 405)],
)  # fmt: skip
def test_other_paths_and_methods(http: httpx.Client, method: str, path: str, status: int) -> None:
    assert http.request(method, path).status_code == status


@pytest.mark.parametrize("host", ["localhost:8123", "127.0.0.1", "[::1]:8123", "LOCALHOST"])
def test_our_hosts(http: httpx.Client, host: str) -> None:
    assert http.get("/ping", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "10.0.0.1"])
def test_other_hosts_are_refused(http: httpx.Client, session: FakeSession, host: str) -> None:
    answer = http.post("/", content="SELECT 1", headers={"Host": host})
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (403, "497")
    assert not session.calls


def refuses(bound: str, host: str) -> bool:
    scope = {"type": "http", "method": "GET", "headers": [(b"host", host.encode())]}
    try:
        Guard(Starlette(), bound).check(Request(scope))
    except errors.SluiceError:
        return True
    return False


def test_an_open_server_takes_addresses_but_no_strange_names() -> None:
    everywhere = "0.0.0.0"  # noqa: S104
    assert not refuses(everywhere, "10.1.2.3:8123")
    assert not refuses("sluice.lan", "sluice.lan:8123")
    assert refuses(everywhere, "evil.example")
    assert refuses("10.1.2.3", "10.1.2.4")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])  # noqa: S104
def test_an_open_address_must_be_asked_for(host: str) -> None:
    with pytest.raises(errors.SluiceError, match="--insecure"):
        check_bind(host, insecure=False)
    check_bind(host, insecure=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_needs_nothing(host: str) -> None:
    check_bind(host, insecure=False)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_posts_of_other_pages_are_refused(
    http: httpx.Client, session: FakeSession, headers: dict[str, str]
) -> None:
    assert http.post("/", content="SELECT 1", headers=headers).status_code == 403
    assert not session.calls


def test_posts_of_our_own_page_pass(http: httpx.Client) -> None:
    headers = {"Origin": str(http.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    answer = http.post("/", content="SELECT 1", headers=headers)
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_statements_are_not_logged(http: httpx.Client, server: Server, tmp_path: Path) -> None:
    http.get("/", params={"query": "SELECT 'S3CR3T'"})
    http.post("/", params={"query": "SELECT"}, content="'S3CR3T'")
    server.stop()
    assert "S3CR3T" not in (tmp_path / "logs" / "server.log").read_text()
