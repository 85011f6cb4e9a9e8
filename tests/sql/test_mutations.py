"""DELETE, UPDATE and partitions: where conditions and expressions begin and end."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql import clickhouse, ir


def read(text: str) -> ir.Mutation:
    found = clickhouse.parse(text, lenient=True)
    assert isinstance(found, ir.Mutation)
    return found


def test_delete() -> None:
    found = read("DELETE FROM d.t ON CLUSTER default IN PARTITION ID 'x' WHERE a IN (1, 2) AND b")
    assert (str(found.name), found.condition) == ("d.t", "a IN (1, 2) AND b")
    assert found.partition == ir.Partition(id="x")
    found = read("ALTER TABLE t DELETE WHERE a -- why\n = 'SETTINGS' SETTINGS mutations_sync = 2")
    assert found.condition == "a -- why\n = 'SETTINGS'"
    assert found.settings == {"mutations_sync": 2}
    assert read("DELETE FROM t WHERE settings").condition == "settings"


def test_update() -> None:
    wanted = (ir.Assignment("a", "f(b, c)"), ir.Assignment("b b", "[1, 2][1]"))
    for text in (
        "ALTER TABLE t UPDATE a = f(b, c), `b b` = [1, 2][1] IN PARTITION (1, 'x') WHERE c = 1",
        "UPDATE t SET a = f(b, c), `b b` = [1, 2][1] IN PARTITION tuple(1, 'x') WHERE c = 1",
    ):
        found = read(text)
        assert (found.assignments, found.condition) == (wanted, "c = 1")
        assert found.partition == ir.Partition(("1", "'x'"))
    assert found.command == "UPDATE a = f(b, c), b b = [1, 2][1] WHERE c = 1"


def test_several_in_one_alter() -> None:
    found = read(
        "ALTER TABLE t UPDATE a = 1, b = 2 WHERE c, DELETE WHERE b IN (1, 2), DROP PARTITION 1 "
        "SETTINGS mutations_sync = 2"
    )
    assert [each.command for each in (found, *found.more)] == [
        "UPDATE a = 1, b = 2 WHERE c",
        "DELETE WHERE b IN (1, 2)",
        "DROP PARTITION 1",
    ]
    assert found.settings == {"mutations_sync": 2}


def test_partitions() -> None:
    for text, wanted in (
        ("202601", ir.Partition(("202601",))),
        ("('2026-01-02')", ir.Partition(("'2026-01-02'",))),
        ("tuple()", ir.Partition()),
        ("toDate('2026-01-02')", ir.Partition(("toDate('2026-01-02')",))),
        ("ALL", ir.Partition(all=True)),
        ("ID 'all'", ir.Partition(id="all")),
    ):
        found = read(f"ALTER TABLE t DROP PARTITION {text}")
        assert (found.partition, found.verb) == (wanted, "DROP PARTITION")
    found = read("ALTER TABLE t REPLACE PARTITION 1 FROM d.s")
    assert (found.partition, str(found.source)) == (ir.Partition(("1",)), "d.s")


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("DELETE FROM t", "SYNTAX_ERROR", "expected WHERE"),
        ("DELETE FROM t WHERE", "SYNTAX_ERROR", "expected a condition"),
        ("DELETE FROM t WHERE a) OR (b", "SYNTAX_ERROR", "')' is not expected"),
        ("UPDATE t SET a = WHERE b", "SYNTAX_ERROR", "expected an expression"),
        ("DELETE FROM t WHERE 1; SELECT 1", "SYNTAX_ERROR", ""),
        ("ALTER TABLE t DELETE WHERE c, FREEZE", "UNSUPPORTED_STATEMENT", "FREEZE"),
        ("ALTER TABLE t DELETE WHERE c,", "SYNTAX_ERROR", ""),
        ("ALTER TABLE t DETACH PARTITION 1", "UNSUPPORTED_STATEMENT", "DROP PARTITION"),
        ("ALTER TABLE t MOVE PARTITION 1 TO TABLE s", "UNSUPPORTED_STATEMENT", "REPLACE"),
        ("ALTER TABLE t FREEZE", "UNSUPPORTED_STATEMENT", "FREEZE"),
    ],
)
def test_refused(text: str, name: str, reason: str) -> None:
    with pytest.raises(errors.SluiceError) as refused:
        read(text)
    assert refused.value.condition.name == name
    assert reason in refused.value.text()
