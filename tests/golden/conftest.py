from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite what the golden files expect")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether the expected parts are to be rewritten: `pytest tests/golden --accept`."""
    return bool(request.config.getoption("--accept", default=False))
