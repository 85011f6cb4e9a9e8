from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import apicurio
import pytest
from quick import QUICK, SPARK
from secured import Secured, secured_broker

from sluice.broker import Broker
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["suites"]
_numbers = itertools.count(1)
os.environ.setdefault("SPARK_SUBMIT_OPTS", " ".join(SPARK))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--master 'local-cluster[2,1,1024]' -m cluster` runs with executors of their own."""
    parser.addoption("--master", default="local[2]", help="the Spark master of engine tests")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The one real broker of the run; a test that stops or kills one makes its own."""
    with Broker(tmp_path_factory.mktemp("broker"), java_options=QUICK) as broker:
        yield broker


@pytest.fixture(scope="session")
def cluster(broker: Broker) -> Iterator[Cluster]:
    cluster = Cluster({"bootstrap.servers": broker.address})
    yield cluster
    cluster.close()


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """A broker with listeners for TLS and for users that log in."""
    yield from secured_broker(tmp_path_factory.mktemp("secured"))


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real schema registry, one for all tests that take one."""
    with apicurio.running(tmp_path_factory.mktemp("apicurio")) as url:
        yield url


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """The name of a topic that no other test uses; the test makes it."""
    return f"t{next(_numbers)}-{request.function.__name__}"[:200]
