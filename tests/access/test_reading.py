"""What users read: columns, rows, views; by ClickHouse's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from access.lab import Lab, fails, refused, rows
from sluice import errors

if TYPE_CHECKING:
    from sluice.session import Session


@pytest.fixture(scope="module")
def alice(lab: Lab) -> Session:
    """She may read one column of db.t, and all of db.u."""
    return lab.user("alice", "SELECT(a) ON db.t", "SELECT ON db.u")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM db.t",
        "SELECT a AS b FROM db.t ORDER BY b",
        "SELECT count() FROM db.t",
        "SELECT t.a FROM db.t AS t JOIN db.u AS u ON t.a = u.a",
        "WITH a AS b SELECT b FROM db.t",
        "SELECT x.a FROM (SELECT a FROM db.t) AS x",
        "SELECT * FROM db.u",
        "SELECT 'b', `a` FROM db.t WHERE a IN (SELECT a FROM db.u)",
    ],
)
def test_columns_that_are_granted(alice: Session, query: str) -> None:
    rows(alice, query)


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT b FROM db.t", "b"),
        ("SELECT * FROM db.t", "a, b, c"),
        ("SELECT * EXCEPT (b) FROM db.t", "a, c"),
        ("SELECT COLUMNS('b|c') FROM db.t", "b, c"),
        ("SELECT a FROM db.t WHERE b = 'x'", "a, b"),
        ("SELECT a FROM db.t ORDER BY b", "a, b"),
        ("SELECT a FROM db.t GROUP BY a HAVING max(b) = 'x'", "a, b"),
        ("SELECT (SELECT max(b) FROM db.t)", "b"),
        ("SELECT a FROM db.u WHERE a IN (SELECT a FROM db.t WHERE c = 1)", "a, c"),
        ("SELECT u.a FROM db.u AS u JOIN db.t AS t ON u.a = t.a AND t.c = 1", "a, c"),
        ("SELECT b AS a FROM db.t", "b"),
        ("SELECT a AS `x, column_name: a, result_type: UInt8, source_id: 3`, b FROM db.t", "a, b"),
        ("SELECT b AS `a\n, column_name: a, result_type: UInt8, source_id: 3` FROM db.t", "b"),
        ("WITH t AS (SELECT b FROM db.t) SELECT * FROM t", "b"),
    ],
)
def test_columns_that_are_not(alice: Session, query: str, columns: str) -> None:
    told = refused(alice, query)
    wanted = set(columns.split(", "))
    named = told.partition("SELECT(")[2].partition(")")[0].split(", ")
    assert wanted <= set(named), told
    assert "ON db.t" in told


def test_columns_for_spark(lab: Lab, alice: Session) -> None:
    refused(alice, "SELECT b FROM db.t SETTINGS sluice_engine = 'spark'")
    refused(alice, "DESCRIBE (SELECT b FROM db.t)")
    inserter = lab.user("inserter", "INSERT(a) ON db.u", "SELECT(a) ON db.t")
    refused(inserter, "INSERT INTO db.u (a) SELECT c FROM db.t")
    refused(inserter, "INSERT INTO db.t (a) VALUES (1)")
    refused(lab.user("partly", "INSERT(a) ON db.t"), "INSERT INTO db.t VALUES (1, 'x', 1)")


def test_what_is_shown_of_a_table(alice: Session) -> None:
    assert rows(alice, "SHOW TABLES FROM db") == [("t",), ("u",)]
    assert rows(alice, "SHOW DATABASES") == [("db",)]
    assert rows(alice, "SELECT name FROM system.columns WHERE table = 't'") == [("a",)]
    assert rows(alice, "SELECT table_name FROM information_schema.tables") == [("t",), ("u",)]
    refused(alice, "DESCRIBE db.t")
    assert rows(alice, "DESCRIBE db.u")[0][0] == "a"


def test_columns_that_come_near_are_not_named(alice: Session) -> None:
    with pytest.raises(errors.SluiceError) as caught:
        rows(alice, "SELECT bb FROM db.t")
    assert "'b'" not in str(caught.value)
    assert "eant" not in str(caught.value)


def test_who_the_user_is(alice: Session) -> None:
    assert rows(
        alice, "SELECT currentUser(), user() AS u, upper(currentUser()), 'currentUser()'"
    ) == [("alice", "alice", "ALICE", "currentUser()")]
    result = alice.execute("SELECT currentUser()")
    assert [column.name for column in result.columns] == ["currentUser()"]


def test_a_view_is_read_by_its_name(lab: Lab) -> None:
    rows(lab.user("viewer", "SELECT ON db.v"), "SELECT * FROM db.v")
    refused(lab.user("viewer", "SELECT ON db.v"), "SELECT * FROM db.u")


def test_a_query_under_a_name_is_read_with_the_rights_of_its_reader(lab: Lab) -> None:
    """As ClickHouse's default SQL SECURITY INVOKER; DEFINER gives nobody more."""
    security = "DEFINER = CURRENT_USER SQL SECURITY DEFINER"
    lab.run(f"CREATE VIEW db.named {security} AS SELECT a, c FROM db.t WHERE b != ''")
    assert "db.t" in refused(lab.user("reader", "SELECT ON db.named"), "SELECT a FROM db.named")
    part = lab.user("reader", "SELECT ON db.named", "SELECT(a, c) ON db.t")
    assert "b" in refused(part, "SELECT a FROM db.named")
    lab.run("GRANT SELECT(b) ON db.t TO reader")
    rows(part, "SELECT * FROM db.named")
    column = lab.user("columns", "SELECT(a) ON db.named", "SELECT ON db.t")
    rows(column, "SELECT a FROM db.named")
    refused(column, "SELECT c FROM db.named")
    refused(column, "SELECT * FROM db.named SETTINGS sluice_engine = 'spark'")
    lab.run("CREATE ROW POLICY OR REPLACE p ON db.named USING a = 1 TO columns")
    refused(column, "SELECT a FROM db.named SETTINGS sluice_engine = 'spark'")
    lab.run("DROP ROW POLICY p ON db.named", "DROP VIEW db.named")


