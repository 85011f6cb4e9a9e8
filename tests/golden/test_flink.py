"""Flink and DLI statements with what they mean, in files one can read.

A file is a list of cases between lines of dashes; a case may begin with a comment that says where
its statement is from. SHOW CREATE of every table and view is printed, and read again as the same
statement. `pytest tests/golden --accept` rewrites the expected parts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from golden.meaning import meaning
from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import parse
from sluice.sql.flink.show import create_table, create_view

FILES = sorted((Path(__file__).parent / "flink").glob("*.sql"))
RULE = "-" * 80


def answer(text: str) -> str:
    """The expected parts of a case."""
    try:
        statement = parse(text)
    except errors.SluiceError as error:
        return f"---- error\n{error.condition.name}: {error if error.place else 'no place'}\n"
    shown = f"---- ir\n{meaning(statement)}\n"
    create = shown_create(statement)
    if create:
        assert parse(create) == statement, create
        shown += f"---- show create\n{create}\n"
    return shown


def shown_create(statement: ir.Statement) -> str:
    if isinstance(statement, ir.CreateTable):
        return create_table(statement)
    return create_view(statement) if isinstance(statement, ir.CreateView) else ""


def cases(text: str) -> list[str]:
    """The statements of a file."""
    found = [case for case in re.split(r"^-{20,}\n", text, flags=re.M) if case.strip()]
    return [re.split(r"^---- ", case, maxsplit=1, flags=re.M)[0] for case in found]


def render(text: str) -> str:
    return f"{RULE}\n".join(f"{case.rstrip()}\n{answer(case)}" for case in cases(text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, accept: bool) -> None:
    expected = path.read_text("utf-8")
    found = render(expected)
    if accept:
        path.write_text(found, "utf-8")
    assert found == expected or accept
