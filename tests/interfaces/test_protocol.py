"""What ClickHouse's drivers rely on in its HTTP interface: headers, compression, forms, errors."""

from __future__ import annotations

import gzip
import json
import struct
import time
from typing import TYPE_CHECKING, Any

import cramjam
import httpx
import pytest
from clickhouse_cityhash.cityhash import CityHash128

from interfaces.fakes import FakeSession, result
from sluice import errors
from sluice.formats.result import Result, Stream
from sluice.server import request as limits
from sluice.server.compression import blocks, unblocked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.server.run import Server


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=10) as client:
        yield client


def framed(data: bytes, method: int = 0x82, size: int | None = None, wrong: bool = False) -> bytes:
    """A block as a client compresses it."""
    packers = {
        0x82: lambda: cramjam.lz4.compress_block(data, store_size=False),
        0x90: lambda: cramjam.zstd.compress(data),
    }
    packed = bytes(packers[method]()) if method in packers else data
    block = struct.pack("<BII", method, 9 + len(packed), len(data) if size is None else size)
    value = CityHash128(block + packed) ^ int(wrong)
    return struct.pack("<QQ", value >> 64, value & (1 << 64) - 1) + block + packed


def test_headers(http: httpx.Client) -> None:
    answer = http.post("/?query_id=q1&send_progress_in_http_headers=1", content="SELECT 1")
    names = {"format": "TabSeparated", "query-id": "q1", "timezone": "UTC"}
    assert {name: answer.headers[f"x-clickhouse-{name}"] for name in names} == names
    assert answer.headers["x-clickhouse-server-display-name"]
    summary = json.loads(answer.headers["x-clickhouse-summary"])
    assert summary["result_rows"] == "1"
    assert int(summary["elapsed_ns"]) > 0
    progress = answer.headers.get_list("x-clickhouse-progress")[-1]
    assert json.loads(progress).keys() == summary.keys()
    assert len(answer.headers["x-clickhouse-exception-tag"]) == 16


@pytest.mark.parametrize(
    ("outcome", "body"),
    [
        (lambda: result("x UInt8", (1,)), "1\n"),
        (lambda: result("x UInt64", *((n,) for n in range(50_000))), "49999\n"),
        (errors.UNKNOWN_TABLE(table="t", hint=""), "Table t does not exist"),
    ],
)
def test_progress_while_a_statement_runs(
    session: FakeSession, http: httpx.Client, outcome: Any, body: str
) -> None:
    """The status comes before the outcome, as from ClickHouse: a code tells of errors."""

    def slow() -> Result:
        for step in range(3):
            session.shared.progress = {"read_rows": step * 10, "total_rows_to_read": 30}
            time.sleep(0.1)
        if isinstance(outcome, Exception):
            raise outcome
        made: Result = outcome()
        return made

    session.shared.answers["SELECT slow"] = slow
    asked = "send_progress_in_http_headers=1&http_headers_progress_interval_ms=50"
    answer = http.post(f"/?{asked}", content="SELECT slow")
    assert answer.status_code == 200
    assert answer.text.endswith(body) or body in answer.text
    told = [json.loads(v) for v in answer.headers.get_list("x-clickhouse-progress")]
    elapsed = [int(each["elapsed_ns"]) for each in told]
    assert len(told) >= 4
    assert elapsed == sorted(elapsed)
    read = [int(each["read_rows"]) for each in told if int(each["total_rows_to_read"]) == 30]
    assert read == sorted(read)
    assert {10, 20} & {*read}
    failed = isinstance(outcome, Exception)
    assert answer.headers.get("x-clickhouse-exception-code") == ("60" if failed else None)
    later = http.post("/", content="SELECT slow")  # on the same connection
    assert (later.status_code, len(later.headers.get_list("x-clickhouse-progress"))) == (
        404 if failed else 200,
        0,
    )


def test_progress_becomes_rarer(session: FakeSession, http: httpx.Client) -> None:
    """Clients take a hundred headers or so."""

    def slow() -> Result:
        time.sleep(1)
        return result("x UInt8", (1,))

    session.shared.answers["SELECT slow"] = slow
    asked = "send_progress_in_http_headers=1&http_headers_progress_interval_ms=10"
    answer = http.post(f"/?{asked}", content="SELECT slow")
    assert 20 < len(answer.headers.get_list("x-clickhouse-progress")) < 70


