from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.clickhouse.pool import Pool, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A process that runs queries, for the tests that leave nothing in it."""
    pool = Pool(tmp_path_factory.mktemp("workers"))
    with pool.worker() as taken:
        yield taken
    pool.close()
