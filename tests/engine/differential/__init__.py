"""Every function of ClickHouse's dialect beside ClickHouse itself, over edge values."""

from pathlib import Path

AGREEING = Path(__file__).parent / "agreeing.txt"
"""Calls that are compared, one in a line."""

UNCOMPARED = Path(__file__).parent / "uncompared.txt"
"""Functions of which no call has been compared yet, one in a line."""

DIFFERING = Path(__file__).parent / "differing.toml"
"""Calls that differ from ClickHouse, by the reason."""
