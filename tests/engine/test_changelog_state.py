"""The steps of queries over changelogs that keep state, against a model in plain Python.

Steps are written by hand here: what a query needs of them is the planner's matter.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sluice.engine import row_kinds
from sluice.engine.changelog.state import ChangelogState
from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned
from sluice.sql.relation import Accumulate, AccumulateValues, Arrange, InnerJoin, Normalize, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from sluice.session import Session

Row = tuple[Any, ...]
NOW = 1_700_000_000_000
MINUTE = 60_000

SCHEMA = (
    "k INT, g STRING, x INT, t STRING, "
    f"{', '.join(f'{name} {type_}' for name, type_ in row_kinds.TYPES.items())}"
)
WEIGHT = "if(__row_kind IN ('+I', '+U'), 1L, -1L)"
HIDDEN = f"__row_kind, CAST(NULL AS {row_kinds.TYPES[row_kinds.AT]}) AS __at"

STEPS = (
    Step("whole", "", state=Normalize("changes", ("k",))),
    Step(
        "added",
        f"SELECT g, sum({WEIGHT}) AS __n, sum({WEIGHT} * x) AS s, "
        f"sum(if(x IS NULL, 0L, {WEIGHT})) AS c, "
        f"CAST(sum({WEIGHT} * CAST(x AS DECIMAL(10, 2))) AS DECIMAL(38, 2)) AS d, "
        f"sum({WEIGHT} * CAST(x AS DOUBLE)) AS f FROM whole GROUP BY g",
    ),
    Step(
        "sums",
        "",
        state=Accumulate(
            "added",
            ("g",),
            (("__n", "sum"), ("s", "sum"), ("c", "sum"), ("d", "sum"), ("f", "sum")),
        ),
    ),
    Step(
        "groups",
        "SELECT g, max(x) AS most, count(DISTINCT x) AS several FROM whole "
        "GROUP BY g HAVING count(*) > 1",
        state=Arrange((("whole", ("g",)),), key=("g",)),
    ),
    Step(
        "counted",
        "SELECT g, __of, if(__of = 0, x, NULL) AS v, if(__of = 1, t, NULL) AS u, "
        f"sum({WEIGHT}) AS __n, sum({WEIGHT} * x) AS s, sum(if(x IS NULL, 0L, {WEIGHT})) AS c, "
        f"sum(if(t IS NULL, 0L, {WEIGHT})) AS m "
        "FROM whole LATERAL VIEW explode(array(0, 1)) AS __of GROUP BY ALL",
    ),
    Step(
        "extremes",
        "",
        state=AccumulateValues(
            "counted",
            ("g",),
            (("__n", "sum"), ("s", "sum")),
            ("s",),
            (
                ("low", "v", "c", "min"),
                ("high", "v", "c", "max"),
                ("several", "v", "c", "count"),
                ("last", "u", "m", "max"),
                ("texts", "u", "m", "count"),
            ),
        ),
    ),
    Step("values", f"SELECT x, {HIDDEN} FROM whole"),
    Step("different", "SELECT DISTINCT x FROM values", state=Arrange((("values", ("x",)),))),
    Step(
        "joined",
        "SELECT s.g, s.s, m.most FROM sums s FULL JOIN groups m ON s.g = m.g",
        state=Arrange((("sums", ("g",)), ("groups", ("g",)))),
    ),
    Step(
        "pairs",
        "SELECT s.k, s.g, s.x, m.most, s.__w * m.__w AS __w FROM whole s JOIN groups m "
        "ON s.g <=> m.g",
        state=InnerJoin((("whole", ("g",)), ("groups", ("g",)))),
    ),
    Step(
        "top",
        "SELECT g, n FROM (SELECT g, __n AS n, row_number() OVER (ORDER BY __n DESC, g) AS r "
        "FROM sums) WHERE r <= 2",
        state=Arrange((("sums", ()),)),
    ),
)
"""Normalize, sums, an aggregate of any kind with HAVING, how often values occur, DISTINCT, an outer
and an inner join with results, and Top-N over sums, which has no key."""

VALUES_OF = (
    Step(
        "counted",
        f"SELECT g, 0 AS __of, t, sum({WEIGHT}) AS __n, sum(if(t IS NULL, 0L, {WEIGHT})) AS c "
        "FROM changes GROUP BY g, t",
    ),
    Step(
        "extremes",
        "",
        state=AccumulateValues(
            "counted", ("g",), (("__n", "sum"),), (), (("low", "t", "c", "min"),
                                                       ("high", "t", "c", "max"))
        ),
    ),
)  # fmt: skip

SUMS = (
    Step("added", f"SELECT g, sum({WEIGHT}) AS __n FROM changes GROUP BY g"),
    Step("sums", "", state=Accumulate("added", ("g",), (("__n", "sum"),))),
)


class Run:
    """A query in a checkpoint folder: what each step has as its rows by now."""

    def __init__(self, spark: SparkSession, folder: Path, steps: Sequence[Step], ttl: int = 0):
        self.spark, self.folder, self.steps, self.ttl = spark, folder, steps, ttl
        self.tables: dict[str, Counter[Row]] = {}
        self.restart()

    def restart(self) -> None:
        """Open the state as another start of the query does."""
        self.state = ChangelogState(self.spark, self.folder, self.ttl)

    def batch(self, number: int, rows: Iterable[Row], now: int = NOW) -> dict[str, list[Row]]:
        """The changes of each step."""
        frame = self.spark.createDataFrame(list(rows), SCHEMA)
        frame.createOrReplaceTempView("changes")
        with self.state.batch(self.spark, number, now) as operators:
            planned(self.spark, "SELECT 1", self.steps, operators)
            return self._all()

    def only(self, rows: Iterable[Row]) -> dict[str, list[Row]]:
        """The rows of each step where there is no state, and none is kept."""
        frame = self.spark.createDataFrame(list(rows), SCHEMA)
        frame.createOrReplaceTempView("changes")
        planned(self.spark, "SELECT 1", self.steps)
        return self._all()

    def _all(self) -> dict[str, list[Row]]:
        return {
            step.view: self._changes(step.view) for step in self.steps if step.state is not None
        }

    def _changes(self, view: str) -> list[Row]:
        rows = self.spark.table(view)
        shown = [name for name in rows.columns if name not in row_kinds.HIDDEN]
        found = rows.select(row_kinds.COLUMN, *shown).collect()
        return sorted(map(tuple, found), key=repr)

    def apply(self, changes: dict[str, list[Row]]) -> None:
        """Apply the changes: only what is there can be taken back."""
        for view, rows in changes.items():
            table = self.tables.setdefault(view, Counter())
            for kind, *row in sorted(rows, key=lambda row: row[0] in ("+I", "+U")):
                if kind in ("+I", "+U"):
                    table[tuple(row)] += 1
                else:
                    assert table[tuple(row)] > 0, (view, kind, row)
                    table[tuple(row)] -= 1
            self.tables[view] = +table


def model(table: dict[Any, Row]) -> dict[str, Counter[Row]]:
    """What each step must have for the rows by key."""
    rows = [(k, *row) for k, row in table.items()]
    groups: dict[Any, list[int | None]] = {}
    texts: dict[Any, set[str]] = {}
    for _, g, x, t in rows:
        groups.setdefault(g, []).append(x)
        texts.setdefault(g, set()).update([] if t is None else [t])
    sums, some, values = {}, {}, {}
    for g, xs in groups.items():
        there = [x for x in xs if x is not None]
        last = max(texts[g], key=lambda text: text.encode(), default=None)
        values[g] = (sum(there), min(there, default=None), max(there, default=None),
                     len(set(there)), last, len(texts[g]))  # fmt: skip
        sums[g] = (len(xs), sum(there), len(there), sum(there), float(sum(there)))
        if len(xs) > 1:
            some[g] = (max(there, default=None), len(set(there)))
    joined: Counter[Row] = Counter()
    for g in sums:  # NULL does not equal NULL
        match = g is not None and g in some
        joined[g, sums[g][1], some[g][0] if match else None] += 1
    if None in some:
        joined[None, None, some[None][0]] += 1
    first = sorted(sums, key=lambda g: (-sums[g][0], g is not None, g or ""))[:2]
    return {
        "whole": Counter(rows),
        "sums": Counter((g, *of) for g, of in sums.items()),
        "groups": Counter((g, *of) for g, of in some.items()),
        "extremes": Counter((g, *of) for g, of in values.items()),
        "different": Counter({(x,): 1 for xs in groups.values() for x in xs}),
        "joined": joined,
        "pairs": Counter((k, g, x, some[g][0]) for k, g, x, _ in rows if g in some),
        "top": Counter((g, sums[g][0]) for g in first),
    }


KEYS = st.sampled_from([None, 1, 2, 3, 4, 5])
VALUES = st.tuples(
    st.sampled_from([None, "a", "b", ""]), st.sampled_from([None, 0, 1, 7]), st.text(max_size=2)
)
EVENTS = st.one_of(
    st.tuples(st.just("put"), KEYS, VALUES),
    st.tuples(st.just("part"), KEYS, VALUES),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("update"), KEYS, VALUES),
    st.tuples(st.just("move"), KEYS, KEYS, VALUES),
)
BATCHES = st.lists(
    st.tuples(st.lists(EVENTS, max_size=8), st.booleans(), st.booleans()), min_size=2, max_size=5
)


def applied(table: dict[Any, Row], events: list[Row], offset: int) -> list[Row]:
    """The rows of events, which change the model's table."""
    rows: list[Row] = []

    def add(k: Any, row: Row, kind: str, number: int, unchanged: list[str] | None = None) -> None:
        place = {"partition": 0, "offset": offset, "row": number}
        rows.append((k, *row, kind, place, unchanged))

    for what, k, *rest in events:
        offset += 1
        old = table.get(k)
        if what == "delete":
            table.pop(k, None)
            add(k, (None, None, None), "-D", 0)
        elif what == "part":
            g, x, t = rest[0]
            table[k] = (g, x, old[2] if old else None)
            if old:
                add(k, old, "-U", 0)
            add(k, (g, x, t), "+U", 1, ["t"])
        elif what == "move":
            to, row = rest
            table.pop(k, None)
            table[to] = row
            add(k, (None, None, None), "-U", 0)
            add(to, row, "+U", 1)
        else:
            if what == "update":
                add(k, old or (None, None, None), "-U", 0)
            table[k] = rest[0]
            add(k, rest[0], "+U" if old else "+I", 1)
    return rows


