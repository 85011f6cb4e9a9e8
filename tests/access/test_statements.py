"""Users, roles, grants, policies, quotas and profiles: what a user sees of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from access.lab import Lab, fails, refused, rows
from sluice.sql.masking import masked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Lab]:
    """A data folder of a test's own."""
    with Lab(tmp_path / "data") as lab:
        yield lab


@pytest.mark.parametrize(
    ("clauses", "shown"),
    [
        ("", "no_password"),
        ("IDENTIFIED BY 'S3CR3T'", "sha256_password"),
        ("IDENTIFIED WITH plaintext_password BY 'S3CR3T'", "plaintext_password"),
        ("IDENTIFIED WITH bcrypt_password BY 'S3CR3T'", "bcrypt_password"),
        (
            f"IDENTIFIED WITH sha256_hash BY '{'a' * 64}' SALT 'S3CR3T'",
            "sha256_password",
        ),
        (
            "IDENTIFIED WITH bcrypt_password BY 'S3CR3T', ssl_certificate CN 'me'",
            "bcrypt_password, ssl_certificate CN 'me'",
        ),
        (
            "HOST LOCAL, IP '10.0.0.0/8', '::1', NAME 'e.com' DEFAULT DATABASE db",
            "no_password HOST LOCAL, IP '10.0.0.0/8', IP '::1', NAME 'e.com' DEFAULT DATABASE db",
        ),
        (
            "SETTINGS max_execution_time = 5 MIN 1 MAX 10, readonly = 1 CONST",
            "no_password SETTINGS max_execution_time = 5 MIN 1 MAX 10, readonly = 1 CONST",
        ),
        (
            "VALID UNTIL '2030-01-02 03:04:05' GRANTEES NONE",
            "no_password VALID UNTIL '2030-01-02 03:04:05' GRANTEES NONE",
        ),
    ],
)
@pytest.mark.parametrize("dialect", ["clickhouse", "flink"])
def test_create_user(lab: Lab, clauses: str, shown: str, dialect: str) -> None:
    text = f"CREATE USER OR REPLACE shown {clauses}"
    lab.run(text, dialect=dialect)
    assert lab.run("SHOW CREATE USER shown", dialect=dialect) == [
        (f"CREATE USER shown IDENTIFIED WITH {shown}",)
    ]
    assert "S3CR3T" not in masked(text)
    for table in ("users", "query_log", "settings_profile_elements"):
        assert "S3CR3T" not in str(lab.run(f"SELECT * FROM system.{table}"))


def test_secrets_are_in_no_file(own: Lab, tmp_path: Path) -> None:
    own.run("CREATE USER a IDENTIFIED BY 'S3CR3T-x'")
    own.run("CREATE USER b IDENTIFIED WITH plaintext_password BY 'S3CR3T-x'")
    fails(own.session, "CREATE USER c IDENTIFIED WITH 'S3CR3T-x'", "SYNTAX_ERROR")
    fails(own.session, "CREATE USER a IDENTIFIED BY 'S3CR3T-x'", "ACCESS_ENTITY_ALREADY_EXISTS")
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or b"S3CR3T" not in path.read_bytes(), path


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    with Lab(tmp_path) as first:
        first.run(
            "CREATE USER a IDENTIFIED BY 'x'",
            "CREATE ROLE r",
            "GRANT SELECT ON db.* TO r",
            "GRANT r TO a WITH ADMIN OPTION",
            "CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 HOUR MAX queries = 10 TO a",
            "CREATE SETTINGS PROFILE p SETTINGS max_result_rows = 5 TO r",
            "CREATE ROW POLICY s ON db.t USING a = 1 AS RESTRICTIVE TO r",
        )
        before = first.run("SHOW ACCESS")
    with Lab(tmp_path) as second:
        assert second.run("SHOW ACCESS") == before
    assert ("GRANT SELECT ON db.* TO r",) in before
    assert ("GRANT r TO a WITH ADMIN OPTION",) in before
    assert (
        "CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 10 TO a",
    ) in before
    assert ("CREATE ROW POLICY s ON db.t FOR SELECT USING a = 1 AS restrictive TO r",) in before