def test_a_view_with_parameters_is_read_with_the_rights_of_its_reader(lab: Lab) -> None:
    lab.run("CREATE VIEW db.some AS SELECT a, c FROM db.t WHERE b = {b:String}")
    call = "SELECT a FROM db.some(b = '')"
    assert "db.some" in refused(lab.user("caller", "SELECT ON db.t"), call)
    named = lab.user("caller", "SELECT ON db.some", "SELECT(a, c) ON db.t")
    assert "b, c) ON db.t" in refused(named, call)
    lab.run("GRANT SELECT(b) ON db.t TO caller")
    assert rows(named, "SELECT * FROM db.some(b = '')") == []
    column = lab.user("columns", "SELECT(a) ON db.some", "SELECT ON db.t")
    assert rows(column, "SELECT a FROM db.some(b = 'it')") == []
    assert "(c) ON db.some" in refused(column, "SELECT c FROM db.some(b = '')")
    creator = lab.user("creator", "CREATE VIEW ON db.*", "SELECT(a) ON db.t")
    refused(creator, "CREATE VIEW db.mine AS SELECT b FROM db.t WHERE a = {x:UInt8}")
    refused(creator, "CREATE VIEW db.mine AS SELECT a FROM db.t WHERE b = {x:String}")
    lab.run("DROP VIEW db.some")


def test_merge_reads_with_the_rights_of_its_reader(lab: Lab, alice: Session) -> None:
    assert rows(alice, "SELECT a, _table FROM merge('db', '^u$') WHERE _database = 'db'") == []
    told = refused(alice, "SELECT a FROM merge('db', '^(t|u)$')")
    assert "ON db.t" in told
    nobody = lab.user("nobody", "SHOW DATABASES ON db.*")
    fails(nobody, "SELECT * FROM merge('db', '.')", "NO_TABLES_TO_MERGE")
    lab.run("CREATE VIEW db.lit AS SELECT 1 AS a", "GRANT SELECT ON db.lit TO alice")
    assert rows(alice, "SELECT a, _table FROM merge(REGEXP('^db$'), '^lit$')") == [(1, "lit")]
    lab.run("CREATE ROW POLICY none ON db.lit USING a = 2 TO alice")
    assert rows(alice, "SELECT * FROM merge('db', '^lit$')") == []
    lab.run("DROP ROW POLICY none ON db.lit", "DROP VIEW db.lit")


