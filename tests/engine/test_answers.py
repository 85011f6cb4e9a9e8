"""Answers are ClickHouse's, values and types: the same data and queries, here and in chdb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chdb.session
import pytest
from answers import answer

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from sluice.session import Session

pytestmark = pytest.mark.usefixtures("on_spark")

CAT = "Enum8('z' = 1, 'a' = 2, 'm' = -3)"
COLUMNS = f"""
    id UInt64, u8 UInt8, i8 Int8, u32 UInt32, i64 Int64, cat {CAT}, maybe_cat Nullable({CAT}),
    s String, lc LowCardinality(String), m Nullable(Int32), f Float64, f32 Float32,
    price Decimal(9, 2), day Date, t DateTime('Asia/Tokyo'), t3 DateTime64(3, 'Asia/Tokyo'),
    ok Bool, u UUID, fs FixedString(2), tags Array(String), cats Array({CAT}),
    pair Tuple(x UInt8, y String)
"""
UUID = "61f0c404-5cb3-11e7-907b-a6006ad3dba0"
ROWS = f"""
    (1, 200, -100, 4000000000, -5, 'z', 'z', 'x', 'l', 7, 1.5, 0.1, 1.25, '2024-02-29',
     '2024-03-15 10:20:30', '2024-03-15 10:20:30.123', true, '{UUID}', 'ab', ['p', 'q'],
     ['z', 'a', 'm'], (1, 'one')),
    (2, 255, 127, 4294967295, 9, 'a', NULL, 'y', 'k', NULL, -2.5, 0.25, 3.5, '2023-01-01',
     '2024-03-15 23:59:59', '2024-03-15 23:59:59.999', false, '{UUID}', 'c', [], ['m'], (2, 'two')),
    (3, 0, 0, 0, 0, 'm', 'a', 'x', 'l', -3, 0, 0, 0, '2024-01-01', '2024-01-01 00:00:00',
     '2024-01-01 00:00:00', true, '{UUID}', '', ['r'], [], (3, 'three')),
    (4, 1, 1, 1, 1, 'a', 'm', 'z', 'k', 0, 100, 1, 0.01, '2024-12-31', '2024-12-31 23:00:00',
     '2024-12-31 23:00:00.5', false, '{UUID}', 'zz', ['p'], ['a', 'z'], (0, ''))
