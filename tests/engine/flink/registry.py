"""A schema registry for tests: as much of one as its clients ask for, on the loopback."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Registry:
    """Schemas by their ids and subjects; `broken` is an answer to everything, if there is one."""

    def __init__(self) -> None:
        self.schemas: list[str] = []
        self.subjects: dict[str, list[int]] = {}
        self.broken: tuple[int, str] | None = None
        self.logins: list[str | None] = []
        self.url = ""

    def add(self, schema: str) -> int:
        """The id of a schema; the same one has the same."""
        if schema not in self.schemas:
            self.schemas.append(schema)
        return self.schemas.index(schema) + 1

    def get(self, path: str) -> tuple[int, Any]:
        """`/schemas/ids/1`."""
        id_ = int(path.rsplit("/", 1)[1])
        if not 0 < id_ <= len(self.schemas):
            return 404, {"error_code": 40403, "message": "Schema not found"}
        return 200, {"schema": self.schemas[id_ - 1]}

    def post(self, path: str, schema: str) -> tuple[int, Any]:
        """`/subjects/t-value/versions` registers, `/subjects/t-value` looks up."""
        subject = path.split("/")[2]
        known = self.subjects.setdefault(subject, [])
        registers = path.endswith("/versions")
        if not registers and (schema not in self.schemas or self.add(schema) not in known):
            return 404, {"error_code": 40403, "message": "Schema not found"}
        id_ = self.add(schema)
        if id_ not in known:
            known.append(id_)
        return 200, {"id": id_}


@contextmanager
def registry() -> Iterator[Registry]:
    """One that runs for a while."""
    known = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(lambda: known.get(self.path))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(lambda: known.post(self.path, body["schema"]))

        def _answer(self, find: Any) -> None:
            known.logins.append(self.headers["Authorization"])
            status, found = known.broken or find()
            text = found if isinstance(found, str) else json.dumps(found)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
