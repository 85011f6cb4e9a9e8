"""Point, Ring and the like: tuples and arrays under names of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

COLUMNS = (
    "id UInt8, p Point, r Ring, l LineString, ml MultiLineString, g Polygon, mg MultiPolygon,"
    " a Array(Point)"
)
SQUARE = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
LINE = [(1.0, 2.0), (3.5, -4.0)]
ROW = (1, (1.0, 1.0), SQUARE, LINE, [LINE, []], [SQUARE], [[SQUARE], [SQUARE, SQUARE]], LINE)
SPARK = {"sluice_engine": "spark"}


def test_geometric_columns(session: Session) -> None:
    """They keep their names, so that ClickHouse's functions take them for what they are."""
    run = session.execute
    run(f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY id")
    types = [row[1] for row in run("DESCRIBE t").fetchall()]
    assert types[1:] == [
        "Point", "Ring", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "Array(Point)",
    ]  # fmt: skip
    shown = run("SHOW CREATE TABLE t").fetchall()[0][0]
    assert "`g` Polygon" in shown
    values = ", ".join(map(str, ROW))
    run(f"INSERT INTO t VALUES ({values})")
    run(f"INSERT INTO t SELECT 2, {values.removeprefix('1, ')}")
    run("INSERT INTO t (id, p) VALUES (3, (0.5, 1.5))")
    rows = [ROW, (2, *ROW[1:]), (3, (0.5, 1.5), [], [], [], [], [], [])]
    assert run("SELECT * FROM t ORDER BY id").fetchall() == rows
    assert run("SELECT * FROM t ORDER BY id", settings=SPARK).fetchall() == rows
    area = "abs(polygonAreaCartesian(g))"
    query = f"SELECT toTypeName(g), pointInPolygon(p, r), {area}, wkt(p), p.1 FROM t"
    assert run(f"{query} WHERE id = 1").fetchall() == [("Polygon", 1, 4.0, "POINT(1 1)", 1.0)]
    run("ALTER TABLE t ADD COLUMN late Point, ADD COLUMN lates Ring")
    assert run("SELECT late, lates FROM t WHERE id = 1").fetchall() == [((0.0, 0.0), [])]


def test_geometric_messages(lab: Lab, topic: str) -> None:
    """As in ClickHouse they are JSON lists, in CSV the fields of a tuple."""
    columns = "id UInt8, p Point, r Ring"
    lab.queue("q", topic, columns)
    lab.sql(f"CREATE TABLE v ({columns}) ENGINE = Memory")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    lab.produce(topic, {"id": 1, "p": [1, 2.5], "r": [[0, 0], [1, 1]]}, {"id": 2})
    lab.sql("INSERT INTO q VALUES (3, (1, 2), [(3, 4)])")
    assert lab.consume(topic)[-1].value == b'{"id":3,"p":[1,2],"r":[[3,4]]}\n'
    rows = [
        (1, (1.0, 2.5), [(0.0, 0.0), (1.0, 1.0)]),
        (2, (0.0, 0.0), []),
        (3, (1.0, 2.0), [(3.0, 4.0)]),
    ]  # fmt: skip
    lab.arrives("SELECT * FROM v ORDER BY id", rows)
    lab.produce(topic, {"id": 4, "p": [1]})
    assert "Cannot parse '[1]' as Point" in lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)")