@pytest.fixture(scope="module")
def spark(engine: Session) -> SparkSession:
    made = new_session(engine._engine.spark(), {})
    made.conf.set("spark.sql.shuffle.partitions", "2")
    return made


@pytest.mark.slow
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches=BATCHES)
@example(batches=[([("put", None, (None, None, ""))], False, False), ([], False, False)])
def test_random_changelogs(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, batches: list[Row]
) -> None:
    """After every batch each step has the model's rows; batches are repeated, queries restarted."""
    run = Run(spark, tmp_path_factory.mktemp("state"), STEPS)
    table: dict[Any, Row] = {}
    for number, (events, again, restarted) in enumerate(batches):
        rows = applied(table, events, number * 100)
        changes = run.batch(number, rows)
        if number == 0 and not any(event[0] == "part" for event in events):
            assert run.only(rows) == changes
        if restarted:
            run.state.close()
            run.restart()
        if again:
            assert run.batch(number, reversed(rows)) == changes
        run.apply(changes)
        wanted = model(table)
        assert {view: run.tables[view] for view in wanted} == wanted
    run.state.close()


def rows_of(*groups: str, kind: str = "+I") -> list[Row]:
    return [(1, g, 1, "", kind, {"partition": 0, "offset": 1, "row": 0}, None) for g in groups]


