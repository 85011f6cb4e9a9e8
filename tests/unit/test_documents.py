"""Documents name files, folders, modules and headings that exist, and every package."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JAVA = ROOT / "java/src/main/java/sluice"

PAGES = ("README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")))
DECISIONS = tuple(f"docs/decisions/{p.name}" for p in (ROOT / "docs/decisions").glob("*.md"))

_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FILE = re.compile(r"[\w./-]+\.(?:py|java|toml|txt|xml)")
_FOLDER = re.compile(r"(?:sluice|tests|java|bench|docs)/[\w/-]*")
_MODULE = re.compile(r"python -m ([a-z_.]+)")
_PLACEHOLDER = re.compile(r"MODULE|NAME")

BELOW = (ROOT, ROOT / "sluice", ROOT / "tests", JAVA)
"""Where a file may be: documents leave the first folders out."""

OUTSIDE = {"config.xml", "core-site.xml", "users.xml"}
"""Files of a reader, not of the project."""


def named(page: str) -> list[str]:
    """The files and folders that a page names in its text."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.S | re.M)
    return [
        code
        for code in _CODE.findall(text)
        if (_FILE.fullmatch(code) or _FOLDER.fullmatch(code)) and not _PLACEHOLDER.search(code)
    ]


def exists(name: str) -> bool:
    """Whether there is such a file: one without a folder may be in any."""
    if any((folder / name).exists() for folder in BELOW):
        return True
    return "/" not in name and any(
        next(folder.rglob(name), None) is not None for folder in (ROOT / "sluice", ROOT / "tests")
    )


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES)
def test_files_exist(page: str) -> None:
    assert [name for name in named(page) if name not in OUTSIDE and not exists(name)] == []


@pytest.mark.parametrize("page", [*PAGES, *DECISIONS])
def test_links_lead_somewhere(page: str) -> None:
    broken = []
    for link in _LINK.findall((ROOT / page).read_text("utf-8")):
        if "://" in link:
            continue
        path, _, heading = link.partition("#")
        to = (ROOT / page).parent / path if path else ROOT / page
        if not to.exists() or (heading and heading not in anchors(to)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md"])
def test_modules_can_be_run(page: str) -> None:
    for module in _MODULE.findall((ROOT / page).read_text("utf-8")):
        if module.startswith("sluice"):
            assert find_spec(module), module
        else:
            assert exists(f"{module.replace('.', '/')}.py") or exists(
                f"{module.replace('.', '/')}/__main__.py"
            ), module


def rows(page: str, heading: str) -> list[list[str]]:
    """The names in the first column of the table under a heading."""
    text = (ROOT / page).read_text("utf-8").partition(heading)[2]
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table is not None, heading
    return [_CODE.findall(line.split("|")[1]) for line in table[0].splitlines()[2:]]


@pytest.mark.parametrize(
    ("page", "heading"),
    [("CONTRIBUTING.md", "## The map"), ("docs/ARCHITECTURE.md", "## Packages")],
)
def test_every_package_has_a_row(page: str, heading: str) -> None:
    told = {name.removeprefix("sluice/").rstrip("/") for row in rows(page, heading) for name in row}
    packages = {path.parent.name for path in (ROOT / "sluice").glob("*/__init__.py")}
    assert packages - told == set()
    assert told - packages <= {"java"}


def test_java_packages_import_downwards() -> None:
    """The table of Java packages has all of them, each above those that it imports."""
    order = rows("docs/ARCHITECTURE.md", "The Java is a module of its own")
    level = {name: at for at, row in enumerate(order) for name in row}
    found = {f"sluice.{path.name}" for path in JAVA.iterdir() if path.is_dir()}
    assert set(level) == found
    wrong = set()
    for path in JAVA.rglob("*.java"):
        own = f"sluice.{path.parent.name}"
        text = re.sub(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", "", path.read_text("utf-8"), flags=re.S)
        for used in set(re.findall(r"\bsluice\.[a-z]+(?=\.[A-Z])", text)):
            if used != own and level[used] <= level[own]:
                wrong.add(f"{path.relative_to(JAVA)} uses {used}")
    assert wrong == set()
