"""Settings of statements, sessions and requests; sessions that last and those that do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.options import clickhouse_settings, query_settings

if TYPE_CHECKING:
    from session.lab import Lab


@pytest.mark.parametrize(
    ("text", "condition", "at", "says"),
    [
        ("SET max_thread = 1", "UNKNOWN_SETTING", "1:5", "max_threads"),
        (
            "SELECT 1 SETTINGS max_execution_tim = 1",
            "UNKNOWN_SETTING",
            "1:19",
            "max_execution_time",
        ),
        ("SELECT 1 FORMAT JSON SETTINGS nonsense = 1", "UNKNOWN_SETTING", "1:31", ""),
        ("SELECT 1 UNION ALL SELECT 2 SETTINGS zz = 1", "UNKNOWN_SETTING", "1:38", ""),
        ("SELECT * FROM (SELECT 1 SETTINGS zz = 1)", "UNKNOWN_SETTING", "1:34", ""),
        ("SET max_rows_to_read = 'all'", "INVALID_OPTION_VALUE", "1:5", "max_rows_to_read"),
        ("SET format_schema = '/etc/passwd'", "SETTING_REFUSED", "1:5", "files of the server"),
        ("SELECT 1 SETTINGS dialect = 'prql'", "SETTING_REFUSED", "1:19", "own language"),
        ("SET max_result_rows = -1", "INVALID_OPTION_VALUE", "1:5", "max_result_rows"),
        ("SET max_execution_time = 'soon'", "INVALID_OPTION_VALUE", "1:5", "max_execution_time"),
        ("SET join_use_nulls = 2", "INVALID_OPTION_VALUE", "1:5", "join_use_nulls"),
        ("SET result_overflow_mode = 'any'", "INVALID_OPTION_VALUE", "1:5", "'throw', 'break'"),
    ],
)
def test_refused_settings(lab: Lab, text: str, condition: str, at: str, says: str) -> None:
    lab.fails(text, condition, at, says)


def test_settings_that_are_taken(lab: Lab) -> None:
    lab.run(
        "SET max_threads = 8, log_queries = 1, final = 1, format_csv_delimiter = ';'",
        "SET session_timezone = 'Asia/Tokyo', max_rows_to_read = 5, extremes = true, limit = '10'",
        "SET dialect = 'clickhouse', format_schema = ''",
        "SET max_execution_time = 1.5, join_use_nulls = true, max_result_rows = '10'",
    )


def test_a_request_with_settings(lab: Lab) -> None:
    execute = lab.session.child(lasting=False).execute
    with pytest.raises(SluiceError, match="Unknown setting max_thread") as unknown:
        execute("SELECT 1", settings={"max_thread": "1"})
    assert unknown.value.condition.clickhouse_code == 115
    with pytest.raises(SluiceError, match="Unknown setting"):
        execute("SHOW TABLES", settings={"no_such": "1"})
    with pytest.raises(SluiceError, match=r"Unknown format Prety\. .*Pretty"):
        execute("SHOW TABLES FORMAT Prety")
    assert execute("SHOW TABLES", settings={"max_threads": "1"}).rows == []


def test_a_view_is_checked_too(lab: Lab) -> None:
    lab.run("CREATE TABLE s (a Int8) ENGINE = MergeTree ORDER BY a")
    view = "CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY a AS SELECT a FROM s SETTINGS"
    lab.fails(f"{view} no_such = 1", "UNKNOWN_SETTING", "1:86")
    lab.fails(f"{view} max_rows_to_read = 5", "SETTING_REFUSED", "1:86", "limits queries on Spark")
    lab.fails(f"{view} session_timezone = 'Asia/Tokyo'", "SETTING_REFUSED", "1:86", "UTC")
    lab.fails(f"{view} join_algorithm_x = 5", "UNKNOWN_SETTING", "1:86", "join_algorithm")
    lab.fails(f"{view} validate_polygons = 0", "SETTING_REFUSED", "1:86", "not supported on Spark")
    lab.run(
        f"{view} max_threads = 1, max_rows_to_read = 0, transform_null_in = 0, "
        "lightweight_deletes_sync = 3, optimize_or_like_chain = 1, log_comment = 'x'"
    )


@pytest.mark.parametrize("dialect", ["clickhouse", "flink"])
def test_what_holds_for_a_session_needs_one(lab: Lab, dialect: str) -> None:
    once = lab.session.child(lasting=False)
    name = "'pipeline.name'" if dialect == "flink" else "max_threads"
    for text in ("USE system", f"SET {name} = '1'"):
        with pytest.raises(SluiceError) as refused:
            once.execute(text, dialect=dialect)
        assert refused.value.condition.name == "THERE_IS_NO_SESSION"
        assert "session_id=" in str(refused.value)
    session = lab.session.child()
    session.execute("USE system", dialect=dialect)
    assert session.database == "system"
    assert lab.session.database == "default"


def test_a_database_for_one_statement(lab: Lab) -> None:
    lab.run("CREATE DATABASE d", "CREATE TABLE d.t (a Int8) ENGINE = MergeTree ORDER BY a")
    shown = lab.session.execute("SHOW TABLES", database="d")
    assert shown.rows == [("t",)]
    assert lab.session.database == "default"
    with pytest.raises(SluiceError, match="nowhere"):
        lab.session.execute("SHOW TABLES", database="nowhere")


def test_no_setting_has_two_rows() -> None:
    names = [setting.name for setting in query_settings.SETTINGS]
    assert len(names) == len(set(names))


def test_what_clickhouse_gets() -> None:
    """All that is about the query; nothing about files, the server, or how tables are read."""
    for name in ("max_rows_to_read", "session_timezone", "output_format_json_quote_decimals"):
        assert clickhouse_settings.is_passed(name, reads=True)
    assert clickhouse_settings.is_passed("input_format_csv_trim_whitespaces", reads=False)
    for name in (
        "input_format_csv_trim_whitespaces",
        "readonly",
        "log_queries",
        "s3_max_redirects",
    ):
        assert not clickhouse_settings.is_passed(name, reads=True)
    known = clickhouse_settings.settings()
    passed = [name for name in known if clickhouse_settings.is_passed(name, reads=True)]
    suspicious = re.compile(r"_path$|_url$|_host|password|secret|outfile|s3|registry|dialect")
    refused = clickhouse_settings.refused
    assert [name for name in passed if suspicious.search(name) and not refused(name, {})] == []


def test_defaults_again(lab: Lab) -> None:
    asked = "SELECT getSetting('max_threads'), getSetting('max_block_size')"
    (before,) = lab.run(asked)
    lab.run("SET max_threads = 1, max_block_size = 7")
    assert lab.run(asked) == [(1, 7)]
    lab.run("SET max_threads = DEFAULT, max_block_size = 8")
    assert lab.run(asked) == [(before[0], 8)]
    with pytest.raises(SluiceError) as refused:
        lab.run("SET max_block_size = 9, max_thread = DEFAULT")
    assert refused.value.condition.name == "UNKNOWN_SETTING"
    assert "max_threads" in refused.value.text()
    assert lab.run(asked) == [(before[0], 8)]
