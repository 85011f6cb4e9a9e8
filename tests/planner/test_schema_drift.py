"""Which queries carry columns that their source does not declare, and which can be added."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sluice.catalog import STORED, Column, Job, Table
from sluice.errors import SluiceError
from sluice.planner import schema_drift
from sluice.planner.job_planner import plan_job
from sluice.session import connect, jobs
from sluice.sql.flink import parse
from sluice.sql.relation import EVOLVED
from sluice.types import parse_type
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.planner.query import QuerySpec
    from sluice.session import Session

KAFKA = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092'"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A source that evolves, a view of it, and a target."""
    with connect(tmp_path_factory.mktemp("folder"), pipelines=False) as made:
        how = "'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json'"
        evolves = f"WITH ({KAFKA}, {how}, 'schema.drift' = 'evolve')"
        key = "PRIMARY KEY (id) NOT ENFORCED"
        for text in (
            f"CREATE TABLE s (id INT, name STRING) {evolves}",
            f"CREATE TABLE by_key (id INT, name STRING, {key}) {evolves}",
            f"CREATE TABLE short (id INT) {evolves}",
            f"CREATE TABLE plain (id INT, name STRING) WITH ({KAFKA}, {how})",
            "CREATE VIEW v AS SELECT * FROM s WHERE id > 1",
            "CREATE VIEW named (a, b) AS SELECT * FROM s",
            f"CREATE TABLE t (id INT, name STRING, more INT, {key})",
        ):
            made.execute(text, dialect="flink")
        yield made


def planned(session: Session, text: str, **plan: object) -> QuerySpec:
    """The only query of a job, with a plan that it had before."""
    job = Job("job", "", "default", text, "RUNNING", datetime.now(UTC), plan=plan)
    (query,) = plan_job(session._engine.environment, job, jobs.inserts_of(parse(text))).queries
    return query


@pytest.mark.parametrize(
    ("text", "fills"),
    [
        ("INSERT INTO t SELECT * FROM s", ("id", "name")),
        ("INSERT INTO t SELECT *, id * 2 FROM s WHERE id > 1", ("id", "name", "more")),
        ("INSERT INTO t (id, more) SELECT *  FROM (SELECT id, CHAR_LENGTH(name) FROM s)", ()),
        ("INSERT INTO t SELECT * FROM by_key", ("id", "name")),
        ("INSERT INTO t SELECT * FROM v", ("id", "name")),
        ("INSERT INTO t SELECT * FROM named", ("id", "name")),
        ("INSERT INTO t SELECT * FROM s UNION ALL SELECT * FROM v", ("id", "name")),
        ("INSERT INTO t SELECT *, 'n' FROM short UNION ALL SELECT * FROM s", ("id", "name")),
        ("INSERT INTO t SELECT id, name FROM plain UNION ALL SELECT * FROM s", ("id", "name")),
        ("INSERT INTO t SELECT * FROM (SELECT * FROM v)", ("id", "name")),
        ("INSERT INTO t (id, name) SELECT id, name FROM s", ()),
        ("INSERT INTO t (id, name) SELECT id, name FROM (SELECT * FROM s)", ()),
    ],
)
def test_queries_that_carry_columns(session: Session, text: str, fills: tuple[str, ...]) -> None:
    (output,) = planned(session, text).outputs
    assert output.evolves == ((*fills, "") if fills else ())
    assert (EVOLVED in output.columns) == bool(fills)


def test_explain_tells_that_columns_are_added(session: Session) -> None:
    for query, added in (("SELECT *", True), ("SELECT id, name", False)):
        text = f"EXPLAIN INSERT INTO t (id, name) {query} FROM by_key"
        ((plan,),) = session.execute(text, dialect="flink").fetchall()
        assert "writes default.t (id, name): stored, exactly once" in plan
        assert ("columns that changes add" in plan) == added


def test_a_filter_of_a_changelog_by_key_keeps_state(session: Session) -> None:
    """A row that no longer matches has to be known, and state has the columns that it had."""
    with pytest.raises(SluiceError, match="keeps rows as state") as refused:
        planned(session, "INSERT INTO t SELECT * FROM by_key WHERE name <> ''")
    assert "Declare default.by_key without PRIMARY KEY" in refused.value.hint
    with pytest.raises(SluiceError, match="keeps rows as state") as refused:
        planned(session, "INSERT INTO t SELECT DISTINCT * FROM s")
    assert refused.value.hint.startswith("Name the columns")


