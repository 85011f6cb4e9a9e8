"""Settings profiles and quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from access.lab import Lab, fails, rows

if TYPE_CHECKING:
    from pathlib import Path


def test_a_profile_limits_results(lab: Lab) -> None:
    lab.run("CREATE SETTINGS PROFILE OR REPLACE small SETTINGS max_result_rows = 2 MAX 5")
    user = lab.user("limited", settings="SETTINGS PROFILE small")
    rows(user, "SELECT number FROM numbers(2)")
    with pytest.raises(Exception, match="rows"):
        rows(user, "SELECT number FROM numbers(3)")
    rows(user, "SELECT number FROM numbers(3) SETTINGS max_result_rows = 5")
    fails(user, "SELECT 1 SETTINGS max_result_rows = 6", "SETTING_CONSTRAINT_VIOLATION")
    fails(user, "SET max_result_rows = 6", "SETTING_CONSTRAINT_VIOLATION")
    fails(user, "SELECT 1", "SETTING_CONSTRAINT_VIOLATION", settings={"max_result_rows": "6"})
    inner = "SELECT * FROM (SELECT 1 SETTINGS max_result_rows = 9)"
    fails(user, inner, "SETTING_CONSTRAINT_VIOLATION")
    rows(user, "SELECT 1 AS `SETTINGS`, 'a SETTINGS b'")


def test_a_constant_setting(lab: Lab) -> None:
    user = lab.user("constant", settings="SETTINGS max_execution_time = 5 CONST")
    rows(user, "SELECT 1 SETTINGS max_execution_time = 5")
    fails(user, "SELECT 1 SETTINGS max_execution_time = 4", "SETTING_CONSTRAINT_VIOLATION")


@pytest.mark.parametrize("readonly", [1, 2])
def test_read_only_users(lab: Lab, readonly: int) -> None:
    user = lab.user("reader", "ALL ON *.*", settings=f"SETTINGS readonly = {readonly}")
    rows(user, "SELECT 1")
    for text in ("CREATE DATABASE n", "DROP TABLE db.t", "GRANT SELECT ON *.* TO reader"):
        fails(user, text, "READONLY")
    fails(user, "SET readonly = 0", "SETTING_IS_READONLY")
    if readonly == 1:
        fails(user, "SET max_result_rows = 5", "SETTING_IS_READONLY")
    else:
        rows(user, "SET max_result_rows = 5")


def test_time_is_limited(lab: Lab) -> None:
    user = lab.user("hasty", settings="SETTINGS max_execution_time = 0.2")
    fails(user, "SELECT count() FROM numbers(100000000000)", "TIMEOUT_EXCEEDED")


def test_memory_is_limited(lab: Lab) -> None:
    user = lab.user("small", settings="SETTINGS max_memory_usage = 30000000 MAX 40000000")
    query = "SELECT length(groupArray(number)) FROM numbers(10000000)"
    fails(user, query, "MEMORY_LIMIT_EXCEEDED")
    for more in ("0", "50000000"):  # 0 is no limit
        text = f"{query} SETTINGS max_memory_usage = {more}"
        fails(user, text, "SETTING_CONSTRAINT_VIOLATION")
    rows(user, "SELECT 1")


def test_queries_of_a_user_at_a_time(lab: Lab) -> None:
    user = lab.user("alone", settings="SETTINGS max_concurrent_queries_for_user = 1")
    rows(user, "SELECT 1")
    activity = lab.session._engine.activity
    with activity.statement("SELECT 1", "default", "clickhouse", "q-1", "alone") as running:
        running.kind = "Select"
        fails(user, "SELECT 1", "TOO_MANY_SIMULTANEOUS_QUERIES")


def test_a_quota_of_queries_and_errors(lab: Lab) -> None:
    user = lab.user("counted")
    lab.run("CREATE QUOTA OR REPLACE few FOR INTERVAL 1 YEAR MAX queries = 3 TO counted")
    for _ in range(3):
        rows(user, "SELECT 1")
    told = fails(user, "SELECT 1", "QUOTA_EXCEEDED")
    assert "queries = 3/3" in told
    lab.run("ALTER QUOTA few FOR INTERVAL 1 YEAR MAX errors = 1")
    lab.run("DROP QUOTA few")
    lab.run("CREATE QUOTA few FOR INTERVAL 1 YEAR MAX errors = 1 TO counted")
    fails(user, "SELECT nothing_like_it()", "UNKNOWN_FUNCTION")
    fails(user, "SELECT 1", "QUOTA_EXCEEDED")
    assert lab.run("SELECT quota_name, errors FROM system.quotas_usage") == [("few", 1)]
    lab.run("DROP QUOTA few")
    rows(user, "SELECT 1")


def test_result_rows_are_counted(lab: Lab) -> None:
    user = lab.user("greedy")
    lab.run("CREATE QUOTA OR REPLACE rows FOR INTERVAL 1 YEAR MAX result_rows = 10 TO greedy")
    rows(user, "SELECT number FROM numbers(10)")
    fails(user, "SELECT 1", "QUOTA_EXCEEDED")
    lab.run("DROP QUOTA rows")


USERS = """<clickhouse>
  <users>
    <reader>
      <password_sha256_hex>{hash}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>tight</profile>
      <quota>few</quota>
      <grants><query>GRANT SELECT ON db.*</query><query>REVOKE SELECT ON db.u</query></grants>
    </reader>
    <admin>
      <password>S3CR3T</password>
      <networks><ip>::/0</ip></networks>
      <access_management>1</access_management>
    </admin>
  </users>
  <profiles><tight>
    <max_result_rows>7</max_result_rows>
    <constraints><max_result_rows><max>8</max></max_result_rows></constraints>
  </tight></profiles>
  <quotas><few><interval><duration>31556952</duration><queries>4</queries></interval></few></quotas>
