"""One statement on its way through the packages, as docs/ARCHITECTURE.md tells it."""

from __future__ import annotations

from walks import Walk, upwards, walked

from session.lab import KAFKA, Lab

VIEW = "CREATE MATERIALIZED VIEW v TO t AS SELECT a, count() AS n FROM q GROUP BY a"


def test_a_statement_goes_down(lab: Lab) -> None:
    """The lowering asks the planner what a name means, by the function that it was given."""
    lab.run(
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE TABLE t (a Int8, n UInt64) ENGINE = MergeTree ORDER BY a",
    )
    walk: Walk = []
    with walked(walk):
        lab.run(VIEW)
    lab.engine._plan()
    files = {to for _, to in walk}
    told = ("session/needed.py", "session/dispatch.py", "session/changes.py", "session/ddl.py",
            "planner/views.py", "planner/lowered_views.py", "sql/core/lowering.py",
            "sql/clickhouse/statements.py", "catalog/catalog.py", "engine/engine.py")  # fmt: skip
    assert files.issuperset(told)
    assert upwards(walk) == {("sql/core/scope.py", "planner/relations.py")}
