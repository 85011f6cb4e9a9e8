"""No control character of a record or an error reaches a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from sluice.cli.connections import Refused
from sluice.cli.sql import run_script
from sluice.cli.terminal import Terminal, writer
from sluice.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

EVIL = "\x1b]0;owned\x07 \x9b31m a\rb \x7f\x00 ok\tя\r\n€Â\n"
SHOWN = "\\x1b]0;owned\\x07 \\x9b31m a\\x0db \\x7f\\x00 ok\tя\r\n€Â\n"


class Tty(io.BytesIO):
    def isatty(self) -> bool:
        return True


class Connection:
    """Answers a statement with its bytes, in two parts; `bad` fails."""

    def run(self, statement: str, format_name: str) -> Iterator[bytes]:
        if statement == "bad":
            raise Refused(f"Code: 1. {EVIL}")
        yield EVIL.encode()[:20]
        yield EVIL.encode()[20:]

    def close(self) -> None: ...


def test_wherever_chunks_are_cut() -> None:
    data = EVIL.encode()
    for at in range(len(data) + 1):
        out = Tty()
        terminal = Terminal(out)
        terminal.write(data[:at])
        terminal.write(data[at:])
        assert out.getvalue().decode() == SHOWN


def test_answers_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """An answer is escaped on a terminal alone, an error everywhere."""
    for out, wanted in ((Tty(), SHOWN), (io.BytesIO(), EVIL)):
        assert run_script(Connection(), "good; bad", "TSV", out) == 1
        assert out.getvalue().decode() == wanted
        assert printable(f"Code: 1. {EVIL}") in capsys.readouterr().err
    assert "\x1b" not in printable(EVIL)
    assert printable("a\n\tя") == "a\n\tя"
    assert writer(out) == out.write
