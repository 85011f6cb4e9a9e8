"""`cd tests && python -m formats.conformance` writes docs/FORMATS.md anew.

The page comes from the descriptors in `sluice/formats/families`, and from the example messages in
`formats/examples`, which the tests read and write beside ClickHouse.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from formats.examples import example
from sluice.formats.registry import FORMATS
from sluice.parameters.kinds import CLICKHOUSE, FLINK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formats.examples import Message
    from sluice.formats.descriptor import Format

PAGE = Path(__file__).parents[2] / "docs/FORMATS.md"
_CHANGES = "java/src/test/java/sluice/changes/JsonChangesTest.java"
_SHOWN = 60
"""How much of a message is shown."""

_HEAD = """\
# Formats of messages

What Kafka tables read and write, generated from the descriptors in `sluice/formats/families` and
from the example messages in `tests/formats/examples`.

- **reads**, **writes**: `JVM` means Sluice's own decoder or encoder, inside Spark's tasks.
  `ClickHouse` means ClickHouse's own code, in a process beside the task
  ([decision 73](decisions/0073-formats-by-clickhouse.md)). `JVM, ClickHouse`: ClickHouse reads the
  messages that Sluice's decoder refuses ([decision 79](decisions/0079-text-formats-in-the-jvm.md)).
- **rows** is how many rows a message has: `many`, `one`, or a `block` of `max_block_size` rows.
- **examples** is the number of messages in the format's file of examples that the tests read or
  write both here and in ClickHouse, besides those that all formats share (one row, many rows, no
  bytes, garbage, truncated bytes, a wrong value, written and read back).
- **tests of its own** are further files of tests about the format. One without examples, `-`, is
  tested there alone.

Columns of type Variant and Dynamic, and in Native and Buffers those of type JSON, are read and
written by ClickHouse's own code in each of these formats that has such values. In RowBinary a
Variant or Dynamic is read in the JVM where ClickHouse would write the same bytes again.

A format that is not listed, or has neither, is refused with an error that says why.
"""


def page() -> str:
    """The whole page."""
    mine = sorted(_of(CLICKHOUSE), key=lambda each: each.name.lower())
    theirs = sorted(_of(FLINK), key=lambda each: each.name)
    return "\n".join([_HEAD, *_clickhouse(mine), *_differences(mine), *_flink(theirs)])


def _of(dialect: str) -> Iterator[Format]:
    return (each for each in FORMATS if each.dialect == dialect)


def _clickhouse(formats: Iterable[Format]) -> Iterator[str]:
    yield "## The ClickHouse dialect\n"
    yield "| format | other names | reads | writes | rows | examples | tests of its own |"
    yield "|---|---|---|---|---|--:|---|"
    refused = []
    for each in formats:
        if each.reads or each.writes:
            rows = "block" if each.blocks else "one" if _has_one(each) else "many"
            sides = (each.read_by, each.written_by)
            cells = (each.name, ", ".join(each.aliases), *sides, rows, *_tests(each))
            yield f"| {' | '.join(cells)} |"
        elif each.refused:
            refused.append(f"- {each.name}: {each.refused}")
    yield ""
    if refused:
        yield from ("Never formats of messages:\n", *refused, "")


def _flink(formats: Iterable[Format]) -> Iterator[str]:
    yield "## The Flink dialect\n"
    yield "| format | reads | writes | changes | schema registry |"
    yield "|---|---|---|---|---|"
    for each in formats:
        if each.reads or each.writes:
            marks = ("yes" if each.changes else "", "yes" if each.registry else "")
            yield f"| {' | '.join((each.name, each.read_by, each.written_by, *marks))} |"
    yield ""


def _differences(formats: Iterable[Format]) -> Iterator[str]:
    yield "## Where Sluice differs from ClickHouse\n"
    for each in formats:
        if not (each.reads or each.writes) or each.changes:
            continue
        known = example(each.name)
        lines = [f"- {known.differs[0].upper()}{known.differs[1:]}."] if known.differs else []
        lines += [_difference(message) for message in known.messages if message.otherwise]
        if lines:
            yield from (f"### {each.name}\n", *dict.fromkeys(lines), "")


def _difference(message: Message) -> str:
    shown = message.query or message.data.decode("utf-8", "backslashreplace")
    short = json.dumps(shown[:_SHOWN], ensure_ascii=False)
    more = " …" if len(shown) > _SHOWN else ""
    answer = message.rows if message.error is None else f"error `{message.error}`"
    told = f": {answer.strip()}" if answer else ""
    why = f"{message.otherwise[0].upper()}{message.otherwise[1:]}"
    return f"- {why}. `{short}`{more} as `{message.columns}`{told}"


def _has_one(each: Format) -> bool:
    return not each.changes and example(each.name).one


def _tests(each: Format) -> tuple[str, str]:
    """How many examples it has, and links to what else tests it."""
    if each.changes:
        return "-", _link(_CHANGES)
    known = example(each.name)
    count = "-" if known.elsewhere and not known.count else str(known.count)
    return count, ", ".join(map(_link, known.tests))


def _link(path: str) -> str:
    return f"[{Path(path).stem}](../{path})"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
