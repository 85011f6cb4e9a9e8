"""A registry that demands a certificate of its clients, over HTTPS."""

from __future__ import annotations

import json
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from certificates import Authority, Signed

from formats.convert import Converter, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AVRO = {"type": "record", "name": "row", "fields": [{"name": "a", "type": "long"}]}
MESSAGE = b"\0\0\0\0\1\x0e"


class _Registry(BaseHTTPRequestHandler):
    """One schema, whoever asks, and the name of whom it was."""

    clients: list[str]

    def do_GET(self) -> None:
        self._answer({"schema": json.dumps(AVRO)})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"id": 1})

    def _answer(self, body: dict[str, Any]) -> None:
        assert isinstance(self.connection, ssl.SSLSocket)
        shown: Any = self.connection.getpeercert()
        self.clients.append(shown["subject"][0][0][1])
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """It says nothing."""


@contextmanager
def registry(own: Signed, trusted: Path) -> Iterator[tuple[str, list[str]]]:
    """Its URL, and the names in the certificates of its clients."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(trusted))
    context.load_cert_chain(own.both)
    context.verify_mode = ssl.CERT_REQUIRED
    clients: list[str] = []
    handler = type("Handler", (_Registry,), {"clients": clients})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"https://127.0.0.1:{server.server_port}", clients
        server.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def authority(folder: Path) -> Authority:
    return Authority(folder, "registries")


def tls(*files: Path | str) -> str:
    return "-Dsluice.client_tls=" + ",".join(quote(str(each)) for each in files)


def at(url: str) -> dict[str, Any]:
    return {
        "format_avro_schema_registry_url": url,
        "format_avro_schema_registry_max_retries": 0,
    }


def test_a_client_with_a_certificate(folder: Path, authority: Authority) -> None:
    """It is asked for schemas, and schemas are registered."""
    mine, trusted = authority.sign("pipeline"), authority.certificate
    with (
        registry(authority.sign("registry"), trusted) as (url, clients),
        Converter(folder, tls(mine.certificate, mine.key, trusted)) as ours,
    ):
        known = at(url) | {"output_format_avro_confluent_subject": "s"}
        assert ours.rows("a Int64", "AvroConfluent", known, MESSAGE) == b"[7]\n"
        assert ours.written("a Int64", "AvroConfluent", known, b"[7]\n") == MESSAGE
    assert clients == ["pipeline", "pipeline"]


@pytest.mark.parametrize("shows", ["nothing", "another authority's"])
def test_a_client_without_one(folder: Path, authority: Authority, shows: str) -> None:
    """The error names what the operator has to look at."""
    files: tuple[Path | str, Path | str] = ("", "")
    if shows != "nothing":
        other = Authority(folder, "others").sign("stranger")
        files = other.certificate, other.key
    with (
        registry(authority.sign("registry"), authority.certificate) as (url, clients),
        Converter(folder, tls(*files, authority.certificate)) as ours,
        pytest.raises(
            Wrong, match=f"{url}: it (may|does) not accept the client's certificate .*File>"
        ),
    ):
        ours.rows("a Int64", "AvroConfluent", at(url), MESSAGE)
    assert clients == []


def test_a_registry_that_nobody_trusts(ours: Converter, authority: Authority) -> None:
    with (
        registry(authority.sign("registry"), authority.certificate) as (url, clients),
        pytest.raises(Wrong, match=f"{url}: its certificate is not trusted .*<caConfig>"),
    ):
        ours.rows("a Int64", "AvroConfluent", at(url), MESSAGE)
    assert clients == []
