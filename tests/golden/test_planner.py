"""Statements in, specifications out: golden files, without an engine and without Spark.

`pytest tests/golden --accept` rewrites what they expect.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from golden.files import check, statement
from sluice.catalog import NOBODY, TOPIC, Catalog, Collection, Job, Value
from sluice.errors import SluiceError
from sluice.planner import definitions, lowered_views, views
from sluice.planner.environment import Environment
from sluice.planner.flink_tables import check_new, table_of
from sluice.planner.job_planner import plan_job
from sluice.planner.planner import Planner
from sluice.sql import clickhouse, flink, ir
from sluice.sql.split import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Table
    from sluice.planner.query import Output, QuerySpec

FOLDER = Path(__file__).parent / "planner"
CREATED = datetime(2024, 1, 1, tzinfo=UTC)


class Lab:
    """A catalog in memory, and the planner over it."""

    def __init__(self) -> None:
        self.catalog = Catalog("sqlite://")
        self.environment = Environment(self.catalog, None, NOBODY)
        self.planner = Planner(self.environment)
        self._names: dict[str, str] = {}

    def clickhouse(self, text: str) -> None:
        """Carry out a definition of ClickHouse's."""
        statement: Any = clickhouse.parse(text)
        if isinstance(statement, ir.CreateNamedCollection):
            values = {key: Value(each.value, None) for key, each in statement.values.items()}
            self.catalog.put_collection(Collection(statement.name, values))
            return
        if isinstance(statement, ir.Drop):
            table = self.catalog.find("default", statement.name.table)
            assert table is not None
            self.catalog.remove(table)
            return
        key = ("default", statement.name.table)
        if isinstance(statement, ir.CreateTable):
            self.add(definitions.table_of(statement, key, self._uuid()))
        else:
            known, planner = self.catalog.snapshot(), self.planner
            self.add(
                *views.new_view(known, statement, key, "default", planner.views, planner.readers)
            )

    def flink(self, text: str) -> list[QuerySpec]:
        """Carry out a definition of Flink's, or plan a job."""
        statement: Any = flink.parse(text)
        if isinstance(statement, ir.CreateTable):
            key = ("default", statement.name.table)
            made = table_of(self.catalog, statement, key, "default")
            if made.kind == TOPIC:
                check_new(None, made, statement.setting_places)
            self.add(replace(made, uuid=self._uuid()))
            return []
        inserts = statement.inserts if isinstance(statement, ir.StatementSet) else (statement,)
        job = Job("job", "job", "default", text, "RUNNING", CREATED)
        return list(plan_job(self.environment, job, inserts).queries)

    def add(self, *tables: Table) -> None:
        """Keep tables, which all were made at the same time."""
        for table in tables:
            self._names[table.uuid] = self._names[table.uuid.replace("-", "")] = table.name
        self.catalog.add(*(replace(table, created=CREATED) for table in tables))

    def _uuid(self) -> str:
        return f"00000000-0000-4000-8000-{len(self._names):012}"

    def named(self, text: str) -> str:
        """A text with names in the places of ids."""
        for uuid, name in self._names.items():
            text = text.replace(uuid, f"<{name}>")
        return text


def shown(spec: QuerySpec) -> Iterator[str]:
    """A specification as text."""
    yield f"query {spec.id}" + (" stateful" if spec.stateful else "")
    for given in spec.inputs:
        source: Any = given.source
        topics = ", ".join(source.topics) or source.pattern if source is not None else "stored"
        yield f"  input {given.table.name} as {given.view}: {topics}"
        for name, sql in given.computed:
            yield f"    computed {name}: {sql}"
        if given.watermark is not None:
            yield f"    watermark {given.watermark}"
    for output in spec.outputs:
        yield from ("  " + line for line in shown_output(output))
    for state in spec.state:
        yield f"  state {state}"


def shown_output(output: Output) -> Iterator[str]:
    """An output as text, with those downstream."""
    target = output.target.name if output.target is not None else "(no target)"
    yield f"output {output.name} -> {target}" + (f" of {output.columns}" if output.columns else "")
    if output.fault is not None:
        yield f"  fault {output.fault.condition.name}: {output.fault.message}"
        return
    for step in output.steps:
        yield f"  step {step.view}: {step.sql or step.state}"
    yield f"  sql {output.sql}"
    for view, columns in sorted(output.uses.items()):
        yield f"  uses {view}: {', '.join(sorted(columns))}"
    for view, table in output.reads:
        yield f"  reads {table.name} as {view}"
    if output.updating:
        yield f"  updating, key {output.key}{f', {output.changelog}' if output.changelog else ''}"
    if output.sink is not None:
        sink = output.sink
        yield f"  sink {', '.join(sink.topics)}: {sink.value.name}, {sink.guarantee}"
    for each in output.feeds:
        yield from ("  " + line for line in shown_output(each))


