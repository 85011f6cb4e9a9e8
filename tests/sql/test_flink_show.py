"""SHOW CREATE of a table that was kept in the catalog is the statement that made it."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path

import pytest
from golden.files import statements

from sluice import errors
from sluice.catalog import Column, Table
from sluice.catalog.entities import definition, from_definition
from sluice.sql import ir
from sluice.sql.flink import parse
from sluice.sql.flink.show import create_table, create_view, from_catalog

FOLDER = Path(__file__).parents[1] / "golden" / "flink"
NOW = datetime.datetime(2024, 1, 31, tzinfo=datetime.UTC)


def tables() -> list[ir.CreateTable]:
    """The tables of the golden files that name all their columns."""
    found = []
    for path in sorted(FOLDER.rglob("*.sql")):
        for case in statements(path.read_text("utf-8")):
            try:
                statement = parse(case)
            except errors.SluiceError:
                continue
            if isinstance(statement, ir.CreateTable) and statement.like is None:
                found.append(statement)
    return found


def kept(table: ir.CreateTable) -> Table:
    """What the catalog gives back."""
    columns = tuple(
        Column(c.name, c.type, c.alias, c.comment, metadata=c.metadata, virtual=c.virtual)
        for c in table.columns
    )
    mark = table.watermark
    made = Table(
        "u", table.name.database or "d", table.name.table, "kafka", columns, NOW,
        engine=table.engine.name, settings=table.settings, partition_by=table.partition_by,
        comment=table.comment, dialect="flink", primary_key=table.primary_key,
        watermark=(mark.column, mark.delay) if mark else None,
    )  # fmt: skip
    head = {"uuid": made.uuid, "database": made.database, "name": made.name, "kind": made.kind,
            "created": made.created}  # fmt: skip
    return from_definition(head, json.loads(json.dumps(definition(made))))


@pytest.mark.parametrize("table", tables(), ids=lambda table: str(table.name))
def test_the_catalog_keeps_all_of_it(table: ir.CreateTable) -> None:
    stored = kept(table)
    again = parse(create_table(from_catalog(stored, stored.settings)))
    name = ir.Name(table.name.table, table.name.database or "d")
    assert again == replace(table, name=name, temporary=False, if_not_exists=False)


def test_secrets_are_hidden_by_the_caller() -> None:
    table = kept(next(table for table in tables() if table.name.table == "secret"))
    shown = create_table(from_catalog(table, dict.fromkeys(table.settings, "[HIDDEN]")))
    assert "password" not in shown
    assert shown.count("[HIDDEN]") == len(table.settings)


def test_views() -> None:
    text = "CREATE VIEW `d`.`v` (`a b` COMMENT 'it''s')\nCOMMENT 'x'\nAS SELECT ';' FROM t"
    view = parse(text)
    assert isinstance(view, ir.CreateView)
    assert create_view(view) == text
