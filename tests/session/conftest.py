from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A data folder without pipelines: no Spark, no broker."""
    with Lab(tmp_path) as lab:
        yield lab


@pytest.fixture(scope="module")
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lab]:
    """One for all statements of a file that are refused, with what the file says to have made."""
    with Lab(tmp_path_factory.mktemp("data")) as lab:
        request.module.make(lab)
        yield lab