def test_changes_that_come_too_early_and_failed_tasks(spark: SparkSession, tmp_path: Path) -> None:
    """A row that is deleted before it is inserted is not there in the end; nothing half is kept."""
    run = Run(spark, tmp_path, SUMS)
    with closing(run.state):
        assert run.batch(0, rows_of("a", kind="-D"))["sums"] == []
        failing = "SELECT g, if(g = 'bad', raise_error('no'), 1L) AS __n FROM changes"
        good, run.steps = run.steps, (Step("added", failing), SUMS[1])
        with pytest.raises(Exception, match="no"):
            run.batch(1, rows_of("a", "b", "c", "d", "bad"))
        run.steps = good
        assert run.batch(1, rows_of("a", "b"))["sums"] == [("+I", "b", 1)]
        assert run.batch(2, [])["sums"] == []
        assert run.batch(3, rows_of("a", "b"))["sums"] == [
            ("+I", "a", 1), ("+U", "b", 2), ("-U", "b", 1),
        ]  # fmt: skip


def texts(*of: str | None, kind: str = "+I") -> list[Row]:
    return [(1, "a", 1, t, kind, {"partition": 0, "offset": 1, "row": 0}, None) for t in of]


def test_sums_that_are_only_zero_or_not(spark: SparkSession, tmp_path: Path) -> None:
    """Where the result has no values of some sums, only their becoming zero changes it."""
    there = f"sum(if(x IS NULL, 0L, {WEIGHT})) AS c"
    added = f"SELECT g, sum({WEIGHT}) AS __n, sum({WEIGHT} * x) AS s, {there}"
    sums = (("__n", "sum"), ("s", "sum"), ("c", "sum"))
    steps = (
        Step("added", f"{added} FROM changes GROUP BY g"),
        Step("sums", "", state=Accumulate("added", ("g",), sums, by_value=("s",))),
        Step("counted", f"{added}, 0 AS __of, t FROM changes GROUP BY g, t"),
        Step(
            "least",
            "",
            state=AccumulateValues(
                "counted", ("g",), sums, ("s", "c"), (("low", "t", "__n", "min"),), by_value=("s",)
            ),
        ),
    )
    run = Run(spark, tmp_path, steps)

    def kinds(number: int, *rows: tuple[str, int | None]) -> list[list[str]]:
        at = {"partition": 0, "offset": 1, "row": 0}
        made = run.batch(number, [(1, "a", x, "t", kind, at, None) for kind, x in rows])
        return [[row[0] for row in made[view]] for view in ("sums", "least")]

    update = ["+U", "-U"]
    with closing(run.state):
        assert kinds(0, ("+I", None)) == [["+I"], ["+I"]]
        assert kinds(1, ("+I", 0)) == [update, update]  # the sum was NULL
        assert kinds(2, ("+I", 0)) == [[], []]
        assert kinds(3, ("+I", None)) == [[], []]
        assert kinds(4, ("+I", 1)) == [update, update]
        assert kinds(5, ("-D", 1), ("-D", 0)) == [update, update]
        assert kinds(6, ("-D", None), ("-D", 0), ("-D", None)) == [["-D"], ["-D"]]


