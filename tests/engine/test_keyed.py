"""Tables with a primary key: changes are applied by key, each batch in one commit."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

from engine import lab as labs
from sluice.engine import row_kinds
from sluice.engine.sinks import tombstones
from sluice.engine.sinks.sink import sink_of
from sluice.engine.storage.keyed_batch import KeyedBatch
from sluice.engine.storage.ledger import Writer
from sluice.errors import SluiceError
from sluice.planner.fitting import rules_of
from sluice.planner.spec import SinkSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from engine.lab import Row
    from sluice.catalog import Table
    from sluice.engine.sinks.sink import Sink
    from sluice.session import Session

Change = tuple[Any, ...]
"""A kind, the values of a row, and if wanted its partition, offset and number in its message."""


class Keyed:
    """A table that is written to by batches of changes."""

    def __init__(self, session: Session, columns: str, more: str = "", name: str = "t") -> None:
        """The columns are those of Flink's DDL, the first one of the key being `k`."""
        self.session = session
        self.name = name
        session.execute(f"CREATE TABLE {name} ({columns}) {more}", dialect="flink")
        self.sink = self.opened()
        self.batch = -1

    @property
    def table(self) -> Table:
        found = self.session._engine.catalog.find(self.session.database, self.name)
        assert found is not None
        return found

    def opened(self) -> Sink:
        engine = self.session._engine
        columns = tuple(c.name for c in self.table.stored_columns if c.name != "op")
        into = SinkSpec(self.table, columns=columns, rules=rules_of({}))
        sink = sink_of(into, engine.store, engine.spark(), Writer("p", 1, "v"))
        sink.start()
        return sink

    def rows(self, changes: Sequence[Change], *, unchanged: bool = False) -> DataFrame:
        """A frame of changes, shuffled: their order is in their place alone."""
        width = len([c for c in self.table.stored_columns if c.name != "op"])
        made = []
        for n, (kind, *values) in enumerate(changes):
            at = tuple(values[width]) if len(values) > width and values[width] else (0, n, 0)
            lacks = [list(values[width + 1])] if len(values) > width + 1 else [None]
            made.append((*values[:width], kind, at, *(lacks if unchanged else [])))
        random.Random(len(made)).shuffle(made)  # noqa: S311
        names = [f"`{c.name}` {_type(c)}" for c in self.table.stored_columns if c.name != "op"]
        hidden = [f"{row_kinds.COLUMN} STRING", f"{row_kinds.AT} {row_kinds.TYPES[row_kinds.AT]}"]
        if unchanged:
            hidden.append(f"{row_kinds.UNCHANGED} ARRAY<STRING>")
        spark = self.session._engine.spark()
        return spark.createDataFrame(made, ", ".join([*names, *hidden])).repartition(3)

    def apply(self, *changes: Change, again: bool = False, unchanged: bool = False) -> None:
        """Write a batch; `again` the same one once more."""
        self.batch += not again
        ranges = {"topic": {0: (self.batch * 100, self.batch * 100 + len(changes))}}
        rows = self.rows(changes, unchanged=unchanged)
        self.sink.write(self.sink.prepare(rows), self.batch, ranges)

    def all(self, columns: str = "*") -> list[Row]:
        text = f"SELECT {columns} FROM {self.name}"
        return sorted(self.session.execute(text, dialect="flink").fetchall(), key=repr)

    def commits(self) -> list[dict[str, Any]]:
        return labs.commits(self.session, self.table)

    def version(self) -> int:
        return self.session._engine.store.version(self.table)

    def reopen(self) -> None:
        """As after a restart: nothing is known of the table but its files."""
        self.sink.close()
        self.sink = self.opened()


def _type(column: Any) -> str:
    from sluice.types import spark_type

    return spark_type(column.type)


COLUMNS = "k BIGINT, v STRING, PRIMARY KEY (k) NOT ENFORCED"

SOMETIMES = (pytest.mark.slow, pytest.mark.sampled(1))
"""Of the cases of a test that take long each run takes one."""


