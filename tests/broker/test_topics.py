"""`sluice topic`, against a real broker."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from sluice.cli import topic as topic_command
from sluice.cli.main import main
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    import pytest

    from sluice.broker import Broker


def test_the_life_of_a_topic(
    broker: Broker,
    topic: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(action: str, *args: str) -> tuple[int, str, str]:
        status = main(["topic", action, *args, "--brokers", broker.address])
        return status, *capsys.readouterr()

    def listed() -> list[str]:
        return [line for line in run("list")[1].splitlines() if line.split("\t")[0] == topic]

    assert run("create", topic, "--partitions", "3") == (0, "", "")
    assert listed() == [f"{topic}\t3\t0"]
    lines = io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n\nk:1:{"a": 2}\nlast'))
    monkeypatch.setattr(sys, "stdin", lines)
    assert run("produce", topic, "--key-separator", ":") == (0, "", "messages produced: 3\n")
    assert listed() == [f"{topic}\t3\t3"]
    status, out, err = run("create", topic)
    assert (status, out) == (1, "")
    assert "already exists" in err
    assert run("delete", topic) == (0, "", "")
    assert listed() == []
    status, out, err = run("delete", topic)
    assert (status, out) == (1, "")
    assert topic in err


def test_lines_are_keys_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the separator a line is a value; the marker alone is a message without one."""
    lines = b"k|v|w\n\nv\nk|NULL\nNULL\n|\nk|NULLS"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert list(topic_command._messages("|", "NULL")) == [
        Message(b"v|w", b"k"),
        Message(b"v"),
        Message(None, b"k"),
        Message(None),
        Message(b"", b""),
        Message(b"NULLS", b"k"),
    ]