def test_least_and_greatest_value(spark: SparkSession, tmp_path: Path) -> None:
    """The next one in order follows one that is gone, whatever its length; only that is passed on.

    A value that is deleted before it is inserted does not occur, and a group has no more values
    than it had when its time to live is over.
    """
    long = "b" * 40
    run = Run(spark, tmp_path, VALUES_OF, ttl=10 * MINUTE)

    def changed(number: int, rows: list[Row], now: int = NOW) -> list[Row]:
        return run.batch(number, rows, now)["extremes"]

    with closing(run.state):
        assert changed(0, texts(None)) == [("+I", "a", None, None)]
        assert changed(1, texts("b", "b", long, "ba")) == [
            ("+U", "a", "b", long), ("-U", "a", None, None),
        ]  # fmt: skip
        assert changed(2, texts("b", kind="-D") + texts("bb")) == []
        assert changed(3, texts("b", long, kind="-D") + texts("aaa", kind="-D")) == [
            ("+U", "a", "ba", "bb"), ("-U", "a", "b", long),
        ]  # fmt: skip
        assert changed(4, texts("ba", kind="-D")) == [
            ("+U", "a", "bb", "bb"), ("-U", "a", "ba", "bb"),
        ]  # fmt: skip
        assert changed(5, texts("aaa", "aaa", "z")) == [
            ("+U", "a", "aaa", "z"), ("-U", "a", "bb", "bb"),
        ]  # fmt: skip
        late = NOW + 11 * MINUTE
        assert changed(6, texts("m"), late) == [("+I", "a", "m", "m")]
        assert changed(7, texts("m", kind="-D") + texts("n", "o"), late) == [
            ("+U", "a", "n", "o"), ("-U", "a", "m", "m"),
        ]  # fmt: skip
        changed(8, [], late + 20 * MINUTE)  # sweeps
        run.ttl = 0
        run.restart()
        assert changed(9, texts("n"), late) == [("+I", "a", "n", "n")]
        assert changed(10, texts("n", kind="-D"), late) == [("-D", "a", "n", "n")]


def test_order_of_arrival(spark: SparkSession, tmp_path: Path) -> None:
    """The rows of a key are in the order in which they came, across batches and restarts."""
    steps = (
        Step("values", "SELECT g, x, __row_kind, __at FROM changes"),
        Step(
            "listed",
            "SELECT g, listagg(x, ',') WITHIN GROUP (ORDER BY __seq) AS l FROM values GROUP BY g",
            state=Arrange((("values", ("g",)),), key=("g",), ordered=True),
        ),
    )
    run = Run(spark, tmp_path, steps)

    def came(*xs: int, kind: str = "+I") -> list[Row]:
        return [
            (0, "a", x, "", kind, {"partition": 0, "offset": n, "row": 0}, None)
            for n, x in enumerate(xs)
        ]

    assert run.batch(0, reversed(came(9, 3, 5)))["listed"] == [("+I", "a", "9,3,5")]
    run.restart()
    assert run.batch(1, came(1, 3))["listed"] == [("+U", "a", "9,5,1,3,3"), ("-U", "a", "9,3,5")]
    changed = run.batch(2, came(9, 3, kind="-D"))["listed"]
    assert changed == [("+U", "a", "5,1,3"), ("-U", "a", "9,5,1,3,3")]
    assert run.batch(3, came(5, 1, 3, kind="-D"))["listed"] == [("-D", "a", "5,1,3")]
    assert run.batch(4, came(2))["listed"] == [("+I", "a", "2")]
    run.state.close()


