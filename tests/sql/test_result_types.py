"""The types that lowering gives to expressions are those that ClickHouse gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chdb.session
import pytest

from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, parse
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {
    "lc": "LowCardinality(String)", "lcn": "LowCardinality(Nullable(String))",
    "nu": "Nullable(UInt8)", "ns": "Nullable(String)", "s": "String", "u8": "UInt8", "i8": "Int8",
    "u16": "UInt16", "i16": "Int16", "u32": "UInt32", "i32": "Int32", "u64": "UInt64",
    "i64": "Int64", "f32": "Float32", "f64": "Float64", "d32": "Decimal(9, 2)",
    "d64": "Decimal(18, 3)", "b": "Bool", "d": "Date", "t": "DateTime('Asia/Tokyo')",
    "t6": "DateTime64(3, 'Asia/Tokyo')", "en": "Enum8('a' = 1, 'b' = 2)", "fs": "FixedString(3)",
    "u": "UUID", "au": "Array(UInt8)", "mp": "Map(String, UInt8)", "tp": "Tuple(x UInt8, y String)",
}  # fmt: skip

EXPRESSIONS = {
    "literals": """
        1; -1; 300; -200; 18446744073709551615; 18446744073709551616; -9223372036854775808;
        -9223372036854775809; 1.5; NULL; 'x'; true; [1, 300]; [1, -1]; [1, NULL]; []; (1, 'a');
        map('a', 1); [1, 1.5]; [u8, b]; (1, NULL); [[1], [300]]
    """,
    "arithmetic": """
        u8 + u8; u8 + u16; u8 + i8; u8 - u8; u8 * u8; u8 / u8; u8 % u8; i8 % u8; u8 % i8; u64 % u8;
        u8 % u64; i64 % u16; f64 % u8; intDiv(u8, u16); intDiv(i8, u16); intDiv(u64, i8);
        intDiv(f64, 2); -u8; -i8; -u64; -f32; abs(i8); abs(f32); u32 + u8; u64 + i8; u64 - u64;
        u64 * i64; f32 + f32; f32 + u8; f32 * f64; f32 / 2; b + b; b + 1; u64 + 1.5; 1 + 1;
        d32 + d32; d32 + d64; d32 * d32; d32 * d64; d32 / d32; d32 / 3; d32 + 1; d32 + u64;
        d32 + f64; d32 * f32; d32 % 2; -d32; abs(d32); d64 / d32; i64 / d32; nu + 1; 1 + NULL;
        intDiv(d32, 2); intDiv(f32, 2); intDiv(u8, d32); positiveModulo(i8, u16); d % i8; t % u16;
        positiveModulo(d, i8); moduloOrZero(i8, i8); intDivOrZero(u8, i8); abs(b); -b
    """,
    "times": """
        d + 1; t + 1; t6 + 1; t6 + INTERVAL 1 HOUR; t + INTERVAL 1 MONTH; d + INTERVAL 1 HOUR;
        d + INTERVAL 1 DAY; d - d; t - t; t6 - t6; t6 - t; toStartOfHour(t); toStartOfHour(t6);
        toTimeZone(t, 'UTC'); toTimeZone(t6, 'UTC'); toDateTime(5, 'UTC'); toStartOfDay(d);
        toStartOfInterval(t, INTERVAL 1 HOUR); toStartOfInterval(t6, INTERVAL 1 HOUR);
        toStartOfInterval(t, INTERVAL 1 WEEK); date_trunc('hour', t); date_trunc('month', t); now();
        now64(); toDate(t); toDateTime(t6); toDateTime64(t, 6); toDate32(t); toYear(d); toMonth(t);
        toDayOfWeek(d); toHour(t6); toMillisecond(t6); toYYYYMM(t); toYYYYMMDDhhmmss(t);
        toUnixTimestamp(t); toUnixTimestamp(ns); toUnixTimestamp64Milli(t6); toISOYear(d);
        toStartOfSecond(t6);
        toStartOfInterval(t, INTERVAL 1 DAY); toStartOfInterval(d, INTERVAL 1 DAY);
        toStartOfInterval(t6, INTERVAL 1 MONTH); date_trunc('month', t6); date_trunc('hour', t6);
        dateDiff('day', d, t); age('day', t, t6); makeDate(2024, 1, u8); formatDateTime(t, '%z');
        parseDateTimeBestEffort(s); parseDateTimeBestEffortOrNull(s); toDateTime(ns);
        parseDateTimeBestEffortOrZero(s, 'Asia/Tokyo'); parseDateTimeBestEffort(ns);
        addHours(d, 1); addMonths(d, 1); addDays(t6, 1); fromUnixTimestamp64Micro(i64, 'UTC')
    """,
    "conditions": """
        b = 1; b AND b; NOT b; nu = 1; nu IS NULL; u8 IN (1, 2); nu IN (1, 2); u8 IN (1, NULL);
        (u8, 1) IN ((1, 2)); u8 BETWEEN 1 AND 2; nu BETWEEN 1 AND 2; nu AND 1; nu OR 1; NOT nu;
        en = 'a'; t = t6; ns LIKE 'a%'; EXISTS (SELECT 1); u8 IN (SELECT 1); 'a' LIKE NULL;
        b AND u8; b AND NULL; u8 OR NULL; xor(b, u8); xor(u8, u8, u8); (nu, 1) = (1, 1);
        (u8, s) < (1, 'a')
    """,
    "choices": """
        coalesce(nu, 5); ifNull(nu, 300); if(nu, 1, 2); if(u8, 1, 300); if(u8, nu, 300);
        if(u8, 1, NULL); if(u8, 1, -1); multiIf(u8, 1, 2, -300, 1.5); CASE WHEN u8 THEN 1 END;
        CASE u8 WHEN 1 THEN 'a' ELSE 'b' END; u8 ? 1 : 2; nullIf(u8, 1); assumeNotNull(nu);
        toNullable(u8); greatest(u8, i8); greatest(d, d); least(t, t); greatest(nu, 300);
        if(u8, d, t); if(u8, t, t6); if(u8, s, fs); if(u8, en, s); if(u8, f32, u32);
        if(u8, f32, u8); if(u8, f32, f64); if(u8, d32, u8); if(u8, [], [1]); if(u8, en, en);
        if(u8, (1, 'a'), (300, 'b')); coalesce(nu, NULL); coalesce(NULL, 1); coalesce(nu, u8);
        ifNull(nu, nu); ifNull(u8, 300); coalesce(u8, 300); greatest(u64, i64); least(u64, i64);
        greatest(b, b); greatest(en, en); greatest(en, 'a'); greatest(nu, NULL); if(u8, b, u8);
        if(u8, u8, b); if(u8, b, i8); [b, u8]; multiIf(u8, b, u8, u8, 1);
        (SELECT 1); (SELECT 'a'); (SELECT [1]); max2(u8, i8)
    """,
    "dictionaries": """
        lower(lc); lc = 'x'; concat(lc, 'a'); concat(lc, lc); lc || 'a'; lc IN ('a'); lc IS NULL;
        lcn = 'x'; if(u8, lc, 'x'); if(u8, lc, lc); lc LIKE 'a%'; toDate(lc); greatest(lc, 'b');
        [lc]; (lc, 1); CAST(lc AS String); toString(lc); map(lc, 1); NOT lc = 'a'; lc = 'a' AND u8;
        nullIf(lc, 'a'); assumeNotNull(lc); toNullable(lc); toUInt8OrNull(lc); max(lc); any(lc);
        groupArray(lc); argMax(lc, u8); groupUniqArray(lcn)
    """,
    "conversions": """
        CAST(nu AS UInt8); CAST(nu AS Nullable(UInt8)); toUInt8(nu); toString(nu); toDateTime(nu);
        toUInt8OrNull('1'); toUInt8OrZero(s); toString(en); toTypeName(u8); lower(ns); lower(NULL);
        concat(ns, 'a'); [nu]; map('a', nu); tuple(nu, 1); tp.x; tp.2; au[1]; mp['a']; [nu][1];
        arrayMap(x -> x + 1, au); arrayMap(x -> x + 1, [nu])
    """,
    "aggregates": """
        count(); count(nu); count(DISTINCT u8); uniq(nu); sum(u8); sum(i8); sum(f32); sum(d32);
        sum(b); sum(nu); sumIf(u8, b); sumIf(u8, nu); countIf(nu); avg(nu); avg(d32); avg(u8);
        max(nu); max(u8) + 1; max(t); min(t6); any(nu); anyLast(nu); argMax(nu, u8); argMax(u8, nu);
        maxIf(u8, nu); anyIf(s, b); argMaxIf(s, u8, b); groupArray(nu); quantile(nu); quantile(u8);
        quantileExact(nu); quantileExact(u8); quantiles(0.5)(nu); stddevPop(nu); corr(u8, nu);
        groupBitAnd(u8); groupBitOr(i32); groupBitXor(nu); topK(3)(nu); groupConcat(s); max(b);
        max((u8, s)); max([u8]); min(en); first_value(nu); sum(en); sumWithOverflow(en);
        sumWithOverflow(b); sumWithOverflow(f32); sumWithOverflow(d32); sumKahan(d32); avg(d);
        avg(t6); groupBitOr(b); quantile(d); quantile(t); quantiles(0.5)(d32); quantileTDigest(u8);
        quantileTDigest(d); quantilesTDigest(0.5)(f64); quantileTiming(u8); varPop(f32);
        covarPop(f32, f32); covarPop(f32, u8); corr(f32, f32); skewPop(f32); uniqCombined(nu);
        uniqCombined64(u8); uniqHLL12(nu); sum(d64); groupUniqArray(mp); max(mp)
    """,
    "windows": """
        sum(u8) OVER (); row_number() OVER (); rank() OVER (); lagInFrame(u8) OVER ();
        lagInFrame(nu) OVER (); lag(u8) OVER (); nth_value(u8, 1) OVER (); percent_rank() OVER ();
        ntile(2) OVER (ORDER BY u8)
    """,
}


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    """ClickHouse itself, with the table `v`."""
    started: Any = chdb.session.Session
    with started() as session:
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        session.query(f"CREATE TABLE v ({columns}) ENGINE = Memory")
        yield session


def lowered_type(expression: str) -> str:
    """The type of an expression over `v`."""
    columns = tuple(RelationColumn(n, parse_type(t)) for n, t in COLUMNS.items())
    statement = parse(f"SELECT {expression} AS c FROM v")
    assert isinstance(statement, ir.Select)
    return str(lower_query(statement.query, lambda _: Relation("v", columns)).types[0])


@pytest.mark.parametrize("group", EXPRESSIONS)
def test_types_are_clickhouses(group: str, peer: Any) -> None:
    expressions = [text.strip() for text in EXPRESSIONS[group].split(";")]
    wanted, found = {}, {}
    for expression in expressions:
        text = peer.query(f"DESCRIBE (SELECT {expression} AS c FROM v)", "TSVRaw").data()
        wanted[expression] = text.split("\t")[1]
        found[expression] = lowered_type(expression)
    assert found == wanted
