"""A PostgreSQL of the test's own, on loopback, in a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from sluice.broker.settings import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACCOUNT = "postgres"
"""Whose server it is where tests run as root, which PostgreSQL refuses to."""


@contextmanager
def server() -> Iterator[str]:
    """Run a server that anyone on this machine may use; its address."""
    programs = _programs()
    pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="sluice-postgres-"))
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, _ACCOUNT)
        who = {"user": _ACCOUNT, "env": {"PATH": os.environ["PATH"]}}
    data, port = str(folder / "data"), free_port()
    initdb = [
        programs["initdb"],
        "-D",
        data,
        "-U",
        "sluice",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c fsync=off"
    control = [programs["pg_ctl"], "-D", data, "-w", "-l", str(folder / "log")]
    try:
        subprocess.run(initdb, check=True, cwd=folder, stdout=subprocess.DEVNULL, **who)
        quiet: dict[str, Any] = {"check": True, "cwd": folder, "stdout": subprocess.DEVNULL, **who}
        subprocess.run([*control, "-o", options, "start"], **quiet)
        try:
            yield f"postgresql+psycopg://sluice@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str) -> str:
    """An empty database in a server; its address."""
    name = f"d{uuid.uuid4().hex}"
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.rpartition("/")[0] + f"/{name}"


def _programs() -> dict[str, str]:
    places = [os.environ["PATH"], *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
    found = {name: shutil.which(name, path=":".join(places)) for name in ("initdb", "pg_ctl")}
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        found["initdb"] = None
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.skip(f"no {missing[0]} here")
    return {name: path for name, path in found.items() if path}
