"""Queries over changelogs, batch by batch, against the same queries over the rows that stay."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest
from change_events import COLUMNS, SUMS, debezium, encoded

from sluice.engine.changelog.state import ChangelogState
from sluice.engine.row_kinds import TYPES
from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned
from sluice.sql import ir
from sluice.sql.flink import lower_query, parse
from sluice.sql.relation import BY_KEY, FULL, Relation, RelationColumn
from sluice.types import parse_type, spark_type

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from engine.flink.flink_lab import FlinkLab
    from sluice.session import Session
    from sluice.sql.relation import Lowered

Row = tuple[Any, ...]
Change = tuple[Any, ...]
NOW = 1_700_000_000_000
BATCHES = 3
AT_ONCE = 3
CITIES = ("Ulm", "Rom", "Oslo", None)


@dataclass
class Table:
    """A table of changes; `key` are the first columns, which an upsert changelog goes by."""

    name: str
    columns: dict[str, str]
    changelog: str = ""
    key: int = 0
    batches: list[list[Change]] = field(default_factory=list)
    rows: Counter[Row] = field(default_factory=Counter)

    def relation(self, *, stream: bool) -> Relation:
        columns = tuple(RelationColumn(n, parse_type(t)) for n, t in self.columns.items())
        key = tuple(self.columns)[: self.key]
        if not stream:
            return Relation(f"{self.name}_now", columns)
        return Relation(self.name, columns, stream=True, key=key, changelog=self.changelog)

    def schema(self, *, hidden: bool) -> str:
        own = [f"`{n}` {spark_type(parse_type(t))}" for n, t in self.columns.items()]
        more = [f"{n} {t}" for n, t in TYPES.items() if n != "__unchanged"]
        return ", ".join([*own, *(more if hidden else [])])


class Changes:
    """Makes random changes of tables."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311
        self._offset = 0

    def _at(self) -> tuple[int, int, int]:
        self._offset += 1
        return 0, self._offset, 0

    def user(self, uid: int) -> Row:
        r = self._random
        score = r.choice([None, *range(6)])
        return uid, r.choice("abcd") + r.choice("xy"), r.choice(CITIES), score

    def car(self, id_: int) -> Row:
        r = self._random
        price = r.choice([None, Decimal(r.randrange(900)) / 100])
        return id_, r.choice(("Fiat", "Audi", "Saab")), price, r.choice([None, *range(8)])

    def product(self, id_: int) -> Row:
        r = self._random
        return id_, r.choice(("hammer", "rope", "saw")), Decimal(r.randrange(5000)) / 1000

    def by_key(self, table: Table, make: Any, keys: int, count: int) -> None:
        """Puts and deletes, also of what is there and of what is not."""
        now = {row[0]: row for row in table.rows}
        batch: list[Change] = []
        for _ in range(count):
            key = self._random.randrange(keys)
            if self._random.random() < 0.3:
                lost = (key, *[None] * (len(table.columns) - 1))
                batch.append((*lost, "-D", self._at()))
                now.pop(key, None)
            else:
                now[key] = make(key)
                batch.append((*now[key], self._random.choice(("+I", "+U")), self._at()))
        table.rows = Counter(now.values())
        table.batches.append(batch)

    def full(self, table: Table, make: Any, count: int) -> None:
        """Inserts, updates and deletes of whole rows; two rows may be the same."""
        batch: list[Change] = []
        for _ in range(count):
            old = list(table.rows.elements())
            what = self._random.choice("iiud") if old else "i"
            if what != "i":
                gone = self._random.choice(old)
                table.rows -= Counter([gone])
                batch.append((*gone, "-U" if what == "u" else "-D", self._at()))
            if what != "d":
                made = make(self._random.randrange(12))
                table.rows += Counter([made])
                batch.append((*made, "+U" if what == "u" else "+I", self._at()))
        table.batches.append(batch)

    def append(self, table: Table, count: int) -> None:
        """Rows that come, and stay."""
        r = self._random
        made = [(r.randrange(8), r.choice("pqr")) for _ in range(count)]
        table.rows += Counter(made)
        table.batches.append(list(made))


