"""ClickHouse's own clients, unchanged, against a server."""

from __future__ import annotations

import ast
import gzip
from contextlib import closing
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import clickhouse_connect
import httpx
import pandas as pd
import pyarrow as pa
import pytest
from clickhouse_connect import dbapi
from clickhouse_connect.driver.external import ExternalData
from documents import blocks, section
from sqlalchemy import MetaData, Table, create_engine, inspect, select, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.server.run import Server
    from sluice.session import Session


@pytest.fixture
def client(server: Server, session: Session) -> Iterator[Any]:
    made = clickhouse_connect.get_client(
        host="127.0.0.1", port=server.port, database=session.database
    )
    yield made
    made.close()


COLUMNS = (
    "a UInt64, b String, d DateTime, e Enum8('x' = 1, 'y' = 2), n Nullable(Int32), "
    "tags Array(LowCardinality(String)), m Map(String, UInt8), p Decimal(10, 2), u UUID"
)
UUIDS = ["61f0c404-5cb3-11e7-907b-a6006ad3dba0", "00000000-0000-0000-0000-000000000000"]


def _texts(row: Any) -> list[str]:
    return [str(value).removesuffix("+00:00") for value in row]


def test_clickhouse_connect(client: Any) -> None:
    """get_client, command, insert and every way to query."""
    client.command(f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY a")
    rows = [
        [2**64 - 1, "it's", datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC), "x", None, ["p", "q"],
         {"k": 1}, "1.25", UUIDS[0]],
        [5, "", datetime(1970, 1, 1, tzinfo=UTC), "y", -7, [], {}, "-3.50", UUIDS[1]],
    ]  # fmt: skip
    client.insert("t", rows)
    found = client.query("SELECT * FROM t ORDER BY a DESC")
    assert found.column_names == ("a", "b", "d", "e", "n", "tags", "m", "p", "u")
    assert [_texts(row) for row in found.result_rows] == [_texts(row) for row in rows]
    client.insert_df("t", pd.DataFrame({"a": [7], "b": ["frame"]}))
    frame = client.query_df("SELECT a, b FROM t WHERE a < 100 ORDER BY a")
    assert frame.to_dict("list") == {"a": [5, 7], "b": ["", "frame"]}
    assert client.query_arrow("SELECT b FROM t ORDER BY b").num_rows == 3
    assert client.command("SELECT count() FROM t WHERE e = 'x'") == 2
    given = {"x": 41, "s": "a'b\\c", "d": date(2020, 1, 2), "l": [1, 2]}
    query = "SELECT {x:UInt64} + 1, {s:String}, {d:Date}, {l:Array(UInt8)}"
    assert client.query(query, parameters=given).result_rows == [
        (42, "a'b\\c", date(2020, 1, 2), [1, 2])
    ]
    with client.query_row_block_stream("SELECT number FROM numbers(300000)") as stream:
        assert sum(len(block) for block in stream) == 300_000
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError, match="code: 47"):
        client.query("SELECT nope FROM t")
    on_spark = client.query("SELECT a FROM t WHERE b = 'frame' SETTINGS sluice_engine = 'spark'")
    assert on_spark.result_rows == [(7,)]
    names = [row["name"] for row in client.query("DESCRIBE TABLE t").named_results()]
    assert names == ["a", "b", "d", "e", "n", "tags", "m", "p", "u"]


def test_more_of_clickhouse_connect(client: Any, server: Server) -> None:
    """Sessions, settings, external data, Arrow and raw inserts, streams, errors in the middle."""
    client.command(
        "CREATE TABLE t (a UInt64, s LowCardinality(String)) ENGINE = MergeTree ORDER BY a"
    )
    client.insert_arrow("t", pa.table({"a": pa.array([1, 2], pa.uint64()), "s": ["x", "y"]}))
    client.raw_insert("t", insert_block=b"3,z\n", fmt="CSV", compression=None)
    given = ExternalData(file_name="e", data=b"2\n3\n", fmt="CSV", structure="a UInt64")
    found = client.query("SELECT s FROM t WHERE a IN e ORDER BY a", external_data=given)
    assert found.result_rows == [("y",), ("z",)]
    assert client.protocol_version == 54405
    zoned = client.query("SELECT toDateTime(0, 'Asia/Tokyo') AS t").first_row[0]
    assert (zoned.hour, str(zoned.tzinfo)) == (9, "Asia/Tokyo")
    assert found.summary["read_rows"] != "0"
    assert client.insert("t", [[4, "w"]]).written_rows == 1
    few = client.query("SELECT a FROM t ORDER BY a", settings={"limit": 2})
    assert few.result_columns == [(1, 2)] or few.result_rows == [(1,), (2,)]
    client.command("SET session_timezone = 'Asia/Tokyo'")
    client.command("CREATE TEMPORARY TABLE own (x UInt8)")
    assert client.command("SELECT toString(toDateTime(0)), count() FROM own") == [
        "1970-01-01 09:00:00", "0"
    ]  # fmt: skip
    with client.query_arrow_stream("SELECT number FROM numbers(200000)") as stream:
        assert sum(batch.num_rows for batch in stream) == 200_000
    with client.query_df_stream("SELECT number AS n FROM numbers(200000)") as frames:
        assert sum(len(frame) for frame in frames) == 200_000
    assert client.raw_query("SELECT 1 FORMAT CSV") == b"1\n"
    failing = "SELECT throwIf(number = 3000000) FROM numbers(4000000)"
    with (
        pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError, match="395"),
        client.query_row_block_stream(failing) as blocks,
    ):
        assert sum(len(block) for block in blocks) < 4_000_000
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError, match="Code: 115"):
        client.command("SELECT 1", settings={"max_thread": 1})


