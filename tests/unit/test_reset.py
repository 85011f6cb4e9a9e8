"""What SYSTEM RESET OFFSETS takes."""

from __future__ import annotations

import pytest

from sluice.errors import SluiceError
from sluice.planner.reset import read_reset
from sluice.planner.spec import Point


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("2024-01-31 12:00:00", 1_706_702_400_000),
        ("2024-01-31T12:00:00.250", 1_706_702_400_250),
        ("2024-01-31 13:00:00+01:00", 1_706_702_400_000),
        ("2024-01-31", 1_706_659_200_000),
        ("1706702400", 1_706_702_400_000),
        ("1706702400.25", 1_706_702_400_250),
    ],
)
def test_times(text: str, milliseconds: int) -> None:
    assert read_reset("TIMESTAMP", text) == Point("timestamp", timestamp_ms=milliseconds)


def test_offsets() -> None:
    found = read_reset("OFFSETS", "a.b-c:0:42, a.b-c:1:7,u:0:0")
    assert found.offsets == {"a.b-c": {0: 42, 1: 7}, "u": {0: 0}}


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("TIMESTAMP", "yesterday"),
        ("TIMESTAMP", ""),
        ("TIMESTAMP", "1969-01-01"),
        ("OFFSETS", ""),
        ("OFFSETS", "t:0"),
        ("OFFSETS", "t:0:-1"),
        ("OFFSETS", "t:0:1,"),
        ("OFFSETS", "t:0:1,t:0:2"),
        ("OFFSETS", "t:0:99999999999999999999"),
        ("OFFSETS", "t:0:9223372036854775808"),
    ],
)
def test_what_cannot_be_meant(mode: str, text: str) -> None:
    with pytest.raises(SluiceError) as bad:
        read_reset(mode, text)
    assert bad.value.condition.name == f"INVALID_RESET_{mode}"
