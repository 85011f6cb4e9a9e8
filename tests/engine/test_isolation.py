"""A query that never ends takes nothing from pipelines and short queries, and can be ended."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

pytestmark = pytest.mark.usefixtures("on_spark")

ENDLESS = "SELECT count() FROM numbers(3000000000) a CROSS JOIN numbers(300000) b"


def tasks(session: Session) -> int:
    """How many tasks of queries have slots."""
    context: Any = session._engine.spark().sparkContext._jsc
    return int(context.sc().getPoolForName("queries").get().runningTasks())


class Endless(threading.Thread):
    """A client whose query does not end by itself."""

    def __init__(self, session: Session, id_: str, sql: str = ENDLESS) -> None:
        super().__init__(name=id_, daemon=True)
        self._session = session.child()
        self._sql = sql
        self.fault: SluiceError | None = None
        self.start()
        eventually(lambda: session._engine.activity.find(id_) is not None and tasks(session) > 0)

    def run(self) -> None:
        try:
            on_spark = {"sluice_engine": "spark"}
            self._session.execute(self._sql, query_id=self.name, settings=on_spark)
        except SluiceError as fault:
            self.fault = fault

    def ended_with(self) -> str:
        self.join(60)
        assert self.fault is not None
        return f"{self.fault.condition.name} {self.fault.condition.clickhouse_code}"


def running(lab: Lab) -> list[tuple[object, ...]]:
    query = "SELECT query_id FROM system.processes WHERE query LIKE '%CROSS JOIN%' ORDER BY 1"
    return [row for row in lab.sql(query) if row[0] in ("a", "b", "c")]


def test_pipelines_and_short_queries_do_not_wait_for_queries(lab: Lab) -> None:
    lab.pipe("isolation")
    lab.produce("isolation", *({"key": n} for n in range(10)))
    lab.counted("v", 10)
    clients = [Endless(lab.session, "a"), Endless(lab.session, "b", f"INSERT INTO v {ENDLESS}")]
    try:
        assert lab.sql("SELECT 1") == [(1,)]
        assert running(lab) == [("a",), ("b",)]
        assert lab.sql("SELECT sum(number) FROM numbers(100)") == [(4950,)]
        tables = "SELECT name FROM system.tables WHERE database = 'system' ORDER BY name LIMIT 1"
        assert lab.sql(tables) == [("aggregate_function_combinators",)]
        lab.produce("isolation", *({"key": n} for n in range(10, 20)))
        written = "SELECT num_messages_read FROM system.kafka_consumers WHERE table = 'q'"
        lab.arrives(f"{written} AND database = '{lab.database}'", [(20,)])

        tested = lab.sql("KILL QUERY WHERE query_id = 'a' TEST")
        assert tested == [("unknown_status", "a", "default", ENDLESS)]
        (killed,) = lab.sql("KILL QUERY WHERE query_id = 'a' SYNC")
        assert killed[:2] == ("finished", "a")
        assert clients[0].ended_with() == "QUERY_WAS_CANCELLED 394"
        assert running(lab) == [("b",)]
    finally:
        (killed,) = lab.sql("KILL QUERY WHERE query_id IN ('a', 'b') ASYNC")
    assert killed[:2] == ("waiting", "b")
    assert clients[1].ended_with() == "QUERY_WAS_CANCELLED 394"
    lab.counted("v", 20)  # and the table is as it was before the INSERT
    assert lab.sql("KILL QUERY WHERE query_id = 'a'") == []


def test_queries_in_workers_leave_the_others_alone(lab: Lab) -> None:
    """More endless queries than cores, in ClickHouse: others are answered, each can be ended."""
    faults: dict[str, SluiceError] = {}

    def run(id_: str) -> None:
        try:
            lab.session.child().execute(ENDLESS, query_id=id_)
        except SluiceError as fault:
            faults[id_] = fault

    threads = {name: threading.Thread(target=run, args=[name]) for name in ("a", "b", "c")}
    for thread in threads.values():
        thread.start()
    eventually(lambda: running(lab) == [("a",), ("b",), ("c",)])
    quick = lab.session.child()
    assert quick.execute("SELECT 1").fetchall() == [(1,)]
    (killed,) = lab.sql("KILL QUERY WHERE query_id = 'a' SYNC")
    assert killed[:2] == ("finished", "a")
    assert lab.session.cancel("b", " by its user")
    with pytest.raises(SluiceError) as late:
        quick.execute(f"{ENDLESS} SETTINGS max_execution_time = 1")
    assert late.value.condition.name == "TIMEOUT_EXCEEDED"
    assert lab.session.cancel("c")
    for thread in threads.values():
        thread.join(30)
    assert {fault.condition.name for fault in faults.values()} == {"QUERY_WAS_CANCELLED"}
    assert faults.keys() == threads.keys()


@pytest.mark.slow
def test_a_query_ends_in_time(lab: Lab) -> None:
    with pytest.raises(SluiceError) as late:
        lab.sql(f"{ENDLESS} SETTINGS max_execution_time = 1")
    assert late.value.condition.name == "TIMEOUT_EXCEEDED"
    assert late.value.condition.clickhouse_code == 159
    one = Endless(lab.session, "c")
    with pytest.raises(SluiceError, match="c is already running"):
        lab.session.execute("SELECT 1", query_id="c")
    assert lab.session.cancel("c", " by its user")
    assert one.ended_with() == "QUERY_WAS_CANCELLED 394"
    assert "cancelled by its user" in str(one.fault)
    assert not lab.session.cancel("c")
    eventually(lambda: tasks(lab.session) == 0)


def test_settings_of_queries(lab: Lab) -> None:
    """Those that change an answer do; in views too."""
    lab.sql("CREATE TABLE l (a UInt8) ENGINE = MergeTree ORDER BY a")
    lab.sql("CREATE TABLE r (a UInt8, n Int32, s String) ENGINE = MergeTree ORDER BY a")
    joined = "SELECT a, n, s, toTypeName(n) FROM l LEFT JOIN r USING a ORDER BY a"
    view = joined.replace("toTypeName(n)", "1 AS one").replace(" ORDER BY a", "")
    lab.sql(
        "CREATE TABLE o (a UInt8, n Nullable(Int32), s Nullable(String), one UInt8) "
        "ENGINE = MergeTree ORDER BY a"
    )
    lab.sql(f"CREATE MATERIALIZED VIEW m TO o AS {view} SETTINGS join_use_nulls = 1")
    lab.sql("INSERT INTO r VALUES (1, 5, 'x')")
    lab.sql("INSERT INTO l VALUES (1), (2)")
    assert lab.sql("SELECT a, n, s FROM o ORDER BY a") == [(1, 5, "x"), (2, None, None)]
    assert lab.sql(joined) == [(1, 5, "x", "Int32"), (2, 0, "", "Int32")]
    nulls = [(1, 5, "x", "Nullable(Int32)"), (2, None, None, "Nullable(Int32)")]
    assert lab.sql(f"{joined} SETTINGS join_use_nulls = 1") == nulls
    one = lab.session.child()
    one.execute("SET join_use_nulls = 1, max_result_rows = 2, sluice_engine = 'spark'")
    assert one.execute(joined).fetchall() == nulls
    with pytest.raises(SluiceError) as many:
        one.execute("SELECT number FROM numbers(3)")
    assert many.value.condition.clickhouse_code == 396
    first = (
        "SELECT number FROM numbers(3) ORDER BY number DESC SETTINGS result_overflow_mode = 'break'"
    )
    assert one.execute(first).fetchall() == [(2,), (1,)]
    assert one.execute("SELECT number FROM numbers(2)").fetchall() == [(0,), (1,)]
