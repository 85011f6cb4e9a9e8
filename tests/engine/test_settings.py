"""Settings act or are refused, over HTTP: URL parameters, SETTINGS clauses, sessions, profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.server.run import Server
    from sluice.session import Session

    Ask = Callable[..., str]

JOIN = "SELECT k, n FROM (SELECT 1 AS k) AS a LEFT JOIN (SELECT 2 AS k, 5 AS n) AS b USING k"
QUOTED = "SELECT 1::UInt64 AS x FORMAT JSONEachRow"
CSV = "SELECT NULL AS x, 'a;b' AS y, 1.5::Decimal(9, 2) AS z FORMAT CSV"
LIKE_IT = {"format_csv_delimiter": ";", "output_format_decimal_trailing_zeros": 1}
ENDLESS = "SELECT sum(a.number * b.number) FROM numbers(1000000) a CROSS JOIN numbers(1000000) b"
MANY = "SELECT length(groupArray(number)) FROM numbers(10000000)"

ACTS: list[tuple[str, dict[str, Any], str]] = [
    ("SELECT number FROM numbers(9)", {"max_result_rows": 5}, "396"),
    ("SELECT number FROM numbers(5)", {"max_result_rows": 5}, "0\n1\n2\n3\n4\n"),
    (ENDLESS, {"max_execution_time": 0.3}, "159"),
    (JOIN, {}, "1\t0\n"),
    (JOIN, {"join_use_nulls": 1}, "1\t\\N\n"),
    (QUOTED, {}, '{"x":1}\n'),
    (QUOTED, {"output_format_json_quote_64bit_integers": 1}, '{"x":"1"}\n'),
    (CSV, {}, '\\N,"a;b",1.5\n'),
    (CSV, LIKE_IT, '\\N;"a;b";1.50\n'),
    ("SELECT true", {"bool_true_representation": "yes"}, "yes\n"),
    ("SELECT toDateTime(0)", {"date_time_output_format": "iso"}, "1970-01-01T00:00:00Z\n"),
    ("SELECT 1", {"max_threads": 1}, "1\n"),
    ("SELECT 1", {"result_overflow_mode": "brake"}, "36"),
    ("SELECT 1", {"max_thread": 1}, "115"),
    ("SELECT 1", {"output_format_json_quote_64bit_integer": 1}, "115"),
]
"""Queries with settings, and what they answer, or their error: in ClickHouse as on Spark."""

IN_CLICKHOUSE: list[tuple[str, dict[str, Any], str]] = [
    ("SELECT toDateTime(0)", {"session_timezone": "Asia/Tokyo"}, "1970-01-01 09:00:00\n"),
    ("SELECT toDateTime(0)", {"session_timezone": "Mars/Base"}, "36"),
    ("SELECT count() FROM numbers(9999)", {"max_rows_to_read": 1000}, "158"),
    (MANY, {"max_memory_usage": 20_000_000}, "241"),
    ("SELECT getSetting('max_threads')", {"max_threads": 1}, "1\n"),
    ("SELECT number FROM numbers(3)", {"limit": 1, "offset": 1}, "1\n"),
    ("SELECT number FROM numbers(2)", {"extremes": 1}, "0\n1\n\n0\n1\n"),
]
"""And what Spark refuses."""


@pytest.fixture
def ask(server: Server, session: Session) -> Iterator[Ask]:
    """What a query answers, or the code of its error: `ask(query, setting=value, …)`."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:

        def answer(query: str, **params: Any) -> str:
            params = {"database": session.database, **params}
            got = client.post("/", params=params, content=query)
            return got.headers.get("x-clickhouse-exception-code") or got.text

        yield answer


def clause(query: str, settings: dict[str, Any]) -> str:
    """A query with settings in its text."""
    shown = (f"{n} = {v!r}" for n, v in settings.items())
    return f"{query} SETTINGS {', '.join(shown)}" if settings else query