def tables(seed: int) -> dict[str, Table]:
    """Four tables with their changes."""
    users = {"uid": "Int32", "name": "String", "city": "String", "score": "Int32"}
    cars = {"id": "Int64", "model": "String", "price": "Decimal(10, 2)", "owner": "Int32"}
    made = [
        Table("users", users, BY_KEY, 1),
        Table("cars", cars, BY_KEY, 1),
        Table("products", {"id": "Int32", "name": "String", "weight": "Decimal(10, 3)"}, FULL),
        Table("clicks", {"uid": "Int32", "url": "String"}),
    ]
    u, c, p, k = made
    changes = Changes(seed)
    for n in range(BATCHES):
        changes.by_key(u, changes.user, 10, 8)
        changes.by_key(c, changes.car, 12, 8 * (n != 2))
        changes.full(p, changes.product, 10)
        changes.append(k, 5 * (n != 1))
    return {table.name: table for table in made}


MILLI = Decimal("0.001")
SCORES = "SELECT city, COUNT(*) AS n, SUM(score) AS s FROM users GROUP BY city"
RANKED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY score DESC, uid) AS rn FROM users"
QUERIES = (
    # one by one
    "SELECT uid, UPPER(name) AS name FROM users WHERE score > 2",
    "SELECT id, name FROM products UNION ALL SELECT owner, model FROM cars",
    # sums
    """SELECT city, COUNT(*) AS n, COUNT(score) AS c, SUM(score) AS s, AVG(score) AS a,
    SUM(score) FILTER (WHERE name > 'b') AS f, COUNT(*) FILTER (WHERE uid > 4) AS m
    FROM users GROUP BY city""",
    """SELECT model, SUM(price) AS s, AVG(price) AS a, AVG(id) AS i, SUM(CAST(price AS DOUBLE)) AS d
    FROM cars GROUP BY model""",
    "SELECT COUNT(*) AS n, SUM(weight) AS w, AVG(weight) AS a FROM products",
    """SELECT UPPER(city) AS c, SUM(score) + 1 AS s FROM users GROUP BY UPPER(city)
    HAVING SUM(score) < 12 OR COUNT(*) = 1""",
    f"SELECT n, COUNT(*) AS many, SUM(s) AS s FROM ({SCORES}) GROUP BY n",
    f"SELECT city, n FROM ({SCORES}) WHERE n > 1",
    # rows of groups
    """SELECT city, MIN(score) AS low, MAX(name) AS high, COUNT(DISTINCT name) AS d, COUNT(*) AS n,
    AVG(DISTINCT score) AS a FROM users GROUP BY city HAVING MAX(score) > 1""",
    "SELECT MAX(weight) AS high, MIN(name) AS low FROM products",
    # values of groups
    """SELECT city, MIN(score) AS low, MAX(score) AS high, MAX(name) AS last, COUNT(*) AS n,
    COUNT(DISTINCT name) AS d, MIN(name) FILTER (WHERE score > 2) AS f, AVG(score) AS a,
    COUNT(DISTINCT score) FILTER (WHERE uid > 3) AS o FROM users GROUP BY city""",
    """SELECT model, MIN(price) AS low, COUNT(DISTINCT price) AS d, MAX(CAST(price AS DOUBLE)) AS x,
    MAX(model) AS m, MAX(price > 4) AS b FROM cars GROUP BY model HAVING MIN(price) < 5""",
    "SELECT COUNT(DISTINCT owner) AS owners FROM cars",
    "SELECT city, MAX(-1) AS m, COUNT(DISTINCT 2) AS d FROM users GROUP BY city",
    """SELECT uid, MAX(url) AS last, COUNT(DISTINCT url) AS d FROM clicks GROUP BY uid
    HAVING COUNT(*) < 3""",
    """SELECT d, MIN(high) AS m FROM (SELECT city, MAX(score) AS high, COUNT(DISTINCT name) AS d
    FROM users GROUP BY city) GROUP BY d""",
    "SELECT SUM(high) AS s FROM (SELECT city, MAX(score) AS high FROM users GROUP BY city)",
    # different rows
    "SELECT DISTINCT city, score FROM users",
    "SELECT DISTINCT name FROM products",
    "SELECT name FROM products UNION SELECT model FROM cars UNION SELECT url FROM clicks",
    # Top-N
    f"SELECT uid, city, rn FROM ({RANKED}) WHERE rn <= 2",
    f"SELECT uid, city FROM ({RANKED}) WHERE rn = 1",
    f"SELECT city, name FROM ({RANKED}) WHERE rn = 2",
    f"""SELECT city, n FROM (SELECT city, n, ROW_NUMBER() OVER (ORDER BY n DESC, city) AS rn
    FROM ({SCORES})) WHERE rn <= 2""",
    # joins
    "SELECT u.uid, u.name, c.id, c.model FROM users u JOIN cars c ON u.uid = c.owner",
    """SELECT u.uid, c.model FROM users u LEFT JOIN cars c ON u.uid = c.owner AND c.price > 3
    WHERE u.score > 1""",
    "SELECT u.uid, u.city, c.id FROM users u RIGHT JOIN cars c ON c.owner = u.uid",
    "SELECT id, p.name, c.model FROM products p FULL JOIN cars c USING (id)",
    "SELECT k.url, u.name FROM clicks k LEFT JOIN users u ON k.uid = u.uid",
    "SELECT u.uid, c.id FROM users u JOIN cars c ON u.score < c.price",
    """SELECT u.city, c.model, COUNT(*) AS n, MAX(p.weight) AS w FROM users u
    JOIN cars c ON u.uid = c.owner LEFT JOIN products p ON p.id = c.id GROUP BY u.city, c.model""",
    "SELECT a.uid, b.uid AS other FROM users a, users b WHERE a.city = b.city AND a.uid < b.uid",
    "SELECT a.uid, COUNT(b.url) AS n FROM users a LEFT JOIN clicks b USING (uid) GROUP BY a.uid",
)


