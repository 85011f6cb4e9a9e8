"""Tables in Delta Lake: what is written comes back, exactly once, and where it may."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from engine import lab
from sluice.errors import SluiceError
from sluice.kafka.producer import Message
from sluice.session import jobs

if TYPE_CHECKING:
    from pathlib import Path

    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Row
    from sluice.catalog import Table


def refused(flink: FlinkLab, sql: str) -> str:
    with pytest.raises(SluiceError) as caught:
        flink.sql(sql)
    return caught.value.text()


def table(flink: FlinkLab, name: str) -> Table:
    found = flink.session._engine.catalog.find(flink.database, name)
    assert found is not None
    return found


def commits(flink: FlinkLab, name: str) -> list[dict[str, object]]:
    return lab.commits(flink.session, table(flink, name))


def keyed(*values: str) -> list[Message]:
    """Messages, all of one key, so of one partition."""
    return [Message(value.encode(), b"k") for value in values]


def run_last_batch_again(flink: FlinkLab, folder: Path, job: str) -> None:
    """As if the process had been killed after the table's commit and before Spark's own."""
    engine = flink.session._engine
    engine.supervisor.stop(job)
    done = folder / "checkpoints" / job / "1" / "commits"
    last = max(int(path.name) for path in done.iterdir() if path.name.isdecimal())
    (done / str(last)).unlink()
    (done / f".{last}.crc").unlink(missing_ok=True)
    kept = engine.catalog.jobs.find(job)
    assert kept is not None
    jobs._resume(engine, kept)
    eventually(lambda: (done / str(last)).exists(), bool, 120)


@pytest.mark.slow
def test_groups_are_merged_by_their_key(flink: FlinkLab, folder: Path) -> None:
    """GROUP BY without a window: rows change in a table with a PRIMARY KEY, and nowhere else."""
    flink.make_topic("delta-groups", 2)
    flink.table("s", "p STRING", "delta-groups", format="raw")
    flink.sql("CREATE TABLE t (n BIGINT, k STRING, PRIMARY KEY (k) NOT ENFORCED)")
    flink.sql("CREATE TABLE total (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED)")
    flink.sql("CREATE TABLE plain (n BIGINT, k STRING)")
    query = "SELECT COUNT(*), p FROM s GROUP BY p"
    assert (
        f"Table sink 'default_catalog.{flink.database}.plain' doesn't support consuming update "
        "changes which is produced by node GroupAggregate(groupBy=[p]"
    ) in refused(flink, f"INSERT INTO plain {query}")
    hidden = "SELECT COUNT(*), CAST(CHAR_LENGTH(p) AS STRING) FROM s GROUP BY p"
    assert "does not select all columns of their key" in refused(flink, f"INSERT INTO t {hidden}")
    other = "SELECT p, COUNT(*) FROM s GROUP BY p"
    flink.sql("CREATE TABLE keyed (k STRING, n BIGINT, PRIMARY KEY (n) NOT ENFORCED)")
    assert "the query have the key (k), but" in refused(flink, f"INSERT INTO keyed {other}")

    job = flink.start(f"INSERT INTO t {query}")
    whole = flink.start("INSERT INTO total SELECT 'all', COUNT(*) FROM s")
    flink.produce("delta-groups", *(Message(b"ab"[n % 2 : n % 2 + 1]) for n in range(5)))
    flink.arrives("SELECT k, n FROM t ORDER BY k", [("a", 3), ("b", 2)])
    flink.produce("delta-groups", Message(b"b"), Message(b"c"))
    flink.arrives("SELECT k, n FROM t ORDER BY k", [("a", 3), ("b", 3), ("c", 1)])
    flink.arrives("SELECT name, n FROM total", [("all", 7)])

    made = commits(flink, "t")
    assert {each["operation"] for each in made[1:]} == {"WRITE"}
    assert all(job in str(each["userMetadata"]) for each in made[1:])
    assert all(whole in str(each["userMetadata"]) for each in commits(flink, "total")[1:])
    run_last_batch_again(flink, folder, job)
    assert len(commits(flink, "t")) == len(made)
    flink.produce("delta-groups", Message(b"c"))
    flink.arrives("SELECT k, n FROM t ORDER BY k", [("a", 3), ("b", 3), ("c", 2)])


@pytest.mark.slow
def test_the_last_row_of_a_key_stays(flink: FlinkLab, folder: Path) -> None:
    """A query that only adds rows, into a table with a key: two jobs, columns, and a DROP."""
    for topic in ("delta-keys-a", "delta-keys-b"):
        flink.make_topic(topic)
    columns = (
        "p STRING, k AS CAST(SPLIT_INDEX(p, ',', 0) AS INT), v AS SPLIT_INDEX(p, ',', 1), "
        "o BIGINT METADATA FROM 'offset' VIRTUAL"
    )
    flink.table("a", columns, "delta-keys-a", format="raw")
    flink.table("b", columns, "delta-keys-b", format="raw")
    flink.sql(
        "CREATE TABLE t (k INT, v STRING, o BIGINT, PRIMARY KEY (k) NOT ENFORCED) "
        "PARTITIONED BY (k) WITH ('connector' = 'delta')"
    )
    flink.produce("delta-keys-a", *keyed("1,x", "2,x", "1,y", "2,y", "1,z", "3,x"))
    one = flink.start("INSERT INTO t SELECT k, v, o FROM a")
    want: list[Row] = [(1, "z", 4), (2, "y", 3), (3, "x", 5)]
    flink.arrives("SELECT * FROM t ORDER BY k", want)
    two = flink.start("INSERT INTO t (v, k) SELECT v, k FROM b")
    flink.produce("delta-keys-b", *keyed("3,b", "4,b"))
    flink.produce("delta-keys-a", *keyed("5,a"))
    want = [*want[:2], (3, "b", None), (4, "b", None), (5, "a", 6)]
    flink.arrives("SELECT * FROM t ORDER BY k", want)

    flink.sql("ALTER TABLE t ADD at TIMESTAMP(3)")
    made = len(commits(flink, "t"))
    run_last_batch_again(flink, folder, one)
    assert len(commits(flink, "t")) == made
    flink.produce("delta-keys-a", *keyed("6,a"))
    flink.arrives("SELECT k, v, at FROM t WHERE k > 4 ORDER BY k", [(5, "a", None), (6, "a", None)])
    engine = flink.session._engine
    assert f"is used by job {one}" in refused(flink, "DROP TABLE t")
    engine.store.remove(table(flink, "t"))
    flink.produce("delta-keys-a", *keyed("7,a"))
    flink.job_becomes(one, "FAILED(TABLE_DROPPED)")
    assert not engine.store.path(table(flink, "t")).exists()
    assert flink.job(two)[2] == "RUNNING"


TYPES = {
    "b": ("BOOLEAN", "TRUE", True),
    "i8": ("TINYINT", "CAST(-128 AS TINYINT)", -128),
    "i16": ("SMALLINT", "CAST(7 AS TINYINT)", 7),
    "i32": ("INT", "2147483647", 2147483647),
    "i64": ("BIGINT", "5", 5),
    "f": ("FLOAT", "CAST(1.5 AS FLOAT)", 1.5),
    "d": ("DOUBLE", "1.25", 1.25),
    "dec": ("DECIMAL(38, 18)", "12345678901234567890.123456789012345678",
            Decimal("12345678901234567890.123456789012345678")),
    "s": ("STRING", "'ä'", "ä"),
    "c": ("CHAR(3)", "'abcd'", "abcd"),
    "v": ("VARCHAR(2)", "'abc'", "abc"),
    "x": ("BYTES", "X'00ff'", b"\x00\xff"),
    "bin": ("BINARY(3)", "X'01'", b"\x01"),
    "day": ("DATE", "DATE '2020-02-29'", dt.date(2020, 2, 29)),
    "t": ("TIME(3)", "TIME '10:11:12.345'", "10:11:12.345"),
    "ts": ("TIMESTAMP(3)", "CAST('2020-01-02 03:04:05.678912' AS TIMESTAMP(6))",
           dt.datetime(2020, 1, 2, 3, 4, 5, 678000)),  # noqa: DTZ001
    "ltz": ("TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(1600000000123, 3)",
            dt.datetime(2020, 9, 13, 12, 26, 40, 123000)),  # noqa: DTZ001
    "a": ("ARRAY<BIGINT>", "ARRAY[1, 2]", [1, 2]),
    "m": ("MAP<STRING, INT>", "MAP['k', 1]", {"k": 1}),
    "r": ("ROW<n INT, `o p` STRING>", "ROW(1, 'x')", {"n": 1, "o p": "x"}),
}  # fmt: skip
"""A column, its type, a value that is written into it, and what is read from it."""


def test_every_type_there_and_back(flink: FlinkLab) -> None:
    """Values and NULLs; what is too long stays so unless it is to be cut, and a NULL is refused."""
    columns = ", ".join(f"`{name}` {type_}" for name, (type_, _, _) in TYPES.items())
    flink.sql(f"CREATE TABLE t ({columns}, w AS i64 * 2) PARTITIONED BY (day)")
    flink.sql("INSERT INTO t SELECT " + ", ".join(value for _, value, _ in TYPES.values()))
    flink.sql("INSERT INTO t (s) VALUES ('alone')")
    (full,) = flink.sql("SELECT * FROM t WHERE b")
    got = dict(zip([*TYPES, "w"], full, strict=True))
    wanted = {name: value for name, (_, _, value) in TYPES.items()} | {"w": 10}
    got["ltz"] = got["ltz"].replace(tzinfo=None)
    got["r"] = (
        got["r"] if isinstance(got["r"], dict) else dict(zip(("n", "o p"), got["r"], strict=True))
    )
    assert got == wanted
    (empty,) = flink.sql("SELECT * FROM t WHERE b IS NULL")
    assert [value for value in empty if value is not None] == ["alone"]

    said = refused(flink, "INSERT INTO t (i32, s) SELECT CAST(1 AS BIGINT), 'x'")
    assert "do not match.\nCause: Incompatible types for sink column 'i32' at position 0." in said
    assert "Sink schema:  [i32: INT, s: STRING]" in said
    assert "Different number of columns." in refused(flink, "INSERT INTO t (i32, s) SELECT 1")

    flink.sql("SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'")
    flink.sql("INSERT INTO t (s, c, v, bin) VALUES ('cut', 'a', 'abc', X'01')")
    flink.sql("RESET 'table.exec.sink.type-length-enforcer'")
    assert flink.sql("SELECT c, v, bin FROM t WHERE s = 'cut'") == [("a  ", "ab", b"\x01\x00\x00")]

    flink.sql("CREATE TABLE n (a INT NOT NULL, b STRING)")
    said = refused(flink, "INSERT INTO n SELECT i32, s FROM t")
    assert (
        "Column 'a' is NOT NULL, however, a null value is being written into it. You can set job "
        "configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and "
        "drop such records silently."
    ) in said
    assert "Column 'a' has no default value" in refused(flink, "INSERT INTO n (b) VALUES ('x')")
    flink.sql("SET 'table.exec.sink.not-null-enforcer' = 'DROP'")
    flink.sql("INSERT INTO n SELECT i32, s FROM t")
    assert flink.sql("SELECT * FROM n") == [(2147483647, "ä")]
    flink.sql("CREATE TABLE f (d DECIMAL(3, 1), e DECIMAL(3, 1) NOT NULL)")
    flink.sql("INSERT INTO f VALUES (99.95, 1), (99.94, 2), (3, 99.95)")
    assert flink.sql("SELECT * FROM f ORDER BY e") == [(None, 1), (Decimal("99.9"), 2)]


@pytest.mark.slow
def test_overwrite(flink: FlinkLab) -> None:
    """INSERT OVERWRITE replaces a table, or the partitions it has rows for; never without end."""
    flink.produce("delta-over", *(Message(str(n).encode()) for n in range(3)))
    bounded = {"format": "raw", "scan__bounded__mode": "latest-offset"}
    flink.table("s", "p STRING", "delta-over", **bounded)
    flink.table("endless", "p STRING", "delta-over", format="raw")
    flink.sql("CREATE TABLE t (a INT)")
    flink.sql("CREATE TABLE p (a INT, day STRING) PARTITIONED BY (day)")
    flink.sql("INSERT INTO t VALUES (7)")
    flink.sql("INSERT INTO p VALUES (1, 'x'), (2, 'y')")
    job = flink.start("INSERT OVERWRITE t SELECT CAST(p AS INT) FROM s")
    flink.job_becomes(job, "FINISHED")
    assert flink.sql("SELECT * FROM t ORDER BY a") == [(0,), (1,), (2,)]
    flink.sql("INSERT OVERWRITE p SELECT a + 10, 'y' FROM t")
    assert flink.sql("SELECT * FROM p ORDER BY a") == [(1, "x"), (10, "y"), (11, "y"), (12, "y")]
    said = refused(flink, "INSERT OVERWRITE t SELECT CAST(p AS INT) FROM endless")
    assert "which is unbounded" in said
    assert "SupportsOverwrite" in refused(flink, "INSERT OVERWRITE s SELECT 'x'")


def test_tables_at_a_path(flink: FlinkLab, folder: Path) -> None:
    """A new table at a path, the same one under another name, and what is left when both go."""
    with_path = "WITH ('connector' = 'delta', 'path' = '{}')".format("lake/of mine")
    columns = "a INT, at TIMESTAMP(3), day STRING"
    flink.sql(f"CREATE TABLE t ({columns}) PARTITIONED BY (day) {with_path}")
    assert flink.sql("SELECT * FROM t") == []
    flink.sql("INSERT INTO t VALUES (1, TIMESTAMP '2020-01-01 00:00:00.000', 'x')")
    place = folder / "lake" / "of mine"
    assert (place / "day=x").is_dir()
    for bad, why in {
        "a BIGINT, at TIMESTAMP(3), day STRING": "column a is int in its files, and bigint",
        "a INT, at TIMESTAMP(3), day STRING, more INT": "column more is not there in its files",
        "a INT, day STRING": "column at is timestamp_ntz in its files, and not in the statement",
    }.items():
        assert why in refused(flink, f"CREATE TABLE u ({bad}) PARTITIONED BY (day) {with_path}")
    assert "its partitions are (day)" in refused(flink, f"CREATE TABLE u ({columns}) {with_path}")
    flink.sql(f"CREATE TABLE u ({columns}) PARTITIONED BY (day) {with_path}")
    flink.sql("INSERT INTO u (a, day) VALUES (2, 'y')")
    assert flink.sql("SELECT a, day FROM t ORDER BY a") == [(1, "x"), (2, "y")]
    hint = "SELECT * FROM t /*+ OPTIONS('path' = 'lake') */"
    assert "a table stays where it is" in refused(flink, hint)
    engine = flink.session._engine
    assert engine.maintenance.maintain(table(flink, "t"), many=2)
    flink.sql("INSERT INTO t (a, day) VALUES (3, 'y')")
    flink.sql("DROP TABLE t")
    flink.sql("DROP TABLE u")
    assert list(place.glob("day=y/*.parquet"))
    flink.sql(f"CREATE TABLE again ({columns}) PARTITIONED BY (day) {with_path}")
    assert flink.sql("SELECT COUNT(*) FROM again") == [(3,)]