@pytest.mark.parametrize("query", ["SELECT 1", "SELECT many"])
def test_answers_in_blocks(http: httpx.Client, query: str) -> None:
    plain = http.post("/", content=query).content
    answer = http.post("/?compress=1", content=query)
    assert answer.content != plain
    assert unblocked(answer.content, 1 << 20) == plain


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_encoded_answers(http: httpx.Client, encoding: str) -> None:
    plain = http.post("/", content="SELECT many", headers={"Accept-Encoding": "identity"}).content
    headers, path = {"Accept-Encoding": encoding}, "/?enable_http_compression=1"
    with http.stream("POST", path, content="SELECT many", headers=headers) as answer:
        assert answer.headers["content-encoding"] == encoding
        packed = b"".join(answer.iter_raw())
    codec = {"deflate": "zlib", "br": "brotli"}.get(encoding, encoding)
    assert len(packed) < len(plain)
    assert bytes(getattr(cramjam, codec).decompress(packed)) == plain
    assert "content-encoding" not in http.post("/", content="SELECT 1", headers=headers).headers


@pytest.mark.parametrize("method", [0x82, 0x90, 0x02])
def test_bodies_in_blocks(http: httpx.Client, session: FakeSession, method: int) -> None:
    body = framed(b"1\t2\n", method) + framed(b"3\t4\n", method)
    answer = http.post("/?decompress=1&query=INSERT+INTO+t+FORMAT+TSV", content=body)
    assert answer.status_code == 200
    assert session.calls[0].sql == "INSERT INTO t FORMAT TSV\n1\t2\n3\t4\n"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"SELECT 1", "cut off"),
        (framed(b"x" * 100)[:-1], "cut off"),
        (framed(b"x" * 100, wrong=True), "checksum"),
        (framed(b"x" * 100, 0x55), "unknown"),
        (framed(b"x" * 100, size=99), ""),
        (framed(b"x" * 100, size=200), ""),
        (framed(b"x" * 100, 0x90, size=99), ""),
        (framed(b"x" * 100, 0x90, size=1000), "says 1000"),
        (framed(b"x", 0x02, size=1000), "says 1000"),
    ],
)
def test_blocks_that_lie(http: httpx.Client, session: FakeSession, body: bytes, says: str) -> None:
    answer = http.post("/?decompress=1&query=INSERT+INTO+t+FORMAT+TSV", content=body)
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (400, "271")
    assert says in answer.text
    assert not session.calls


@pytest.mark.parametrize("size", [(1 << 32) - 1, 1 << 30])
def test_blocks_that_are_bombs(http: httpx.Client, session: FakeSession, size: int) -> None:
    body = framed(b"x" * 100, size=size)
    answer = http.post("/?decompress=1&query=INSERT+INTO+t+FORMAT+TSV", content=body)
    assert answer.status_code == 413
    many = b"".join(framed(b"\0" * (1 << 20)) for _ in range((limits.DATA_LIMIT >> 20) + 1))
    assert len(many) < 1 << 20
    answer = http.post("/?decompress=1&query=INSERT+INTO+t+FORMAT+TSV", content=many)
    assert answer.status_code == 413
    assert not session.calls


def test_long_answers_become_several_blocks() -> None:
    data = bytes(range(256)) * (3 << 12)
    made = b"".join(blocks([data, b"", b"end"]))
    assert unblocked(made, 1 << 30) == data + b"end"


def test_an_error_in_the_middle(http: httpx.Client, session: FakeSession) -> None:
    """It is in the body between marks with the tag, and the body has no proper end."""

    def rows() -> Iterator[bytes]:
        yield b"1\n"
        yield b"2\n"
        raise errors.QUERY_WAS_CANCELLED(reason=" by KILL QUERY")

    session.shared.answers["SELECT fails"] = lambda: Result(stream=Stream(rows()))
    found: list[bytes] = []
    with http.stream("POST", "/", content="SELECT fails") as answer:
        assert answer.status_code == 200
        tag = answer.headers["x-clickhouse-exception-tag"]
        with pytest.raises(httpx.RemoteProtocolError):
            found.extend(answer.iter_raw())
    head, tail = f"1\n2\n\r\n__exception__\r\n{tag}\r\nCode: 394. ", f" {tag}\r\n__exception__\r\n"
    text = b"".join(found).decode()
    assert text.startswith(head)
    assert text.endswith(tail)
    message, _, size = text.removesuffix(tail).rpartition("\n")
    assert len(message.encode()) + 1 - len(head.removesuffix("Code: 394. ").encode()) == int(size)
    waited = http.post("/?wait_end_of_query=1", content="SELECT fails")
    assert (waited.status_code, waited.headers["x-clickhouse-exception-code"]) == (500, "394")


