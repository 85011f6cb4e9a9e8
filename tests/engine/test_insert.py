"""What an INSERT stores is what ClickHouse stores: the same statements, here and in chdb."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chdb.session
import pytest

from engine.test_answers import asked, statements, text_of
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.lab import Lab
    from sluice.session import Session


@pytest.fixture
def peer() -> Iterator[Any]:
    """ClickHouse itself."""
    start: Any = chdb.session.Session
    with start() as started:
        yield started


def same(session: Session, peer: Any, run: list[str], query: str) -> None:
    """Run statements here and there, then compare what a query finds, line by line."""
    for statement in run:
        session.execute(statement)
        peer.query(statement)
    found, wanted = text_of(session, query).splitlines(), asked(peer, query).splitlines()
    wrong = [pair for pair in zip(found, wanted, strict=False) if pair[0] != pair[1]]
    assert not wrong
    assert len(found) == len(wanted)


LISTED = """
CREATE TABLE l (a UInt64, ab String DEFAULT 'd', m UInt8 MATERIALIZED a,
    x UInt8 ALIAS a, d UInt8 DEFAULT 7) ENGINE = MergeTree ORDER BY a;
INSERT INTO l VALUES (1, 'x', 3);
INSERT INTO l (*) VALUES (2, 'x', 3);
INSERT INTO l (COLUMNS('^a')) VALUES (3, 'x');
INSERT INTO l (* EXCEPT(ab)) VALUES (4, 9);
INSERT INTO l (l.* EXCEPT('b') EXCEPT d) SELECT 5;
INSERT INTO l (COLUMNS(a, d)) FORMAT CSV 6,8;
INSERT INTO l (l.a, d) VALUES (7, 2);
INSERT INTO l (* EXCEPT(nosuch)) FORMAT JSONEachRow {"a": 8}
"""


def test_lists_of_columns(session: Session, peer: Any) -> None:
    same(session, peer, statements(LISTED), "SELECT *, m FROM l ORDER BY a")


OVER_INPUT = """
CREATE TABLE i (a UInt64, s String DEFAULT 'd', at Date) ENGINE = MergeTree ORDER BY a;
INSERT INTO i SELECT x * 2, lower(y), toDate('2026-01-01') + z
    FROM input('x Int32, y String, z UInt8') FORMAT CSV
1,"A;B",3
2,C,4
;
INSERT INTO i (a) SELECT sum(n) FROM input('n Array(UInt8)') ARRAY JOIN n FORMAT JSONEachRow
{"n": [1, 2]} {"n": [7]};
INSERT INTO i (a, s) SELECT 100 + a, s FROM input('auto') SETTINGS format_csv_delimiter = '|'
    FORMAT CSV 1|x
;
INSERT INTO i (a, s) SELECT a, any(s) FROM input('a UInt8, s String') WHERE s != 'format'
    GROUP BY a FORMAT Values (200, 'y'), (201, 'format');
WITH 300 AS n, k AS (SELECT 1 AS one) INSERT INTO i (a, s) SELECT n + one, 'w' FROM k
    UNION ALL SELECT n + 2, 'v';
INSERT INTO i (a) WITH j AS (SELECT 400 AS a) SELECT a FROM j
"""


def test_queries_over_the_data(session: Session) -> None:
    for text in statements(OVER_INPUT):  # chdb has no data for input()
        session.execute(text)
    assert session.execute("SELECT a, s, toString(at) FROM i ORDER BY a").fetchall() == [
        (2, "a;b", "2026-01-04"), (4, "c", "2026-01-05"), (10, "d", "1970-01-01"),
        (101, "x", "1970-01-01"), (200, "y", "1970-01-01"), (301, "w", "1970-01-01"),
        (302, "v", "1970-01-01"), (400, "d", "1970-01-01"),
    ]  # fmt: skip
    for text, says in (
        ("SELECT 1 FROM input('a Int8') AS x, input('b Int8') AS y", "once"),
        ("SELECT 1 FROM input()", "the structure"),
        ("SELECT 1 FROM input('a Nosuch')", "Nosuch"),
        ("SELECT 1 FROM input('a Int8 DEFAULT 1')", "DEFAULT"),
    ):
        with pytest.raises(SluiceError, match=says):
            session.execute(f"INSERT INTO i (a) {text} FORMAT CSV 1")


MERGED = """
CREATE TABLE m1 (a UInt8, s String, e Enum8('x' = 1, 'y' = 2), m UInt16 MATERIALIZED a * 2)
    ENGINE = MergeTree ORDER BY a;
