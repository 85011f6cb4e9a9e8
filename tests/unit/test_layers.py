"""Imports go one way: from what the user touches down to what everything stands on."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from walks import LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2] / "sluice"

ASIDE = {"broker": {"jars", "errors"}, "jars": {"errors"}}
"""Beside the layers: what they import."""

USERS = {"broker": {"cli"}, "jars": {"cli", "engine", "broker"}}
"""And who imports them."""

MANY = 4
"""A name of so many files tells nothing."""

LONG = 60
"""So many lines of a function, without its docstring, are too many to read at once."""

NO_SPARK = (
    "sql",
    "config",
    "options",
    "parameters",
    "types",
    "errors",
    "kafka",
    "catalog",
    "planner",
    "clickhouse",
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


def modules() -> dict[str, Path]:
    """All modules by their dotted names."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def import_graph() -> dict[str, set[str]]:
    """The modules that each module imports when it runs, inside of functions too."""
    known = modules()
    graph: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        tree = ast.parse(path.read_text("utf-8"))
        only_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if id(node) in only_types:
                continue
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for imported in names:
                while imported and imported not in known:
                    imported = imported.rpartition(".")[0]
                if imported and imported != name:
                    graph[name].add(imported)
    return graph


def test_no_module_imports_itself_by_way_of_others() -> None:
    sorter = TopologicalSorter(import_graph())
    try:
        sorter.prepare()
    except CycleError as bad:
        pytest.fail(" -> ".join(reversed(bad.args[1])))


def test_no_name_is_used_for_many_files() -> None:
    names = Counter(path.stem for path in ROOT.rglob("*.py") if not path.stem.startswith("__"))
    assert not {name for name, count in names.items() if count >= MANY}


def test_no_function_is_long() -> None:
    long = []
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                described = ast.get_docstring(node) is not None
                first = node.body[1] if described and len(node.body) > 1 else node.body[0]
                if (node.end_lineno or 0) - first.lineno >= LONG:
                    long.append(f"{path.relative_to(ROOT.parent)}:{node.lineno} {node.name}")
    assert not long


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


@pytest.mark.parametrize(
    ("room", "others"),
    [("core", ("clickhouse", "flink")), ("ir", ("core", "clickhouse", "flink")),
     ("clickhouse", ("flink",)), ("flink", ("clickhouse",))],
)  # fmt: skip
def test_neither_dialect_imports_the_other(room: str, others: tuple[str, ...]) -> None:
    wrong = [
        f"{path.relative_to(ROOT.parent)}:{line} imports {name}"
        for path in (ROOT / "sql" / room).rglob("*.py")
        for line, name in imports(path)
        if name.startswith(tuple(f"sluice.sql.{other}" for other in others))
    ]
    assert not wrong


def test_the_page_lists_the_packages_in_their_order() -> None:
    page = (ROOT.parent / "docs/ARCHITECTURE.md").read_text("utf-8")
    table = page.partition("## Packages")[2].partition("The Java is a module")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = [name.strip(" `") for row in rows for name in row.split(",")]
    assert [name for name in named if name in LAYERS] == list(LAYERS)


@pytest.mark.parametrize("package", NO_SPARK)
def test_spark_stays_in_its_layers(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT.parent)}:{line} imports {name}"
        for path in (ROOT / package).rglob("*.py")
        for line, name in imports(path)
        if name.split(".")[0] in ("pyspark", "delta", "py4j")
    ]
    assert not wrong
