"""Every function of ClickHouse's dialect beside ClickHouse itself, over edge values.

Each module of functions (`strings`, `dates`, …) has two lists in `lists/`: `strings.txt` with the
calls that answer as ClickHouse does, one in a line, and `strings.toml` with those that do not, by
the reason. `python -m engine.differential strings` compares a module anew.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sluice.sql.clickhouse.functions import MODULES, Aggregate, Function

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTS: Final = Path(__file__).parent / "lists"


def comparable(module: str) -> dict[str, Function]:
    """The functions of a module that are called on their own: not those of windows."""
    return {
        name: function
        for name, function in MODULES[module].items()
        if not (isinstance(function, Aggregate) and function.window)
    }


def agreeing(module: str) -> list[str]:
    """The calls that answer as ClickHouse does."""
    path = LISTS / f"{module}.txt"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def differing(module: str) -> dict[str, list[str]]:
    """The calls that do not, by the reason."""
    path = LISTS / f"{module}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def write(module: str, agree: list[str], differ: Mapping[str, list[str]]) -> None:
    """Write both lists of a module."""
    LISTS.mkdir(exist_ok=True)
    (LISTS / f"{module}.txt").write_text("".join(f"{call}\n" for call in agree), "utf-8")
    parts = []
    for reason, calls in differ.items():
        lines = "".join(f"  {_quoted(call)},\n" for call in sorted(calls))
        parts.append(f"{_quoted(reason)} = [\n{lines}]\n")
    (LISTS / f"{module}.toml").write_text("\n".join(parts), "utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
