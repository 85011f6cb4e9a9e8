from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interfaces.fakes import FakeSession, result
from sluice import errors
from sluice.errors import Place
from sluice.server.run import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def session(tmp_path: Path) -> FakeSession:
    wrong = errors.SYNTAX_ERROR(reason="expected SELECT", place=Place(1, 1))
    return FakeSession(
        tmp_path / "logs",
        {
            "SELECT 1": result("1 UInt8", (1,)),
            "SELECT 'яж'": result("x String", ("яж",)),
            "SELECT 1 FORMAT JSONEachRow": result("x UInt8", (1,), format="JSONEachRow"),
            "SELECT 1 FORMAT Nope": result("x UInt8", (1,), format="Nope"),
            "SELECT many": result("x UInt64", *((n,) for n in range(50_000))),
            "SELEC 1": wrong,
            "SELECT broken": ValueError("the secret inside"),
        },
    )


@pytest.fixture
def server(session: FakeSession) -> Iterator[Server]:
    with Server(port=0) as running:
        yield running.start(session.as_session())