def test_the_last_change_of_each_key_is_applied(session: Session) -> None:
    """Deletes delete, and the order is that of partition, offset and row."""
    t = Keyed(session, COLUMNS)
    t.apply(("+I", 1, "a"), ("+I", 2, "b"), ("+I", 3, "c"), ("+I", 4, "d"))
    assert t.all() == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    t.apply(
        ("-U", 1, "a"), ("+U", 1, "a2"),
        ("-D", 2, None),
        ("-D", 3, "c"), ("+I", 3, "c2"),
        ("+I", 5, "e"), ("-D", 5, "e"),
        ("-U", 4, "d"), ("+U", 6, "d"),
        ("-D", 77, None),
    )  # fmt: skip
    assert t.all() == [(1, "a2"), (3, "c2"), (6, "d")]
    at = t.version()
    t.apply(("-D", 2, None), ("-D", 78, None))
    assert t.version() == at, "a batch that changes nothing commits nothing"
    t.apply(
        ("+U", 1, "x", (1, 5, 0)), ("-D", 1, None, (0, 9, 0)),
        ("-D", 3, None, (0, 10, 1)), ("+I", 3, "y", (0, 10, 0)),
        ("-D", 6, None, (0, 11, 0)), ("+I", 6, "z", (0, 11, 0)),
    )  # fmt: skip
    assert t.all() == [(1, "x"), (6, "z")]
    t.reopen()
    t.apply(("+U", 6, "w"), ("+I", 9, "n"))
    t.apply(("-D", 1, None), ("+U", 9, "m"))
    assert t.all() == [(6, "w"), (9, "m")]
    with pytest.raises(SluiceError) as late:
        t.apply(("+U", 6, "late"), again=True)
    assert late.value.condition.name == "COMMIT_FENCED"
    assert t.all() == [(6, "w"), (9, "m")]
    again = t.opened()
    assert again.has(t.batch, {"topic": {0: (t.batch * 100, t.batch * 100 + 2)}})
    entries = [c for c in t.commits() if "userMetadata" in c]
    assert [c["operation"] for c in entries] == ["WRITE"] * 5
    t.sink.close()


@pytest.mark.parametrize(
    ("columns", "more", "key"),
    [
        pytest.param(
            "k BIGINT, v STRING, PRIMARY KEY (k) NOT ENFORCED", "", 1, id="number",
            marks=SOMETIMES,
        ),
        pytest.param(
            "k STRING, j INT, v STRING, PRIMARY KEY (k, j) NOT ENFORCED", "", 2, id="two",
            marks=SOMETIMES,
        ),
        pytest.param(
            "k STRING, j INT, v STRING, PRIMARY KEY (k) NOT ENFORCED",
            "PARTITIONED BY (j)", 1, id="partitions", marks=SOMETIMES,
        ),
        pytest.param(
            "k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED",
            "WITH ('connector' = 'delta', 'path' = 'at-a-path')", 1, id="path",
            marks=SOMETIMES,
        ),
    ],
)  # fmt: skip
def test_random_changes_beside_compaction(
    session: Session, columns: str, more: str, key: int, folder: Path
) -> None:
    """Whatever changes come, the table is what a dictionary would be; also when files move."""
    if "path" in more:
        more = more.replace("at-a-path", f"{folder}/keyed-{session.database}")
    t = Keyed(session, columns, more)
    names = [c.name for c in t.table.stored_columns]
    random_ = random.Random(len(names) + key)  # noqa: S311
    model: dict[Any, Row] = {}
    for batch in range(7):
        changes: list[Change] = []
        for _ in range(60):
            row = tuple(
                random_.randrange(25) if n in ("j", "k") and _is_number(t, n)
                else f"ä{random_.randrange(25)}"
                for n in names
            )  # fmt: skip
            if "j" in names and key == 1:
                row = (row[0], random_.randrange(3), row[2])
            kind = random_.choice(["+I", "+U", "-D", "-U"])
            changes.append((kind, *row))
            if kind in ("+I", "+U"):
                model[row[:key]] = row
            else:
                model.pop(row[:key], None)
        t.apply(*changes)
        assert t.all() == sorted(model.values(), key=repr)
        if batch == 2:
            t.session._engine.store.compaction.merge_files(t.session._engine.spark(), t.table)
        if batch == 4:
            t.reopen()
    t.sink.close()


