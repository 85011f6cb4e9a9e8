"""`sluice sql`: scripts, over HTTP and in-process."""

from __future__ import annotations

import io
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

import sluice
from interfaces.fakes import FakeSession, result
from sluice import errors
from sluice.cli import sql
from sluice.cli.connections import Local, Refused, Remote
from sluice.cli.main import main
from sluice.formats.result import Result

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.server.run import Server


def remote(server: Server, database: str | None = None) -> Remote:
    return Remote(server.url, "clickhouse", database)


def answer(connection: Remote | Local, statement: str, format_name: str = "TabSeparated") -> bytes:
    return b"".join(connection.run(statement, format_name))


def test_execute(server: Server, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["sql", "--url", server.url, "-e", "SELECT 1; SELECT 'яж'"]) == 0
    assert capfdbinary.readouterr().out.decode() == "1\nяж\n"


def test_file(server: Server, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    script = tmp_path / "x.sql"
    script.write_text("SELECT 1;\n-- done\n")
    assert main(["sql", "--url", server.url, "-f", str(script), "--format", "csvwithnames"]) == 0
    assert capfdbinary.readouterr().out == b'"1"\n1\n'


def test_standard_input(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1"))
    assert main(["sql", "--url", server.url]) == 0
    assert capfdbinary.readouterr().out == b"1\n"


def test_the_first_error_ends_the_script(
    server: Server, session: FakeSession, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "SELECT 1;\n\nSELEC 1;\nSELECT 'яж'"
    assert main(["sql", "--url", server.url, "-e", script]) == 1
    out, err = capfd.readouterr()
    assert out == "1\n"
    assert err.startswith("Code: 62. DB::Exception: Syntax error: expected SELECT")
    assert err.endswith("(SYNTAX_ERROR)\n(statement 2 of 3, from line 3 of the script)\n")
    assert [call.sql for call in session.calls] == ["SELECT 1", "SELEC 1"]


def test_one_statement_needs_no_number(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "--url", server.url, "-e", "SELEC 1"]) == 1
    assert "statement 1" not in capfd.readouterr().err


def test_options_reach_the_session(server: Server, session: FakeSession) -> None:
    options = ["--dialect", "flink", "--database", "d", "-e", "SELECT 1"]
    assert main(["sql", "--url", server.url, *options]) == 0
    assert (session.calls[1].dialect, session.calls[1].database) == ("flink", "d")
    assert not session.calls[1].readonly


def test_use_holds_for_the_next_statement(server: Server, session: FakeSession) -> None:
    assert main(["sql", "--url", server.url, "-e", "USE база; SELECT 1"]) == 0
    assert session.calls[-1].database == "база"


def test_statements_run_in_one_session_that_ends(server: Server, session: FakeSession) -> None:
    assert main(["sql", "--url", server.url, "--database", "d", "-e", "SELECT 1; SELECT 2"]) == 0
    asked = [(call.sql, call.database, call.lasting) for call in session.calls]
    assert asked[1:3] == [("SELECT 1", "d", True), ("SELECT 2", "d", True)]
    assert len(session.shared.ended) == 1


def piped(data: bytes) -> io.TextIOWrapper:
    """Standard input that is no terminal."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8")


@pytest.mark.parametrize(
    ("sql", "data", "asked"),
    [
        ("INSERT INTO t FORMAT CSV", "1,a\n2,b\n", "INSERT INTO t FORMAT CSV\n1,a\n2,b\n"),
        (
            "WITH 1 AS n INSERT INTO t SELECT n FROM input('a Int8') FORMAT CSV",
            "1",
            "WITH 1 AS n INSERT INTO t SELECT n FROM input('a Int8') FORMAT CSV\n1",
        ),
        (
            "insert into d.t (a, b) format JSONEachRow;",
            "{}",
            "insert into d.t (a, b) format JSONEachRow\n{}",
        ),
        ("INSERT INTO t VALUES", "(1), (2)", "INSERT INTO t VALUES\n(1), (2)"),
        ("INSERT INTO t VALUES (1)", "", "INSERT INTO t VALUES (1)"),
        ("INSERT INTO t SELECT 1", "unread", "INSERT INTO t SELECT 1"),
    ],
)
def test_data_of_standard_input(
    server: Server,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
    sql: str,
    data: str,
    asked: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", piped(data.encode()))
    assert main(["sql", "--url", server.url, "-e", sql]) == 0
    assert session.calls[0].sql == asked


def test_data_that_is_missing_is_an_error(
    server: Server,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Standard input is empty, or read already; a script has its data in it."""
    insert = "INSERT INTO t FORMAT CSV"
    monkeypatch.setattr(sys, "stdin", piped(b""))
    assert main(["sql", "--url", server.url, "-e", insert]) == 1
    assert not session.calls
    assert "Code: 108. DB::Exception: There is no data to insert" in capfd.readouterr().err
    monkeypatch.setattr(sys, "stdin", piped(b"1"))
    assert main(["sql", "--url", server.url, "-e", f"{insert}; {insert}"]) == 1
    assert [call.sql for call in session.calls if "INSERT" in call.sql] == [f"{insert}\n1"]
    monkeypatch.setattr(sys, "stdin", piped(b"\xff"))
    assert main(["sql", "--url", server.url, "-e", insert]) == 0
    assert session.calls[-1].sql == f"{insert}\n\udcff"
    script = tmp_path / "x.sql"
    script.write_text(insert)
    assert main(["sql", "--url", server.url, "-f", str(script)]) == 1


def test_unknown_format_runs_nothing(
    server: Server, session: FakeSession, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", "--url", server.url, "--format", "Prety", "-e", "SELECT 1"]) == 1
    assert "Did you mean" in capfd.readouterr().err
    assert not session.calls


def test_missing_file(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "--url", server.url, "-f", "/no/such.sql"]) == 1
    assert "Cannot read /no/such.sql: No such file" in capfd.readouterr().err


@pytest.mark.parametrize("url", ["ftp://x", "localhost:8123", "http://", "http://h:x", "http://[x"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(errors.SluiceError, match="is not a valid URL"):
        Remote(url, "clickhouse", None)


def test_nobody_listens(server: Server) -> None:
    server.stop()
    assert not remote(server).answers()
    with pytest.raises(errors.SluiceError, match=r"Connection refused.*sluice serve"):
        answer(remote(server), "SELECT 1")


def test_without_an_address_it_tells_what_to_do(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sql, "DEFAULT_URL", server.url)
    assert main(["sql", "-e", "SELECT 1"]) == 0
    server.stop()
    assert main(["sql", "-e", "SELECT 1"]) == 1
    assert "`sluice serve`" in capfd.readouterr().err


def test_errors_of_a_server_are_shown_unchanged(server: Server) -> None:
    with pytest.raises(Refused, match="Code: 81"):
        answer(remote(server, "nowhere"), "SELECT 1")


def test_long_answers(server: Server) -> None:
    assert answer(remote(server), "SELECT many").count(b"\n") == 50_000


SET = """BEGIN STATEMENT SET;
INSERT INTO t SELECT ';' FROM a;
INSERT INTO u SELECT 1 FROM a; -- END;
END"""


def test_flink_scripts(server: Server, session: FakeSession, tmp_path: Path) -> None:
    """SET holds for what follows, and a statement set is one statement."""
    script = tmp_path / "x.sql"
    script.write_text(f"SET 'pipeline.name' = 'a b';\n{SET};\nSELECT 1;")
    assert main(["sql", "--url", server.url, "--dialect", "flink", "-f", str(script)]) == 0
    assert [call.sql for call in session.calls] == ["SET 'pipeline.name' = 'a b'", SET, "SELECT 1"]
    assert [call.settings for call in session.calls[1:]] == [{"pipeline.name": "a b"}] * 2


class TestInProcess:
    @pytest.fixture(autouse=True)
    def connect(self, session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
        def connect(data: Path, *, pipelines: bool) -> FakeSession:
            assert not pipelines
            return session

        monkeypatch.setattr(sluice, "connect", connect, raising=False)

    def test_runs_and_closes(
        self, session: FakeSession, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        assert main(["sql", "--data", "x", "-e", "SELECT 1 FORMAT JSONEachRow"]) == 0
        assert capfdbinary.readouterr().out == b'{"x":1}\n'
        assert session.shared.closed.is_set()

    def test_error(self, session: FakeSession, capfd: pytest.CaptureFixture[str]) -> None:
        assert main(["sql", "--data", "x", "-e", "SELEC 1"]) == 1
        assert capfd.readouterr().err.startswith("Code: 62. DB::Exception")
        assert session.shared.closed.is_set()

    def test_use_holds(self, session: FakeSession) -> None:
        assert main(["sql", "--data", "x", "-e", "USE d; SELECT 1"]) == 0
        assert session.calls[-1].database == "d"

    def test_ctrl_c_cancels_the_statement(
        self, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        release = threading.Event()

        def endless() -> Result:
            main_thread = threading.main_thread().ident
            assert main_thread is not None
            signal.pthread_kill(main_thread, signal.SIGINT)
            release.wait(30)
            return Result()

        def cancel(query_id: str, reason: str = "") -> bool:
            release.set()
            return FakeSession.cancel(session, query_id, reason)

        session.shared.answers["SELECT endless"] = endless
        connection = Local(tmp_path, "clickhouse", None)
        monkeypatch.setattr(connection._session, "cancel", cancel)
        # A run in the background of a shell ignores the signal.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                answer(connection, "SELECT endless")
        finally:
            signal.signal(signal.SIGINT, before)
        assert session.shared.cancelled == [(session.shared.query_ids[-1], " by the user")]
        connection.close()

    def test_unknown_database_closes_too(self, session: FakeSession) -> None:
        assert main(["sql", "--data", "x", "--database", "nowhere", "-e", "SELECT 1"]) == 1
        assert session.shared.closed.is_set()

    def test_jobs_that_stop_with_it_are_listed(
        self, session: FakeSession, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """In words for the user, not in the answer."""
        rows = [(f"j{n}", "", state) for n, state in enumerate(("RUNNING", "STOPPED", "SUSPENDED"))]
        session.shared.answers["SHOW JOBS"] = result("a String, b String, c String", *rows)
        assert main(["sql", "--data", "x", "--dialect", "flink", "-e", "SELECT 1"]) == 0
        out, err = capfd.readouterr()
        assert out == "1\n"
        (line,) = err.splitlines()
        assert line.startswith("Job j0 stops with this command, after its current batch.")
        assert session.shared.closed.is_set()
