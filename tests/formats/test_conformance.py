"""docs/FORMATS.md is what the descriptors and the example messages say."""

from __future__ import annotations

from formats.conformance import PAGE, page


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text("utf-8") == page(), "cd tests && python -m formats.conformance"