def test_functions_give_nobody_more_rights(lab: Lab) -> None:
    lab.run("CREATE FUNCTION peek AS (x) -> x + c", "CREATE FUNCTION plus1 AS (x) -> x + 1")
    part = lab.user("part", "SELECT(a) ON db.t")
    assert rows(part, "SELECT plus1(a) FROM db.t") == []
    assert "(a, c) ON db.t" in refused(part, "SELECT peek(a) FROM db.t")
    maker = lab.user("maker", "SELECT(a) ON db.t", "SELECT, INSERT ON db.u", "CREATE VIEW ON db.*")
    made = "CREATE MATERIALIZED VIEW db.m TO db.u AS SELECT {}(a) AS a FROM db.t"
    assert "(a, c) ON db.t" in refused(maker, made.format("peek"))
    rows(maker, made.format("plus1"))
    lab.run("DROP VIEW db.m")
    lab.run("DROP FUNCTION peek", "DROP FUNCTION plus1")


def test_a_view_may_be_made_by_whom_a_row_policy_applies_to(lab: Lab) -> None:
    """Its readers have policies of their own, as in ClickHouse."""
    maker = lab.user("maker", "SELECT ON db.t", "CREATE VIEW ON db.*", "INSERT ON db.u")
    lab.run("CREATE ROW POLICY OR REPLACE p ON db.t USING a = 1 TO maker")
    rows(maker, "CREATE VIEW db.made AS SELECT a FROM db.t")
    kept = "CREATE MATERIALIZED VIEW db.kept TO db.u AS SELECT a FROM db.t"
    assert "row policy" in refused(
        lab.user("maker", "SELECT ON db.*", "CREATE VIEW ON db.*", "INSERT ON db.u"), kept
    )
    lab.run("DROP ROW POLICY p ON db.t", "DROP VIEW db.made")


def test_what_a_statement_stores_is_read_with_the_rights_of_its_user(lab: Lab) -> None:
    grants = ("CREATE TABLE ON db.*", "INSERT ON db.n", "INSERT ON db.u", "SELECT(a) ON db.t")
    user = lab.user("storer", *grants)
    for engine in ("", " SETTINGS sluice_engine = 'spark'"):
        refused(user, f"CREATE TABLE db.n ENGINE = Memory AS SELECT b FROM db.t{engine}")
        refused(user, f"INSERT INTO db.u (a) SELECT a FROM db.t WHERE b = ''{engine}")
    refused(user, "CREATE TABLE db.o ENGINE = Memory AS SELECT a FROM db.t")
    refused(user, "CREATE OR REPLACE TABLE db.n ENGINE = Memory AS SELECT a FROM db.t")


def test_a_view_needs_the_rights_of_its_creator(lab: Lab) -> None:
    create = "CREATE MATERIALIZED VIEW db.w TO db.u AS SELECT a FROM db.q"
    grants = ["CREATE VIEW ON db.*", "SELECT ON db.q", "INSERT ON db.u", "SELECT ON db.u"]
    for missing in grants:
        refused(lab.user("maker", *(each for each in grants if each != missing)), create)
    rows(lab.user("maker", *grants), create)
    lab.run("DROP VIEW db.w")


def test_a_kafka_table_needs_its_source(lab: Lab) -> None:
    user = lab.user("creator", "CREATE TABLE ON db.*", "SELECT ON db.*")
    kafka = "CREATE TABLE db.k (a UInt64) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')"
    assert "KAFKA ON *.*" in refused(user, kafka)
    refused(user, "CREATE TABLE db.k AS db.q")
    user = lab.user("changer", "ALTER SETTINGS ON db.*")
    refused(user, "ALTER TABLE db.q MODIFY SETTING kafka_broker_list = 'evil:9092'")


def test_options_of_flink_that_lead_elsewhere(lab: Lab) -> None:
    grants = ("SELECT ON *.*", "INSERT ON *.*", "CREATE TABLE ON *.*", "ALTER TABLE ON *.*")
    user = lab.user("flinker", *grants)
    for text, missing in (
        ("CREATE TABLE k (a INT) WITH ('connector' = 'kafka', 'topic' = 't')", "KAFKA"),
        ("CREATE TABLE k (a INT) WITH ('path' = 'tables/x')", "FILE"),
        ("CREATE TABLE k (a INT) WITH ('path' = 's3a://b/x')", "S3"),
        ("ALTER TABLE flinks SET ('path' = 'x')", "FILE"),
        ("SELECT a FROM flinks /*+ OPTIONS('properties.bootstrap.servers' = 'evil') */", "KAFKA"),
        ("INSERT INTO flinks /*+ OPTIONS('a' = 'b') */ SELECT a FROM flinks", "KAFKA"),
    ):
        assert f"the grant {missing} ON *.*" in refused(user, text, "flink")


