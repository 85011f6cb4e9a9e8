"""The columns that ClickHouse's own system tables have: ours have those that we do not fill, empty.

`clickhouse_columns.txt` lists them: `python -m sluice.system.clickhouse_columns` writes it anew.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from sluice import errors
from sluice.types import parse_type

ABSENT = (
    "asynchronous_inserts", "backups", "certificates", "database_replicas", "detached_parts",
    "detached_tables", "distribution_queue", "dns_cache", "dropped_tables", "dropped_tables_parts",
    "filesystem_cache", "graphite_retentions", "merges", "moves", "part_moves_between_shards",
    "projection_parts", "projection_parts_columns", "query_cache", "remote_data_paths", "replicas",
    "replicated_fetches", "replication_queue", "resources", "rocksdb", "scheduler",
    "schema_inference_cache", "view_refreshes", "warnings", "workloads",
)  # fmt: skip
"""Tables about what there is not here: tools ask them, and find nothing."""

NATIVE = (
    "aggregate_function_combinators", "codecs", "collations", "contributors", "keywords",
    "licenses", "settings_changes",
)  # fmt: skip
"""Tables that are those of the ClickHouse which runs the queries: they never change."""

_OTHER = frozenset({"grants", "privileges"})
"""Tables of our own words, which ClickHouse has as enums."""
_FILE = "clickhouse_columns.txt"


class ColumnOf(NamedTuple):
    """A column of a table: of a type, or a synonym `of` another one."""

    table: str
    name: str
    type: str
    of: str = ""


@cache
def columns(database: str) -> dict[str, list[ColumnOf]]:
    """The columns that ClickHouse has in the tables of a database, in its order."""
    found: dict[str, list[ColumnOf]] = {}
    text = resources.files("sluice.system").joinpath(_FILE).read_text("utf-8")
    for line in text.splitlines():
        within, *given = line.split("\t")
        if within == database:
            column = ColumnOf(*given)
            found.setdefault(column.table, []).append(column)
    return found


def missing(database: str, table: str, known: set[str]) -> list[str]:
    """The declarations of columns that a table lacks."""
    wanted = (each for each in columns(database).get(table, ()) if each.name not in known)
    return [f"{c.name} {f'= {c.of}' if c.of else c.type}" for c in wanted]


def write() -> None:
    """Write the list anew, from what ClickHouse has: tables that we have, types that we know."""
    import chdb

    from sluice.catalog.system_tables import DATABASES

    ask: Any = chdb.query
    query = (
        "SELECT database, table, name, type, if(default_kind = 'ALIAS', default_expression, '') "
        "FROM system.columns WHERE database IN ('system', 'information_schema') "
        "ORDER BY database, table, position"
    )
    lines = []
    for line in str(ask(query, "TSVRaw")).splitlines():
        database, table, name, type_, of = line.split("\t")
        has = table in DATABASES[database] and table not in _OTHER
        is_other_case = database == "information_schema" and name.isupper()
        is_kept = _is_known(type_) and (not of or of.isidentifier())
        if has and is_kept and not is_other_case:
            lines.append(line.rstrip("\t"))
    Path(__file__).with_name(_FILE).write_text("\n".join(lines) + "\n", "utf-8")


def _is_known(type_: str) -> bool:
    try:
        parse_type(type_)
    except errors.SluiceError:
        return False
    return True


if __name__ == "__main__":
    write()
