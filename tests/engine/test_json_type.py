"""Columns of type JSON: what goes in, what ClickHouse makes of them, and what Spark passes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

SPARK = {"sluice_engine": "spark"}
DOC = (
    '{"b": [1, "x", {"c": null}], "a": {"n": 1.0, "t": "x/y"}, "z": null,'
    ' "u": 18446744073709551615}'
)


def answer(session: Session, query: str, **settings: str) -> str:
    """The bytes of an answer."""
    made = session.execute(query, settings=settings, stream=True)
    assert made.stream is not None
    return b"".join(made.stream).decode()


def test_a_json_column_in_clickhouse(session: Session) -> None:
    """Paths, subcolumns and functions of ClickHouse's own type over what was inserted."""
    run = session.execute
    columns = "id Int8, j JSON, k JSON(max_dynamic_paths=9, a.n UInt32, SKIP b, SKIP REGEXP 'u.*')"
    run(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY id")
    shown = run("SHOW CREATE TABLE t").fetchall()[0][0]
    kind = "JSON(max_dynamic_paths=9, `a.n` UInt32, SKIP b, SKIP REGEXP \\'u.*\\')"
    assert f"`k` {kind.replace(chr(92), '')}" in shown.replace("\\", "")
    run(f"INSERT INTO t VALUES (1, '{DOC}', '{DOC}')")
    run(f'INSERT INTO t FORMAT JSONEachRow {{"id": 2, "j": {DOC}}}')
    run("INSERT INTO t SELECT 3, j, k FROM t WHERE id = 1")
    run("INSERT INTO t (id, j) SELECT 4, concat('{\"q\": ', '7', '}')")
    run("INSERT INTO t (id, j) VALUES (5, map('m', 5)::JSON)")
    run('INSERT INTO t (id, j) FORMAT TSVRaw 6\t{"r" : [ ] }')
    whole = '{"a":{"n":1,"t":"x\\/y"},"b":[1,"x",{}],"u":18446744073709551615}'
    typed = '{"a":{"n":1,"t":"x\\/y"}}'
    query = "SELECT j, k FROM t ORDER BY id FORMAT TSVRaw"
    rows = [
        (whole, typed), (whole, '{"a":{"n":0}}'), (whole, typed), ('{"q":7}', '{"a":{"n":0}}'),
        ('{"m":5}', '{"a":{"n":0}}'), ('{"r":[]}', '{"a":{"n":0}}'),
    ]  # fmt: skip
    text = "".join(f"{j}\t{k}\n" for j, k in rows)
    assert answer(session, query) == text
    assert answer(session, query, **SPARK) == text
    paths = (
        "j.a.n, dynamicType(j.a.n), j.a.n.:Float64, j.^a, JSONAllPaths(j), j.b[].c, toTypeName(k)"
    )
    found = run(f"SELECT {paths} FROM t WHERE id = 1").fetchall()[0]
    assert found[:2] == (1, "Float64")
    assert list(found[4]) == ["a.n", "a.t", "b", "u"]
    assert found[6].startswith("JSON(max_dynamic_paths=9")
    python = run("SELECT j FROM t WHERE id = 1").fetchall()
    assert python == [({"a": {"n": 1, "t": "x/y"}, "b": [1, "x", {}], "u": 18446744073709551615},)]
    assert run("SELECT j FROM t WHERE id = 5", settings=SPARK).fetchall() == [({"m": 5},)]
    assert run("SELECT count() FROM t WHERE j.a.t = 'x/y'").fetchall() == [(3,)]


def test_json_within_other_types_and_added_later(session: Session) -> None:
    run = session.execute
    run("CREATE TABLE t (id Int8, n Nullable(JSON), l Array(JSON), m Map(String, JSON),"
        " p Tuple(j JSON, x Int8)) ENGINE = MergeTree ORDER BY id")  # fmt: skip
    document = '{"x": 1.5}'
    given = {"l": [{"x": 1}, {}], "m": {"k": {"y": [2]}}, "p": {"j": {"z": 3}, "x": 4}}
    run(f"INSERT INTO t FORMAT JSONEachRow {json.dumps({'id': 1, 'n': None, **given})}")
    mapped = f"map('k', '{document}')"
    run(f"INSERT INTO t VALUES (2, '{document}', ['{document}'], {mapped}, ('{{}}', 5))")
    rows: list[tuple[Any, ...]] = [
        (1, None, [{"x": 1}, {}], {"k": {"y": [2]}}, ({"z": 3}, 4)),
        (2, {"x": 1.5}, [{"x": 1.5}], {"k": {"x": 1.5}}, ({}, 5)),
    ]
    assert run("SELECT * FROM t ORDER BY id").fetchall() == rows
    assert run("SELECT * FROM t ORDER BY id", settings=SPARK).fetchall() == rows
    run("ALTER TABLE t ADD COLUMN e JSON, ADD COLUMN d JSON DEFAULT '{\"d\":1}'")
    assert run("SELECT e, d FROM t WHERE id = 1").fetchall() == [({}, {"d": 1})]
    assert run("SELECT e, d FROM t WHERE id = 1", settings=SPARK).fetchall() == [({}, {"d": 1})]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[1]", "Cannot parse '[1]' as JSON"),
        ("", "Cannot parse '' as JSON"),
        ('{"a": 1,}', "as JSON"),
        ('{"a": 1, "a": 2}', "Duplicate path found during parsing JSON object: a"),
        ('{"a": {"b": 1}, "a.b": 2}', "Duplicate path found during parsing JSON object: a.b"),
        ('{"t": "x"}', "while reading path t"),
    ],
)
def test_texts_that_are_no_objects(session: Session, given: str, said: str) -> None:
    session.execute("CREATE TABLE t (j JSON(t UInt8)) ENGINE = Memory")
    for rows in (f"VALUES ('{given}')", f"SELECT '{given}'"):
        with pytest.raises(SluiceError) as caught:
            session.execute(f"INSERT INTO t {rows}")
        assert caught.value.condition.name == "INVALID_JSON"
        assert said in str(caught.value)
        assert "column j" in str(caught.value)


