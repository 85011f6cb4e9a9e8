"""The prompt, fed line by line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice import errors
from sluice.cli.history import History
from sluice.cli.repl import COMMANDS, MORE, PROMPT, Repl, is_finished

if TYPE_CHECKING:
    from collections.abc import Iterator


class FakeConnection:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, statement: str, format_name: str) -> Iterator[bytes]:
        self.asked.append(statement)
        if statement == "wrong":
            raise errors.SYNTAX_ERROR(reason="so wrong")
        if statement == "interrupt":
            raise KeyboardInterrupt
        yield f"<{format_name}>\n".encode()

    def close(self) -> None: ...


class Keys:
    """Lines as a user types them; an exception is a key such as Ctrl-C."""

    def __init__(self, *lines: str | type[BaseException]) -> None:
        self.lines = iter(lines)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = next(self.lines, EOFError)
        if isinstance(line, str):
            return line
        raise line


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def connection() -> FakeConnection:
    return FakeConnection()


def talk(connection: FakeConnection, *lines: str | type[BaseException]) -> Keys:
    keys = Keys(*lines)
    assert Repl(connection, "CSV", read=keys).talk() == 0
    return keys


def test_a_statement_ends_with_a_semicolon(connection: FakeConnection) -> None:
    keys = talk(connection, "", "SELECT", "  1", ";")
    assert connection.asked == ["SELECT\n  1"]
    assert keys.prompts == [PROMPT, PROMPT, MORE, MORE, PROMPT]


def test_answers_are_printed(connection: FakeConnection, capfd: pytest.CaptureFixture[str]) -> None:
    talk(connection, "a; b;")
    assert connection.asked == ["a", "b"]
    assert capfd.readouterr().out.count("<CSV>\n") == 2


def test_an_error_ends_the_line_but_not_the_prompt(
    connection: FakeConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    talk(connection, "wrong; never;", "SELECT 2;")
    assert connection.asked == ["wrong", "SELECT 2"]
    assert "Code: 62. DB::Exception: Syntax error: so wrong" in capfd.readouterr().err


def test_ctrl_c_clears_what_was_typed(connection: FakeConnection) -> None:
    talk(connection, "SELECT", KeyboardInterrupt, "SELECT 2;")
    assert connection.asked == ["SELECT 2"]


def test_ctrl_c_cancels_what_runs(
    connection: FakeConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    talk(connection, "interrupt;", "SELECT 2;")
    assert connection.asked == ["interrupt", "SELECT 2"]
    assert "Cancelled." in capfd.readouterr().err


def test_q_leaves(connection: FakeConnection) -> None:
    talk(connection, "\\q", "SELECT 1;")
    assert not connection.asked


def test_commands(connection: FakeConnection, capfd: pytest.CaptureFixture[str]) -> None:
    talk(connection, "\\d", "\\d t", "\\l", "\\timing", "SELECT 1;", "\\nope")
    assert connection.asked == ["SHOW TABLES", "DESCRIBE TABLE t", "SHOW DATABASES", "SELECT 1"]
    out, err = capfd.readouterr()
    assert " s\n" in out
    assert "Unknown command \\nope" in err


def test_help_lists_every_command(
    connection: FakeConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    talk(connection, "\\?")
    out = capfd.readouterr().out
    assert all(command.name in out and command.help in out for command in COMMANDS)


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("", False),
        (";", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';'", False),
        ("SELECT 1 -- ;", False),
        ("SELECT 1; SELECT", False),
    ],
)
def test_is_finished(text: str, finished: bool) -> None:
    assert is_finished(f"{text}\n") is finished


def test_history_is_kept_for_its_owner_only(connection: FakeConnection, state: Path) -> None:
    pytest.importorskip("readline").clear_history()
    talk(
        connection, "SELECT", "1;", "CREATE TABLE t SETTINGS kafka_sasl_password = 'S3CR3T';", "\\l"
    )
    kept = state / "sluice" / "history"
    assert kept.read_text().splitlines()[-2:] == ["SELECT 1;", "\\l"]
    assert "S3CR3T" not in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_a_history_that_cannot_be_written_is_no_error(
    monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    (state / "sluice").write_text("a file where the folder should be")
    History().save()
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", lambda: state)
    assert History().path == state / ".local" / "state" / "sluice" / "history"
