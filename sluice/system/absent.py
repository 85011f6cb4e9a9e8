"""ClickHouse tables about what there is not here: tools ask them, and find nothing."""

from __future__ import annotations

from sluice.system.clickhouse_columns import ABSENT
from sluice.system.registry import system_table

for _name in ABSENT:
    system_table(_name, "")(lambda engine: ())