CREATE TABLE m2 (b Nullable(Date), a Int32, s LowCardinality(String)) ENGINE = MergeTree ORDER BY a;
CREATE TABLE m3 (a UInt16, u Int8 ALIAS -1) ENGINE = MergeTree ORDER BY a;
CREATE VIEW mv AS SELECT 5 AS a, 'view' AS s;
CREATE TABLE other (a UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO m1 VALUES (1, 'one', 'y');
INSERT INTO m2 VALUES ('2026-01-01', -2, 'two'), (NULL, 3, '');
INSERT INTO other VALUES (9);
"""
OF_MERGED = """
SELECT * FROM merge('^m[12v]$') ORDER BY a;
SELECT a, m, _table FROM merge(currentDatabase(), '^m[12]') ORDER BY a;
SELECT _table, count(), max(a) FROM merge('^m') WHERE _table != 'm3' GROUP BY _table ORDER BY 1;
SELECT x.s, y.a FROM merge('m1') AS x JOIN merge(currentDatabase(), 'm2') AS y ON x.a + 2 = y.a;
DESCRIBE (SELECT *, _table FROM merge('m[12]'))
"""


def test_merge(session: Session, peer: Any) -> None:
    for statement in statements(MERGED):
        session.execute(statement)
        peer.query(statement)
    for query in statements(OF_MERGED):
        assert text_of(session, query) == asked(peer, query), query
    rows = session.execute("SELECT DISTINCT _database FROM merge('m1')").fetchall()
    assert rows == [(session.database,)]
    with pytest.raises(SluiceError, match=r"merge\('\^nosuch'\) finds no table"):
        session.execute("SELECT * FROM merge('^nosuch')")
    with pytest.raises(SluiceError, match="regular expression"):
        session.execute("SELECT * FROM merge('[')")


DIGITS = """
CREATE TABLE digits (id UInt8, d Decimal(38, 5), e Decimal(9, 2), i Int64, u UInt64, s String,
    n Nullable(Decimal(38, 2)), a Array(Decimal(38, 2)), t Tuple(Decimal(38, 2), Int8),
    m Map(String, Decimal(38, 3))) ENGINE = MergeTree ORDER BY id;
INSERT INTO digits (id, d) VALUES (1, 12345678901234567890.5), (2, -12345678901234567890.5),
    (3, 123456789012345678901234567890123.12345), (4, 1e20), (5, -1.5e-3), (6, 0.123456789),
    (7, '12345678901234567890.5'), (8, toDecimal128('12345678901234567890.5', 2)), (9, .5),
    (10, 7.);
INSERT INTO digits (id, e) VALUES (11, 1.239), (12, -1.239), (13, '1.239'), (14, 1.239 + 0),
    (15, 1e3);
INSERT INTO digits (id, i, u) VALUES (20, 9223372036854775807, 18446744073709551615),
    (21, -9223372036854775808, 9007199254740993), (22, -1.9, 12345678.9),
    (23, '-9223372036854775808', '18446744073709551615');
INSERT INTO digits (id, n, a, t, m) VALUES (30, 12345678901234567890.5,
    [12345678901234567890.5, -1.239], (12345678901234567890.5, -1), {'k': -12345678901234567890.5});
INSERT INTO digits (id, n, a) VALUES (31, NULL, []), (32, -1, ['12345678901234567890.55']);
INSERT INTO digits (id, s) VALUES (33, 12345678901234567890.5), (34, -1.50),
    (35, 18446744073709551615);
INSERT INTO digits (id, d, e) SELECT 40, toDecimal128('-1.9999999', 7), -1.239;
INSERT INTO digits (id, d, e) FORMAT Values (41, 12345678901234567890.5, 1.239);
INSERT INTO digits (id, d, e) FORMAT CSV 42,12345678901234567890.5,-1.239;
INSERT INTO digits (id, d, i, u, a) FORMAT JSONEachRow
{"id":44,"d":-12345678901234567890.5,"i":-9223372036854775808,"u":18446744073709551615,"a":[1.239]};
"""

CASTS = """
SELECT toDecimal128('12345678901234567890.5', 1), CAST('-12345678901234567890.5' AS Decimal(38, 5)),
    12345678901234567890.5::Decimal(38, 1), 12345678901234567890123::Decimal(38, 0),
    -1.239::Decimal(9, 2) AS negative, '1.239'::Decimal(9, 2)
"""


def test_numbers_keep_every_digit(session: Session, peer: Any, lab: Lab, topic: str) -> None:
    """A number is read by the type of its column; digits beyond its scale are cut off."""
    tabs = "INSERT INTO digits (id, d, e) FORMAT TSV 43\t12345678901234567890.5\t1.239\n"
    same(session, peer, [*statements(DIGITS), tabs], "SELECT * FROM digits ORDER BY id")
    assert text_of(session, CASTS) == asked(peer, CASTS)
    session.execute("CREATE TABLE many (e Decimal(9, 2)) ENGINE = MergeTree ORDER BY e")
    session.execute("INSERT INTO many VALUES " + "('1.239')" * 200)
    assert text_of(session, "SELECT DISTINCT e FROM many").split() == [
        "e",
        "Decimal(9,",
        "2)",
        "1.23",
    ]
    lab.make_topic(topic)
    lab.queue("q", topic, "d Decimal(38, 5), u UInt64")
    lab.sql("INSERT INTO q VALUES (-12345678901234567890.5, 18446744073709551615)")
    lab.sql('INSERT INTO q FORMAT JSONEachRow {"d": 12345678901234567890.50001}')
    texts = [(message.value or b"").decode() for message in lab.consume(topic)]
    assert json.loads(texts[0], parse_float=str)["d"] == "-12345678901234567890.5"
    assert json.loads(texts[1], parse_float=str)["d"] == "12345678901234567890.50001"
    assert json.loads(texts[0])["u"] == 18446744073709551615


OMITTED = """
CREATE TABLE omitted (id UInt8, a UInt32, b UInt32 DEFAULT a * 2,
    c String DEFAULT concat('x', toString(b)), n Nullable(UInt32) DEFAULT 7,
    `d.at` Date DEFAULT '2024-01-31', m UInt32 MATERIALIZED a + 100,
    l UInt32 ALIAS a + 1, z UInt32, r Array(UInt8) DEFAULT [1, 2],
    lc LowCardinality(String) DEFAULT 'lc', ln LowCardinality(Nullable(String)) DEFAULT 'ln',
    dec Decimal(38, 2) DEFAULT '12345678901234567890.5')
    ENGINE = MergeTree ORDER BY id;
INSERT INTO omitted FORMAT JSONEachRow
{"id":1,"a":1}
{"id":2,"a":2,"b":9}
{"id":3,"a":3,"n":null,"ln":null}
{"id":4,"a":4,"b":null,"c":null,"d.at":null}
{"id":5}
{"id":6,"a":6,"c":"","z":null,"m":5}
{"id":7,"a":7,"r":null,"lc":null,"dec":null};
INSERT INTO omitted (id, a, n) FORMAT JSONEachRow
{"id":10,"a":1}{"id":11,"n":null}{"id":12,"n":3,"c":"no"};
INSERT INTO omitted (id, a, b, n) FORMAT CSV 20,1,,
21,2,\\N,\\N
22,3,4,5
;
INSERT INTO omitted (id, a, c) FORMAT CSV 23,1,
24,2,""
25,3,\\N
;
INSERT INTO omitted FORMAT CSVWithNames id,a,r
26,5,
27,6,"[3]"
;
INSERT INTO omitted (id, a, b, n) FORMAT JSONCompactEachRow [40,1,null,null]
[41,2,3,4];
INSERT INTO omitted (id, a, b, n, z) VALUES (50, 1, NULL, NULL, NULL),
    (51, 2, DEFAULT, DEFAULT, DEFAULT), (52, 3, 4, 5, 6);
INSERT INTO omitted (id, a, b, n) SELECT number + 60, 1, if(number = 0, NULL, 5), NULL
    FROM numbers(2);
INSERT INTO omitted (id, a, b, n) SETTINGS input_format_defaults_for_omitted_fields = 0
FORMAT JSONEachRow {"id":70,"a":1}{"id":71};
INSERT INTO omitted (id, a, b, n) FORMAT TSV 90\t1\t\\N\t\\N
91\t3\t4\t5
"""


def test_omitted_fields_take_their_defaults(session: Session, peer: Any) -> None:
    """A field that a row of data lacks, and NULL where there is none, is the column's DEFAULT."""
    columns = "id, a, b, c, n, `d.at`, m, l, z, r, lc, ln, dec"
    pairs = "INSERT INTO omitted FORMAT TSKV id=80\ta=1\nid=81\ta=2\tb=5\n"
    query = f"SELECT {columns} FROM omitted ORDER BY id"
    same(session, peer, [*statements(OMITTED), pairs], query)
    strict = "INSERT INTO omitted SETTINGS input_format_null_as_default = 0 FORMAT JSONEachRow"
    with pytest.raises(SluiceError, match="Unexpected NULL value of not Nullable type UInt32"):
        session.execute(strict + ' {"b": null}')
