"""What Flink's queries give as streams: windows, groups, joins, ranks and distinct rows."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.streams import Row, Streams
from sluice.engine.spark.job_session import register
from sluice.sql.core.user_functions import using
from sluice.sql.flink.functions import read_functions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.flink.flink_lab import FlinkLab
    from sluice.session import Session

Case = tuple[str, list[Row]]

ORDERS = """CREATE TABLE orders (id INT, item STRING, price DECIMAL(10, 2), at TIMESTAMP(3),
    WATERMARK FOR at AS at) WITH ('connector' = 'kafka')"""
PAYS = """CREATE TABLE pays (id INT, paid DECIMAL(10, 2), t TIMESTAMP(3), WATERMARK FOR t AS t)
    WITH ('connector' = 'kafka')"""
NAMES = "CREATE TABLE names (item STRING, label STRING)"

FIVE = "TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' SECONDS)"
PAID = "TUMBLE(TABLE pays, DESCRIPTOR(t), INTERVAL '5' SECONDS)"


def order(id_: int, item: str, price: int, second: int) -> dict[str, Any]:
    at = f"2024-01-01 00:{second // 60:02}:{second % 60:02}"
    return {"id": id_, "item": item, "price": price, "at": at}


def pay(id_: int, second: int) -> dict[str, Any]:
    return {"id": id_, "paid": id_, "t": f"2024-01-01 00:{second // 60:02}:{second % 60:02}"}


@pytest.fixture
def streams(engine: Session, tmp_path: Path) -> Iterator[Streams]:
    """Orders in four batches, one of which has a late one, and payments of some of them."""
    shout = lambda text, n: None if text is None else text.upper() * n  # noqa: E731
    known = read_functions({"shout": (shout, ["STRING", "INT"], "STRING")})
    found = Streams(engine._engine.spark(), tmp_path)
    register(found.spark, known)
    found.table(
        ORDERS,
        [order(1, "a", 1, 1), order(2, "b", 2, 2), order(3, "a", 3, 6)],
        [order(4, "a", 4, 7), order(5, "b", 5, 12)],
        [order(6, "a", 9, 3), order(7, "a", 6, 25)],
        [order(8, "z", 0, 60)],
    )
    found.table(PAYS, [pay(1, 4), pay(3, 9)], [pay(2, 11), pay(5, 13)], [pay(4, 26)], [pay(9, 61)])
    names = [{"item": "a", "label": "Apple"}, {"item": "b", "label": "Beer"}]
    found.table(NAMES, names, stream=False)
    with using(known):
        yield found


COMMON: dict[str, Case] = {
    "a window in FROM": (
        f"""SELECT window_start, window_end, item, COUNT(*) AS n, SUM(price) AS s
        FROM TABLE({FIVE}) GROUP BY window_start, window_end, item""",
        [
            ("00:00", "00:05", "a", 1, "1.00"),
            ("00:00", "00:05", "b", 1, "2.00"),
            ("00:05", "00:10", "a", 2, "7.00"),
            ("00:10", "00:15", "b", 1, "5.00"),
            ("00:25", "00:30", "a", 1, "6.00"),
        ],
    ),
    "groups": (
        """SELECT item, COUNT(*) AS n, SUM(price) AS s, COUNT(DISTINCT id) AS d, MAX(at) AS m,
        FIRST_VALUE(id) AS f, LAST_VALUE(id) AS l, SUM(price) FILTER (WHERE id > 1) AS x
        FROM orders GROUP BY item""",
        [
            ("a", 5, "23.00", 5, "00:25", 1, 7, "22.00"),
            ("b", 2, "7.00", 2, "00:12", 2, 5, "7.00"),
            ("z", 1, "0.00", 1, "01:00", 8, 8, "0.00"),
        ],
    ),
    "an interval join that keeps what has no match": (
        """SELECT o.id, p.paid FROM orders o LEFT JOIN pays p
        ON o.id = p.id AND p.t BETWEEN o.at AND o.at + INTERVAL '4' SECOND""",
        [(1, "1.00"), (2, None), (3, "3.00"), (4, None), (5, "5.00"), (7, None)],
    ),
    "groups of an expression, joined with themselves": (
        f"""WITH g AS (SELECT UPPER(item) AS k, COUNT(*) AS n, window_start AS s, window_end AS e
          FROM TABLE({FIVE}) GROUP BY UPPER(item), window_start, window_end)
        SELECT a.k, a.n, b.n AS m, a.s FROM g a
        JOIN g b ON a.s = b.s AND a.e = b.e AND a.k = b.k""",
        [
            ("A", 1, 1, "00:00"),
            ("B", 1, 1, "00:00"),
            ("A", 2, 2, "00:05"),
            ("B", 1, 1, "00:10"),
            ("A", 1, 1, "00:25"),
        ],
    ),
    "windows of rows that are seldom": (
        f"""SELECT window_start, COUNT(*) FROM TABLE({FIVE}) WHERE item = 'b'
        GROUP BY window_start, window_end""",
        [("00:00", 1), ("00:10", 1)],
    ),
    "the last row of each": (
        """SELECT item, id FROM (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY at DESC) AS rn FROM orders
        ) WHERE rn = 1""",
        [("a", 7), ("b", 5), ("z", 8)],
    ),
    "a function from Python": (
        """SELECT SHOUT(item, 1) AS i, MAX(SHOUT(NULLIF(item, 'b'), id)) AS m FROM orders
        WHERE SHOUT(item, 1) <> 'Z' AND id < 4 GROUP BY SHOUT(item, 1)""",
        [("A", "AAA"), ("B", None)],
    ),
}


def test_queries(streams: Streams) -> None:
    """One of each kind; a window's rows come once, when the watermark has passed its end."""
    streams.check(COMMON)
    ends = [[row[1] for row in batch] for batch in streams.batches("a window in FROM")]
    assert ends == [["00:05", "00:05"], ["00:10"], ["00:15"], ["00:30"]]