def test_a_target_with_more_columns_is_the_same_query(session: Session) -> None:
    """A job resumes at its position when its target has got a column."""
    before = planned(session, "INSERT INTO t SELECT * FROM s")
    catalog = session._engine.catalog
    table = catalog.find("default", "t")
    assert table is not None
    column = Column("new", parse_type("Nullable(Int64)"))
    catalog.replace(replace(table, pending=(column,)))
    found = catalog.find("default", "t")
    assert found is not None
    assert (found.pending, found.columns) == ((column,), table.columns)
    assert [c.name for c in found.whole.columns] == ["id", "name", "more", "new"]
    catalog.replace(replace(found, columns=found.whole.columns, pending=()))
    after = planned(session, "INSERT INTO t SELECT * FROM s")
    assert after.continues(before.record(1))
    assert after.outputs[0].columns == before.outputs[0].columns
    catalog.replace(table)


@pytest.mark.parametrize("named", ["kept", "every"])
def test_a_table_that_a_job_reads_has_more_columns(session: Session, named: str) -> None:
    """`*` stands for the columns that it stood for when the job began."""
    for text in (
        "CREATE TABLE IF NOT EXISTS kept (id INT, name STRING)",
        "CREATE VIEW IF NOT EXISTS every AS SELECT * FROM kept",
        (
            "CREATE TABLE IF NOT EXISTS found (s INT, n STRING, id INT, name STRING, op STRING) "
            "WITH ('changelog.column' = 'op')"
        ),
    ):
        session.execute(text, dialect="flink")
    text = f"INSERT INTO found SELECT * FROM plain AS p JOIN {named} AS k ON p.id = k.id"
    catalog = session._engine.catalog
    table = catalog.find("default", "kept")
    assert table is not None
    before = planned(session, text)
    catalog.replace(replace(table, columns=(*table.columns, Column("more", parse_type("Int64")))))
    with pytest.raises(SluiceError):
        planned(session, text)
    after = planned(session, text, read={table.uuid: ["id", "name"]})
    assert after.continues(before.record(1))
    catalog.replace(table)


def table(*columns: str, **more: object) -> Table:
    """A stored table of the ClickHouse dialect."""
    made = tuple(Column(name, parse_type("Int64")) for name in columns)
    created = datetime(2024, 1, 1, tzinfo=UTC)
    return replace(Table("u", "d", "t", STORED, made, created, "MergeTree"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("new", ""),
        ("_id", ""),
        ("has space", ""),
        ("ID", "upper and lower case"),
        ("Name", "upper and lower case"),
        ("Soon", "upper and lower case"),
        ("sum", "fills the column sum"),
        ("__at", "reserved"),
        ("value.x", "reserved"),
        ("", "1 to 255"),
        ("n" * 256, "1 to 255"),
    ],
)
def test_names_of_new_columns(name: str, reason: str) -> None:
    target = table("id", "sum", pending=(Column("soon", parse_type("Int64")),))
    found = schema_drift.refusal(name, target, ["id", "name"])
    assert bool(found) == bool(reason)
    assert reason in found


def test_a_table_has_a_limit() -> None:
    full = table(*(f"c{n}" for n in range(schema_drift.MOST_COLUMNS)))
    assert "has 1000 columns" in schema_drift.refusal("new", full, [])


def test_types_of_both_dialects() -> None:
    found = {
        given: (
            summary(schema_drift.type_of(given, "flink")),
            str(schema_drift.type_of(given, "clickhouse")),
        )
        for given in ("INT32", "BYTES", "DATE", "TIMESTAMP", "ZONED", "DECIMAL(10,2)")
    }
    assert found == {
        "INT32": ("INT", "Nullable(Int32)"),
        "BYTES": ("BYTES", "Nullable(String)"),
        "DATE": ("DATE", "Nullable(Date32)"),
        "TIMESTAMP": ("TIMESTAMP(6)", "Nullable(DateTime64(6))"),
        "ZONED": ("TIMESTAMP_LTZ(6)", "Nullable(DateTime64(6, 'UTC'))"),
        "DECIMAL(10,2)": ("DECIMAL(10, 2)", "Nullable(Decimal(10, 2))"),
    }