class Running:
    """A query that is run batch by batch."""

    def __init__(
        self, spark: SparkSession, folder: Path, lowered: Lowered, shown: Any = tuple
    ) -> None:
        self._shown = shown
        self._state = ChangelogState(spark, folder)
        self._spark = spark
        self._lowered = lowered
        self.rows: Counter[Any] = Counter()

    def run(self, batch: int) -> None:
        """Apply the changes of a batch to the rows of the result."""
        with self._state.batch(self._spark, batch, NOW + batch) as operators:
            found = planned(self._spark, self._lowered.sql, self._lowered.steps, operators)
            width = len(self._lowered.columns)
            for row in found.collect():
                assert row[width] in ("+I", "-U", "+U", "-D")
                self.rows[self._shown(tuple(row)[:width])] += 1 if row[width][0] == "+" else -1
        assert min(self.rows.values(), default=0) >= 0, "a row was taken back that was not there"

    def close(self) -> None:
        self._state.close()


def opened(engine: Session) -> SparkSession:
    """A session for one query at a time: its views have the names of the tables."""
    found = new_session(engine._engine.spark(), {})
    found.conf.set("spark.sql.shuffle.partitions", "2")
    found.conf.set("spark.sql.adaptive.enabled", "false")
    return found


def lowered(query: str, known: dict[str, Table], *, stream: bool) -> Lowered:
    statement = parse(query)
    assert isinstance(statement, ir.Select)
    return lower_query(statement.query, lambda name: known[str(name)].relation(stream=stream))


