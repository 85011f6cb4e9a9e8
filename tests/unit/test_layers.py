"""Imports go one way: from what the user touches down to what everything stands on."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2] / "sluice"

LAYERS = (
    "cli", "server", "session", "sql", "pipelines", "plan", "formats", "catalog", "config",
    "kafka", "options", "types", "errors",
)  # fmt: skip
"""Each may import those behind it."""

ASIDE = {"broker": {"jars", "errors"}, "jars": {"errors"}}
"""Beside the layers: what they import."""

USERS = {"broker": {"cli"}, "jars": {"cli", "pipelines", "broker"}}
"""And who imports them."""

NO_SPARK = (
    "sql",
    "config",
    "options",
    "types",
    "errors",
    "kafka",
    "catalog",
    "plan",
    "server",
    "cli",
)


def allowed(package: str) -> set[str]:
    """What a package may import."""
    if package in ASIDE:
        return ASIDE[package]
    below = set(LAYERS[LAYERS.index(package) + 1 :])
    return below | {aside for aside, users in USERS.items() if package in users}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and names of the modules a file imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            module = node.module or ""
            names = [f"sluice.{a.name}" for a in node.names] if module == "sluice" else [module]
            yield from ((node.lineno, name) for name in names)


def packages() -> list[str]:
    """The packages of Sluice."""
    return sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def test_every_package_has_its_place() -> None:
    assert set(packages()) == {*LAYERS, *ASIDE}


@pytest.mark.parametrize("package", packages())
def test_imports_go_down(package: str) -> None:
    wrong = []
    for path in (ROOT / package).rglob("*.py"):
        for line, name in imports(path):
            parts = name.split(".")
            if parts[0] != "sluice" or len(parts) < 2 or parts[1] == package:
                continue
            if (ROOT / parts[1]).is_dir() and parts[1] not in allowed(package):
                wrong.append(f"{path.relative_to(ROOT.parent)}:{line} imports {name}")
    assert not wrong


@pytest.mark.parametrize("package", NO_SPARK)
def test_spark_stays_in_its_layers(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT.parent)}:{line} imports {name}"
        for path in (ROOT / package).rglob("*.py")
        for line, name in imports(path)
        if name.split(".")[0] in ("pyspark", "delta", "py4j")
    ]
    assert not wrong
