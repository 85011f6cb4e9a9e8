from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

import sluice
from engine.lab import Lab
from sluice.engine.runtime import query, worker
from sluice.server.run import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster
    from sluice.session import Session

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the run's one engine."""
    return tmp_path_factory.mktemp("engine")


@pytest.fixture(scope="session")
def engine(folder: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The one engine of the run: a process has one Spark."""
    master = request.config.getoption("--master")
    with (
        pytest.MonkeyPatch.context() as sooner,
        sluice.connect(data=folder, master=master, hosts=["127.0.0.1"]) as session,
    ):
        sooner.setattr(worker, "LONGEST_RETRY", 2.0)
        sooner.setattr(query, "LOOK_EVERY", 0.5)
        session.start()
        yield session


@pytest.fixture
def session(engine: Session) -> Iterator[Session]:
    """A session in a database of its own, dropped with all that is in it."""
    database = f"d{next(_numbers)}"
    engine.execute(f"CREATE DATABASE {database}")
    yield engine.child(database)
    engine.execute(f"DROP DATABASE {database}")


@pytest.fixture
def server(session: Session) -> Iterator[Server]:
    """A server over a session with a database of its own."""
    with Server(port=0) as made:
        yield made.start(session)


@pytest.fixture
def on_spark(session: Session) -> None:
    """Run the SELECTs of a test on Spark, as views are run."""
    session.execute("SET sluice_engine = 'spark'")


@pytest.fixture
def lab(session: Session, cluster: Cluster, broker: Broker) -> Lab:
    return Lab(session, cluster, broker.address)