def test_db_api_and_sqlalchemy(server: Server, session: Session) -> None:
    """clickhouse-connect's DB-API, and its dialect of SQLAlchemy."""
    where: Any = {"host": "127.0.0.1", "port": server.port, "database": session.database}
    with closing(dbapi.connect(**where)) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a")
        cursor.executemany("INSERT INTO t (a, s) VALUES", [[1, "it's"], [2, "b"]])
        cursor.execute("SELECT s, a FROM t WHERE a = %(a)s", {"a": 1})
        assert [column[0] for column in cursor.description] == ["s", "a"]
        assert cursor.fetchall() == [("it's", 1)]
    engine = create_engine(f"clickhousedb://127.0.0.1:{server.port}/{session.database}")
    with engine.connect() as connected:
        asked = text("SELECT a FROM t WHERE s = :s")
        assert connected.execute(asked, {"s": "b"}).scalar_one() == 2
        table = Table("t", MetaData(), autoload_with=engine)
        assert [column.name for column in table.columns] == ["a", "s"]
        assert inspect(engine).get_table_names() == ["t"]
        rows = connected.execute(select(table.c.s).order_by(table.c.a.desc())).all()
        assert rows == [("b",), ("it's",)]
    engine.dispose()


def test_bodies_and_answers_of_any_format(server: Server, session: Session) -> None:
    """Parquet, Native and compressed bodies in and out, over plain HTTP."""
    params = {"database": session.database}

    def post(query: str, body: bytes = b"", headers: Any = None, **more: str) -> httpx.Response:
        asked = {**params, "query": query, **more}
        return httpx.post(f"{server.url}/", params=asked, content=body, headers=headers)

    assert post("CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a").is_success
    made = post("SELECT number AS a, toString(number) AS s FROM numbers(3) FORMAT Parquet")
    assert made.headers["content-type"] == "application/octet-stream"
    assert made.content.startswith(b"PAR1")
    for name in ("Parquet", "Native", "RowBinary", "Arrow", "MsgPack"):
        rows = post(f"SELECT toUInt64(1) AS a, '{name}' AS s FORMAT {name}").content
        assert post(f"INSERT INTO t FORMAT {name}", rows).text == ""
    packed = gzip.compress(b"2\tgzip\n")
    assert post("INSERT INTO t FORMAT TSV", packed, {"Content-Encoding": "gzip"}).text == ""
    assert post("SELECT s FROM t ORDER BY s FORMAT CSV").text.split() == [
        f'"{name}"' for name in ("Arrow", "MsgPack", "Native", "Parquet", "RowBinary", "gzip")
    ]
    answer = post("SELECT 'é'", headers={"Accept-Encoding": "gzip"}, enable_http_compression="1")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text == "é\n"
    assert post("SHOW TABLES FORMAT Markdown").text.splitlines()[0] == "| name |"
    broken = post("INSERT INTO t FORMAT TSV", b"no gzip", {"Content-Encoding": "gzip"})
    assert (broken.status_code, broken.headers["x-clickhouse-exception-code"]) == (400, "271")
    bomb = gzip.compress(b"x" * (65 << 20))
    assert post("INSERT INTO t FORMAT TSV", bomb, {"Content-Encoding": "gzip"}).status_code == 413
    unknown = post("SELECT 1 FORMAT Nope")
    assert unknown.headers["x-clickhouse-exception-code"] == "73"


def test_the_example_of_the_readme(server: Server, session: Session) -> None:
    (example,) = [
        b.text for b in blocks(section("README.md", "## Clients")) if b.language == "python"
    ]
    session.execute(
        "CREATE TABLE daily (level String, total UInt64) ENGINE = MergeTree ORDER BY level"
    )
    session.execute("INSERT INTO daily VALUES ('info', 2), ('info', 3)")
    given = example.replace("port=8123", f"port={server.port}, database={session.database!r}")
    *statements, last = ast.parse(given).body
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), "README.md", "exec"), names)  # noqa: S102
    frame = eval(compile(ast.Expression(last.value), "README.md", "eval"), names)  # noqa: S307
    assert frame.to_dict("list") == {"level": ["info"], "sum(total)": [5]}
    names["client"].close()


def test_types_that_hold_types(client: Any) -> None:
    """Columns of JSON, Variant, Dynamic, Point and Nested as clickhouse-connect shows them."""
    columns = "j JSON(a UInt8), v Variant(UInt64, String), d Dynamic, p Point, n Nested(x Int8)"
    client.command(f"CREATE TABLE t (id UInt8, {columns}) ENGINE = MergeTree ORDER BY id")
    client.command('INSERT INTO t VALUES (1, \'{"a":1,"b":{"c":"x"}}\', 7, 1.5, (1, 2), [3])')
    client.insert("t", [[2, {"a": 2}, "s", "d", (3.0, 4.0), [5]]])
    found = client.query("SELECT * FROM t ORDER BY id")
    assert found.result_rows == [
        (1, {"a": 1, "b": {"c": "x"}}, 7, 1.5, (1.0, 2.0), [3]),
        (2, {"a": 2}, "s", "d", (3.0, 4.0), [5]),
    ]