def test_json_messages(lab: Lab, topic: str) -> None:
    """A column filled from nested objects, passed on by views, and written as objects again."""
    lab.make_topic(topic)
    lab.queue("q", topic, "id UInt64, j JSON(n UInt8, SKIP s)")
    lab.sql("CREATE TABLE v (id UInt64, j JSON(n UInt8, SKIP s)) ENGINE = Memory")
    lab.sql("CREATE TABLE w (id UInt64, j JSON) ENGINE = Memory")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    lab.sql("CREATE MATERIALIZED VIEW k TO w AS SELECT id, argMax(j, id) AS j FROM q GROUP BY id")
    lab.sql('INSERT INTO q VALUES (1, \'{"x": {"b": "/", "a": 1.50}, "s": 1}\')')
    assert lab.consume(topic)[0].value == b'{"id":1,"j":{"n":0,"x":{"a":1.5,"b":"\\/"}}}\n'
    lab.produce(topic, {"id": 2, "j": {"n": "7", "s": {"t": 1}, "l": [[1], [2]]}}, {"id": 3})
    wanted = [
        (1, {"n": 0, "x": {"a": 1.5, "b": "/"}}),
        (2, {"n": 7, "l": [[1], [2]]}),
        (3, {"n": 0}),
    ]
    lab.arrives("SELECT * FROM v ORDER BY id", wanted)
    lab.arrives("SELECT * FROM w ORDER BY id", wanted)
    lab.produce(topic, {"id": 4, "j": {"n": 256}})
    error = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)")
    assert "(while reading path n) (while reading the value of key j)" in error


def test_whole_messages_as_json(lab: Lab, topic: str) -> None:
    lab.queue("q", topic, "j JSON", kafka_format="JSONAsObject")
    lab.sql("CREATE TABLE v (j JSON) ENGINE = Memory")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT j FROM q")
    lab.produce(topic, {"a": {"b": 1}}, [{"c": 2}, {"c": [3]}])
    lab.arrives("SELECT j FROM v ORDER BY j.a.b.:Int64, toString(j)",
        [({"a": {"b": 1}},), ({"c": 2},), ({"c": [3]},)])  # fmt: skip
    with pytest.raises(SluiceError, match="tables with a single column of type JSON"):
        lab.queue("o", topic, "j String", kafka_format="JSONAsObject")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT toString(j) AS x FROM q", "SELECT j.a AS x FROM q",
        "SELECT CAST(j, 'String') AS x FROM q",
        "SELECT count() AS x FROM q GROUP BY j", "SELECT DISTINCT j AS x FROM q",
        "SELECT 1 AS x FROM q ORDER BY j", "SELECT j AS y, 1 AS x FROM q WHERE y = '{}'",
        "SELECT JSONAllPaths(j) AS x FROM q", "SELECT if(id = 1, j, j) AS x FROM q",
    ],
)  # fmt: skip
def test_what_views_cannot_do_with_json(lab: Lab, topic: str, query: str) -> None:
    """What Spark would compute from the text is refused, naming the type."""
    lab.queue("q", topic, "id UInt8, j JSON")
    lab.sql("CREATE TABLE v (x String) ENGINE = Memory")
    with pytest.raises(SluiceError) as caught:
        lab.sql(f"CREATE MATERIALIZED VIEW m TO v AS {query}")
    assert caught.value.condition.name in ("OPAQUE_TYPE", "UNKNOWN_FUNCTION")


def test_json_is_no_key(session: Session) -> None:
    for clause in ("ORDER BY j", "ORDER BY tuple() PARTITION BY j", "ORDER BY j PRIMARY KEY j"):
        with pytest.raises(SluiceError) as caught:
            session.execute(f"CREATE TABLE t (j JSON) ENGINE = MergeTree {clause}")
        assert caught.value.condition.name == "DATA_TYPE_CANNOT_BE_USED_IN_KEY"
    with pytest.raises(SluiceError, match="JSON instead"):
        session.execute("CREATE TABLE t (j Object('json')) ENGINE = Memory")


def test_json_stays_json(session: Session) -> None:
    """Its texts are not those of other types, and other texts may be no JSON."""
    run = session.execute
    columns = "j JSON, s String, v Variant(Int8, String), n Nullable(JSON)"
    run(f"CREATE TABLE t ({columns}) ENGINE = Memory")
    run("INSERT INTO t VALUES ('{\"a\": 1}', 'x', 1, NULL)")
    for change in ("j String", "s JSON", "j JSON(a String)", "v String", "v Dynamic", "s Dynamic"):
        with pytest.raises(SluiceError) as caught:
            run(f"ALTER TABLE t MODIFY COLUMN {change}")
        assert caught.value.condition.name == "UNSUPPORTED_TYPE_CHANGE"
    run("ALTER TABLE t MODIFY COLUMN j JSON(SKIP a), MODIFY COLUMN n JSON")
    assert run("SELECT j, n FROM t").fetchall() == [({}, {})]
