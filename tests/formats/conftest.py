from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from formats.convert import Converter
from formats.peer import Peer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Converter]:
    """Our own decoders and encoders."""
    with Converter(tmp_path_factory.mktemp("convert")) as found:
        yield found


@pytest.fixture(scope="package")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """ClickHouse, of which a process has one at a time: other tests have their own."""
    found = Peer(tmp_path_factory.mktemp("peer"))
    yield found
    found.close()