"""
SETUP = f"""
CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY id;
CREATE TABLE nothing ({COLUMNS}) ENGINE = MergeTree ORDER BY id;
CREATE TABLE o (id UInt64, label String, kind {CAT}, score Nullable(Float64),
    at DateTime('Asia/Tokyo'), u UUID, list Array(UInt8)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t VALUES {ROWS};
INSERT INTO o VALUES (2, 'two', 'a', 0.5, '2024-03-15 00:00:00', '{UUID}', [1]),
    (9, 'nine', 'm', NULL, '2024-03-16 00:00:00', '{UUID}', []);
"""

QUERIES = """
-- Enums compare by number

SELECT id, cat > 'z' AS a, cat < 'a' AS b, cat = 2 AS c, cat >= 1 AS d, cat IN (1, 'm') AS e,
    cat BETWEEN 'm' AND 'z' AS f_, cat = 'a' AS g, cat != 'a' AS h, maybe_cat > 'm' AS i, 2 = cat
    AS j, cat = maybe_cat AS k, cat < maybe_cat AS l, cat > 'none' AS n, toInt8(cat) AS o FROM t
    ORDER BY id;

SELECT id FROM t WHERE cat = 2 AND cat > 'm' ORDER BY id;

SELECT max(cat) AS a, min(cat) AS b, argMax(cat, cat) AS c, argMin(id, cat) AS d, argMax(cat,
    id) AS e, max(maybe_cat) AS f_, max((cat, id)) AS g, min((id, cat)) AS h,
    arraySort(groupArray(cat)) AS i, maxIf(cat, cat != 'a') AS j, argMax(s, (cat, id)) AS k FROM t;

SELECT id, cat FROM t ORDER BY (cat, id);

SELECT id, maybe_cat FROM t ORDER BY maybe_cat DESC, id;

SELECT id, row_number() OVER (ORDER BY cat, id) AS n, max(cat) OVER (ORDER BY id) AS c, rank()
    OVER (ORDER BY cat DESC) AS r FROM t ORDER BY id;

SELECT cat, count() AS n FROM t GROUP BY cat ORDER BY cat LIMIT 1 BY cat;

SELECT id, arraySort(cats) AS a, arrayReverseSort(cats) AS b, arrayMax(cats) AS c,
    arrayMin(cats) AS d, arraySort(x -> -toInt8(x), cats) AS e FROM t WHERE id != 3 ORDER BY id;

SELECT id, greatest(cat, maybe_cat) AS a, least(cat, maybe_cat) AS b, (cat, id) < ('z', 3) AS c,
    (cat, id) >= ('a', 4) AS d, (cat, 1) = ('a', 1) AS e, (1, cat) IN ((1, 'm')) AS f_,
    cat = 'none' AS g, cat IN ('none', 'z') AS h, greatest(cat, 'b') AS i FROM t ORDER BY id;

SELECT id, (id, (cat, 1)) < (3, ('z', 1)) AS a, nullIf(cat, 'none') AS b, cat < s AS c,
    cat = CAST('a' AS Enum8('a' = 1, 'q' = 2)) AS d, cats < arrayReverse(cats) AS e,
    greatest(cat, CAST('q' AS Enum16('a' = 1, 'q' = 2))) AS g, (cat, f) != ('z', 1.5) AS h,
    pair < (2, 'one') AS i, (m, 1) = (7, 1) AS j, (maybe_cat, id) < (cat, id) AS k FROM t
    ORDER BY id;

-- types and time zones of results

SELECT max(t) AS a, min(t3) AS b, any(day) AS c, max(f32) AS d, max(u) AS e, max(fs) AS g,
    groupArray(lc) AS h, max(pair) AS i, max(ok) AS j FROM t WHERE id = 1;

SELECT toStartOfHour(t) AS a, t + 1 AS b, toTimeZone(t, 'UTC') AS c, toTimeZone(t3,
    'America/New_York') AS d, t3 + INTERVAL 1 HOUR AS e, t3 + 1 AS f_, toDateTime(0, 'Asia/Tokyo')
    AS g, toDateTime('2024-01-01 00:00:00', 'Asia/Tokyo') AS h, t - INTERVAL 1 MONTH AS i, day + 1
    AS j, t3 - t3 AS k, t - t AS l, day - day AS m_, toDate(t) AS n, if(ok, t, t3) AS o,
    toStartOfInterval(t, INTERVAL 15 MINUTE) AS p FROM t ORDER BY id;

SELECT 1 + 1 AS a, u8 + u8 AS b, u8 * u8 AS c, i8 + i8 AS d, u32 * u32 AS e, u32 + 1 AS f_, u8
    - 1 AS g, -u8 AS h, i8 % 7 AS i, intDiv(u32, 7) AS j, u8 / 3 AS k, f32 + 1 AS l, price + 1 AS
    m, price * 2 AS n, price * price AS o, abs(i8) AS p, m + 1 AS q, 1 AS r, -1 AS s_, 300 AS v,
    1.5 AS w, NULL AS x, [1, 300] AS y, (1, 'a', NULL) AS z, map('a', 1) AS aa FROM t ORDER BY id;

SELECT toUInt64(18446744073709551615) + 1 AS a, toUInt64(5) - 6 AS b, toUInt64(0) -
    toUInt64(18446744073709551615) AS c, toUInt64(18446744073709551615) * 2 AS d, count() + 1 AS
    e, sum(u8) AS f_, sum(i8) AS g, sum(f32) AS h, sum(price) AS i, avg(u8) AS j, sum(ok) AS k,
    uniq(s) AS l, quantileExact(u8) AS n FROM t;

SELECT if(ok, 1, 300) AS a, if(ok, 1, -1) AS b, multiIf(ok, 1, id = 2, 1.5, 2) AS c,
    coalesce(m, 5) AS d, ifNull(m, 300) AS e, nullIf(u8, 1) AS f_, CASE WHEN ok THEN 'a' END AS g,
    assumeNotNull(m) AS h, greatest(u8, i8) AS i, ok AND true AS j, NOT ok AS k, m = 7 AS l,
    lower(lc) AS n, lc = 'l' AS o, toTypeName(t3) AS p, toTypeName(m + 1) AS q FROM t ORDER BY id;

SELECT * REPLACE (id * 10 AS id) FROM o ORDER BY id;

SELECT o.* EXCEPT (u, list) REPLACE (upper(label) AS label, id + 1 AS id) FROM o ORDER BY id;

SELECT id, x FROM (SELECT id, u8 + 1 AS x FROM t UNION ALL SELECT id, -1 FROM o) ORDER BY id,
    x;

-- states

SELECT maxMerge(x) AS a, argMinMerge(y) AS b, avgMerge(z) AS c, sumMerge(w) AS d FROM
    (SELECT maxState(cat) AS x, argMinState(id, cat) AS y, avgState(u8) AS z, sumState(u8) AS w
    FROM t GROUP BY s);

SELECT maxMerge(x) AS a, avgMerge(z) AS c, countMerge(w) AS d FROM (SELECT maxState(cat) AS x,
    avgState(u8) AS z, countState() AS w FROM nothing GROUP BY s);

-- over no rows

SELECT max(id) + 1 AS a, any(s) AS b, avg(f) AS c, sum(u8) AS d, max(t) AS e, min(day) AS f_,
    max(cat) AS g, any(u) AS h, any(tags) AS i, any(pair) AS j, any(fs) AS k, max(ok) AS l,
    quantile(u8) AS n, quantiles(0.5, 0.9)(u8) AS o, stddevPop(u8) AS p, groupBitAnd(u8) AS q,
    groupArray(u8) AS r, argMax(s, id) AS v, count() AS w, uniq(id) AS x, max(m) AS y, avg(m) AS
    z, sum(m) AS aa, max(price) AS ab, corr(u8, f) AS ac FROM nothing;

SELECT s, maxIf(id, id > 100) AS a, anyIf(s, false) AS b, avgIf(f, id > 100) AS c, sumIf(m, id
    > 100) AS d FROM t GROUP BY s ORDER BY s;

SELECT 0 IN (1, NULL) AS a, 0 NOT IN (1, NULL) AS b, 1 IN (1, NULL) AS c, NULL IN (1, 2) AS d;

SELECT id, u8 IN (SELECT m FROM t) AS a, m NOT IN (7, NULL) AS b, id NOT IN (SELECT m FROM t) AS c
    FROM t ORDER BY id;

SELECT id, m IN (SELECT 7) AS a, m NOT IN (SELECT m FROM t) AS b, m IN (SELECT 7) AND u8 AS c,
    (m, id) IN (SELECT 7, 1) AS d, m IN (SELECT 1 WHERE 0) AS e FROM t ORDER BY id;

SELECT id FROM t WHERE ok AND m NOT IN (SELECT 7) OR NOT (m IN (SELECT 0) AND ok) ORDER BY id;

SELECT id FROM t WHERE NOT (m IN (SELECT 7)) AND id IN (SELECT id FROM t) ORDER BY id;

-- dates, decimals and NaN

SELECT avg(day) AS a, avg(t) AS b, avg(t3) AS c, avgIf(day, id > 9) AS d, quantile(0.9)(day) AS e,
    quantiles(0.1, 0.9)(t) AS f_, quantileIf(0.7)(t3, id > 9) AS g, quantile(0.3)(price) AS h,
    quantilesIf(0.3)(price, id > 9) AS i, avg(price) AS j, avgIf(m, id > 9) AS k,
    quantilesTiming(0, 0.5, 1)(id) AS l FROM t;

SELECT max(x) AS a, min(x) AS b, argMax(x, x) AS c, quantile(x) AS d, maxIf(x, x != x) AS e,
    varPop(x) AS f_ FROM (SELECT if(id = 2, nan, f) AS x FROM t);

SELECT id, avg(id) OVER (ORDER BY id) AS a, max(f) OVER (ORDER BY id) AS b, avg(day) OVER (ORDER BY
    id) AS c, sumWithOverflow(u8) OVER (ORDER BY id) AS d FROM t ORDER BY id;

SELECT avg(DISTINCT u8) AS a, sum(DISTINCT i64) AS b, groupConcat('-', 3)(lc) AS c,
    topK(1)(s) AS d, uniqCombined(m) AS e, uniqCombinedIf(m, id > 9) AS f_ FROM t;

SELECT finalizeAggregation(avgState(day)) AS a, finalizeAggregation(avgState(t3)) AS b,
    finalizeAggregation(quantileState(1)(t)) AS c, finalizeAggregation(quantileState(1)(price)) AS
    d, finalizeAggregation(quantileTDigestState(1)(f)) AS e,
    finalizeAggregation(quantilesState(0, 1)(day)) AS f_ FROM t;

-- rows that an outer join lacks

SELECT t.id AS id, label, kind, score, at, o.u AS u_, list, o.id AS o_id FROM t LEFT JOIN o ON
    t.id = o.id ORDER BY id;

SELECT id, s, label, cat, m FROM t FULL JOIN o USING (id) ORDER BY id;

-- subtotals

SELECT s, cat, count() AS n, sum(u8) AS u_ FROM t GROUP BY ROLLUP(s, cat) ORDER BY s, cat, n;

SELECT m, u8 % 2 AS odd, count() AS n FROM t GROUP BY m, odd WITH CUBE ORDER BY m, odd, n;

SELECT s, ok, count() AS n FROM t GROUP BY GROUPING SETS ((s), (ok)) ORDER BY s, ok, n;

SELECT s, cat, sum(u8) AS n FROM t GROUP BY s, cat WITH ROLLUP HAVING s = '' OR cat = 'm' AND n >= 0
    ORDER BY n, s, cat;

SELECT upper(s) AS k, m, count() AS n FROM t GROUP BY k, m WITH CUBE HAVING m IS NULL AND k != 'Y'
    ORDER BY max(id) DESC, n LIMIT 1 BY k, n LIMIT 3;

-- neighbours

SELECT id, leadInFrame(u8) OVER (ORDER BY id) AS a, leadInFrame(id) OVER (ORDER BY s, id ROWS
    BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b, leadInFrame(id, 2, 77) OVER (ORDER BY id ROWS
    BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c, lagInFrame(m, 2) OVER (ORDER BY id ROWS 1
    PRECEDING) AS d, lagInFrame(s) OVER (PARTITION BY lc ORDER BY id ROWS 1 PRECEDING) AS e, count()
    OVER (PARTITION BY lc ORDER BY s) - leadInFrame(1) OVER (PARTITION BY lc ORDER BY s) AS f_
    FROM t ORDER BY id;

SELECT id, lagInFrame(id) OVER (ORDER BY id) AS a, leadInFrame(s) OVER (ORDER BY id ROWS
    BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b, lagInFrame(m) OVER (ORDER BY id) AS
    c, lead(s, 2, 'none') OVER (ORDER BY id) AS d, nth_value(id, 3) OVER (ORDER BY id) AS e,
    max(u8) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) AS f_ FROM t ORDER BY id;
"""

VIEW = """
SELECT s, count() AS n, max(t) AS last, max(cat) AS top, sum(u32) AS total, max(id) + 1 AS next,
    avg(m) AS mean, argMax(lc, cat) AS best, toStartOfHour(min(t3)) AS hour, 1 AS one
FROM source GROUP BY s
"""


def statements(text: str) -> list[str]:
    """Statements that a semicolon ends, without comments."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return [each.strip() for each in plain.split(";\n") if each.strip()]


def text_of(session: Session, query: str) -> str:
    """An answer as names, types and values."""
    try:
        return answer(session, query, "TSVWithNamesAndTypes")
    except SluiceError as error:
        return str(error)


def asked(peer: Any, query: str) -> str:
    """The same answer of ClickHouse."""
    return str(peer.query(query, "TSVWithNamesAndTypes").bytes().decode())


def test_a_long_answer_is_a_file_until_it_has_been_read(session: Session) -> None:
    result = session.execute("SELECT number FROM numbers(20000)", stream=True)
    temporary = session._engine.folder.path / "tmp"
    assert len(list(temporary.glob("answer-*"))) == 1
    rows = b"".join(result.stream or ()).split()
    assert sorted(map(int, rows)) == list(range(20_000))
    assert list(temporary.glob("answer-*")) == []


@pytest.mark.slow
def test_values_and_types(session: Session) -> None:
    start: Any = chdb.session.Session
    with start() as peer:
        for statement in statements(SETUP):
            session.execute(statement)
            peer.query(statement)
        wrong = {}
        for query in statements(QUERIES):
            found, wanted = text_of(session, query), asked(peer, query)
            if found != wanted:
                wrong[query] = differing(found, wanted)
        assert not wrong, "\n".join(f"{query}\n  {diff}" for query, diff in wrong.items())
        # and in the columns of a view's own table
        for statement in (
            f"CREATE TABLE source ({COLUMNS}) ENGINE = MergeTree ORDER BY id",
            f"CREATE MATERIALIZED VIEW mv ENGINE = MergeTree ORDER BY s AS {VIEW}",
            f"INSERT INTO source VALUES {ROWS}",
        ):
            session.execute(statement)
            peer.query(statement)
        rows = "SELECT * FROM mv ORDER BY s"
        assert text_of(session, rows) == asked(peer, rows)
        types = [row[:2] for row in session.execute(f"DESCRIBE ({VIEW})").fetchall()]
        assert types == [row[:2] for row in session.execute("DESCRIBE mv").fetchall()]
        columns = [line.split("\t")[:2] for line in asked(peer, "DESCRIBE mv").splitlines()[2:]]
        assert [[name, type_.replace("'", "\\'")] for name, type_ in types] == columns


def differing(found: str, wanted: str) -> list[tuple[str, ...]]:
    """The columns that differ: name, type and values, found and wanted."""
    here, there = ([line.split("\t") for line in text.splitlines()] for text in (found, wanted))
    if [len(line) for line in here] != [len(line) for line in there]:
        return [(found, wanted)]
    columns = zip(zip(*here, strict=True), zip(*there, strict=True), strict=True)
    return [(*one, "≠", *other[1:]) for one, other in columns if one != other]