@pytest.mark.slow
def test_compaction_beside_batches(session: Session) -> None:
    """Rows that batches delete or replace while files are copied are not in the copies."""
    t = Keyed(session, "k STRING, v STRING, PRIMARY KEY (k) NOT ENFORCED")
    engine = session._engine
    for batch in range(4):
        t.apply(*[("+U", f"k{n}", f"{batch}") for n in range(batch * 5, 30)])
    copied = engine.store.compaction.copy_files(engine.spark(), t.table)
    t.apply(("-D", "k1", None), ("+U", "k7", "new"), ("-D", "k29", None), ("+I", "k40", "new"))
    t.apply(("+I", "k1", "again"), ("+U", "k7", "newer"))
    before = t.all()
    with engine.store.writing(t.table):
        assert copied.commit()
    files = engine.spark().read.format("delta").load(str(engine.store.path(t.table))).inputFiles()
    assert len(files) == 3
    assert t.all() == before
    assert len(before) == 30
    t.apply(("+U", "k2", "last"), ("-D", "k1", None), ("-D", "k30", None))
    t.reopen()
    t.apply(("+U", "k3", "last"))
    want = [row for row in before if row[0] not in ("k1", "k2", "k3")]
    assert t.all() == sorted([*want, ("k2", "last"), ("k3", "last")])
    t.sink.close()


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("", id="beside", marks=SOMETIMES),
        pytest.param("PARTITIONED BY (p)", id="in turn", marks=SOMETIMES),
    ],
)
def test_compaction_in_a_loop_never_conflicts(session: Session, more: str) -> None:
    """Batches change rows all the time while files are merged: neither fails, no row is lost."""
    t = Keyed(session, "k INT, p INT, v STRING, PRIMARY KEY (k) NOT ENFORCED", more)
    engine, done = session._engine, threading.Event()
    model: dict[int, Row] = {}
    random_ = random.Random(16)  # noqa: S311

    def compact() -> int:
        rounds = 0
        while not done.is_set():
            engine.store.compaction.merge_files(engine.spark(), t.table)
            rounds += 1
        return rounds

    with ThreadPoolExecutor(1) as pool:
        t.apply(("+I", 0, 0, "first"))
        model[0] = (0, 0, "first")
        compacting = pool.submit(compact)
        try:
            for batch in range(8):
                changes: list[Change] = []
                for key in random_.sample(range(60), 20):
                    if random_.random() < 0.3:
                        changes.append(("-D", *model.pop(key, (key, 0, None))))
                    else:
                        model[key] = (key, random_.randrange(2), f"{batch}")
                        changes.append(("+U", *model[key]))
                t.apply(*changes)
        finally:
            done.set()
        assert compacting.result() > 1
    assert t.all() == sorted(model.values(), key=repr)
    commits = t.commits()
    assert len([each for each in commits if "userMetadata" in each]) == 9
    assert {each["operation"] for each in commits} & {"OPTIMIZE", "Manual Update"}
    t.reopen()
    t.apply(*[("-D", *row) for row in model.values()])
    assert t.all() == []
    t.sink.close()


def _is_number(keyed: Keyed, name: str) -> bool:
    (column,) = [c for c in keyed.table.stored_columns if c.name == name]
    return _type(column) != "STRING"


@pytest.mark.slow
def test_a_table_without_deletion_vectors(session: Session, folder: Path) -> None:
    """They are switched on by the first batch; where they are forbidden, files are copied."""
    spark = session._engine.spark()
    for name, forbidden in (("old", False), ("plain", True)):
        path = f"{folder}/{name}-{session.database}"
        rows = spark.range(3).selectExpr("id AS k", "'o' AS v")
        if forbidden:
            rows.write.format("delta").option("delta.enableDeletionVectors", "false").save(path)
        else:
            rows.write.format("delta").save(path)
        t = Keyed(session, COLUMNS, f"WITH ('connector' = 'delta', 'path' = '{path}')", name)
        t.apply(("+U", 1, "n"), ("-D", 2, None), ("+I", 7, "n"), ("-D", 8, None))
        t.apply(("+U", 7, "m"), ("-D", 0, None))
        assert t.all() == [(1, "n"), (7, "m")]
        logs = "".join(each.read_text() for each in Path(path, "_delta_log").glob("*.json"))
        assert ('"cardinality"' in logs) != forbidden
        t.sink.close()
        if forbidden:
            options = f"'connector' = 'delta', 'path' = '{path}', 'sequence.field' = 'v'"
            t = Keyed(session, COLUMNS, f"WITH ({options})", "ordered")
            with pytest.raises(SluiceError, match=r"which 'sequence\.field' needs"):
                t.apply(("+U", 1, "a"))
            t.sink.close()
            t = Keyed(session, COLUMNS, f"WITH ('connector' = 'delta', 'path' = '{path}')", "part")
            t.batch = 1
            t.apply(("+U", 1, "whole"), unchanged=True)
            with pytest.raises(Exception, match="which a change that leaves out values needs"):
                t.apply(("+U", 1, None, None, ["v"]), unchanged=True)
            assert t.all() == [(1, "whole"), (7, "m")]
            t.sink.close()


