"""Types that Spark lacks: as columns of stored tables and of Kafka tables, and in views."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.types.nanoseconds import NanoDatetime

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

COLUMNS = """
    n UInt8, ip4 IPv4, ip6 IPv6, i Int128, u UInt256, d Decimal(50, 3), at DateTime64(9, 'UTC'),
    a7 DateTime64(7, 'Asia/Tokyo'), tm Time, t64 Time64(3), nip Nullable(IPv6), arr Array(IPv4),
    m Map(String, Int256), tp Tuple(a UInt128, b Nullable(Time64(9))), lc LowCardinality(IPv4),
    bf BFloat16, s4 String, k Int64, t DateTime('UTC')
"""
ROWS = """
    (1, '1.2.3.4', '::1', -5, 7, '1.5', '2020-01-01 00:00:00.123456789',
     '2020-06-01 10:00:00.1234567', '12:00:00', '00:00:00.123', '::5', ['1.2.3.4', '9.9.9.9'],
     map('a', -1), (1, NULL), '1.1.1.1', 0.1, '10.0.0.1', -7, '2020-01-01 12:34:56'),
    (2, '255.1.2.3', 'ffff::1:2', '-170141183460469231731687303715884105728',
     '115792089237316195423570985008687907853269984665640564039457584007913129639935', '-2.125',
     '1900-01-01 00:00:00.000000001', '2299-01-01 00:00:00.1234567', '-99:00:00', '-00:00:01.5',
     NULL, [], map(), (2, '00:00:00.000000001'), '2.2.2.2', 1e39, '255.255.255.255', 5,
     '1999-12-31 23:59:59'),
    (3, '9.9.9.9', '::ffff:1.2.3.4', 0, 8, 0, '2262-04-11 23:47:16.854775807',
     '1969-12-31 23:59:59.9999999', '999:59:59', '999:59:59.999', '::', ['0.0.0.0'], map('b', 1),
     (3, '-00:00:00.000000001'), '1.1.1.1', -1.99, '0.0.0.0', 0, '1970-01-01 00:00:00')
"""

EXPRESSIONS = """
    ip4; ip6; i; u; d; at; a7; tm; t64; nip; arr; m; tp; lc; bf;
    toString(bf); hex(bf); toString(bf + 1); toString(bf * bf); bf = 0.099609375; toBFloat16(1.7);
    toBFloat16(k); round(bf, 1); toFloat32(bf); toString(CAST('0.3' AS BFloat16));
    toBFloat16OrNull(s4); if(n = 1, bf, 2); toTypeName(bf + 1); toTypeName(bf + k);
    toTypeName([bf, 1]); toTypeName(bf / 2);
    toString(ip4); toString(ip6); toString(i); toString(u); toString(d); toString(at);
    toString(a7); toString(tm); toString(t64); toString(arr); toString([ip6]); toString(tp);
    ip4 = '1.2.3.4'; ip4 < '100.0.0.0'; ip6 > '::1'; i = -5; i < k; u > 6; d > 1; tm > '01:00:00';
    d < toDecimal64('2.5', 2); at > '2019-01-01 00:00:00.5'; at = toDateTime('2020-01-01 00:00:00');
    t64 < '00:00:00.5'; ip4 IN ('1.2.3.4', '9.9.9.9'); u IN (7, 8); i BETWEEN -10 AND 10; ip6 = ip4;
    toIPv4(s4); toInt128(k); toUInt256(toUInt64(abs(k))); toInt256(toString(i)); toUInt128('7');
    toDecimal256(k, 5); toDecimal256('1.239', 2); toIPv4OrNull('::1'); toIPv6OrZero('x');
    toInt128OrNull('1e3'); toInt128OrZero('12'); toIPv4(toUInt32(16909060)); CAST(k AS Int256);
    CAST(s4 AS Nullable(IPv6)); CAST(d AS Decimal(70, 1)); CAST(d AS Int128); toInt32(d);
    toUInt8(toUInt128(7)); toDecimal128(d, 1); toUInt32(ip4); toInt128(toDecimal64('5.9', 2));
    IPv4NumToString(ip4); IPv4StringToNum(s4); IPv4ToIPv6(ip4); IPv6NumToString(ip6);
    isIPv4String(s4); isIPv6String(s4); isIPv6String('::1'); IPv4StringToNumOrNull('::1');
    toDateTime64('2020-01-01 00:00:00.123456789', 9, 'UTC'); toDateTime64(t, 9);
    toDateTime64(at, 3);
    toDateTime64(k, 8, 'UTC'); toUnixTimestamp64Nano(at); CAST(at AS DateTime64(7, 'UTC'));
    fromUnixTimestamp64Nano(toInt64(1577836800123456789), 'UTC'); toYear(at); toHour(a7);
    toTime('12:00:00'); toTime64('12:00:00.5', 3); toTime(t); toTime64(t, 9); CAST(100 AS Time);
    arr[1]; arrayMap(x -> toString(x), arr); length(arr); coalesce(nip, toIPv6('::9'));
    if(n = 1, ip4, toIPv4('9.9.9.9')); isNull(nip); CAST(arr AS Array(String));
    concat('a', ip4); arrayFilter(x -> x > '1.1.1.1', arr); toTypeName(toInt128(k));
    toTypeName([i]); toTypeName(toDateTime64(t, 9)); toTypeName(toTime64(t, 3))