def test_waiting_for_the_end(http: httpx.Client, session: FakeSession) -> None:
    statistics: dict[str, int] = {}

    def rows() -> Iterator[bytes]:
        yield from (b"x" * (1 << 20) for _ in range(6))
        statistics["read_rows"] = 7

    session.shared.answers["SELECT long"] = lambda: Result(
        stream=Stream(rows()), progress=lambda: statistics
    )
    answer = http.post("/?wait_end_of_query=1&buffer_size=100", content="SELECT long")
    assert answer.content == b"x" * (6 << 20)
    assert json.loads(answer.headers["x-clickhouse-summary"])["read_rows"] == "7"


def test_a_form(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post(
        "/?ext_format=CSV&database=d",
        files={"ext": ("rows.csv", b"1,2\n"), "other": b"3"},
        data={
            "query": "SELECT 1",
            "ext_structure": "a UInt8, b UInt8",
            "other_types": "Enum8('a, b' = 3)",
            "param_x": "5",
            "max_threads": "2",
        },
    )
    assert answer.text == "1\n"
    (call,) = session.calls
    assert (call.database, call.settings) == ("d", {"max_threads": "2"})
    assert [(t.name, t.format, t.structure, t.data) for t in session.external] == [
        ("ext", "CSV", "a UInt8, b UInt8", b"1,2\n"),
        ("other", "TabSeparated", "`_1` Enum8('a, b' = 3)", b"3"),
    ]


@pytest.mark.parametrize(
    ("files", "data", "says"),
    [
        ({"e": b"1"}, {}, "e_structure or e_types"),
        ({"e f": b"1"}, {"e f_types": "UInt8"}, "a name of letters"),
        ({"e": b"1"}, {"e_structure": "a String DEFAULT file('/etc/passwd')"}, "DEFAULT"),
    ],
)
def test_bad_forms(
    http: httpx.Client, session: FakeSession, files: Any, data: Any, says: str
) -> None:
    answer = http.post("/?query=SELECT+1", files=files, data=data)
    assert answer.status_code == 400
    assert says in answer.text
    assert not session.calls


def test_malformed_and_large_forms(
    http: httpx.Client, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    for headers in (form, {"Content-Type": "multipart/form-data"}):
        answer = http.post("/?query=SELECT+1", content=b"--y\r\nnonsense", headers=headers)
        assert answer.status_code == 400, answer.text
    monkeypatch.setattr(limits, "DATA_LIMIT", 1 << 20)
    large = http.post("/?query=SELECT+1&e_types=String", files={"e": b"x" * (2 << 20)})
    assert large.status_code == 413
    assert not session.calls


def test_methods(http: httpx.Client, session: FakeSession) -> None:
    assert http.put("/", content="SELECT 1").text == "1\n"
    head = http.head("/?query=SELECT+1")
    assert (head.status_code, head.text) == (200, "")
    assert head.headers["x-clickhouse-format"] == "TabSeparated"
    assert [call.readonly for call in session.calls] == [False, True]
    told = http.options("/?add_http_cors_header=1")
    assert (told.status_code, "PUT" in told.headers["allow"]) == (204, True)
    assert not [name for name in told.headers if name.startswith("access-control")]
    foreign = http.options("/", headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403


def test_a_gzip_body_with_blocks_in_it(http: httpx.Client, session: FakeSession) -> None:
    answer = http.post(
        "/?decompress=1", content=gzip.compress(framed(b"SELECT 1")),
        headers={"Content-Encoding": "gzip"},
    )  # fmt: skip
    assert answer.text == "1\n"


def test_results_of_other_statements(http: httpx.Client, session: FakeSession) -> None:
    session.shared.answers["INSERT x"] = Result(progress=lambda: {"written_rows": 3})
    summary = json.loads(http.post("/", content="INSERT x").headers["x-clickhouse-summary"])
    assert summary["written_rows"] == "3"
    session.shared.answers["SELECT tz"] = result("x UInt8", (1,))
    assert http.post("/", content="SELECT tz").headers["x-clickhouse-timezone"] == "UTC"