def test_grants_are_shown_as_clickhouse_shows_them(own: Lab) -> None:
    own.run(
        "CREATE USER u",
        "GRANT SELECT(a, b), INSERT ON db.t TO u WITH GRANT OPTION",
        "GRANT SELECT ON *.* TO u",
        "REVOKE SELECT ON secret.* FROM u",
        "GRANT KAFKA ON *.* TO u",
        "GRANT NAMED COLLECTION ON c TO u",
        "GRANT ALTER COLUMN ON db.* TO u",
    )
    assert [text for (text,) in own.run("SHOW GRANTS FOR u")] == [
        "GRANT SELECT, KAFKA ON *.* TO u",
        "GRANT NAMED COLLECTION ON c TO u",
        "GRANT ALTER COLUMN ON db.* TO u",
        "REVOKE SELECT ON secret.* FROM u",
        "GRANT INSERT, SELECT(a, b) ON db.t TO u WITH GRANT OPTION",
    ]
    seen = own.run("SELECT access_type, database, is_partial_revoke FROM system.grants")
    assert ("SELECT", "secret", 1) in seen


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("GRANT SELEC ON *.* TO default", "UNKNOWN_PRIVILEGE"),
        ("GRANT KAFKA ON db.* TO default", "INVALID_GRANT"),
        ("GRANT CREATE DATABASE ON db.t TO default", "INVALID_GRANT"),
        ("GRANT SELECT ON *.* TO nowhere", "UNKNOWN_ROLE"),
        ("GRANT nowhere TO default", "UNKNOWN_ROLE"),
        ("DROP USER nowhere", "UNKNOWN_USER"),
        ("DROP USER default", "ACCESS_STORAGE_READONLY"),
        ("CREATE USER n IDENTIFIED WITH ldap SERVER 'x'", "UNSUPPORTED_CLAUSE"),
        ("CREATE USER n IDENTIFIED WITH sha256_hash BY 'x'", "BAD_PASSWORD"),
        (
            f"CREATE USER n IDENTIFIED WITH bcrypt_password BY '{'x' * 73}'",
            "BAD_PASSWORD",
        ),
        ("CREATE USER n HOST IP 'x'", "SYNTAX_ERROR"),
        ("CREATE USER n IDENTIFIED BY 'x', no_password", "SYNTAX_ERROR"),
        ("CREATE USER n SETTINGS nothing_like_it = 1", "UNKNOWN_SETTING"),
        ("CREATE USER n DEFAULT ROLE nowhere", "UNKNOWN_ROLE"),
        ("CREATE ROW POLICY p ON db.t USING a IN (SELECT a FROM db.u)", "ROW_POLICY_REFUSED"),
        ("CREATE ROW POLICY p ON db.t USING file('/etc/passwd') = ''", "FUNCTION_NOT_ALLOWED"),
        ("CREATE QUOTA n FOR INTERVAL 1 HOUR MAX nothing = 1", "UNSUPPORTED_CLAUSE"),
        ("SET ROLE nowhere", "SET_NON_GRANTED_ROLE"),
    ],
)
def test_what_is_refused(lab: Lab, text: str, condition: str) -> None:
    fails(lab.session, text, condition)


def test_roles_are_enabled_and_chosen(lab: Lab) -> None:
    lab.run("CREATE ROLE OR REPLACE readers", "CREATE ROLE OR REPLACE inner_reader")
    lab.run("GRANT SELECT ON db.t TO inner_reader", "GRANT inner_reader TO readers")
    user = lab.user("with_roles", "readers")
    rows(user, "SELECT count() FROM db.t")
    assert rows(user, "SHOW CURRENT ROLES") == [("readers",)]
    assert rows(user, "SHOW ENABLED ROLES") == [("readers",), ("inner_reader",)]
    assert rows(user, "SELECT currentRoles(), enabledRoles()") == [
        (["readers"], ["readers", "inner_reader"])
    ]
    rows(user, "SET ROLE NONE")
    refused(user, "SELECT count() FROM db.t")
    rows(user, "SET ROLE DEFAULT")
    rows(user, "SELECT count() FROM db.t")
    lab.run("SET DEFAULT ROLE NONE TO with_roles")
    refused(lab.session.child(user="with_roles"), "SELECT count() FROM db.t")
    lab.run("REVOKE readers FROM with_roles")
    refused(user, "SELECT count() FROM db.t")


