"""Types that Spark lacks, in queries that Spark runs: what is refused, and how types are kept."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, parse
from sluice.sql.relation import Lowered, Relation, RelationColumn
from sluice.types import parse_type

COLUMNS = {
    "ip4": "IPv4", "ip6": "IPv6", "i": "Int128", "u": "UInt256", "d": "Decimal(50, 3)",
    "at": "DateTime64(9, 'Asia/Tokyo')", "tm": "Time", "arr": "Array(IPv4)", "s": "String",
    "k": "Int64", "m": "Map(String, UInt256)", "tp": "Tuple(a IPv6, b String)",
}  # fmt: skip


def lowered(text: str) -> Lowered:
    statement = parse(text)
    assert isinstance(statement, ir.Select)
    columns = tuple(RelationColumn(name, parse_type(type_)) for name, type_ in COLUMNS.items())
    return lower_query(statement.query, lambda _: Relation("v", columns))


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        *((f"{name}(ip6)", f"{name} of IPv6") for name in ("length", "hex", "lower", "reverse")),
        ("i + 1", "Int128 and UInt8 of arguments of function plus"),
        ("-u", "UInt256 of arguments of function negate"),
        ("d * 2", r"Decimal\(50, 3\) and UInt8 of arguments of function multiply"),
        ("sum(u)", "sum of UInt256"), ("avgIf(d, k > 1)", r"avg of Decimal\(50, 3\)"),
        ("sumState(i)", "sum of Int128"), ("max(length(ip6))", "length of IPv6"),
        ("formatDateTime(at, '%f')", r"formatDateTime of DateTime64\(9"),
        ("at + INTERVAL 1 DAY", r"INTERVAL of DateTime64\(9"), ("tm + 1", "Time and UInt8"),
        ("ip4 LIKE '1%'", "like of IPv4"), ("has(arr, '1.1.1.1')", r"has of Array\(IPv4\)"),
        ("arraySort(arr)", r"arraySort of Array\(IPv4\)"),
        ("u = i", "UInt256 and Int128 are not compared"), ("ip4 = s", "IPv4 and String are not"),
        ("i = 1.5", "Int128 and Float64 are not"), ("u IN (-1)", "UInt256 and Int8 are not"),
        ("ip6 IN (SELECT s FROM t)", "IPv6 and String are not compared"),
        ("if(k = 1, ip4, s)", "common type for IPv4, String"), ("[u, 1]", "type for UInt256"),
        ("toFloat64(u)", "Conversion from UInt256 to Float64"), ("toInt64(ip4)", "IPv4 to Int64"),
        ("CAST(tp AS Tuple(a String, b String))", "Conversion from Tuple"),
        ("k = 1 OR ip4", "a condition: it is IPv4"), ("CAST(ip6 AS UUID)", "IPv6 to UUID"),
    ],
)  # fmt: skip
def test_what_spark_would_compute_of_bytes_is_refused(expression: str, named: str) -> None:
    with pytest.raises(errors.SluiceError, match=named):
        lowered(f"SELECT {expression} FROM t")


def test_a_union_of_two_types_is_refused() -> None:
    with pytest.raises(errors.SluiceError, match="common type for IPv6, String"):
        lowered("SELECT ip6 FROM t UNION ALL SELECT s FROM t")


def test_a_join_of_two_types_is_refused() -> None:
    with pytest.raises(errors.SluiceError, match="IPv4 and Int64 are not compared"):
        lowered("SELECT 1 FROM t JOIN (SELECT toInt64(1) AS ip4) AS o USING (ip4)")
    assert "`ip4` = " in lowered("SELECT 1 FROM t JOIN t AS o USING (ip4)").sql


def test_columns_of_a_result_tell_their_types() -> None:
    """What is stored does not tell it: Spark is told, and keeps it."""
    found = lowered("SELECT ip4, max(u) AS u, [i] AS l, k FROM t GROUP BY ip4, i, k")
    assert [str(type_) for type_ in found.types] == ["IPv4", "UInt256", "Array(Int128)", "Int64"]
    for text in ("sluice_typed(`ip4`, 'IPv4')", "'UInt256') AS `u`", "'Array(Int128)') AS `l`"):
        assert text in found.sql.replace("`t`.", "")
    assert found.sql.count("sluice_typed") == 3


def test_constants_are_read_as_the_other_side() -> None:
    test = "ip4 = '1.2.3.4' AND at > '2020-01-01 00:00:00' AND i < 5"
    sql = lowered(f"SELECT k FROM t WHERE {test}").sql
    assert "sluice_ch_encodedlong('1.2.3.4', 'IPv4')" in sql
    assert "'DateTime64(9, \\'Asia/Tokyo\\')'" in sql
    assert "sluice_ch_encodedbytes(CAST(5 AS STRING), 'Int128')" in sql