WINDOWS: dict[str, Case] = {
    "TUMBLE in GROUP BY": (
        """SELECT TUMBLE_START(at, INTERVAL '5' SECOND) AS a,
        TUMBLE_END(at, INTERVAL '5' SECOND) AS b,
        TUMBLE_ROWTIME(at, INTERVAL '5' SECOND) AS c, COUNT(*)
        FROM orders GROUP BY TUMBLE(at, INTERVAL '5' SECOND)""",
        [
            ("00:00", "00:05", "00:04.999", 2),
            ("00:05", "00:10", "00:09.999", 2),
            ("00:10", "00:15", "00:14.999", 1),
            ("00:25", "00:30", "00:29.999", 1),
        ],
    ),
    "HOP in FROM": (
        """SELECT window_start, COUNT(DISTINCT item) AS n, COUNT(*) AS m, AVG(price) AS p
        FROM TABLE(HOP(TABLE orders, DESCRIPTOR(at), INTERVAL '5' SECOND, INTERVAL '10' SECOND))
        GROUP BY window_start, window_end""",
        [
            ("59:55", 2, 2, "1.500000"),
            ("00:00", 2, 5, "3.800000"),
            ("00:05", 2, 3, "4.000000"),
            ("00:10", 1, 1, "5.000000"),
            ("00:20", 1, 1, "6.000000"),
            ("00:25", 1, 1, "6.000000"),
        ],
    ),
    "HOP in GROUP BY": (
        """SELECT HOP_END(at, INTERVAL '5' SECOND, INTERVAL '10' SECOND), COUNT(*)
        FROM orders GROUP BY HOP(at, INTERVAL '5' SECOND, INTERVAL '10' SECOND)""",
        [("00:05", 2), ("00:10", 5), ("00:15", 3), ("00:20", 1), ("00:30", 1), ("00:35", 1)],
    ),
    "CUMULATE": (
        """SELECT window_start, window_end, SUM(price) FROM TABLE(
        CUMULATE(TABLE orders, DESCRIPTOR(at), INTERVAL '5' SECOND, INTERVAL '15' SECOND))
        GROUP BY window_start, window_end""",
        [
            ("00:00", "00:05", "3.00"),
            ("00:00", "00:10", "19.00"),
            ("00:00", "00:15", "24.00"),
            ("00:15", "00:30", "6.00"),
        ],
    ),
    "an offset": (
        """SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE orders,
        TIMECOL => DESCRIPTOR(at), SIZE => INTERVAL '10' SECOND, `OFFSET` => INTERVAL '2' SECOND))
        GROUP BY window_start, window_end""",
        [("59:52", 1), ("00:02", 4), ("00:12", 1), ("00:22", 1)],
    ),
    "SESSION in FROM": (
        """SELECT window_start, window_end, item, COUNT(*) FROM TABLE(
        SESSION(TABLE orders PARTITION BY item, DESCRIPTOR(at), INTERVAL '3' SECONDS))
        GROUP BY window_start, window_end, item""",
        [
            ("00:01", "00:04", "a", 1),
            ("00:02", "00:05", "b", 1),
            ("00:06", "00:10", "a", 2),
            ("00:12", "00:15", "b", 1),
            ("00:25", "00:28", "a", 1),
        ],
    ),
    "sessions of all rows": (
        """SELECT window_start, window_end, COUNT(*) FROM TABLE(
        SESSION(TABLE orders, DESCRIPTOR(at), INTERVAL '3' SECONDS))
        GROUP BY window_start, window_end""",
        [
            ("00:01", "00:05", 2),
            ("00:06", "00:10", 2),
            ("00:12", "00:15", 1),
            ("00:25", "00:28", 1),
        ],
    ),
    "SESSION in GROUP BY": (
        """SELECT SESSION_START(at, INTERVAL '3' SECOND), COUNT(*)
        FROM orders GROUP BY SESSION(at, INTERVAL '3' SECOND)""",
        [("00:01", 2), ("00:06", 2), ("00:12", 1), ("00:25", 1)],
    ),
    "windows of windows": (
        f"""WITH five AS (SELECT window_time AS rt, item, SUM(price) AS s FROM TABLE({FIVE})
        GROUP BY window_start, window_end, window_time, item)
        SELECT window_start, window_end, SUM(s) FROM TABLE(
        TUMBLE(TABLE five, DESCRIPTOR(rt), INTERVAL '10' SECONDS))
        GROUP BY window_start, window_end""",
        [("00:00", "00:10", "10.00"), ("00:10", "00:20", "5.00"), ("00:20", "00:30", "6.00")],
    ),
    "windows of windows in GROUP BY": (
        """SELECT TUMBLE_END(rt, INTERVAL '10' SECOND), SUM(n) FROM (
          SELECT TUMBLE_ROWTIME(at, INTERVAL '5' SECOND) AS rt, COUNT(*) AS n FROM orders
          GROUP BY TUMBLE(at, INTERVAL '5' SECOND)
        ) GROUP BY TUMBLE(rt, INTERVAL '10' SECOND)""",
        [("00:10", 4), ("00:20", 1), ("00:30", 1)],
    ),
    "the first of each window": (
        f"""SELECT window_end, item, s FROM (
          SELECT *, ROW_NUMBER() OVER (
            PARTITION BY window_start, window_end ORDER BY s DESC, item) AS rn
          FROM (SELECT window_start, window_end, item, SUM(price) AS s FROM TABLE({FIVE})
            GROUP BY window_start, window_end, item)
        ) WHERE rn <= 1""",
        [
            ("00:05", "b", "2.00"),
            ("00:10", "a", "7.00"),
            ("00:15", "b", "5.00"),
            ("00:30", "a", "6.00"),
        ],
    ),
    "different rows of a window": (
        f"""SELECT DISTINCT window_start, window_end, window_time, item FROM TABLE({FIVE})
        WHERE id < 5""",
        [
            ("00:00", "00:05", "00:04.999", "a"),
            ("00:00", "00:05", "00:04.999", "b"),
            ("00:05", "00:10", "00:09.999", "a"),
        ],
    ),
    "rows with their windows": (
        f"SELECT id, window_start, window_end FROM TABLE({FIVE}) WHERE id < 3",
        [(1, "00:00", "00:05"), (2, "00:00", "00:05")],
    ),
}

