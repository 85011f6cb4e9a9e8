"""Python values of types that Spark lacks, from what is stored and from what ClickHouse writes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv6Address
from typing import Any

import pytest

from sluice.formats.encoded_values import of_json, of_stored, seconds_of, text
from sluice.types import parse_type
from sluice.types.encoded import Encoded
from sluice.types.nanoseconds import NanoDatetime, NanoTimedelta

CASES: list[tuple[str, Any, Any, Any, str]] = [
    # type, what is stored, ClickHouse's JSON, value, text in UTC
    ("Int128", bytes([0x7F] + [0xFF] * 15), -1, -1, "-1"),
    ("UInt256", bytes(31) + b"\7", 7, 7, "7"),
    ("Decimal(50, 3)", bytes([0x80] + [0] * 30) + b"\5", "0.005", Decimal("0.005"), "0.005"),
    ("IPv6", bytes(15) + b"\1", "::1", IPv6Address("::1"), "::1"),
    ("DateTime64(9)", -2, "0.00000000.", NanoDatetime.since_epoch(-2),
     "1969-12-31 23:59:59.999999998"),
    ("DateTime64(7, 'Asia/Tokyo')", 1, "0.0000001", NanoDatetime.since_epoch(100),
     "1970-01-01 00:00:00.0000001"),
    ("Time", -61, "-00:01:01", timedelta(seconds=-61), "-00:01:01"),
    ("Time64(9)", 3_600_000_000_001, "01:00:00.000000001", NanoTimedelta.of(3_600_000_000_001),
     "01:00:00.000000001"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_values(case: tuple[str, Any, Any, Any, str]) -> None:
    type_ = parse_type(case[0])
    assert isinstance(type_, Encoded)
    assert of_stored(type_)(case[1]) == case[3]
    assert of_json(type_)(case[2]) == case[3]
    assert text(type_)(case[3]) == case[4]


def test_seconds_before_1970() -> None:
    assert [seconds_of(each) for each in ("0.+00", "-1.5", "0./", 5)] == [
        *(Decimal("-0.5"), Decimal("-1.5"), Decimal("-0.1"), Decimal(5)),
    ]


def test_nanoseconds_count() -> None:
    one, other = NanoDatetime.since_epoch(1), NanoDatetime.since_epoch(2)
    assert one != other
    assert one == NanoDatetime.since_epoch(1)
    assert NanoDatetime.since_epoch(0) == datetime(1970, 1, 1, tzinfo=UTC)
    assert NanoTimedelta.of(1) != NanoTimedelta.of(2)
    assert NanoTimedelta.of(1000) == timedelta(microseconds=1)