</clickhouse>
"""


def test_users_xml(tmp_path: Path) -> None:
    import hashlib

    from sluice.access.logins import Credentials
    from sluice.config import load

    made = hashlib.sha256(b"pw").hexdigest()
    (tmp_path / "users.xml").write_text(USERS.format(hash=made), "utf-8")
    with Lab(tmp_path / "data", config=load(tmp_path / "users.xml")) as lab:
        lab.run("CREATE DATABASE db", "CREATE TABLE db.t (a UInt8) ENGINE = MergeTree ORDER BY a")
        assert lab.run("SELECT name, storage FROM system.users") == [
            ("admin", "users_xml"), ("reader", "users_xml"),
        ]  # fmt: skip
        assert lab.run("SHOW GRANTS FOR reader") == [
            ("GRANT SELECT ON db.* TO reader",),
            ("REVOKE SELECT ON db.u FROM reader",),
        ]
        assert lab.session.login(Credentials("reader", "pw", "127.0.0.1")) == "reader"
        with pytest.raises(Exception, match="Authentication failed"):
            lab.session.login(Credentials("reader", "pw", "10.0.0.1"))
        with pytest.raises(Exception, match="Authentication failed"):
            lab.session.login(Credentials("default", "", "127.0.0.1"))
        user = lab.session.child(user="reader")
        rows(user, "SELECT * FROM db.t")
        fails(user, "SELECT 1 SETTINGS max_result_rows = 9", "SETTING_CONSTRAINT_VIOLATION")
        rows(user, "SELECT 1")
        rows(user, "SELECT 1")
        fails(user, "SELECT 1", "QUOTA_EXCEEDED")
        fails(lab.session, "ALTER USER reader IDENTIFIED BY 'x'", "ACCESS_STORAGE_READONLY")
        fails(lab.session, "DROP USER admin", "ACCESS_STORAGE_READONLY")
        admin = lab.session.child(user="admin")
        rows(admin, "CREATE USER other")
        rows(admin, "GRANT SELECT ON db.t TO other")
