"""The walkthrough of docs/CHANGE_DATA.md, with its own broker and server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from documents import Walkthrough, section

if TYPE_CHECKING:
    from pathlib import Path

WALKTHROUGH = "## Walkthrough: from a database to a table, and on to a topic"


@pytest.mark.slow
def test_the_walkthrough(tmp_path: Path) -> None:
    """Every command and statement runs, and prints what the document shows."""
    text = section("docs/CHANGE_DATA.md", WALKTHROUGH)
    with Walkthrough(tmp_path) as walkthrough:
        walkthrough.follow(text)
    assert walkthrough.compared == text.count("```text\n")