"""
AGGREGATES = """
    min(ip4); max(ip6); min(i); max(u); max(d); min(at); max(tm); count(ip6); uniqExact(lc);
    argMax(n, u); argMin(ip6, i); max(nip); toTypeName(max(u))
"""

REFUSED = """
    length(ip4); ip4 + 1; -u; u * 2; hex(ip6); abs(i); at + INTERVAL 1 DAY; lower(ip4); sum(i);
    avg(d); u = i; i = 1.5; toFloat64(u); if(n = 1, ip4, 's4'); [i, 1]; round(d); at - at; tm + 1;
    formatDateTime(at, '%f'); i % 2; reverse(ip6); ip4 LIKE '1%'; toInt64(ip4); greatest(u, u);
    has(arr, '1.2.3.4'); quantile(i); ip6 IN (SELECT s4 FROM t); CAST(ip6 AS UUID);
    CAST(tp AS Tuple(a String, b String)); sumState(i); toStartOfInterval(at, INTERVAL 1 HOUR)
"""


def split(texts: str) -> list[str]:
    return [" ".join(text.split()) for text in texts.split(";")]


def filled(session: Session) -> None:
    session.execute(f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY (ip6, u)")
    session.execute(f"INSERT INTO t VALUES {ROWS}")


def both(session: Session, query: str) -> list[tuple[object, ...]]:
    """The rows of a query, which are the same by ClickHouse and by Spark, types included."""
    found = session.execute(query)
    spark = session.execute(f"{query} SETTINGS sluice_engine = 'spark'")
    kinds = [[column.type_name for column in each.columns] for each in (found, spark)]
    assert kinds[0] == kinds[1]
    rows = found.fetchall()
    assert spark.fetchall() == rows
    return rows


def test_spark_answers_as_clickhouse_does(session: Session) -> None:
    """Everything that is computed on Spark over columns of these types."""
    filled(session)
    both(session, f"SELECT {', '.join(split(EXPRESSIONS))} FROM t ORDER BY n")
    both(session, f"SELECT {', '.join(split(AGGREGATES))} FROM t")
    for key in ("ip4", "ip6", "i", "u", "d", "at", "tm", "t64", "(ip6, i)"):
        both(session, f"SELECT n FROM t ORDER BY {key} DESC")
    both(session, "SELECT lc, count() FROM t GROUP BY lc ORDER BY lc")
    both(session, "SELECT n FROM t WHERE ip6 IN (SELECT ip6 FROM t WHERE n < 3) ORDER BY n")


def test_bfloat16_is_cut_off_wherever_it_is(session: Session) -> None:
    """By ClickHouse for constants and queries, by Spark for what it computes itself."""
    columns = "n UInt8, b BFloat16, a Array(BFloat16), m Map(String, Tuple(x BFloat16, y UInt8))"
    session.execute(f"CREATE TABLE b ({columns}) ENGINE = MergeTree ORDER BY n")
    values = "0.1, [1.7, 0.1], map('k', (0.1, 1))"
    session.execute(f"INSERT INTO b VALUES (1, {values})")
    session.execute(f"INSERT INTO b SELECT 2, {values}")
    session.execute(f"INSERT INTO b SELECT 3, {values} SETTINGS sluice_engine = 'spark'")
    session.execute(
        'INSERT INTO b FORMAT JSONEachRow {"n":4,"b":0.1,"a":[1.7,0.1],"m":{"k":{"x":0.1,"y":1}}}'
    )
    found = both(session, "SELECT n, b, a, m FROM b ORDER BY n")
    cut = (0.099609375, [1.6953125, 0.099609375], {"k": (0.099609375, 1)})
    assert found == [(n, *cut) for n in (1, 2, 3, 4)]


def test_what_spark_cannot_compute_is_refused(session: Session) -> None:
    """Nothing is computed of what is stored; the error names the function and the type."""
    filled(session)
    for expression in split(REFUSED):
        with pytest.raises(SluiceError, match=r"IPv|Int128|UInt256|Decimal|DateTime64|Time|Tuple"):
            session.execute(f"SELECT {expression} FROM t SETTINGS sluice_engine = 'spark'")
    for expression in ("toInt64(u)", "toUInt8(i)", "toUInt128(k)", "toDateTime64(a7, 9)"):
        with pytest.raises(SluiceError):
            session.execute(f"SELECT {expression} FROM t SETTINGS sluice_engine = 'spark'")


def test_conditions_over_several_files(session: Session) -> None:
    """What is stored is never compared with values by the statistics of files."""
    session.execute(f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY n")
    for row in ROWS.replace("\n", " ").split("),     ("):
        session.execute(f"INSERT INTO t VALUES ({row.strip().strip('()')})")
    for condition, wanted in {
        "ip4 = '1.2.3.4'": [1], "ip6 > '::ffff:0:0'": [2, 3], "i < 0": [1, 2], "u > 7": [2, 3],
        "d <= 0": [2, 3], "at < '1950-01-01'": [2], "a7 = '1969-12-31 23:59:59.9999999'": [3],
        "tm < '00:00:00'": [2], "t64 >= '00:00:00.123'": [1, 3], "nip = '::5'": [1],
        "lc < '2.0.0.0'": [1, 3], "has(arr, toIPv4('9.9.9.9'))": [1], "m['b'] = 1": [3],
    }.items():  # fmt: skip
        found = session.execute(f"SELECT n FROM t WHERE {condition} ORDER BY n").fetchall()
        assert found == [(n,) for n in wanted], condition


def test_python_values(session: Session) -> None:
    """Addresses, numbers and times are Python's own."""
    filled(session)
    ((*row,),) = both(session, "SELECT ip4, ip6, i, u, d, at FROM t WHERE n = 1")
    assert row == [
        *(IPv4Address("1.2.3.4"), IPv6Address("::1"), -5, 7, Decimal("1.5")),
        NanoDatetime.since_epoch(1577836800_123456789),
    ]
    early = "SELECT toDateTime64('1969-12-31 23:59:59.999999998', 9, 'UTC') AS x"
    assert session.execute(early).fetchall() == [(NanoDatetime.since_epoch(-2),)]
    days = session.execute("SELECT INTERVAL 2 DAY AS x, NULL AS y")
    assert (days.columns[0].type_name, days.fetchall()) == ("IntervalDay", [(2, None)])


