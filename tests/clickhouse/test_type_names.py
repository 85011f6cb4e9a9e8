"""Names of types that other databases have: those that ClickHouse takes, with the same meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.clickhouse.pool import Pool
from sluice.types import parse_type
from sluice.types.spellings import ALIASES, is_any_case
from sluice.types.text import NAMES

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = {"enum": "Enum", "geometry": "Geometry"}
"""Names that we have as names of their own."""


def test_aliases_are_those_of_clickhouse(tmp_path: Path) -> None:
    pool = Pool(tmp_path)
    ask = "SELECT name, alias_to, case_insensitive FROM system.data_type_families"
    with pool.worker() as worker:
        rows = [line.split("\t") for line in worker.run(ask).splitlines()]
        spelled = [
            "bigint(20) unsigned", "VARCHAR(10)", "double precision", "datetime(6)", "date",
            "decimal(5, 2)", "timestamp(3)", "Array(int unsigned)", "Map(text, real)", "time(3)",
            "national character varying(3)", "DateTime32('UTC')", "BINARY(3)",
        ]  # fmt: skip
        for text in spelled:
            quoted = text.replace("'", "\\'")
            made = worker.run(f"SELECT toTypeName(defaultValueOfTypeName('{quoted}'))").strip()
            assert str(parse_type(text)) == made.replace("\\'", "'"), text
    pool.close()
    theirs = {name.lower(): of for name, of, _ in rows if of}
    own = {"decimal", "datetime", "datetime32"}  # which ClickHouse has as names of their own
    assert {name: of for name, of in ALIASES.items() if name not in own} | OTHERS == theirs
    free = {name for name, of, any_case in rows if not of and any_case == "1"}
    spelled_so = {"Bool", "Decimal", "DateTime", "DateTime32"}
    assert {name for name in NAMES if is_any_case(name)} | spelled_so == free


def test_widths_that_mean_nothing() -> None:
    assert str(parse_type("int(11)")) == "Int32"
    for wrong in ("Int32(11)", "text character", "unsigned int"):
        with pytest.raises(Exception, match="type"):
            parse_type(wrong)