@pytest.mark.slow
def test_state_expires(spark: SparkSession, tmp_path: Path) -> None:
    """After its time to live a key is new again, and a sweep removes it; a replay is the same."""
    normal = Step("whole", "", state=Normalize("changes", ("g",)))
    groups = Step(
        "groups",
        "SELECT g, max(x) AS most, count(*) AS several FROM changes GROUP BY g",
        state=Arrange((("changes", ("g",)),)),
    )
    pairs = Step(
        "pairs",
        "SELECT a.g, b.x, a.__w * b.__w AS __w FROM changes a JOIN others b ON a.g = b.g",
        state=InnerJoin((("changes", ("g",)), ("others", ("g",)))),
    )
    others = Step("others", "SELECT g, x, __row_kind, __at FROM changes")
    run = Run(spark, tmp_path, (*SUMS, normal, groups, others, pairs), ttl=10 * MINUTE)

    def kinds(changes: dict[str, list[Row]]) -> list[str]:
        assert all(changes.values())
        return sorted({row[0] for rows in changes.values() for row in rows})

    assert kinds(run.batch(0, rows_of("a", "b"))) == ["+I"]
    assert run.batch(1, rows_of("a"), NOW + 9 * MINUTE)["sums"] == [("+U", "a", 2), ("-U", "a", 1)]
    late = NOW + 11 * MINUTE
    for _ in range(2):
        again = run.batch(2, rows_of("a", "b"), late)
        assert again["sums"] == [("+I", "b", 1), ("+U", "a", 3), ("-U", "a", 2)]
        assert again["groups"] == [("+I", "a", 1, 3), ("+I", "b", 1, 1), ("-D", "a", 1, 2)]
        assert [row[:3] for row in again["whole"]] == [("+I", 1, "b")]
        assert Counter(again["pairs"]) == {("+I", "a", 1): 5, ("+I", "b", 1): 1}
    run.batch(3, [], late + 20 * MINUTE)  # sweeps
    run.ttl = 0
    run.restart()
    assert kinds(run.batch(4, rows_of("a", "b"), late)) == ["+I"]
    run.state.close()


def test_old_versions_are_removed(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's maintenance uploads snapshots and deletes what no restart needs; a restart works."""
    kept = "spark.sql.streaming.minBatchesToRetain"
    snapshots = "spark.sql.streaming.stateStore.minDeltasForSnapshot"
    deleted = "spark.sql.streaming.ratioExtraSpaceAllowedInCheckpoint"
    spark.conf.set(kept, "2")
    spark.conf.set(snapshots, "2")
    spark.conf.set(deleted, "0")
    try:
        run = Run(spark, tmp_path, SUMS)
        jvm: Any = spark._jvm
        state = jvm.org.apache.spark.sql.execution.streaming.state
        ids = [
            state.StateStoreProviderId(
                state.StateStoreId(str(tmp_path / "state-changelog"), 0, n, "default"),
                jvm.java.util.UUID.fromString(run.state._run),
            )
            for n in range(2)
        ]
        for number in range(9):
            run.batch(number, rows_of(f"g{number}"))
            if number % 3 == 2:
                for each in ids:
                    assert state.StateStore.isLoaded(each)
                    state.StateStore.doMaintenanceAndUnload(each)
                    assert not state.StateStore.isLoaded(each)
        folder = tmp_path / "state-changelog" / "0"
        versions = {
            int(path.name.partition(".")[0])
            for path in folder.glob("*/*")
            if path.suffix in (".zip", ".changelog")
        }
        assert versions, "no snapshot"
        assert min(versions) > 3
        run.restart()
        changed = run.batch(9, rows_of("g0", "g8"))["sums"]
        assert changed == [("+U", "g0", 2), ("+U", "g8", 2), ("-U", "g0", 1), ("-U", "g8", 1)]
        run.state.close()
    finally:
        for name in (kept, snapshots, deleted):
            spark.conf.unset(name)


def test_partitions_are_those_of_the_first_start(spark: SparkSession, tmp_path: Path) -> None:
    """Another parallelism does not move keys away from their state."""
    groups = [f"g{n}" for n in range(20)]
    run = Run(spark, tmp_path, SUMS)
    run.batch(0, rows_of(*groups))
    run.state.close()
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    try:
        run.restart()
        changed = run.batch(1, rows_of(*groups, kind="-D"))["sums"]
        assert changed == sorted(("-D", g, 1) for g in groups)
    finally:
        run.state.close()
        spark.conf.set("spark.sql.shuffle.partitions", "2")