def test_inserts_and_defaults(session: Session) -> None:
    """Texts and numbers in VALUES, in data, from a query, and from DEFAULT."""
    session.execute(
        "CREATE TABLE t (n UInt8, ip IPv4 DEFAULT '1.1.1.1', six IPv6 DEFAULT ip,"
        " u UInt256 DEFAULT n, at DateTime64(9, 'UTC') DEFAULT '2020-01-01',"
        " d Decimal(60, 2) DEFAULT '1.25')"
        " ENGINE = MergeTree ORDER BY n PARTITION BY ip"
    )
    session.execute(
        "INSERT INTO t VALUES (1, '2.2.2.2', '::2', 2, 5, 6),"
        " (2, toIPv4('3.3.3.3'), '::3', 3, 0, 1)"
    )
    session.execute("INSERT INTO t (n, u) VALUES (3, DEFAULT), (4, 77)")
    session.execute('INSERT INTO t FORMAT JSONEachRow {"n": 5, "six": "::5"}')
    session.execute("INSERT INTO t (n, u) FORMAT Values (6, 123456789012345678901234567890)")
    session.execute("INSERT INTO t SELECT n + 10, ip, six, u, at, d FROM t WHERE n = 1")
    session.execute(
        "INSERT INTO t (n, ip, u, at) SELECT 12, '9.9.9.9', 12, '2021-01-01 00:00:00.5'"
    )
    found = both(session, "SELECT n, ip, toString(six), u, toString(at), d FROM t ORDER BY n")
    one, six, day = IPv4Address("1.1.1.1"), "::ffff:1.1.1.1", "2020-01-01 00:00:00.000000000"
    first = (IPv4Address("2.2.2.2"), "::2", 2, "1970-01-01 00:00:05.000000000", Decimal(6))
    assert found == [
        (1, *first),
        (2, IPv4Address("3.3.3.3"), "::3", 3, "1970-01-01 00:00:00.000000000", Decimal(1)),
        *((n, one, six, u, day, Decimal("1.25")) for n, u in ((3, 3), (4, 77))),
        (5, one, "::5", 5, day, Decimal("1.25")),
        (6, one, six, 123456789012345678901234567890, day, Decimal("1.25")),
        (11, *first),
        (12, IPv4Address("9.9.9.9"), "::ffff:9.9.9.9", 12, "2021-01-01 00:00:00.500000000",
         Decimal("1.25")),
    ]  # fmt: skip
    for bad in ("(1, '1.2.3')", "(1, 'x')"):
        with pytest.raises(SluiceError, match="IPv4"):
            session.execute(f"INSERT INTO t (n, ip) VALUES {bad}")
    with pytest.raises(SluiceError, match=r"Conversion from .* to UInt256"):
        session.execute("INSERT INTO t (n, u) SELECT 1, 1.5")


