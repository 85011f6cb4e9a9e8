"""One file of example messages for each ClickHouse format that is implemented: `NAME.toml`.

Every key may be left out but for those without a default:

    columns = "id Int64, s String"   # of the rows that are written and read; those of CH-58
    rows = "SELECT … FROM numbers(n)"  # n is replaced by how many rows
    settings = {name = value}        # of everything in this file, for ClickHouse too
    only = {name = value}            # of ours alone, for instance a folder that ClickHouse has not
    empty = "nothing" or "error"     # what a message of no bytes is
    garbage = "error" or "rows"      # what bytes are that are no message of this format; "error"
    zeros = "rows"                   # what nine zero bytes are, if not garbage too
    differs = "why"                  # the bytes that we write are not those of ClickHouse
    one = true                       # a message has one row and never several
    written_as = "TSVRaw"            # in which ClickHouse writes such messages, if not in this one
    elsewhere = "tests/…/test_x.py"  # where it is tested instead, for a format that needs a server
    also = ["tests/…/test_x.py"]     # where more of it is tested

    [bad]                            # a message with something wrong in one value
    text = "0,BAD,AM"                # or hex = "00ff"; or query = "SELECT …", written by ClickHouse
    says = "'BAD' as UInt16"         # a part of its error

    [[message]]                      # any number of further messages
    text = "1,a"                     # or hex = "00ff"; or query = "SELECT …", written by ClickHouse
    columns = "i Int8, s String"     # if it has others
    settings = {name = value}        # more of them
    rows = '[1,"a"]'                 # its rows as JSONCompactEachRow, without blanks after commas
    error = "Cannot parse"           # or a part of its error
    otherwise = "why"                # ClickHouse answers something else
    by = "JVM" or "ClickHouse"       # who reads it, of a format that both read

    [[values]]                       # values of a column `a`, each in a message of its own
    type = "Int8"
    texts = ["1", "256"]             # for %s in the key `value`, which may be {"a":%s}
    differ = {"256" = "why"}         # those of which ClickHouse makes something else
    settings = {name = value}

    [[written]]                      # messages that are written with other settings than the file's
    query = "SELECT …"               # the rows, with the names and types of
    columns = "i Int8, s String"     # the message's columns, if it has others
    settings = {name = value}
    otherwise = "why"                # ClickHouse writes something else

Without `rows` and `error` the answer is ClickHouse's, whatever it is.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

COLUMNS = "id Int64, blockNo UInt16, val1 String, val2 Float32, val3 UInt8"
ROWS = "SELECT toInt64(number) AS id, toUInt16(number % 7) AS blockNo, 'AM' AS val1, toFloat32(0.5) AS val2, toUInt8(1) AS val3 FROM numbers(n)"  # noqa: E501


@dataclass(frozen=True, slots=True)
class Message:
    """A message with what it is read as."""

    columns: str
    settings: dict[str, Any]
    data: bytes
    query: str
    rows: str | None
    error: str | None
    otherwise: str
    by: str


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a type."""

    type: str
    texts: list[str]
    differ: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """The file of a format."""

    empty: str
    columns: str
    rows: str
    settings: dict[str, Any]
    only: dict[str, Any]
    garbage: str
    zeros: str
    differs: str
    one: bool
    written_as: str
    elsewhere: str
    also: list[str]
    bad: Message | None
    messages: list[Message] = field(default_factory=list)
    written: list[Message] = field(default_factory=list)
    value: str = ""
    values: list[Values] = field(default_factory=list)

    @property
    def ours(self) -> dict[str, Any]:
        """The settings that our own reader and writer have."""
        return self.settings | self.only

    @property
    def count(self) -> int:
        """How many messages there are, each of which is a message of its own in the tests."""
        return len(self.messages) + len(self.written) + sum(len(each.texts) for each in self.values)

    @property
    def tests(self) -> list[str]:
        """The files of tests that are about this format."""
        return ([self.elsewhere] if self.elsewhere else []) + self.also

    def query(self, count: int) -> str:
        """So many rows."""
        return self.rows.replace("numbers(n)", f"numbers({count})")


@cache
def example(format_: str) -> Example:
    """The examples of a format."""
    path = Path(__file__).parent / f"{format_}.toml"
    assert path.exists(), f"{format_} needs a file {path}: see the top of examples/__init__.py"
    given = tomllib.loads(path.read_text("utf-8"))
    columns, settings = given.get("columns", COLUMNS), given.get("settings", {})
    made = [_message(each, columns, settings) for each in given.get("message", [])]
    bad = given.get("bad")
    return Example(
        empty=given.get("empty", "error"),
        columns=columns,
        rows=given.get("rows", ROWS),
        settings=settings,
        only=given.get("only", {}),
        garbage=given.get("garbage", "error"),
        zeros=given.get("zeros", given.get("garbage", "error")),
        differs=given.get("differs", ""),
        one=given.get("one", False),
        written_as=given.get("written_as", format_),
        elsewhere=given.get("elsewhere", ""),
        also=given.get("also", []),
        bad=_message({**bad, "error": bad["says"]}, columns, settings) if bad else None,
        messages=made,
        value=given.get("value", ""),
        values=[Values(**each) for each in given.get("values", [])],
        written=[_message(each, columns, settings) for each in given.get("written", [])],
    )


def _message(given: dict[str, Any], columns: str, settings: dict[str, Any]) -> Message:
    text, bytes_ = given.get("text", ""), given.get("hex", "")
    return Message(
        columns=given.get("columns", columns),
        settings=settings | given.get("settings", {}),
        data=bytes.fromhex(bytes_) if bytes_ else text.encode(),
        query=given.get("query", ""),
        rows=given.get("rows"),
        error=given.get("error"),
        otherwise=given.get("otherwise", ""),
        by=given.get("by", ""),
    )