def answer(lab: Lab, dialect: str, text: str) -> str:
    """What a statement gives: the specifications of the whole catalog, or of a job."""
    try:
        if dialect == "flink":
            specs = lab.flink(text)
        else:
            lab.clickhouse(text)
            plan = lab.planner.plan()
            specs = [*plan.active, *plan.idle]
    except SluiceError as bad:
        return f"---- error\n{bad.condition.name}: {bad}\n"
    lines = "\n".join(line for spec in specs for line in shown(spec))
    return f"---- specs\n{lab.named(lines)}\n" if lines else ""


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.sql")))
def test_specifications(name: str, accept: bool) -> None:
    """Each file is a catalog that grows; a case is a statement and what is planned after it."""
    path, lab = FOLDER / f"{name}.sql", Lab()
    dialect = name.partition("_")[0]
    cases = re.split(r"^==== *\n", path.read_text("utf-8"), flags=re.MULTILINE)
    made = []
    for case in cases:
        text, found = statement(case), ""
        for each in split(text, dialect):
            found = answer(lab, dialect, each)
        made.append(f"{text.rstrip()}\n{found}")
    check(path, "====\n".join(made), accept=accept)


KAFKA = "ENGINE = Kafka('b:9092', 'topic{0}', 'group', 'JSONEachRow')"


def test_only_what_changed_is_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement lowers its own query once, and no query of another view."""
    lowered: list[str] = []

    def lower_query(query: Any, *args: Any, **kwargs: Any) -> Any:
        lowered.append(query.text)
        return clickhouse.lower_query(query, *args, **kwargs)

    monkeypatch.setattr(lowered_views, "lower_query", lower_query)
    lab = Lab()

    def run(text: str) -> list[str]:
        lowered.clear()
        lab.clickhouse(text)
        lab.planner.plan()
        return list(lowered)

    for n in range(3):
        assert not run(f"CREATE TABLE q{n} (a UInt64, s String) " + KAFKA.format(n))
        assert not run(f"CREATE TABLE t{n} (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
        view = f"CREATE MATERIALIZED VIEW v{n} TO t{n} AS "
        query = f"SELECT a, s FROM q{n}"
        assert run(view + query) == [query]
    joined = "SELECT q0.a AS a, t2.s AS s FROM q0 JOIN t2 ON q0.a = t2.a"
    assert run(f"CREATE MATERIALIZED VIEW j TO t1 AS {joined}") == [joined]
    assert not run("DROP VIEW v1")
    # Downstream views have another name for their rows, so they are lowered for each way to them.
    assert run("DROP TABLE t2") == [joined]
    (broken,) = [o for s in lab.planner.plan().active for o in s.outputs if o.fault is not None]
    assert broken.name == "default.j"
    assert run("CREATE TABLE t2 (a UInt64, s String) ENGINE = Memory") == [joined]
    assert not [o for s in lab.planner.plan().active for o in s.outputs if o.fault is not None]


def test_a_plan_is_the_same_as_one_from_nothing() -> None:
    """What is kept between plans is never stale."""
    lab = Lab()
    for text in (
        (
            "CREATE NAMED COLLECTION c AS kafka_broker_list = 'b:9092', kafka_topic_list = 'x', "
            "kafka_group_name = 'g', kafka_format = 'JSONEachRow'"
        ),
        "CREATE TABLE q (a UInt64, s String) ENGINE = Kafka(c)",
        "CREATE TABLE t (a UInt64, s String, n UInt64 DEFAULT a + 1) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW v TO t AS SELECT a, s FROM q",
        "CREATE TABLE k (a UInt64) " + KAFKA.format("k"),
        "CREATE MATERIALIZED VIEW w TO k AS SELECT a FROM v WHERE s != ''",
        (
            "CREATE NAMED COLLECTION c AS kafka_broker_list = 'b:9092', kafka_topic_list = 'y', "
            "kafka_group_name = 'g', kafka_format = 'JSONEachRow'"
        ),
        "DROP TABLE k",
        "CREATE TABLE k (a UInt64, b String) " + KAFKA.format("k2"),
        "DROP TABLE t",
        "CREATE TABLE t (a UInt64, s String) ENGINE = Memory",
        "DROP VIEW v",
        "DROP TABLE q",
    ):
        lab.clickhouse(text)
        kept, new = lab.planner.plan(), Planner(lab.environment).plan()
        assert kept.active == new.active, text
        assert kept.idle == new.idle, text
        assert [t for t, _ in kept.broken] == [t for t, _ in new.broken], text