def test_columns_that_come_later(session: Session) -> None:
    """ALTER ADD COLUMN: rows of before show the type's default, or the column's."""
    session.execute("CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n")
    session.execute("INSERT INTO t VALUES (1)")
    for column in ("i Int128", "ip IPv6", "d Decimal(76, 5) DEFAULT n", "a Array(IPv4)",
                   "at Nullable(DateTime64(8))", "tm Time64(9)",
                   "u UInt256 DEFAULT 5"):  # fmt: skip
        session.execute(f"ALTER TABLE t ADD COLUMN {column}")
    session.execute("INSERT INTO t (n, i, ip, tm) VALUES (2, -1, '::1', '01:00:00')")
    found = both(session, "SELECT n, i, toString(ip), d, a, at, toString(tm), u FROM t ORDER BY n")
    assert found == [
        (1, 0, "::", Decimal(1), [], None, "00:00:00.000000000", 5),
        (2, -1, "::1", Decimal(2), [], None, "01:00:00.000000000", 5),
    ]
    session.execute("ALTER TABLE t MODIFY COLUMN at Nullable(DateTime64(8, 'Asia/Tokyo'))")
    for change in ("tm Int64", "i UInt128", "ip IPv4", "at DateTime64(9)", "a Array(Int64)"):
        with pytest.raises(SluiceError, match="that has rows is not supported"):
            session.execute(f"ALTER TABLE t MODIFY COLUMN {change}")
    shown = session.execute("SELECT name, type FROM system.columns WHERE table = 't'").fetchall()
    assert ("d", "Decimal(76, 5)") in shown
    assert ("at", "Nullable(DateTime64(8, 'Asia/Tokyo'))") in shown


