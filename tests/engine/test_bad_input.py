"""Requests that lie, or ask for too much: each fails alone, with a clear error."""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from sluice.clickhouse.pool import Worker
from sluice.errors import SluiceError
from sluice.server.run import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.session import Session


@pytest.fixture
def http(session: Session) -> Iterator[httpx.Client]:
    with Server(port=0) as made:
        url, params = made.start(session).url, {"database": session.database}
        with httpx.Client(base_url=url, params=params, timeout=120) as client:
            yield client


def text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode()


MANY = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
"""The largest number that a length can be."""
LIES = {
    "cut off": b"\x01\x02" + text("a") + text("UInt64") + b"\x01",
    "many rows": b"\x01" + MANY + text("a") + text("UInt64") + struct.pack("<Q", 1),
    "a billion rows": b"\x01\x80\x94\xeb\xdc\x03" + text("a") + text("UInt64") + b"\x01" * 8,
    "many columns": MANY + b"\x01" + text("a") + text("UInt64"),
    "a long name": b"\x01\x01" + MANY + b"a",
    "a long string": b"\x01\x01" + text("s") + text("String") + MANY + b"x",
    "an unknown type": b"\x01\x01" + text("a") + text("Nope") + b"\x01",
    "another type": b"\x01\x01" + text("a") + text("Array(String)") + b"\xff" * 8,
    "a deep type": b"\x01\x01" + text("a") + b"\x8e\x27" + b"Array(" * 900 + b"x",
    "a dictionary": b"\x01\x01" + text("s") + text("LowCardinality(String)") + b"\xff" * 40,
    "nothing of it": b"GET / HTTP/1.1",
}


def test_lying_native_blocks(http: httpx.Client) -> None:
    """Nothing is inserted, and the server goes on."""
    table = "CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a"
    assert http.post("/", content=table).is_success
    for name, body in LIES.items():
        answer = http.post("/", params={"query": "INSERT INTO t FORMAT Native"}, content=body)
        assert answer.status_code in (400, 404, 413, 500, 501), (name, answer.text)
        code = int(answer.headers["x-clickhouse-exception-code"])
        assert code != 1000, (name, answer.text)
        assert "DB::Exception" in answer.text, name
    assert http.post("/", content="SELECT count() FROM t").text == "0\n"


REACHING = (
    "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'",
    "SELECT 1 FORMAT Protobuf SETTINGS format_schema = '/etc/passwd:X'",
    "SELECT 1 SETTINGS additional_result_filter = 'length(file(\\'/etc/passwd\\')) > 1'",
    "SELECT * FROM (SELECT 1 SETTINGS additional_table_filters = {'a': '1', 'b': '2'})",
    "WITH x AS (SELECT 1 SETTINGS filter = '1') SELECT * FROM x",
    "SELECT * FROM view(SELECT 1 SETTINGS dialect = 'kusto')",
    "SELECT * FROM (SELECT 1 SETTINGS max_untracked_memory = 1000000000000)",
    "SELECT * FROM format(CSV, 'x') SETTINGS input_format_record_errors_file_path = '/tmp/x'",
)


def test_settings_do_not_reach_files_or_other_code(http: httpx.Client) -> None:
    for query in REACHING:
        answer = http.post("/", content=query)
        assert answer.headers.get("x-clickhouse-exception-code") in ("452", "62", "36"), query
    given = {"format_template_row": "/etc/passwd"}
    assert http.post("/", params=given, content="SELECT 1 FORMAT Template").status_code == 400


def test_a_query_over_its_memory_fails_alone(http: httpx.Client) -> None:
    large = "SELECT length(groupArray(number)) FROM numbers(200000000)"
    found: list[httpx.Response] = []

    def ask() -> None:
        found.append(http.post("/", params={"max_memory_usage": "100000000"}, content=large))

    greedy = [threading.Thread(target=ask) for _ in range(3)]
    for thread in greedy:
        thread.start()
    for _ in range(10):
        assert http.post("/", content="SELECT 1").text == "1\n"
    for thread in greedy:
        thread.join()
    codes = [answer.headers["x-clickhouse-exception-code"] for answer in found]
    assert codes == ["241"] * 3


def test_nobody_exceeds_the_memory_of_a_worker(tmp_path: Path) -> None:
    worker = Worker(tmp_path, memory=100 << 20)
    try:
        worker.ready()
        query = "SELECT length(groupArray(number)) FROM numbers(300000000)"
        with pytest.raises(SluiceError) as refused:
            worker.run(f"{query} SETTINGS max_memory_usage = 0")
        assert refused.value.condition.clickhouse_code == 241
        assert worker.run("SELECT 1") == "1\n"
    finally:
        worker.close()


@pytest.mark.slow
def test_ten_million_rows_pass_through(http: httpx.Client) -> None:
    """Neither the server nor the client holds them."""
    assert http.post(
        "/", content="CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a"
    ).is_success
    rows = "SELECT number, toString(number * 7919) FROM numbers(10000000)"
    assert http.post("/", content=f"INSERT INTO t {rows}").is_success
    before, most, count = _resident(), 0, 0
    params = {"query": "SELECT * FROM t FORMAT TSV", "compress": "0"}
    with http.stream("GET", "/", params=params) as answer:
        for at, chunk in enumerate(answer.iter_raw()):
            count += chunk.count(b"\n")
            most = max(most, _resident()) if at % 50 == 0 else most
    assert count == 10_000_000
    assert most - before < 200 << 20


def _resident() -> int:
    """Bytes of memory of this process, which the server is in."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * 4096