def test_settings_act(ask: Ask) -> None:
    for engine in ({}, {"sluice_engine": "spark"}):
        for query, settings, expected in ACTS:
            assert ask(query, **settings, **engine) == expected, (query, settings, engine)
            assert ask(clause(query, settings), **engine) == expected, (query, settings, engine)
    first = {"max_result_rows": 2, "result_overflow_mode": "break", "max_block_size": 1}
    assert ask("SELECT number FROM numbers(9) ORDER BY number", **first, sluice_engine="spark") == (
        "0\n1\n"
    )
    assert len(ask("SELECT number FROM system.numbers", **first).split()) < 1000
    large, spark = "SELECT repeat('x', 100) FROM numbers(9999)", {"sluice_engine": "spark"}
    assert ask(large, **spark, max_memory_usage=500_000) == "241"
    assert len(ask(large, **spark, max_memory_usage=5_000_000)) == 9999 * 101


def test_settings_that_spark_refuses(ask: Ask) -> None:
    for query, settings, expected in IN_CLICKHOUSE:
        assert ask(query, **settings) == expected, (query, settings)
        assert ask(clause(query, settings)) == expected, (query, settings)
        if "getSetting" not in query and not {"max_rows_to_read", "max_memory_usage"} & {*settings}:
            assert ask(query, **settings, sluice_engine="spark") == "452", (query, settings)


def test_settings_of_a_session(ask: Ask) -> None:
    one: dict[str, Any] = {"session_id": "settings-1"}
    ask("SET session_timezone = 'Asia/Tokyo', max_result_rows = 2, join_use_nulls = 1", **one)
    ask("SET output_format_json_quote_64bit_integers = 1", **one)
    assert ask("SELECT toDateTime(0)", **one) == "1970-01-01 09:00:00\n"
    assert ask("SELECT toDateTime(0)", **one, session_timezone="UTC") == "1970-01-01 00:00:00\n"
    assert ask("SELECT number FROM numbers(3)", **one) == "396"
    assert ask(JOIN, **one) == "1\t\\N\n"
    assert ask(QUOTED, **one) == '{"x":"1"}\n'
    assert ask(f"{QUOTED} SETTINGS output_format_json_quote_64bit_integers = 0", **one) == (
        '{"x":1}\n'
    )
    assert ask("SELECT 1", **one, sluice_engine="spark") == "452"
    assert ask("SET max_thread = 1", **one) == "115"
    assert ask("SELECT toDateTime(0)") == "1970-01-01 00:00:00\n"


def test_settings_of_a_profile(ask: Ask, session: Session) -> None:
    user, profile = f"{session.database}_u", f"{session.database}_p"
    session.execute(
        f"CREATE SETTINGS PROFILE {profile} SETTINGS max_result_rows = 2, join_use_nulls = 1, "
        "session_timezone = 'Asia/Tokyo', max_rows_to_read = 1000, "
        "output_format_json_quote_64bit_integers = 1"
    )
    session.execute(f"CREATE USER {user} IDENTIFIED BY 'x' SETTINGS PROFILE {profile}")
    session.execute(f"GRANT SELECT ON {session.database}.* TO {user}")
    try:
        who = {"user": user, "password": "x"}
        assert ask("SELECT toDateTime(0)", **who) == "1970-01-01 09:00:00\n"
        assert ask("SELECT count() FROM numbers(1001)", **who) == "158"
        for engine in ({}, {"sluice_engine": "spark"}):
            assert ask("SELECT number FROM numbers(3)", **who, **engine) == "396"
            assert ask(JOIN, **who, **engine) == "1\t\\N\n"
            assert ask(QUOTED, **who, **engine) == '{"x":"1"}\n'
        session.execute(f"ALTER USER {user} SETTINGS max_execution_time = 0.3")
        for engine in ({}, {"sluice_engine": "spark"}):
            assert ask(ENDLESS, **who, **engine) == "159"
    finally:
        session.execute(f"DROP USER {user}")
        session.execute(f"DROP SETTINGS PROFILE {profile}")


def test_other_statements_have_the_settings_of_answers(ask: Ask, session: Session) -> None:
    session.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    assert ask("DESCRIBE TABLE t FORMAT CSV", format_csv_delimiter=";").startswith('"a";"UInt64";')
    assert ask("SHOW TABLES FORMAT JSONCompactColumns").split() == ["[", '["t"]', "]"]
    assert ask("SHOW TABLES FORMAT CSVs") == "73"