def test_merging_by_keys_of_these_types(session: Session) -> None:
    """Rows with the same key become one; sums of numbers that Spark cannot add are refused."""
    session.execute(
        "CREATE TABLE r (ip IPv6, u UInt256, v UInt128, s String) ENGINE = ReplacingMergeTree(v)"
        " ORDER BY (ip, u)"
    )
    session.execute(
        "INSERT INTO r VALUES ('::1', 1, 1, 'a'), ('::2', 1, 1, 'b'), ('::1', 2, 1, 'c')"
    )
    session.execute("INSERT INTO r VALUES ('::1', 1, 3, 'new'), ('::2', 1, 0, 'old')")
    wanted = [("::1", 1, "new"), ("::1", 2, "c"), ("::2", 1, "b")]
    query = "SELECT toString(ip), u, s FROM r ORDER BY ip, u"
    assert both(session, query) == wanted
    session.execute("OPTIMIZE TABLE r FINAL")
    assert both(session, query) == wanted
    session.execute(
        "CREATE TABLE a (ip IPv4, low SimpleAggregateFunction(min, Int128),"
        " last SimpleAggregateFunction(max, DateTime64(9)))"
        " ENGINE = AggregatingMergeTree ORDER BY ip"
    )
    session.execute("INSERT INTO a VALUES ('1.1.1.1', 5, 1), ('1.1.1.1', -5, 2)")
    assert both(session, "SELECT low, toUnixTimestamp64Nano(last) FROM a") == [(-5, 2 * 10**9)]
    for columns in ("k UInt8, v Int128", "k UInt8, v SimpleAggregateFunction(sum, UInt256)"):
        with pytest.raises(SluiceError, match=r"Int128|UInt256"):
            session.execute(f"CREATE TABLE s ({columns}) ENGINE = SummingMergeTree ORDER BY k")


def test_through_kafka(lab: Lab, topic: str) -> None:
    """From messages through a chain of views to a table, and back to messages."""
    columns = (
        "n UInt8, ip4 IPv4, ip6 IPv6, i Int128, u UInt256, d Decimal(50, 3), tm Time64(9),"
        " at DateTime64(9, 'UTC'), nip Nullable(IPv6), arr Array(IPv4), m Map(String, Int256)"
    )
    lab.produce(
        topic,
        '{"n":1,"ip4":"1.2.3.4","ip6":"::1","i":-5,"u":"7","d":1.5,'
        '"at":"2020-01-01 00:00:00.123456789","tm":"-01:00:00.000000001",'
        '"arr":["1.1.1.1"],"m":{"a":-1}}',
        '{"n":2,"ip4":"255.255.255.255","i":170141183460469231731687303715884105727,"nip":"::5"}',
    )
    lab.queue("q", topic, columns)
    engine = "ENGINE = MergeTree ORDER BY n"
    lab.sql(f"CREATE TABLE first ({columns}) {engine}")
    lab.sql("CREATE MATERIALIZED VIEW a TO first AS SELECT * FROM q")
    lab.sql(
        f"CREATE MATERIALIZED VIEW b {engine} AS SELECT n, toIPv6(toString(ip6)) AS six,"
        " ip4 < '2.0.0.0' AS low, toString(at) AS text, max(i) AS i, at"
        " FROM first GROUP BY n, ip6, ip4, at"
    )
    lab.queue("out", f"{topic}-out", columns, kafka_format="CSV")
    lab.make_topic(f"{topic}-out")
    lab.sql("CREATE MATERIALIZED VIEW c TO out AS SELECT * FROM first")
    lab.arrives(
        "SELECT n, toString(six), low, text, i, toTypeName(at) FROM b ORDER BY n",
        [
            (1, "::1", 1, "2020-01-01 00:00:00.123456789", -5, "DateTime64(9, 'UTC')"),
            (2, "::", 0, "1970-01-01 00:00:00.000000000", 2**127 - 1, "DateTime64(9, 'UTC')"),
        ],
    )
    rows = both(lab.session, "SELECT * FROM first ORDER BY n")
    lab.arrives("SELECT count() FROM out", [(2,)])
    assert lab.sql("SELECT * FROM out ORDER BY n") == rows
    assert rows[0][1:5] == (IPv4Address("1.2.3.4"), IPv6Address("::1"), -5, 7)
    lab.produce(topic, '{"n":3,"ip4":"1.2.3.400"}')
    with pytest.raises(SluiceError, match=r"'1.2.3.400' as IPv4 .*ip4"):
        lab.sql("SELECT * FROM q")


def test_values_of_fine_times_for_other_columns(session: Session) -> None:
    """As drivers write a time: nanoseconds in a function, for a column of milliseconds."""
    session.execute("CREATE TABLE t (t DateTime64(3, 'UTC'), d DateTime) ENGINE = Memory")
    nanos = "fromUnixTimestamp64Nano(1577923200123456789)"
    session.execute(f"INSERT INTO t VALUES ({nanos}, {nanos})")
    query = "SELECT toUnixTimestamp64Milli(t), toUnixTimestamp(d) FROM t"
    assert session.execute(query).fetchall() == [(1577923200123, 1577923200)]