def check(spark: SparkSession, folder: Path, query: str, known: dict[str, Table]) -> None:
    """Run a query over the changes of all tables, and compare it with one over the rows left."""
    found, plain = (lowered(query, known, stream=stream) for stream in (True, False))
    assert found.types == plain.types, query
    with closing(Running(spark, folder, found)) as running:
        for batch in range(BATCHES):
            for table in known.values():
                schema = table.schema(hidden=bool(table.changelog))
                rows = spark.createDataFrame(table.batches[batch], schema)
                rows.createOrReplaceTempView(table.name)
            running.run(batch)
        for table in known.values():
            now = list(table.rows.elements())
            rows = spark.createDataFrame(now, table.schema(hidden=False))
            rows.createOrReplaceTempView(f"{table.name}_now")
        made, given = planned(spark, plain.sql), planned(spark, found.sql)
        wanted = Counter(tuple(row) for row in made.collect())
        assert +running.rows == wanted, query
        if "ROW_NUMBER" not in query:  # which Spark makes an INT, whatever Flink does
            types = [f.dataType for f in given.schema][: len(made.schema)]
            assert types == [f.dataType for f in made.schema], query


@pytest.mark.slow
def test_queries_over_changes(engine: Session, tmp_path: Path) -> None:
    known = tables(seed=5)
    assert all(table.rows for table in known.values())
    sessions: SimpleQueue[SparkSession] = SimpleQueue()
    for _ in range(AT_ONCE):
        sessions.put(opened(engine))

    def run(n: int) -> None:
        spark = sessions.get()
        try:
            check(spark, tmp_path / str(n), QUERIES[n], known)
        finally:
            sessions.put(spark)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(run, range(len(QUERIES))))


def test_order_of_arrival(engine: Session, tmp_path: Path) -> None:
    """FIRST_VALUE and its like follow the order of batches, also when a row in between goes.

    Within a batch of changes by key rows are in the order of their values.
    """
    columns = {"id": "Int32", "name": "String", "city": "String"}
    table = Table("people", columns, BY_KEY, 1)
    query = """SELECT city, FIRST_VALUE(name) AS f, LAST_VALUE(name) AS l, LISTAGG(name, '-') AS a,
        LISTAGG(DISTINCT name) AS d, ARRAY_AGG(name) AS r FROM people GROUP BY city"""
    batches: list[list[Change]] = [
        [(1, "c", "Ulm", "+I", (0, 1, 0)), (2, "a", "Ulm", "+I", (0, 2, 0))],
        [(3, "b", "Ulm", "+I", (0, 3, 0)), (4, "a", "Ulm", "+I", (0, 4, 0))],
        [(1, None, None, "-D", (0, 5, 0)), (3, "z", "Ulm", "+U", (0, 6, 0))],
        [(n, None, None, "-D", (0, 6 + n, 0)) for n in (2, 3, 4)],
    ]
    wanted = [
        ("a", "c", "a-c", "a,c", ["a", "c"]),
        ("a", "b", "a-c-a-b", "a,b,c", ["a", "c", "a", "b"]),
        ("a", "z", "a-a-z", "a,z", ["a", "a", "z"]),
        None,
    ]
    spark = opened(engine)
    found = lowered(query, {"people": table}, stream=True)
    with closing(Running(spark, tmp_path, found, shown=repr)) as running:
        for n, (batch, row) in enumerate(zip(batches, wanted, strict=True)):
            rows = spark.createDataFrame(batch, table.schema(hidden=True))
            rows.createOrReplaceTempView("people")
            running.run(n)
            assert +running.rows == Counter([repr(("Ulm", *row))] if row else [])


