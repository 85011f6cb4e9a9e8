"""A job writes the rows that the same SELECT gives, window by window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab

EVENTS = """event_type INT, person ROW<id BIGINT, name STRING>,
    auction ROW<id BIGINT, seller BIGINT>, bid ROW<auction BIGINT, price BIGINT>,
    `dateTime` TIMESTAMP(3), WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND"""
KINDS = ("person", "auction", "bid")

TEN = "INTERVAL '10' SECOND"
HOP = f"HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, {TEN})"
CUMULATE = f"CUMULATE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '5' SECOND, {TEN})"


def tumble(table: str) -> str:
    return f"TUMBLE(TABLE {table}, DESCRIPTOR(`dateTime`), {TEN})"


def counted(window: str) -> str:
    return f"""SELECT MOD(auction, 5) AS k, COUNT(*) AS n, window_start AS s, window_end AS e
    FROM TABLE({window}) GROUP BY MOD(auction, 5), window_start, window_end"""


def with_itself(window: str) -> str:
    """A join of groups by an expression with the same groups."""
    return f"""SELECT a.k, a.n + b.n AS n, a.s AS s FROM ({counted(window)}) a
    JOIN ({counted(window)}) b ON a.s = b.s AND a.e = b.e AND a.k = b.k"""


QUERIES = {
    "tumble": with_itself(tumble("bid")),
    "hop": with_itself(HOP),
    "cumulate": with_itself(CUMULATE),
    "q5": f"""SELECT a.k, a.n, a.s FROM ({counted(HOP)}) a
    JOIN (SELECT MAX(n) AS maxn, s, e FROM ({counted(HOP)}) GROUP BY s, e) m
    ON a.s = m.s AND a.e = m.e AND a.n >= m.maxn""",
    "q8": f"""SELECT p.id, 1 AS n, p.s FROM (
      SELECT id, name, window_start AS s, window_end AS e FROM TABLE({tumble("person")})
      GROUP BY id, name, window_start, window_end) p
    JOIN (SELECT seller, window_start AS s, window_end AS e FROM TABLE({tumble("auction")})
      GROUP BY seller, window_start, window_end) a
    ON p.id = a.seller AND p.s = a.s AND p.e = a.e""",
    "rare": f"""SELECT auction, COUNT(*) AS n, TUMBLE_START(`dateTime`, {TEN}) AS s
    FROM bid WHERE auction = 7 GROUP BY auction, TUMBLE(`dateTime`, {TEN})""",
}


def event(n: int) -> dict[str, Any]:
    """The event of a second: bids mostly, of auction 7 only in the beginning."""
    kind = {0: 0, 1: 1}.get(n % 7, 2)
    number = n // 14 if kind < 2 else (7 if n < 20 else n % 4)
    fields = (
        {"id": number, "name": f"p{number}"},
        {"id": n, "seller": number},
        {"auction": number, "price": n},
    )
    time = f"2024-01-01 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000"
    return {"event_type": kind, KINDS[kind]: fields[kind], "dateTime": time}


@pytest.mark.slow
def test_jobs_of_windows_write_what_selects_give(flink: FlinkLab) -> None:
    """Nexmark's q5 and q8, groups by an expression joined with themselves, and rare rows.

    The watermark follows all events, also those that the views leave out.
    """
    flink.produce("nexmark", *map(event, range(60)))
    flink.table("events", EVENTS, "nexmark")
    for number, kind in enumerate(KINDS):
        fields = {"person": "person.id, person.name", "auction": "auction.id, auction.seller"}
        shown = fields.get(kind, "bid.auction, bid.price")
        flink.sql(
            f"CREATE VIEW {kind} AS SELECT {shown}, `dateTime` FROM events "
            f"WHERE event_type = {number}"
        )
    for name in QUERIES:
        flink.sql(f"CREATE TABLE out_{name} (k BIGINT, n BIGINT, s TIMESTAMP(3))")
    flink.sql("SET 'parallelism.default' = '1'")
    inserts = "; ".join(f"INSERT INTO out_{name} {query}" for name, query in QUERIES.items())
    flink.start(f"EXECUTE STATEMENT SET BEGIN {inserts}; END")
    # the last events end all windows before them, and are of one kind alone
    flink.produce("nexmark", *map(event, range(60, 90)), event(3600), event(3600 + 10))
    for name, query in QUERIES.items():
        ended = "WHERE s < TIMESTAMP '2024-01-01 00:50:00' ORDER BY s, k, n"
        wanted = flink.sql(f"SELECT * FROM ({query}) AS w (k, n, s) {ended}")
        assert len(wanted) > 1, name
        flink.arrives(f"SELECT k, n, s FROM out_{name} {ended}", wanted)
