"""Whatever is done to a Flink statement: it is read, or refused with a place; nothing else."""

from __future__ import annotations

import random
from pathlib import Path

from golden.files import statements
from golden.test_flink import Tables, shown_create
from hypothesis import given, settings
from hypothesis import strategies as st

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import lower_query, parse
from sluice.sql.flink.computed import typed
from sluice.sql.split import split

FOLDER = Path(__file__).parents[1] / "golden" / "flink"
STATEMENTS = [
    case for path in sorted(FOLDER.rglob("*.sql")) for case in statements(path.read_text("utf-8"))
]
WORDS = """
( ) < > [ ] , . ; = ' ` " -- /* */ /*+ + - * / % || => : ? @ $ { } \\ \0 é 😀
SELECT FROM WHERE TABLE VIEW AS NOT NULL PRIMARY KEY ENFORCED WATERMARK FOR METADATA VIRTUAL WITH
LIKE INCLUDING OPTIONS ROW ARRAY MAP MULTISET INT STRING TIMESTAMP INTERVAL CASE WHEN END CAST
BETWEEN AND OR IN EXISTS IS VALUES UNION ALL INSERT INTO BEGIN SET OVER PARTITION BY ORDER LIMIT
LATERAL UNNEST DESCRIPTOR TUMBLE 0 1 1e999 0x1 'x' x''
""".split()  # noqa: SIM905 - as one reads it


def mutated(text: str, seed: int) -> str:
    """A statement with pieces of it lost, doubled, moved, or replaced by others'."""
    dice = random.Random(seed)  # noqa: S311
    pieces = text.split(" ") if dice.random() < 0.6 else list(text)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(pieces) + 1)
        kind = dice.randrange(6)
        if kind == 0:
            del pieces[at : at + dice.randint(1, 3)]
        elif kind == 1:
            pieces[at:at] = pieces[at : at + dice.randint(1, 5)]
        elif kind == 2:
            pieces.insert(at, f" {dice.choice(WORDS)} ")
        elif kind == 3 and pieces:
            pieces[at - 1] = dice.choice(WORDS)
        elif kind == 4:
            other = dice.choice(STATEMENTS).split(" ")
            begin = dice.randrange(len(other))
            pieces[at:at] = other[begin : begin + dice.randint(1, 6)]
        else:
            pieces = pieces[: max(at, 1)]
    return (" " if pieces and len(pieces[0]) > 1 else "").join(pieces)


TABLES = Tables()
for _text in STATEMENTS:
    if _text.startswith(("CREATE TABLE t (\n  id", "CREATE TABLE db.u")):
        _table = parse(_text)
        assert isinstance(_table, ir.CreateTable)
        TABLES.add(_table)


def refused(text: str) -> errors.SluiceError | None:
    """The error that ends parsing, or the checks of a table, or the lowering of a query."""
    try:
        statement = parse(text)
        assert isinstance(statement, ir.Statement)
        if isinstance(statement, ir.CreateTable) and statement.like is None:
            typed(statement)
        if isinstance(statement, ir.Select):
            assert "${" not in lower_query(statement.query, TABLES.resolve).sql
    except errors.SluiceError as error:
        return error
    return None


@settings(max_examples=1_000, deadline=2_000, derandomize=True)
@given(st.sampled_from(STATEMENTS), st.integers(0, 1 << 32))
def test_mutated_statements_are_read_or_refused(text: str, seed: int) -> None:
    broken = mutated(text, seed)
    error = refused(broken)
    if error is not None:
        assert error.place is not None
        assert isinstance(error, errors.UserError)
        return
    statement = parse(broken)
    create = shown_create(statement)
    assert not create or parse(create) == statement
    assert split(broken, "flink")


@settings(max_examples=200, deadline=2_000)
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    error = refused(text)
    assert error is None or error.place is not None
