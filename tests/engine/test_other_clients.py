"""Clients of ClickHouse in other languages and environments, unchanged, against a server."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from engine.clients import tools
from sluice.jars import fetched, java

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.server.run import Server
    from sluice.session import Session


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("compress", ["true", "false"])
def test_jdbc(server: Server, session: Session, compress: str) -> None:
    """clickhouse-jdbc v2: statements, prepared ones, batches, metadata, a long result, errors."""
    jars = fetched(tools.HERE / "java/jdbc.ivy.xml")
    classes = tools.java_classes(tools.HERE / "java/Jdbc.java", jars)
    path = os.pathsep.join(map(str, [classes, *jars]))
    url = f"jdbc:clickhouse://{urlsplit(server.url).netloc}/{session.database}"
    lines = tools.run([str(java()), "-Xmx256m", "-cp", path, "Jdbc", url, compress]).splitlines()
    assert lines == [
        "batch 3",
        "1 one 2024-02-29 678000000 true 1.25",
        "2 it's 2 2020-01-02 0 true -0.50",
        "4 it's 4 2020-01-04 0 true -0.50",
        "product ClickHouse",
        "table t",
        "column a UInt64",
        "column s Nullable(String)",
        "column d Date",
        "column t DateTime64(3, 'UTC')",
        "column l Array(UInt32)",
        "column p Decimal(10, 2)",
        "sum 44999850000",
        "error 47 true",
    ]


def test_node(server: Server, session: Session) -> None:
    """@clickhouse/client: inserts, parameters, compression both ways, streams, sessions, errors."""
    node, packages = tools.node(tools.HERE / "node/package.json")
    program = str(tools.HERE / "node/client.mjs")
    lines = tools.run([node, program, server.url, session.database, str(packages)]).splitlines()
    assert lines[:2] == ["ping true", "inserted 36"]
    assert json.loads(lines[2]) == [
        {"a": 1, "s": "it's", "l": [1, 2]},
        {"a": 2, "s": "é", "l": []},
        {"a": 3, "s": "three", "l": [3]},
        {"a": 4, "s": "four", "l": []},
    ]
    assert json.loads(lines[3]) == [
        {"x": 42, "s": "a'b\\c", "l": [1, 2], "d": "2020-01-02 00:00:00"}
    ]
    assert lines[4:8] == [
        "streamed 200000", "parquet PAR1", "error 47 UNKNOWN_IDENTIFIER", "late error 395"
    ]  # fmt: skip
    assert json.loads(lines[8]) == [{"t": "1970-01-01 09:00:00", "n": 0}]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("compression", ["none", "lz4", "zstd", "gzip", "br"])
def test_grafana(server: Server, session: Session, compression: str) -> None:
    """clickhouse-go over HTTP as Grafana's data source has it: Native at revision 54460."""
    program = str(tools.go_program(tools.HERE / "go"))
    address = urlsplit(server.url).netloc
    lines = tools.run([program, address, session.database, compression]).splitlines()
    assert lines == [
        "health UTC",
        "table t",
        "column at DateTime",
        "column v Float64",
        "column s LowCardinality(String)",
        "column n Nullable(UInt8)",
        "type time DateTime",
        "type s LowCardinality(String)",
        "type value Float64",
        "point 1699999200 s0 23",
        "point 1699999200 s1 23",
        "point 1700002800 s0 73",
        "external 50",
        "streamed 200000",
        "error true",
    ]


def test_curl(server: Server, session: Session) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("there is no curl here")
    base = f"{server.url}/?database={session.database}"
    table = "CREATE TABLE t (a UInt8, s String) ENGINE = MergeTree ORDER BY a"
    assert tools.run([curl, "-sS", base, "-d", table]) == ""
    insert = f"{base}&query=INSERT%20INTO%20t%20FORMAT%20CSV"
    assert tools.run([curl, "-sS", insert, "--data-binary", "1,one\n2,two"]) == ""
    assert tools.run([curl, "-sS", "-G", base, "--data-urlencode", "query=SELECT * FROM t"]) == (
        "1\tone\n2\ttwo\n"
    )
    asked = [curl, "-sS", "--compressed", f"{base}&enable_http_compression=1&param_x=2"]
    assert tools.run([*asked, "-d", "SELECT s FROM t WHERE a = {x:UInt8} FORMAT TSV"]) == "two\n"
    form = ["-F", "query=SELECT s FROM t JOIN e USING a", "-F", "e=@-;filename=e"]
    sent = [curl, "-sS", f"{base}&e_structure=a%20UInt8", *form]
    assert tools.run(sent, given="2\n") == "two\n"
    failed = tools.run([curl, "-sSi", base, "-d", "SELECT nope"])
    assert failed.splitlines()[0] == "HTTP/1.1 404 Not Found"
    assert "x-clickhouse-exception-code: 47" in failed.lower()