def test_the_change_data_feed_has_exactly_the_changes(session: Session) -> None:
    t = Keyed(session, COLUMNS, "WITH ('connector' = 'delta', 'changelog' = 'true')")
    t.apply(("+I", 1, "a"), ("+I", 2, "b"), ("+I", 3, "c"))
    t.apply(
        ("+U", 1, "x"),
        ("-D", 2, None),
        ("+I", 4, "d"),
        ("-D", 9, None),
        ("+I", 8, "q"),
        ("-D", 8, "q"),
    )
    t.session._engine.store.compaction.merge_files(t.session._engine.spark(), t.table)
    t.apply(("+U", 4, "e"))
    spark = session._engine.spark()
    reader = (
        spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0)
    )
    feed = reader.load(str(session._engine.store.path(t.table)))
    first, second, third = [c["version"] for c in t.commits() if "userMetadata" in c]
    found = feed.select("_commit_version", "_change_type", "k", "v").collect()
    assert sorted(map(tuple, found)) == [
        (first, "insert", 1, "a"), (first, "insert", 2, "b"), (first, "insert", 3, "c"),
        (second, "delete", 2, "b"), (second, "insert", 4, "d"),
        (second, "update_postimage", 1, "x"), (second, "update_preimage", 1, "a"),
        (third, "update_postimage", 4, "e"), (third, "update_preimage", 4, "d"),
    ]  # fmt: skip
    assert t.all() == [(1, "x"), (3, "c"), (4, "e")]
    t.sink.close()


@pytest.mark.slow
def test_a_sequence_orders_changes(session: Session) -> None:
    """A change older than the row, or the delete, that it meets is ignored, wherever it is from."""
    columns = "k BIGINT, v STRING, at BIGINT, n INT, PRIMARY KEY (k) NOT ENFORCED"
    t = Keyed(session, columns, "WITH ('connector' = 'delta', 'sequence.field' = 'at, n')")
    t.apply(
        ("+I", 1, "new", 20, 0, (0, 1, 0)), ("+I", 1, "old", 10, 9, (1, 7, 0)),
        ("+I", 2, "first", 10, 1, (1, 8, 0)), ("+I", 2, "second", 10, 2, (0, 2, 0)),
        ("-D", 3, None, 30, 0, (1, 1, 0)), ("+I", 3, "before", 29, 0, (1, 2, 0)),
    )  # fmt: skip
    assert t.all("k, v") == [(1, "new"), (2, "second")]
    t.apply(
        ("+U", 1, "older", 19, 9), ("-D", 2, None, 10, 1),
        ("+I", 3, "late", 29, 9), ("+I", 4, "d", 1, 0),
    )  # fmt: skip
    assert t.all("k, v") == [(1, "new"), (2, "second"), (4, "d")]
    t.reopen()
    t.apply(
        ("-D", 1, None, 20, 0),
        ("+U", 2, "same", 10, 2),
        ("+I", 3, "again", 30, 0),
        ("-D", 4, None, None, None),
    )
    assert t.all("k, v") == [(2, "same"), (3, "again")]
    t.apply(("+I", 1, "dead", 19, 0), ("+I", 4, "back", 1, 0))
    assert t.all("k, v") == [(2, "same"), (3, "again"), (4, "back")]
    t.sink.close()


