"""The SQL of views that ClickHouse reads stored tables by; `tests/engine` compares their rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sluice.catalog import STORED, Column, Table
from sluice.clickhouse.data_files import DataFile, DeletionVector, NotReadable, Snapshot
from sluice.clickhouse.tables import (
    View,
    deleted_rows_name,
    view_of,
    without_unused_states,
)
from sluice.planner.merging import merging_of
from sluice.types import parse_type

FOLDER, DELETED = Path("/data/tables/t"), Path("/tmp/deleted")  # noqa: S108 - a name only
VECTOR = DeletionVector("i", "data", 4, 2)


def table(*columns: str | Column, engine: str = "MergeTree", **more: Any) -> Table:
    """A table with columns, each of a name and a type."""
    made = [each if isinstance(each, Column) else column(*each.split(" ", 1)) for each in columns]
    created = datetime.now(UTC)
    return Table("u", "d", "t", STORED, tuple(made), created, engine=engine, **more)


def column(name: str, type_: str, **more: Any) -> Column:
    return Column(name, parse_type(type_), **more)


def field(name: str, type_: Any = "long", physical: str = "") -> dict[str, Any]:
    metadata = {"delta.columnMapping.physicalName": physical} if physical else {}
    return {"name": name, "type": type_, "metadata": metadata}


def snapshot(
    *files: DataFile, fields: tuple[dict[str, Any], ...] = (), parts: str = ""
) -> Snapshot:
    by_name = {each["name"]: each for each in fields}
    return Snapshot(FOLDER, 3, files, by_name, tuple(parts.split()))


def flat(text: str) -> str:
    """SQL in one line."""
    return " ".join(text.split()).replace("( ", "(").replace(" )", ")")


def view(of: Table, found: Snapshot) -> View:
    made = view_of(of, found, merging_of(of), DELETED)
    assert isinstance(made, View)
    return made


def test_names_of_files_and_columns() -> None:
    struct = {"type": "struct", "fields": [field("x", physical="c3"), field("2")]}
    fields = (field("a", physical="c1"), field("old", struct, "c2"))
    given = table(
        "a UInt64",
        column("b", "Tuple(x UInt8, `2` FixedString(2))", stored="old"),
        column("c", "UInt64", alias="a + 1", comment="it's"),
        column("d", "Inferred", alias="c * 2"),
        column("m", "UInt8", default="a * 3", default_kind="MATERIALIZED"),
    )
    found = view(given, snapshot(DataFile("x/a'b.parquet"), DataFile("c.parquet"), fields=fields))
    assert found.columns == flat("""
        `a` UInt64, `b` Tuple(x UInt8, `2` FixedString(2)),
        `c` UInt64 ALIAS a + 1 COMMENT 'it\\'s', `d` ALIAS c * 2, `m` UInt8 MATERIALIZED a * 3
    """)
    assert found.query == flat("""
        SELECT __rows.`c1` AS `a`,
        CAST(__rows.`c2`, 'Tuple(x UInt8, `2` FixedString(2))') AS `b`, __rows.`m` AS `m`
        FROM file(['/data/tables/t/x/a\\'b.parquet', '/data/tables/t/c.parquet'], Parquet,
        '`c1` UInt64, `c2` Tuple(`c3` UInt8, `2` String), `m` UInt8') AS __rows
    """)


def test_no_files() -> None:
    assert view(table("a Nullable(UInt8)"), Snapshot(FOLDER)).query == (
        "SELECT * FROM null('`a` Nullable(UInt8)')"
    )


def test_columns_that_came_later() -> None:
    given = table(
        "a UInt64",
        column("n", "UInt8", late=True),
        column("m", "Nullable(UInt8)", late=True),
        column("d", "LowCardinality(String)", late=True, default="toString(a)"),
        column("l", "Array(UInt8)", late=True),
    )
    assert view(given, snapshot(DataFile("f"))).query == flat("""
        SELECT * REPLACE (ifNull(`d`, CAST(toString(a), 'LowCardinality(String)')) AS `d`) FROM (
        SELECT __rows.`a` AS `a`,
        CAST(ifNull(__rows.`n`, defaultValueOfTypeName('UInt8')), 'UInt8') AS `n`,
        __rows.`m` AS `m`, __rows.`d` AS `d`, __rows.`l` AS `l`
        FROM file(['/data/tables/t/f'], Parquet, '`a` UInt64, `n` Nullable(UInt8),
        `m` Nullable(UInt8), `d` LowCardinality(Nullable(String)), `l` Array(UInt8)') AS __rows)
    """)


def test_partitions_and_deleted_rows() -> None:
    files = (
        DataFile("p=1/a", {"p": "1"}),
        DataFile("p=1/b", {"p": "1"}, VECTOR),
        DataFile("c", {"p": None}),
    )
    found = view(table("a UInt8", "p Nullable(UInt8)"), snapshot(*files, parts="p"))
    name = deleted_rows_name(VECTOR)
    assert found.deletions == (VECTOR,)
    assert found.query == flat(f"""
        SELECT __rows.`a` AS `a`, CAST('1', 'Nullable(UInt8)') AS `p`
        FROM file(['/data/tables/t/p=1/a'], Parquet, '`a` UInt8') AS __rows
        UNION ALL
        SELECT __rows.`a` AS `a`, CAST('1', 'Nullable(UInt8)') AS `p`
        FROM file(['/data/tables/t/p=1/b'], Parquet, '`a` UInt8') AS __rows
        WHERE NOT bitmapContains((
        SELECT groupBitmapState(transform(_file, ['{name}'], [1099511627776], 0) + row)
        FROM file(['/tmp/deleted/{name}'], RowBinary, 'row UInt64')),
        transform(__rows._file, ['b'], [1099511627776], 0) + __rows._row_number)
        UNION ALL
        SELECT __rows.`a` AS `a`, CAST(NULL, 'Nullable(UInt8)') AS `p`
        FROM file(['/data/tables/t/c'], Parquet, '`a` UInt8') AS __rows
    """)


PARTS = """
    SELECT __rows.`k` AS `k`, __rows.`v` AS `v`, __rows.`__sluice_at` AS `__sluice_at`,
    __rows.`__sluice_row` AS `__sluice_row` FROM file(['/data/tables/t/f'], Parquet,
    '`k` UInt8, `v` Int8, `__sluice_at` Int64, `__sluice_row` Int64') AS __rows
"""
PLAIN = """
    SELECT __rows.`k` AS `k`, __rows.`v` AS `v` FROM file(['/data/tables/t/f'], Parquet,
    '`k` UInt8, `v` Int8') AS __rows
"""
MERGING = {
    ("ReplacingMergeTree", "v", "k, intHash32(v)"): f"""
        SELECT `k`, `v` FROM ({PARTS})
        ORDER BY `v` DESC NULLS LAST, __sluice_at DESC, __sluice_row DESC LIMIT 1 BY k, v
    """,
    ("ReplacingMergeTree", "", ""): f"""
        SELECT `k`, `v` FROM ({PARTS}) ORDER BY __sluice_at DESC, __sluice_row DESC LIMIT 1
    """,
    ("SummingMergeTree", "", "k % 10"): f"""
        SELECT * FROM (
        SELECT any(__parts.`k`) AS `k`, sumWithOverflow(__parts.`v`) AS `v`
        FROM (SELECT *, k % 10 AS __key0 FROM ({PLAIN})) AS __parts GROUP BY __parts.`__key0`)
        WHERE ifNull(`v` != 0, 0)
    """,
    ("AggregatingMergeTree", "", ""): f"""
        SELECT any(__parts.`k`) AS `k`, any(__parts.`v`) AS `v`
        FROM (SELECT * FROM ({PLAIN})) AS __parts HAVING count() > 0
    """,
    ("CollapsingMergeTree", "v", "k"): f"""
        SELECT `k`, `v` FROM (
        SELECT *, sum(`v`) OVER (PARTITION BY k) AS __total,
        argMax(`v`, tuple(__sluice_at, __sluice_row)) OVER (PARTITION BY k) AS __last
        FROM ({PARTS}))
        WHERE `v` = 1 AND (__total > 0 OR (__total = 0 AND __last = 1))
        ORDER BY __sluice_at DESC, __sluice_row DESC LIMIT 1 BY k
    """,
    ("VersionedCollapsingMergeTree", "v, k", ""): f"""
        SELECT `k`, `v` FROM (
        SELECT *, sum(`v`) OVER (PARTITION BY `k`) AS __total,
        toInt64(count() OVER (PARTITION BY `k`, `v`)) AS __count,
        toInt64(row_number() OVER (PARTITION BY `k`, `v`
        ORDER BY __sluice_at DESC, __sluice_row DESC)) AS __number FROM ({PARTS}))
        WHERE __number <= __count - least(__count, __count - `v` * __total)
    """,
}
"""Engine, its arguments and the key of a table: what is read."""


@pytest.mark.parametrize("given", MERGING, ids=" ".join)
def test_merging(given: tuple[str, str, str]) -> None:
    engine, arguments, key = given
    more = {"engine_args": tuple(filter(None, arguments.split(", ")))}
    more["order_by"] = tuple(filter(None, key.split(", ")))
    made = table("k UInt8", "v Int8", engine=engine, **more)
    assert view(made, snapshot(DataFile("f"))).query == flat(MERGING[given])


def test_states() -> None:
    struct = {"type": "struct", "fields": [field("max", "string", "c2")]}
    columns = ("k UInt8", "c AggregateFunction(max, String)")
    given = table(*columns, engine="AggregatingMergeTree", order_by=("k",))
    kept = "tupleElement(__rows.`c1`, 1)"
    found = view(given, snapshot(DataFile("f"), fields=(field("c", struct, "c1"),)))
    assert found.query == flat(f"""
        SELECT __parts.`k` AS `k`,
        CAST(maxMergeState(__parts.`c`), 'AggregateFunction(max, String)') AS `c`
        FROM (SELECT * FROM (SELECT __rows.`k` AS `k`, CAST(arrayReduce('maxState',
        if(isNotNull({kept}),
        CAST([assumeNotNull(CAST({kept}, 'Nullable(String)'))], 'Array(String)'),
        CAST([], 'Array(String)'))), 'AggregateFunction(max, String)') AS `c`
        FROM file(['/data/tables/t/f'], Parquet, '`k` UInt8, `c1` Tuple(`c2` Nullable(String))')
        AS __rows)) AS __parts GROUP BY __parts.`k`
    """)


def test_states_that_a_query_does_not_use() -> None:
    unique = "u AggregateFunction(uniq, String)"
    given = table("k UInt8", "c AggregateFunction(count)", unique)
    found = without_unused_states(given, None, {"c"})
    assert [each.name for each in found.columns] == ["k", "c"]
    assert without_unused_states(given, None, frozenset()) is found
    assert without_unused_states(given, None, {"c", "u"}) is given
    plain = table("k UInt8", "c AggregateFunction(count)")
    assert without_unused_states(plain, None, {"k"}) is plain
    for more in (
        column("a", "UInt64", alias="finalizeAggregation(u)"),
        column("d", "UInt64", default="finalizeAggregation(u)"),
    ):
        other = table("k UInt8", unique, more)
        assert without_unused_states(other, None, {"k"}) is other


@pytest.mark.parametrize(
    ("given", "found", "reason"),
    [
        (table("a AggregateFunction(uniq, String)"), snapshot(), "AggregateFunction"),
        (table("a AggregateFunction(max, Array(UInt8))"), snapshot(), "Array(UInt8)"),
        (table("a AggregateFunction(sumIf, UInt8, Nullable(UInt8))"), snapshot(), "Nullable"),
        (table("a Array(AggregateFunction(count))"), snapshot(), "column a is Array"),
        (
            table(column("a", "AggregateFunction(count)", late=True, default="countState()")),
            snapshot(),
            "came later",
        ),
        (table("a LocalDateTime(3)"), snapshot(), "column a is LocalDateTime"),
        (table("a Optional(Array(UInt8))"), snapshot(), "column a is Optional"),
        (table(column("a", "Array(UInt8)", late=True, default="[1]")), snapshot(), "came later"),
        (
            table(column("a", "Tuple(Enum8('x' = 1))", late=True)),
            snapshot(),
            "came later",
        ),
        (table("a UInt8"), snapshot(DataFile("a{1}")), "one of the characters"),
        (table("a UInt8"), snapshot(DataFile("s3://b/f")), "object store"),
        (table("a UInt8"), snapshot(DataFile("x/f"), DataFile("f", {}, VECTOR)), "same name"),
        (
            table("_file UInt8"),
            snapshot(DataFile("f", {}, VECTOR), fields=(field("_file"),)),
            "virtual column",
        ),
        (
            table("a UInt8", column("b", "UInt8", alias="a"), engine="ReplacingMergeTree",
                  order_by=("b",)),
            snapshot(),
            "the ALIAS column b",
        ),
    ],
)  # fmt: skip
def test_what_is_read_with_spark(given: Table, found: Snapshot, reason: str) -> None:
    made = view_of(given, found, merging_of(given), DELETED)
    assert isinstance(made, NotReadable)
    assert reason in made.reason


def test_what_is_kept_of_a_view_is_that_of_its_table_and_version() -> None:
    """Tables here have one id, as a table has that is altered."""
    files, fields = (DataFile("a"), DataFile("b")), (field("a", physical="c1"),)
    given, now = table("a UInt64"), snapshot(*files, fields=fields)
    made = view(given, now)
    assert view(given, now) is made
    assert "'/data/tables/t/c'" in view(given, replace(now, files=(DataFile("c"),))).query
    renamed = replace(now, fields={"a": field("a", physical="c2")})
    assert "`c2` UInt64" in view(given, renamed).query
    assert "`c2` UInt32" in view(table("a UInt32"), renamed).query
    assert view(given, now) == made
    merging = table("a UInt64", engine="ReplacingMergeTree", order_by=("a",))
    assert "LIMIT 1 BY a" in view(merging, now).query
    assert isinstance(view_of(given, now, None, Path("/elsewhere")), View)
    aggregated = table("a AggregateFunction(uniq, UInt64)")
    assert isinstance(view_of(aggregated, now, None, DELETED), NotReadable)
    assert view(given, now) == made