SQLALCHEMY = """
import sys
from datetime import date
from clickhouse_sqlalchemy import Table, engines, get_declarative_base, make_session, types
from sqlalchemy import Column, MetaData, create_engine, inspect, text

engine = create_engine(sys.argv[1])
session = make_session(engine)
Base = get_declarative_base(metadata=MetaData())

class Event(Base):
    id = Column(types.UInt64, primary_key=True)
    name = Column(types.Nullable(types.String))
    at = Column(types.Date)
    __table_args__ = (engines.MergeTree(order_by=["id"]),)

Event.__table__.create(engine)
session.execute(Event.__table__.insert(), [{"id": 1, "name": "it's", "at": date(2024, 2, 29)}, {"id": 2, "name": None, "at": date(2020, 1, 2)}])
print(session.query(Event.id, Event.name, Event.at).order_by(Event.id).all())
print(session.execute(text("SELECT count() FROM event WHERE id > :x"), {"x": 1}).scalar())
print(inspect(engine).get_table_names(), [c["name"] for c in inspect(engine).get_columns("event")])
Event.__table__.drop(engine)
print(inspect(engine).get_table_names())
"""  # noqa: E501


@pytest.mark.slow
def test_clickhouse_sqlalchemy(server: Server, session: Session) -> None:
    """The dialect of clickhouse-sqlalchemy over HTTP; it pins an older SQLAlchemy."""
    programs = tools.environment("clickhouse-sqlalchemy")
    url = f"clickhouse+http://default:@{urlsplit(server.url).netloc}/{session.database}"
    lines = tools.python(programs, "-c", SQLALCHEMY, url).splitlines()
    assert lines == [
        """[(1, "it's", datetime.date(2024, 2, 29)), (2, None, datetime.date(2020, 1, 2))]""",
        "1",
        "['event'] ['id', 'name', 'at']",
        "[]",
    ]


@pytest.mark.slow
def test_clickhouse_cli(server: Server, session: Session) -> None:
    programs = tools.environment("clickhouse-cli", "setuptools<80")
    address = urlsplit(server.url)
    start = ["-c", "from clickhouse_cli.cli import run_cli; run_cli()", "-h", str(address.hostname)]
    start += ["-p", str(address.port), "-d", session.database]

    def ask(query: str, *more: str) -> str:
        return tools.python(programs, *start, "-q", query, *more)

    ask("CREATE TABLE t (a UInt8, s String) ENGINE = MergeTree ORDER BY a")
    ask("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    assert ask("SELECT s FROM t ORDER BY a", "-f", "TabSeparated").split() == ["one", "two"]
    assert ask("SHOW TABLES", "-f", "TabSeparated").split() == ["t"]


DBT = """
import sys
from dbt.cli.main import dbtRunner

dbt = dbtRunner()
for command in sys.argv[1:]:
    if not dbt.invoke([*command.split(), "--profiles-dir", "."]).success:
        sys.exit(f"dbt {command} failed")
"""


@pytest.mark.slow
def test_dbt(server: Server, session: Session, tmp_path: Path) -> None:
    """`dbt build`, then `seed`, `run` and `test`: a table, a view and an incremental model."""
    programs = tools.environment("dbt-core>=1.10,<1.11", "dbt-clickhouse==1.10.3")
    project = shutil.copytree(tools.HERE / "dbt", tmp_path / "dbt")
    where = {"SLUICE_PORT": str(server.port), "SLUICE_DATABASE": session.database}

    def dbt(*commands: str) -> None:
        tools.run([str(programs / "python"), "-c", DBT, *commands], project, env=where)

    dbt("build")
    with (project / "seeds/orders.csv").open("a") as seeds:
        seeds.write("4,cyd,2024-01-03,1\n")
    dbt("seed --full-refresh", "run", "test")

    def ask(query: str) -> list[tuple[object, ...]]:
        return session.execute(query).fetchall()

    assert ask("SELECT id, customer FROM log ORDER BY id") == [
        (1, "ann"), (2, "bob"), (3, "ann"), (4, "cyd")
    ]  # fmt: skip
    assert ask("SELECT customer, orders FROM customers ORDER BY customer") == [
        ("ann", 2), ("bob", 1), ("cyd", 1)
    ]  # fmt: skip
    assert ask("SELECT toString(day), orders FROM by_day ORDER BY day") == [
        ("2024-01-01", 2), ("2024-01-02", 1), ("2024-01-03", 1)
    ]  # fmt: skip