def test_a_role_that_is_dropped_is_granted_to_nobody(lab: Lab) -> None:
    lab.run("CREATE ROLE gone", "GRANT SELECT ON db.* TO gone")
    user = lab.user("bereft", "gone")
    lab.run("DROP ROLE gone", "CREATE ROLE gone", "GRANT SELECT ON db.* TO gone")
    refused(user, "SELECT count() FROM db.t")
    lab.run("DROP ROLE gone")


def test_only_what_was_granted_with_the_option_is_granted_on(lab: Lab) -> None:
    lab.run("CREATE USER IF NOT EXISTS other")
    user = lab.user("giver", "INSERT ON db.*")
    lab.run("GRANT SELECT ON db.t TO giver WITH GRANT OPTION")
    rows(user, "GRANT SELECT ON db.t TO other")
    rows(user, "GRANT SELECT(a) ON db.t TO other")
    for grant in ("INSERT ON db.t", "SELECT ON db.*", "SELECT ON db.u", "ALL ON *.*"):
        refused(user, f"GRANT {grant} TO other")
    refused(user, "REVOKE INSERT ON db.t FROM other")


def test_grantees(lab: Lab) -> None:
    lab.run("CREATE USER IF NOT EXISTS other", "CREATE USER IF NOT EXISTS friend")
    user = lab.user("closed", settings="GRANTEES friend")
    lab.run("GRANT SELECT ON db.t TO closed WITH GRANT OPTION")
    rows(user, "GRANT SELECT ON db.t TO friend")
    refused(user, "GRANT SELECT ON db.t TO other")


def test_a_role_cannot_be_granted_to_itself(lab: Lab) -> None:
    lab.run(
        "CREATE ROLE OR REPLACE ring_a", "CREATE ROLE OR REPLACE ring_b", "GRANT ring_a TO ring_b"
    )
    fails(lab.session, "GRANT ring_b TO ring_a", "ACCESS_DENIED")


def test_check_grant(lab: Lab) -> None:
    user = lab.user("checker", "SELECT(a) ON db.t")
    assert rows(user, "CHECK GRANT SELECT(a) ON db.t") == [(1,)]
    assert rows(user, "CHECK GRANT SELECT(a, b) ON db.t") == [(0,)]


def test_a_renamed_user_keeps_what_names_it(own: Lab) -> None:
    own.run("CREATE USER a", "CREATE ROLE r", "GRANT r TO a", "GRANT SELECT ON db.* TO a")
    own.run("CREATE QUOTA q FOR INTERVAL 1 DAY MAX queries = 1 TO a", "ALTER USER a RENAME TO b")
    assert own.run("SHOW CREATE QUOTA q")[0][0].endswith("TO b")
    assert own.run("SHOW GRANTS FOR b")[0] == ("GRANT SELECT ON db.* TO b",)
    fails(own.session, "SHOW GRANTS FOR a", "UNKNOWN_ROLE")


def test_the_default_user_can_get_a_password_and_keeps_its_rights(own: Lab) -> None:
    own.run("ALTER USER default IDENTIFIED BY 'x'")
    assert own.run("SHOW CREATE USER default")[0][0] == (
        "CREATE USER default IDENTIFIED WITH sha256_password HOST LOCAL"
    )
    rows(own.session.child(user="default"), "CREATE DATABASE d")


def test_a_user_that_was_dropped_can_do_nothing_any_more(lab: Lab) -> None:
    user = lab.user("shortlived", "ALL ON *.*")
    rows(user, "SELECT count() FROM db.t")
    lab.run("DROP USER shortlived")
    refused(user, "SELECT count() FROM db.t")
    refused(user, "CREATE DATABASE nobodys")


def test_a_new_user_has_its_default_roles(lab: Lab) -> None:
    """They are granted, by whom they may be granted."""
    lab.run("CREATE ROLE OR REPLACE reads", "GRANT SELECT ON db.u TO reads")
    lab.run("CREATE USER OR REPLACE ann DEFAULT ROLE reads")
    ann = lab.session.child(user="ann")
    assert rows(ann, "SELECT count() FROM db.u") == [(0,)]
    assert ("GRANT reads TO ann",) in lab.run("SHOW GRANTS FOR ann")
    maker = lab.user("maker", "CREATE USER ON *.*")
    assert "ADMIN OPTION" in refused(maker, "CREATE USER eve DEFAULT ROLE reads")
    rows(maker, "CREATE USER eve DEFAULT ROLE NONE")
    lab.run("DROP USER eve, ann", "DROP ROLE reads")
