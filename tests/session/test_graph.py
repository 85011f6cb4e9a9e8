"""Views over views: what feeds what, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from session.lab import KAFKA, Lab
from sluice.planner import lowered_views

if TYPE_CHECKING:
    import pytest

TREE = " ENGINE = MergeTree ORDER BY a"


def make(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE TABLE n (a Int8) ENGINE = Null",
        f"CREATE TABLE t (a Int8) {TREE}",
        "CREATE MATERIALIZED VIEW to_n TO n AS SELECT a FROM q",
        "CREATE MATERIALIZED VIEW n_t TO t AS SELECT a FROM (SELECT a FROM n)",
        f"CREATE MATERIALIZED VIEW own {TREE} AS WITH x AS (SELECT a FROM t) SELECT a FROM x",
        "CREATE MATERIALIZED VIEW last TO later AS SELECT a FROM own JOIN n USING (a)",
    )


def test_a_chain_is_one_pipeline(lab: Lab) -> None:
    make(lab)
    spec = lab.spec("q")
    assert [plan.view.name for plan in spec.plans()] == ["to_n", "n_t", "own", "last"]
    to_n, n_t, own, last = spec.plans()
    assert [plan.via for plan in (to_n, n_t)] == [(), (to_n.view.uuid,)]
    assert last.id == "/".join(plan.view.uuid for plan in (to_n, n_t, own, last))
    assert n_t.block in n_t.sql
    assert own.target == lab.engine.catalog.find(*own.view.inner_key)
    assert last.target is None
    assert [table.name for _, table in last.reads] == ["n"]
    assert not lab.engine.planner.feeds(lab.table("q"))[0].reads


def test_a_query_is_lowered_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """By CREATE and the plan after it together; the queries of other views are left alone."""
    make(lab)
    lab.engine._plan()
    done: list[str] = []

    def counted(name: str) -> None:
        original: Any = getattr(lowered_views, name)

        def call(*args: Any, **more: Any) -> Any:
            done.append(name)
            return original(*args, **more)

        monkeypatch.setattr(lowered_views, name, call)

    counted("lower_query")
    counted("parse")
    lab.run(f"CREATE TABLE q2 (a Int8) {KAFKA}", f"CREATE TABLE t2 (a Int8) {TREE}")
    lab.engine._plan()
    assert done == []
    lab.run("CREATE MATERIALIZED VIEW v2 TO t2 AS SELECT a + 1 AS a FROM q2")
    assert [spec.source.table.name for spec in lab.engine._plan().active] == ["q", "q2"]
    assert done == ["lower_query"]


def test_a_table_that_cannot_be_planned_keeps_no_other_from_running(lab: Lab) -> None:
    """As one is after an upgrade that refuses an option: it says why, and can be dropped."""
    make(lab)
    lab.run(
        f"CREATE TABLE bad (a Int8) {KAFKA}", "CREATE MATERIALIZED VIEW b TO t AS SELECT a FROM bad"
    )
    bad = lab.table("bad")
    lab.engine.catalog.replace(
        replace(bad, settings={**bad.settings, "kafka_topic_list": "^(?=a)"})
    )
    assert [spec.source.table.name for spec in lab.engine._plan().active] == ["q"]
    ((state, said),) = lab.system("pipelines", "state", "last_error", table="bad")
    assert state == "FAILED(INVALID_OPTION_VALUE)"
    assert "no lookaround" in said
    lab.run("DROP TABLE b", "DROP TABLE bad")
    assert len(lab.engine._plan().active) == 1
    assert not lab.system("pipelines", table="bad")


def test_an_insert_goes_the_same_way(lab: Lab) -> None:
    make(lab)
    (plan,) = lab.engine.planner.feeds(lab.table("t"))
    assert (plan.view.name, plan.via, [p.view.name for p in plan.feeds]) == ("own", (), ["last"])
    lab.run("DETACH TABLE own")
    assert not lab.engine.planner.feeds(lab.table("t"))


def test_a_view_is_reached_in_two_ways(lab: Lab) -> None:
    make(lab)
    lab.run("CREATE MATERIALIZED VIEW q_t TO t AS SELECT a FROM q")
    names = [plan.view.name for plan in lab.spec("q").plans()]
    assert names == ["q_t", "own", "last", "to_n", "n_t", "own", "last"]
    assert len({plan.id for plan in lab.spec("q").plans()}) == 7
    assert len({plan.block for plan in lab.spec("q").plans()}) == 6


def test_a_row_does_not_come_back(lab: Lab) -> None:
    make(lab)
    lab.run(f"CREATE TABLE later (a Int8) {TREE}")
    lab.fails(
        "CREATE MATERIALIZED VIEW back TO n AS SELECT a FROM later",
        "VIEW_CYCLE",
        "1:26",
        "would feed itself: default.later -> default.n -> default.t -> ",
    )
    lab.fails("ALTER TABLE to_n MODIFY QUERY SELECT a FROM own", "VIEW_CYCLE", "1:13", "itself")
    lab.run(
        f"CREATE TABLE loop (a Int8) {TREE}",
        "CREATE MATERIALIZED VIEW late TO loop AS SELECT a FROM later",
        f"CREATE TABLE other (a Int8) {TREE}",
        "CREATE MATERIALIZED VIEW by_name TO other AS SELECT a FROM late",
        "DROP VIEW late",
        "CREATE MATERIALIZED VIEW back TO later AS SELECT a FROM other",
    )
    again = "CREATE MATERIALIZED VIEW late TO loop AS SELECT a FROM later"
    lab.fails(again, "VIEW_CYCLE", "1:26", "later -> default.loop -> default.other -> ")
    lab.run("RENAME TABLE back TO late")
    plans = [node for plan in lab.engine.planner.feeds(lab.table("later")) for node in plan.nodes()]
    assert plans[-1].fault is not None
    assert "would feed itself" in plans[-1].fault.text()


def topic(name: str, brokers: str = "b:9092") -> str:
    return f"(a Int8) ENGINE = Kafka('{brokers}', '{name}', 'g', 'JSONEachRow')"


def test_a_row_does_not_come_back_through_a_topic(lab: Lab) -> None:
    """A Kafka table feeds every other one that reads its topic from the same brokers."""
    lab.run(
        f"CREATE TABLE q {topic('t')}",
        f"CREATE TABLE same {topic('t', 'c:9092, B:9092')}",
        f"CREATE TABLE elsewhere {topic('t', 'c:9092')}",
        f"CREATE TABLE other {topic('o')}",
        f"CREATE TABLE every {topic('^o.*')}",
        f"CREATE TABLE stored (a Int8) {TREE}",
    )
    back = "default.q -> default.same -> topic t -> default.q"
    lab.fails("CREATE MATERIALIZED VIEW v TO same AS SELECT a FROM q", "VIEW_CYCLE", "1:26", back)
    lab.run(
        "CREATE MATERIALIZED VIEW v TO elsewhere AS SELECT a FROM q",
        "CREATE MATERIALIZED VIEW w TO stored AS SELECT a FROM q",
    )
    text = "CREATE MATERIALIZED VIEW chained TO same AS SELECT a FROM stored"
    back = "default.stored -> default.same -> topic t -> default.q -> default.stored"
    assert "Write to another table, or to a topic" in lab.fails(text, "VIEW_CYCLE", "1:26", back)
    lab.run("CREATE MATERIALIZED VIEW out TO other AS SELECT a FROM stored")
    text = "CREATE MATERIALIZED VIEW in TO same AS SELECT a FROM every"
    lab.fails(text, "VIEW_CYCLE", "1:26", "default.other -> topic o -> default.every")
    assert all(plan.fault is None for plan in lab.spec("q").plans())
    changed = lab.table("other")
    lab.engine.catalog.replace(
        replace(changed, settings={**changed.settings, "kafka_topic_list": "t"})
    )
    faults = {plan.view.name: plan.fault for plan in lab.spec("q").plans()}
    assert faults["out"] is not None
    assert "default.other -> topic t -> default.q" in faults["out"].text()
    assert faults["v"] is faults["w"] is None


def test_what_a_view_may_read(lab: Lab) -> None:
    make(lab)
    lab.run(f"CREATE TABLE q2 (a Int8) {KAFKA}")
    create = "CREATE MATERIALIZED VIEW x TO t AS SELECT a FROM"
    lab.fails(f"{create} q JOIN q2 USING (a)", "VIEW_SOURCE_UNSUPPORTED", "1:26", "several Kafka")
    lab.fails(
        "CREATE MATERIALIZED VIEW x TO t AS SELECT 1 AS a", "VIEW_SOURCE_UNSUPPORTED", "1:26", "no"
    )
    lab.fails(
        "CREATE MATERIALIZED VIEW x TO later AS SELECT a FROM t WHERE 1 IN "
        "(SELECT dummy FROM system.one)",
        "VIEW_SOURCE_UNSUPPORTED",
        "1:26",
        "system.one",
    )
