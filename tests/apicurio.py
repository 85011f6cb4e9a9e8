"""A real schema registry: Apicurio's, in memory, on the loopback, with Confluent's protocol."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from sluice.jars import fetched, java
from sluice.jars.resolve import made_once

if TYPE_CHECKING:
    from collections.abc import Iterator

DECLARED = Path(__file__).with_name("apicurio.ivy.xml")
PROTOCOL = "apis/ccompat/v7"
PATIENCE = 60.0


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Its URL, while it runs; it starts in about five seconds."""
    (archive,) = fetched(DECLARED)
    home = made_once(archive.stem, lambda into: zipfile.ZipFile(archive).extractall(into))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/{PROTOCOL}"
    path = os.pathsep.join([*map(str, home.glob("*-runner.jar")), f"{home}/lib/*"])
    settings = {"quarkus.http.host": "127.0.0.1", "quarkus.http.port": str(port)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx384m",
             *(f"-D{name}={value}" for name, value in settings.items()),
             "-cp", path, "io.quarkus.runner.GeneratedMain"],
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        _wait(process, f"{url}/subjects", folder / "log")
        yield url
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(log.read_text()[-2000:])
