"""Statements over stored tables and the catalog."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

from engine.lab import keys
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.lab import Lab
    from sluice.session import Session


def rows(session: Session, text: str) -> list[tuple[Any, ...]]:
    return session.execute(text).fetchall()


PEOPLE = (
    """
    CREATE TABLE people (id UInt32, name String, age Nullable(UInt8), born Date, tags Array(String))
    ENGINE = MergeTree ORDER BY id COMMENT 'who'
    """,
    """
    INSERT INTO people VALUES
        (1, 'Анна', 30, '1994-05-06', ['a', 'b']),
        (2, 'Борис', NULL, '1990-01-01', []),
        (3, 'O''Neil', 41, '1983-12-31', ['b'])
    """,
)


def fill(session: Session) -> Session:
    """A table to ask about."""
    for statement in PEOPLE:
        rows(session, statement)
    return session


@pytest.fixture(scope="module")
def crowd(engine: Session) -> Iterator[Session]:
    """A session with the table, for tests that only read."""
    rows(engine, "CREATE DATABASE crowd")
    yield fill(engine.child("crowd"))
    rows(engine, "DROP DATABASE crowd")


@pytest.fixture
def people(session: Session) -> Session:
    """A session with a table of its own."""
    return fill(session)


def test_insert_values(people: Session) -> None:
    """Values become the columns' types; what is left out takes the type's default."""
    assert rows(people, "SELECT * FROM people WHERE id < 3 ORDER BY id") == [
        (1, "Анна", 30, date(1994, 5, 6), ["a", "b"]),
        (2, "Борис", None, date(1990, 1, 1), []),
    ]
    rows(people, "INSERT INTO people (name, id) VALUES ('x', 1 + 3)")
    assert rows(people, "SELECT * FROM people WHERE id = 4") == [
        (4, "x", None, date(1970, 1, 1), [])
    ]


def test_insert_json_each_row(people: Session) -> None:
    """INSERT … FORMAT JSONEachRow reads as a message does."""
    data = '{"id": 5, "name": "five"}\n{"id": "6", "zzz": 1, "tags": ["t"]}'
    rows(people, f"INSERT INTO people FORMAT JSONEachRow {data}")
    query = "SELECT id, name, tags FROM people WHERE id > 4 ORDER BY id"
    assert rows(people, query) == [(5, "five", []), (6, "", ["t"])]
    with pytest.raises(SluiceError, match="Cannot parse 'x' as UInt32"):
        rows(people, 'INSERT INTO people FORMAT JSONEachRow {"id": 7}{"id": "x"}')
    assert rows(people, "SELECT count() FROM people") == [(5,)]


def test_insert_select(people: Session) -> None:
    """INSERT … SELECT goes by position."""
    rows(people, "CREATE TABLE copy (n String, i UInt64) ENGINE = MergeTree ORDER BY i")
    rows(people, "INSERT INTO copy SELECT upper(name), id FROM people WHERE age > 35")
    assert rows(people, "SELECT * FROM copy") == [("O'NEIL", 3)]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO people (id) VALUES (-1)", "UInt32"),
        ("INSERT INTO people (id) VALUES (4294967296)", "UInt32"),
        ("INSERT INTO people (id, name) VALUES (1)", "has 2 columns, but its row has 1"),
        ("INSERT INTO people (nome) VALUES ('x')", "Did you mean name"),
        ("INSERT INTO peple VALUES (1)", "Did you mean people"),
        ("SELECT nme FROM people", "Unknown expression identifier `nme`"),
        ("SELECT * FROM people FORMAT Nope", "Unknown format Nope"),
        ("CREATE TABLE people (a Int8) ENGINE = MergeTree ORDER BY a", "already exists"),
        ("CREATE TABLE x (a Int9) ENGINE = MergeTree ORDER BY a", "Unknown data type Int9"),
        ("CREATE TABLE x (a Int8) ENGINE = MergeTre ORDER BY a", "Did you mean MergeTree"),
        ("CREATE TABLE x (a Int8, A Int8) ENGINE = MergeTree ORDER BY a", "given twice"),
        ("CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY b", "Unknown column b"),
        ("DROP TABLE peopl", "does not exist"),
        ("DROP VIEW people", "is a table, not a view"),
        ("USE nowhere", "Database nowhere does not exist"),
    ],
)
def test_wrong_statements(crowd: Session, statement: str, said: str) -> None:
    """A wrong statement says what is wrong, and changes nothing."""
    tables = rows(crowd, "SHOW TABLES")
    with pytest.raises(SluiceError, match=said):
        rows(crowd, statement)
    assert rows(crowd, "SHOW TABLES") == tables
    assert rows(crowd, "SELECT count() FROM people") == [(3,)]


def test_select_clauses(crowd: Session) -> None:
    """The usual clauses, one query each."""
    cases = {
        "SELECT DISTINCT arrayJoin(tags) AS t FROM people ORDER BY t": [("a",), ("b",)],
        "SELECT count(), max(age) FROM people": [(3, 41)],
        "SELECT length(tags) AS n, count() FROM people GROUP BY n HAVING n > 0 ORDER BY n DESC": [
            (2, 1),
            (1, 1),
        ],
        "SELECT id FROM people ORDER BY born LIMIT 1 OFFSET 1": [(2,)],
        "WITH 2 AS k SELECT id FROM people WHERE id = k": [(2,)],
        "SELECT a.id FROM people AS a JOIN people AS b ON a.id = b.id + 1 ORDER BY a.id": [
            (2,),
            (3,),
        ],
        "SELECT id FROM people WHERE id IN (SELECT id FROM people WHERE age IS NULL)": [(2,)],
        "SELECT id FROM (SELECT id FROM people WHERE id = 1 UNION ALL SELECT 9) ORDER BY id": [
            (1,),
            (9,),
        ],
        "SELECT id FROM people WHERE name LIKE '%нна'": [(1,)],
        "SELECT if(age > 35, 'old', 'young') AS c FROM people WHERE age IS NOT NULL ORDER BY c": [
            ("old",),
            ("young",),
        ],
        "SELECT dummy FROM system.one": [(0,)],
        "SELECT 1 AS x, x + 1 AS y": [(1, 2)],
    }
    found = {query: rows(crowd, query) for query in cases}
    assert found == cases


def test_result_columns_have_types(crowd: Session) -> None:
    """An answer says the names and types of its columns."""
    result = crowd.execute("SELECT id, age, born AS b, tags FROM people LIMIT 0")
    assert [(c.name, str(c.type)) for c in result.columns] == [
        ("id", "UInt32"),
        ("age", "Nullable(UInt8)"),
        ("b", "Date"),
        ("tags", "Array(String)"),
    ]
    assert result.fetchall() == []


def test_show_describe_exists(people: Session) -> None:
    """What is there can be asked for in all the usual ways."""
    rows(people, "CREATE TABLE also AS people ENGINE = MergeTree ORDER BY (id, name)")
    assert rows(people, "SHOW TABLES") == [("also",), ("people",)]
    assert rows(people, "SHOW TABLES LIKE 'p%'") == [("people",)]
    assert (people.database,) in rows(people, "SHOW DATABASES")
    assert rows(people, "EXISTS TABLE people") == [(1,)]
    assert rows(people, "EXISTS TABLE nobody") == [(0,)]
    assert rows(people, "DESCRIBE TABLE people")[:2] == [
        ("id", "UInt32", "", "", "", "", ""),
        ("name", "String", "", "", "", "", ""),
    ]
    ((created,),) = rows(people, "SHOW CREATE TABLE people")
    rows(people, "DROP TABLE people")
    rows(people, created)
    assert rows(people, "SHOW CREATE TABLE people") == [(created,)]
    assert "COMMENT 'who'" in created


def test_databases(session: Session) -> None:
    """Databases hold tables of the same names apart."""
    name = f"{session.database}_other"
    rows(session, f"CREATE DATABASE {name}")
    rows(session, f"CREATE DATABASE IF NOT EXISTS {name}")
    rows(session, f"CREATE TABLE {name}.t (a Int8) ENGINE = MergeTree ORDER BY a")
    rows(session, "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a")
    rows(session, f"INSERT INTO {name}.t VALUES (1)")
    assert rows(session, f"SELECT (SELECT count() FROM {name}.t), (SELECT count() FROM t)") == [
        (1, 0)
    ]
    other = session.child(name)
    assert rows(other, "SELECT a FROM t") == [(1,)]
    rows(session, f"DROP DATABASE {name}")
    with pytest.raises(SluiceError, match="does not exist"):
        rows(session, f"SELECT * FROM {name}.t")


def test_detach_and_attach_a_stored_table(people: Session) -> None:
    """A detached table is not there until it is attached, with all its rows."""
    rows(people, "DETACH TABLE people")
    assert rows(people, "EXISTS TABLE people") == [(0,)]
    with pytest.raises(SluiceError, match="ATTACH TABLE"):
        rows(people, "SELECT * FROM people")
    rows(people, "ATTACH TABLE people")
    assert rows(people, "SELECT count() FROM people") == [(3,)]


def test_detach_and_attach_a_kafka_table_and_a_view(lab: Lab, topic: str) -> None:
    """While the table or its only view is detached nothing is read; then it resumes."""
    lab.pipe(topic)
    lab.produce(topic, *keys(3))
    lab.counted("v", 3)
    start = 3
    for kind, name in (("TABLE", "q"), ("VIEW", "m")):
        lab.sql(f"DETACH {kind} {name}")
        lab.produce(topic, *keys(3, start=start))
        start += 3
        assert lab.pipeline() == ("NONE", "")
        lab.sql(f"ATTACH {kind} {name}")
        lab.counted("v", start)


def test_drop_a_view(lab: Lab, topic: str) -> None:
    """Without a view nothing is read; a new view resumes where the old one stopped."""
    lab.pipe(topic)
    lab.produce(topic, *keys(3))
    lab.counted("v", 3)
    lab.sql("DROP VIEW m")
    lab.produce(topic, *keys(3, start=3))
    assert lab.pipeline() == ("NONE", "")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    lab.counted("v", 6)


def test_instants_are_shown_in_utc(session: Session) -> None:
    """A DateTime is an instant, whatever zone it was written in."""
    columns = "a DateTime('Asia/Tokyo'), b DateTime64(3)"
    rows(session, f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY a")
    rows(session, "INSERT INTO t VALUES ('2024-01-01 09:00:00', '2024-01-01 00:00:00.5')")
    midnight = datetime(2024, 1, 1, tzinfo=UTC)
    assert rows(session, "SELECT a, b FROM t") == [(midnight, midnight.replace(microsecond=500000))]


def test_columns_left_out_take_their_defaults(session: Session) -> None:
    rows(
        session,
        "CREATE TABLE made (id UInt32, m Map(String, UInt8), x Float64 DEFAULT -inf,"
        " b UInt8 DEFAULT c + 1, c UInt8 DEFAULT id * 2, s String MATERIALIZED toString(b),"
        " z String) ENGINE = MergeTree ORDER BY id",
    )
    rows(session, "INSERT INTO made (id, m) VALUES (1, {'a': 1}), (2, map('b', 2)), (3, {})")
    rows(session, "INSERT INTO made (id, b, x) SELECT 4, 7, nan")
    rows(session, "INSERT INTO made VALUES (5, map(), 0.5, 1, 2, 'z')")
    found = rows(session, "SELECT id, m, toString(x), b, c, s, z FROM made ORDER BY id")
    assert found == [
        (1, {"a": 1}, "-inf", 3, 2, "3", ""),
        (2, {"b": 2}, "-inf", 5, 4, "5", ""),
        (3, {}, "-inf", 7, 6, "7", ""),
        (4, {}, "nan", 7, 8, "7", ""),
        (5, {}, "0.5", 1, 2, "1", "z"),
    ]