def test_consuming_needs_a_grant(lab: Lab) -> None:
    """CH-55: SYSTEM STOP and START of a table need a grant on it."""
    assert "SYSTEM STREAMING ENGINES ON db.q" in refused(lab.user("stopper"), "SYSTEM STOP db.q")
    allowed = lab.user("stopper", "SYSTEM STREAMING ENGINES ON db.q")
    rows(allowed, "SYSTEM STOP db.q")
    rows(allowed, "SYSTEM START db.q")
    refused(allowed, "SYSTEM STOP ALL BACKGROUND")


def test_hints_are_for_those_who_see_everything(lab: Lab) -> None:
    for user, told in (("default", True), ("partial", False)):
        session = lab.session.child(user=user) if told else lab.user(user, "SELECT ON db.*")
        with pytest.raises(errors.SluiceError) as caught:
            rows(session, "SELECT * FROM db.tt")
        assert ("Did you mean t" in str(caught.value)) is told


def row_filter(lab: Lab, user: str) -> str | None:
    return lab.session.child(user=user).access.row_filter("db", "t")


def test_conditions_of_row_policies(lab: Lab) -> None:
    lab.run("CREATE ROLE OR REPLACE seers")
    for user in ("one", "two", "three"):
        lab.user(user, "SELECT ON db.*")
    lab.run("GRANT seers TO two")
    lab.run("CREATE ROW POLICY OR REPLACE p ON db.t USING a = 1 TO one, seers")
    assert row_filter(lab, "one") == "((a = 1))"
    assert row_filter(lab, "two") == "((a = 1))"
    assert row_filter(lab, "three") == "0"
    lab.run("CREATE ROW POLICY OR REPLACE p2 ON db.t USING c = 2 TO seers")
    assert row_filter(lab, "two") == "((a = 1) OR (c = 2))"
    own = "USING b = currentUser() AS restrictive TO ALL"
    lab.run(f"CREATE ROW POLICY OR REPLACE p3 ON db.t {own}")
    assert row_filter(lab, "one") == "((a = 1)) AND (b = currentUser())"
    assert rows(lab.session.child(user="one"), "SELECT count() FROM db.t") == [(0,)]
    refused(
        lab.user("one", "SELECT ON db.*", "CREATE VIEW ON db.*", "INSERT ON db.*"),
        "CREATE MATERIALIZED VIEW db.w TO db.u AS SELECT a FROM db.t",
    )
    lab.run("DROP ROW POLICY p ON db.t", "DROP ROW POLICY p2, p3 ON db.t")
    assert row_filter(lab, "three") is None


def test_the_same_text_means_what_it_means_now(lab: Lab) -> None:
    """What is kept of a query's text knows nothing of tables, rights and settings."""
    text = "SELECT * FROM db.same"
    lab.run("CREATE VIEW db.same AS SELECT 1 AS a")
    carol = lab.user("carol", "SELECT ON db.same")
    assert [rows(carol, text) for _ in range(2)] == [[(1,)]] * 2
    lab.run("CREATE OR REPLACE VIEW db.same AS SELECT 2 AS a, 'x' AS b")
    assert rows(carol, text) == [(2, "x")]
    lab.run("CREATE ROW POLICY none ON db.same USING a = 1 TO carol")
    assert rows(carol, text) == []
    lab.run("DROP ROW POLICY none ON db.same", "REVOKE SELECT ON db.same FROM carol")
    refused(carol, text)
    lab.run("GRANT SELECT(a) ON db.same TO carol")
    assert "b" in refused(carol, text)
    lab.run("GRANT SELECT ON db.same TO carol")
    assert rows(carol, text) == [(2, "x")]
    lab.run("DROP VIEW db.same")
    fails(carol, text, "UNKNOWN_TABLE")
    lab.run("CREATE VIEW db.same AS SELECT getSetting('max_threads') AS a")
    assert rows(carol, text, settings={"max_threads": "3"}) == [(3,)]
    assert rows(carol, text, settings={"max_threads": "5"}) == [(5,)]
    lab.run("DROP VIEW db.same")