@pytest.mark.slow
def test_jobs_over_changes(flink: FlinkLab) -> None:
    """FL-89, an outer join with a topic of plain rows, and Top-N of an aggregation, and back."""
    events = encoded(debezium())
    topic, views = f"{flink.database}_products", f"{flink.database}_views"
    flink.produce(topic, *events[:10])
    flink.produce(views, '{"id": 104, "n": 1}', '{"id": 107, "n": 2}', '{"id": 999, "n": 3}')
    flink.table("products", COLUMNS, topic, format="debezium-json")
    flink.table("views", "id INT, n INT", views)
    upsert = {"connector": "upsert-kafka", "format": "", "scan__startup__mode": "",
              "key__format": "json", "value__format": "json"}  # fmt: skip
    for name, columns in {
        "sums": "name STRING, weight DECIMAL(38, 3), PRIMARY KEY (name) NOT ENFORCED",
        "seen": "id INT, n INT, weight DECIMAL(10, 3), PRIMARY KEY (id, n) NOT ENFORCED",
        "best": "name STRING, things BIGINT, PRIMARY KEY (name) NOT ENFORCED",
        "range": "name STRING, low STRING, high STRING, ids BIGINT, "
        "PRIMARY KEY (name) NOT ENFORCED",
    }.items():
        topic_of = f"{flink.database}_{name}"
        flink.make_topic(topic_of)
        flink.table(name, columns, topic_of, **upsert)
    plan = flink.sql("EXPLAIN CHANGELOG_MODE INSERT INTO sums "
                     "SELECT name, SUM(weight) FROM products GROUP BY name")[0][0]  # fmt: skip
    assert "state: the sums of GroupAggregate(groupBy=[name]" in plan
    assert "changelog: [I,UB,UA,D]" in plan
    flink.start(
        """EXECUTE STATEMENT SET BEGIN
        INSERT INTO sums SELECT name, SUM(weight) FROM products GROUP BY name;
        INSERT INTO seen SELECT v.id, v.n, p.weight FROM views v LEFT JOIN products p USING (id);
        INSERT INTO `range` SELECT name, CAST(MIN(weight) AS STRING), CAST(MAX(weight) AS STRING),
            COUNT(DISTINCT id) FROM products GROUP BY name;
        INSERT INTO best SELECT name, n FROM (
            SELECT name, n, ROW_NUMBER() OVER (ORDER BY n DESC, name) AS rn FROM (
                SELECT name, COUNT(*) AS n FROM products WHERE weight < 6 GROUP BY name)
        ) WHERE rn <= 2;
        END"""
    )
    weight = "SELECT weight FROM sums WHERE name = 'hammer'"
    flink.arrives(weight, [(Decimal("2.625"),)])
    flink.arrives("SELECT id, weight FROM seen ORDER BY id",
                  [(104, Decimal("0.750")), (107, Decimal("5.300")), (999, None)])  # fmt: skip
    flink.arrives("SELECT * FROM best ORDER BY name", [("12-pack drill bits", 1), ("hammer", 3)])
    flink.produce(topic, *events[10:])
    flink.produce(views, '{"id": 110, "n": 4}')
    flink.arrives("SELECT name, CAST(weight AS STRING) FROM sums ORDER BY name",
                  sorted(SUMS.items()))  # fmt: skip
    flink.arrives("SELECT id, n, weight FROM seen ORDER BY id",
                  [(104, 1, Decimal("0.750")), (107, 2, Decimal("5.100")),
                   (110, 4, Decimal("0.500")), (999, 3, None)])  # fmt: skip
    flink.arrives("SELECT * FROM best ORDER BY name", [("hammer", 3), ("jacket", 2)])
    left: dict[int, Any] = {}
    for event in debezium():
        if event["before"] is not None:
            left.pop(event["before"]["id"])
        if event["after"] is not None:
            left[event["after"]["id"]] = event["after"]
    weights: dict[str, list[Decimal]] = {}
    for row in left.values():
        weights.setdefault(row["name"], []).append(Decimal(str(row["weight"])).quantize(MILLI))
    flink.arrives("SELECT * FROM `range` ORDER BY name",
                  [(name, str(min(of)), str(max(of)), len(of))
                   for name, of in sorted(weights.items())])  # fmt: skip
