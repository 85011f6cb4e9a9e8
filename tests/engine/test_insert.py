"""What an INSERT stores is what ClickHouse stores: the same statements, here and in chdb."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chdb.session
import pytest

from engine.test_answers import asked, statements, text_of

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


def same(session: Session, peer: Any, text: str, query: str) -> None:
    """Run statements here and there, then compare what a query finds."""
    for statement in statements(text):
        session.execute(statement)
        peer.query(statement)
    assert text_of(session, query) == asked(peer, query)


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
    """A number is read by the type of its column; what has no room behind the point is cut off."""
    tabs = "INSERT INTO digits (id, d, e) FORMAT TSV 43\t12345678901234567890.5\t1.239\n"
    same(session, peer, f"{DIGITS}\n{tabs}", "SELECT * FROM digits ORDER BY id")
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