@pytest.mark.slow
def test_deletes_are_remembered_for_their_time_to_live(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then older changes of their keys count again, and nothing is left of them on disk."""
    clock: Any = SimpleNamespace(time=lambda: clock.now, now=1_700_000_000.0)
    monkeypatch.setattr(tombstones, "time", clock)
    options = "'sequence.field' = 'at', 'sequence.tombstone-ttl' = '1 h'"
    columns = "k BIGINT, at BIGINT, PRIMARY KEY (k) NOT ENFORCED"
    t = Keyed(session, columns, f"WITH ('connector' = 'delta', {options})")
    folder = Path(str(session._engine.store.path(t.table))) / tombstones.FOLDER

    def on_disk() -> list[int]:
        """The keys in all data files, whether the log has them or not."""
        files = [file for file in folder.rglob("*.parquet") if file.parent.name != "_delta_log"]
        tables = [pyarrow.parquet.ParquetFile(str(file)).read() for file in files]
        return sorted(key for each in tables for key in each.column(0).to_pylist())

    t.apply(("-D", 1, 10), ("-D", 2, 10))
    t.reopen()
    t.apply(("+I", 1, 9), ("+I", 2, 11))
    assert t.all() == [(2, 11)]
    clock.now += 1800
    t.apply(("-D", 3, 10))
    clock.now += 1799
    t.apply(("+I", 1, 9), ("+I", 3, 9))
    assert t.all() == [(2, 11)]
    clock.now += 1
    t.apply(("+I", 1, 9), ("+I", 3, 9))
    assert t.all() == [(1, 9), (2, 11)], "an hour after its delete key 1 has no tombstone"
    assert on_disk() == [1, 2, 3]
    t.apply(("-D", 4, 10))
    assert on_disk() == [3, 4], "a later delete removes those that have expired"
    t.apply(("+I", 3, 9), ("+I", 4, 9), ("-D", 1, 8))
    assert t.all() == [(1, 9), (2, 11)]
    t.sink.close()


@pytest.mark.parametrize("more", ["", "PARTITIONED BY (w)"], ids=["plain", "partitioned"])
def test_a_column_without_a_value_keeps_what_is_stored(session: Session, more: str) -> None:
    """The value of the same batch, else that of the table."""
    t = Keyed(session, "k BIGINT, v STRING NOT NULL, w STRING, PRIMARY KEY (k) NOT ENFORCED", more)
    t.apply(("+I", 1, "long", "a"), ("+I", 2, "text", "b"), unchanged=True)
    t.apply(
        ("+U", 1, None, "a2", None, ["v"]),
        ("+U", 2, "given", "b2"), ("+U", 2, None, "b3", None, ["v"]),
        ("+U", 2, None, None, None, ["v", "w"]),
        ("-D", 3, None, None),
        unchanged=True,
    )  # fmt: skip
    assert t.all() == [(1, "long", "a2"), (2, "given", "b3")]
    commits = len(t.commits())
    t.apply(("+U", 1, None, "a3", None, ["v"]), ("+U", 1, "whole", "a4"), unchanged=True)
    t.apply(("+U", 2, None, "b4", None, ["v"]), ("+I", 4, "new", "d"), unchanged=True)
    assert t.all() == [(1, "whole", "a4"), (2, "given", "b4"), (4, "new", "d")]
    assert len(t.commits()) == commits + 2
    t.sink.close()


def test_values_that_a_change_leaves_out_are_looked_for_only_then(session: Session) -> None:
    """Batches of whole rows read no stored ones, however large the table is."""
    t = Keyed(session, COLUMNS)
    t.apply(("+I", 1, "a"), ("+I", 2, "b"), unchanged=True)
    read: list[Any] = []
    stored = KeyedBatch.stored

    def counted(batch: KeyedBatch, last: Any) -> DataFrame:
        read.append([row.k for row in last.select("k").collect()])
        return stored(batch, last)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeyedBatch, "stored", counted)
        t.apply(("+U", 1, "c"), unchanged=True)
        assert read == []
        t.apply(("+U", 1, None, None, ["v"]), ("+U", 2, "d"), unchanged=True)
        assert read == [[1]]
    assert t.all() == [(1, "c"), (2, "d")]
    t.sink.close()


def test_a_table_without_a_key_stores_the_kinds(session: Session) -> None:
    more = "WITH ('connector' = 'delta', 'changelog.column' = 'op')"
    t = Keyed(session, "op STRING, k BIGINT, v STRING", more)
    t.apply(("+I", 1, "a"), ("-U", 1, "a"), ("+U", 1, "b"), ("-D", 1, "b"))
    kinds = sorted(t.all("op, k, v"))
    assert kinds == [("+I", 1, "a"), ("+U", 1, "b"), ("-D", 1, "b"), ("-U", 1, "a")]
    t.sink.close()


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        pytest.param("k BIGINT, v STRING", "", id="plain", marks=SOMETIMES),
        pytest.param(
            "k STRING, v STRING",
            "WITH ('connector' = 'delta', 'changelog' = 'true')",
            id="feed",
            marks=SOMETIMES,
        ),
        pytest.param(
            "k STRING, v STRING, w STRING",
            "PARTITIONED BY (v)",
            id="partitioned",
            marks=SOMETIMES,
        ),
    ],
)
def test_a_key_in_several_partitions_is_reported_once(
    session: Session, columns: str, more: str
) -> None:
    """Within a batch, and across batches: put or deleted by another partition than before."""
    width = columns.count(",")

    def row(kind: str, key: int, value: str, *at: int) -> Change:
        return (kind, key if "BIGINT" in columns else f"{key}", *[value] * width, at)

    cases: dict[str, list[list[Change]]] = {
        "batch": [[row("+U", 1, "c", 0, 2, 0), row("+U", 1, "d", 1, 2, 0)]],
        "put": [[row("+U", 1, "c", 1, 2, 0)]],
        "deleted": [[row("-D", 1, "c", 1, 2, 0)]],
        "later": [
            [row("+U", 1, "c", 0, 2, 0)],
            [row("-D", 3, "b", 1, 2, 0), row("+I", 4, "b", 1, 3, 0)],
            [row("+U", 1, "c", 1, 4, 0)],
        ],
    }
    for name, batches in cases.items():
        t = Keyed(session, f"{columns}, PRIMARY KEY (k) NOT ENFORCED", more, name)
        t.apply(row("+I", 1, "a", 0, 1, 0), row("+I", 2, "b", 1, 1, 0), row("+I", 3, "b", 1, 1, 1))
        for batch in batches[:-1]:
            t.apply(*batch)
            t.session._engine.store.compaction.merge_files(t.session._engine.spark(), t.table)
        assert t.sink.notices() == [], name
        t.apply(*batches[-1])
        ((kind, text),) = t.sink.notices()
        assert kind == "KEY_IN_SEVERAL_PARTITIONS"
        assert f"A key of {t.table.full_name} has changes in partitions 0 and 1," in text, name
        t.apply(row("+U", 1, "c", 0, 9, 0), row("+U", 1, "d", 1, 9, 0))
        assert t.sink.notices() == [], name
        t.sink.close()


def test_keys_that_stay_in_their_partition_are_not_reported(session: Session) -> None:
    """Nor those that were deleted before, whose place nothing knows, or that have a sequence."""
    t = Keyed(session, COLUMNS)
    t.apply(("+I", 1, "a", (0, 1, 0)), ("+I", 2, "b", (1, 1, 0)), ("-D", 9, None, (0, 2, 0)))
    t.apply(("+U", 1, "a", (0, 3, 0)), ("-D", 2, None, (1, 3, 0)), ("+I", 9, "c", (1, 4, 0)))
    t.apply(("+I", 2, "b", (0, 5, 0)), ("-D", 1, None, (0, 6, 0)))
    t.reopen()
    t.apply(("+U", 2, "c", (1, 7, 0)), ("+U", 9, "c", (0, 7, 0)))
    assert t.sink.notices() == []
    assert t.all() == [(2, "c"), (9, "c")]
    t.sink.close()
    more = "WITH ('connector' = 'delta', 'sequence.field' = 'v')"
    t = Keyed(session, COLUMNS, more, "ordered")
    t.apply(("+I", 1, "2", (0, 1, 0)), ("+I", 1, "3", (1, 1, 0)))
    t.apply(("+U", 1, "1", (0, 2, 0)))
    assert t.sink.notices() == []
    assert t.all() == [(1, "3")]
    t.sink.close()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("'sequence.field' = 'x'", "x is not a column of the table that has an order"),
        ("'changelog.column' = 'v'", "a table with a PRIMARY KEY applies changes"),
    ],
)
def test_options_that_do_not_fit(session: Session, options: str, text: str) -> None:
    with pytest.raises(SluiceError, match=text):
        Keyed(session, COLUMNS, f"WITH ('connector' = 'delta', {options})")