OTHERS: dict[str, Case] = {
    "projection": (
        "SELECT id, UPPER(item) AS i FROM orders WHERE price > 4",
        [(5, "B"), (6, "A"), (7, "A")],
    ),
    "UNION ALL": (
        "SELECT id FROM orders WHERE id > 6 UNION ALL SELECT id FROM pays WHERE id > 8",
        [(7,), (8,), (9,)],
    ),
    "UNION": ("SELECT id FROM orders UNION SELECT id FROM pays", [(n,) for n in range(1, 10)]),
    "all rows as one": (
        "SELECT COUNT(*) AS n, LISTAGG(item) AS i FROM orders",
        [(8, "a,b,a,a,b,a,a,z")],
    ),
    "HAVING": (
        "SELECT item, COUNT(*) AS n FROM orders GROUP BY item HAVING COUNT(*) > 1",
        [("a", 5), ("b", 2)],
    ),
    "groups by a time, of late rows too": (
        "SELECT at, COUNT(*) AS n FROM orders WHERE id IN (2, 6) GROUP BY at",
        [("00:02", 1), ("00:03", 1)],
    ),
    "DISTINCT": ("SELECT DISTINCT item FROM orders", [("a",), ("b",), ("z",)]),
    "DISTINCT of times, of late rows too": (
        "SELECT DISTINCT at FROM orders WHERE id IN (2, 6)",
        [("00:02",), ("00:03",)],
    ),
    "groups of different rows": (
        """SELECT item, COUNT(*) AS n FROM (SELECT DISTINCT item, price > 1 FROM orders)
        GROUP BY item""",
        [("a", 2), ("b", 1), ("z", 1)],
    ),
    "the first row of each": (
        """SELECT item, id FROM (
          SELECT item, id, ROW_NUMBER() OVER (PARTITION BY item ORDER BY at) AS rn FROM orders
        ) WHERE rn = 1""",
        [("a", 1), ("b", 2), ("z", 8)],
    ),
    "Top-N": (
        """SELECT item, rn, id, price FROM (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC, at ASC) AS rn
          FROM orders
        ) WHERE rn <= 2""",
        [
            ("a", 1, 6, "9.00"),
            ("a", 2, 7, "6.00"),
            ("b", 1, 5, "5.00"),
            ("b", 2, 2, "2.00"),
            ("z", 1, 8, "0.00"),
        ],
    ),
    "the order of texts turned round": (
        """SELECT item, rn FROM (
          SELECT *, ROW_NUMBER() OVER (ORDER BY item DESC, id ASC, item || 'x' ASC) AS rn
          FROM orders
        ) WHERE rn <= 2""",
        [("z", 1), ("b", 2)],
    ),
    "a join with a stored table": (
        "SELECT o.id, n.label FROM orders o LEFT JOIN names n ON o.item = n.item WHERE o.id > 5",
        [(6, "Apple"), (7, "Apple"), (8, None)],
    ),
    "what a stored table does not have": (
        "SELECT id FROM orders WHERE item NOT IN (SELECT item FROM names)",
        [(8,)],
    ),
    "a join": (
        "SELECT o.id, p.paid FROM orders o JOIN pays p ON o.id = p.id",
        [(n, f"{n}.00") for n in range(1, 6)],
    ),
    "a join of three by USING": (
        """SELECT id, paid, label FROM orders o JOIN pays p USING (id)
        LEFT JOIN names n USING (item) WHERE id > 2""",
        [(3, "3.00", "Apple"), (4, "4.00", "Apple"), (5, "5.00", "Beer")],
    ),
    "a sum with too many digits": (
        f"SELECT item, SUM({'9' * 38}) AS s FROM orders WHERE id > 4 GROUP BY item",
        [("a", None), ("b", "9" * 38), ("z", "9" * 38)],
    ),
    "groups of a join": (
        "SELECT o.item, SUM(p.paid) AS s FROM orders o JOIN pays p ON o.id = p.id GROUP BY o.item",
        [("a", "8.00"), ("b", "7.00")],
    ),
    "an interval join": (
        """SELECT o.id, p.t FROM orders o, pays p WHERE o.id = p.id
        AND p.t BETWEEN o.at AND o.at + INTERVAL '4' SECOND""",
        [(1, "00:04"), (3, "00:09"), (5, "00:13")],
    ),
    "windows of an interval join": (
        """SELECT TUMBLE_END(o.at, INTERVAL '5' SECOND), COUNT(*) FROM orders o JOIN pays p
        ON o.id = p.id AND p.t BETWEEN o.at AND o.at + INTERVAL '4' SECOND
        GROUP BY TUMBLE(o.at, INTERVAL '5' SECOND)""",
        [("00:05", 1), ("00:10", 1), ("00:15", 1)],
    ),
    "a table joined with itself": (
        """SELECT a.id, b.id AS later FROM orders a JOIN orders b
        ON a.item = b.item AND b.at > a.at AND b.at <= a.at + INTERVAL '2' SECOND""",
        [(3, 4)],
    ),
    "a join of three": (
        """SELECT o.id, p.t, x.at FROM orders o
        JOIN pays p ON o.id = p.id AND p.t BETWEEN o.at AND o.at + INTERVAL '4' SECOND
        JOIN orders x ON x.id = p.id AND x.at BETWEEN p.t - INTERVAL '4' SECOND AND p.t""",
        [(1, "00:04", "00:01"), (3, "00:09", "00:06"), (5, "00:13", "00:12")],
    ),
    "a window of a union": (
        """WITH u AS (SELECT id, at FROM orders UNION ALL SELECT id, t AS at FROM pays)
        SELECT window_end, COUNT(*) FROM TABLE(
        TUMBLE(TABLE u, DESCRIPTOR(at), INTERVAL '10' SECONDS))
        GROUP BY window_start, window_end""",
        [("00:10", 7), ("00:20", 3), ("00:30", 2)],
    ),
    "a join of windows": (
        f"""SELECT l.id, r.id AS other FROM (SELECT * FROM TABLE({FIVE})) l
        FULL JOIN (SELECT * FROM TABLE({PAID})) r
        ON l.id = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end""",
        [(1, 1), (2, None), (3, 3), (4, None), (5, 5), (7, None), (None, 2), (None, 4)],
    ),
    "a join of windows by USING": (
        f"""SELECT id, r.id AS other FROM (SELECT * FROM TABLE({FIVE})) l
        FULL JOIN (SELECT * FROM TABLE({PAID})) r USING (id, window_start, window_end)""",
        [(1, 1), (2, 2), (2, None), (3, 3), (4, 4), (4, None), (5, 5), (7, None)],
    ),
    "UNNEST": (
        "SELECT o.id, x FROM orders o CROSS JOIN UNNEST(ARRAY[1, o.id]) AS u(x) WHERE o.id = 2",
        [(2, 1), (2, 2)],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("cases", [WINDOWS, OTHERS], ids=["windows", "others"])
def test_all_queries(streams: Streams, cases: dict[str, Case]) -> None:
    streams.check(cases)


PRICES = """`computed-price` AS price + 1.0, price DECIMAL(38, 18), currency STRING, log_date DATE,
    log_time TIME(3), log_ts TIMESTAMP(3), ts AS log_ts + INTERVAL '1' SECOND,
    WATERMARK FOR ts AS ts"""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("format_", ["json", "csv", "avro"])
def test_fl_40(flink: FlinkLab, format_: str) -> None:
    """A window over a computed time, of decimals, days and times; computed columns stay out."""
    topic = f"fl-40-{format_}"
    flink.make_topic(topic)
    flink.table("kafka", PRICES, topic, format=format_)
    flink.sql(
        """INSERT INTO kafka
        SELECT CAST(price AS DECIMAL(10, 2)), currency, CAST(d AS DATE), CAST(t AS TIME(0)),
          CAST(ts AS TIMESTAMP(3))
        FROM (VALUES (2.02, 'Euro', '2019-12-12', '00:00:01', '2019-12-12 00:00:01.001001'),
          (1.11, 'US Dollar', '2019-12-12', '00:00:02', '2019-12-12 00:00:02.002001'),
          (50, 'Yen', '2019-12-12', '00:00:03', '2019-12-12 00:00:03.004001'),
          (3.1, 'Euro', '2019-12-12', '00:00:04', '2019-12-12 00:00:04.005001'),
          (5.33, 'US Dollar', '2019-12-12', '00:00:05', '2019-12-12 00:00:05.006001'),
          (0, 'DUMMY', '2019-12-12', '00:00:10', '2019-12-12 00:00:10'))
          AS orders (price, currency, d, t, ts)"""
    )
    flink.sql(
        "CREATE TABLE sums (e STRING, d STRING, t STRING, m STRING, n BIGINT, p DECIMAL(10, 2))"
    )
    flink.start(
        """INSERT INTO sums
        SELECT CAST(TUMBLE_END(ts, INTERVAL '5' SECOND) AS VARCHAR), CAST(MAX(log_date) AS VARCHAR),
          CAST(MAX(log_time) AS VARCHAR), CAST(MAX(ts) AS VARCHAR), COUNT(*),
          CAST(MAX(price) AS DECIMAL(10, 2))
        FROM kafka GROUP BY TUMBLE(ts, INTERVAL '5' SECOND)"""
    )
    day = "2019-12-12"
    flink.arrives(
        "SELECT * FROM sums ORDER BY e",
        [
            (f"{day} 00:00:05.000", day, "00:00:03", f"{day} 00:00:04.004", 3, Decimal("50.00")),
            (f"{day} 00:00:10.000", day, "00:00:05", f"{day} 00:00:06.006", 2, Decimal("5.33")),
        ],
    )
    if format_ == "json":
        assert b"computed" not in (flink.consume(topic)[0].value or b"")
