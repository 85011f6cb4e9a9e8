"""Statements with something wrong in them: an error with a place, and nothing is left of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from golden.files import statements
from golden.test_clickhouse import Tables, spark_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from session.lab import KAFKA, Lab
from sluice import errors
from sluice.session.changes import CHANGES
from sluice.sql import ir
from sluice.sql.clickhouse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILES = sorted((Path(__file__).parents[1] / "golden" / "clickhouse").glob("*.sql"))


def right(text: str, tables: Tables) -> bool:
    """Whether it can be read; what it makes is known to the queries after it."""
    try:
        statement = parse(text)
        if isinstance(statement, ir.CreateTable):
            tables.add(statement)
        spark_of(statement, tables)
    except errors.SluiceError:
        return False
    return True


TABLES = Tables()
STATEMENTS = [
    re.sub(r"\A-- .*\n", "", statement).strip()
    for path in FILES
    for statement in statements(path.read_text("utf-8"))
    if right(statement, TABLES)
]
PIECE = re.compile(r"'(?:[^'\\]|\\.|'')*'|`[^`]*`|\w+|\s+|.", re.S)
WORDS = sorted({piece for text in STATEMENTS for piece in PIECE.findall(text) if piece.strip()})
NASTY = (
    "'", "`", '"', "(", ")", "[", "]", "{", "}", ";", ",", ".", "=", "-", "\\", "\0", "\n", "--",
    "/*", "*/", "''", "``", "é", "\u202e", "😀", "1e999", "9" * 400, "0x", "-1", "NULL", "$$", "::",
    "tuple()", "(SELECT 1)", "nosuch(1)", "${x}", "{x:Int8}",
)  # fmt: skip

Pieces = list[str]
Mutation = tuple[str, int, int, str]


def replaced(pieces: Pieces, at: int, _: int, text: str) -> Pieces:
    return [*pieces[:at], text, *pieces[at + 1 :]]


def inserted(pieces: Pieces, at: int, _: int, text: str) -> Pieces:
    return [*pieces[:at], " ", text, " ", *pieces[at:]]


def dropped(pieces: Pieces, at: int, size: int, _: str) -> Pieces:
    return pieces[:at] + pieces[at + 1 + size % 3 :]


def doubled(pieces: Pieces, at: int, size: int, _: str) -> Pieces:
    part = pieces[at : at + 1 + size % 8]
    return [*pieces[:at], *part, " ", *part, *pieces[at + len(part) :]]


def swapped(pieces: Pieces, at: int, other: int, _: str) -> Pieces:
    made, other = list(pieces), other % len(pieces)
    made[at], made[other] = made[other], made[at]
    return made


def cut(pieces: Pieces, at: int, _: int, text: str) -> Pieces:
    return [*pieces[:at], text]


MUTATIONS: dict[str, Callable[[Pieces, int, int, str], Pieces]] = {
    f.__name__: f for f in (replaced, inserted, dropped, doubled, swapped, cut)
}


def mutated(text: str, mutations: list[Mutation]) -> str:
    for name, at, other, word in mutations:
        pieces = PIECE.findall(text) or [" "]
        text = "".join(MUTATIONS[name](pieces, at % len(pieces), other, word))
    return text


MUTATED = st.builds(
    mutated,
    st.sampled_from(STATEMENTS),
    st.lists(
        st.tuples(
            st.sampled_from(sorted(MUTATIONS)),
            st.integers(0, 500),
            st.integers(0, 500),
            st.one_of(st.sampled_from(WORDS), st.sampled_from(NASTY), st.text(max_size=3)),
        ),
        min_size=1,
        max_size=3,
    ),
)

SKIPPED = (ir.Drop, ir.DropDatabase, ir.ResetOffsets)
"""What asks the broker."""


def stores_rows(statement: ir.Statement) -> bool:
    """Whether it is a CREATE TABLE whose rows Spark would write."""
    return isinstance(statement, ir.CreateTable) and statement.query is not None


class Victim(Lab):
    """A catalog that is the same before every statement."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.run(
            f"CREATE TABLE q (a Int8, s String) {KAFKA}",
            "CREATE TABLE t (a Int8, b Nullable(String), s String) ENGINE = MergeTree ORDER BY a",
            "CREATE TABLE in_memory (k UInt8) ENGINE = Memory",
            "CREATE MATERIALIZED VIEW v TO t AS SELECT a, s FROM q",
            "CREATE NAMED COLLECTION c AS a = 1, d = 2, e = 3",
            "CREATE DATABASE db",
        )
        self._tables = self.engine.catalog.tables()
        self._collections = self.engine.catalog.collections()
        self._databases = self.engine.catalog.databases()

    def restore(self) -> None:
        catalog = self.engine.catalog
        catalog.remove(*catalog.tables())
        catalog.add(*self._tables)
        for collection in catalog.collections():
            catalog.remove_collection(collection.name)
        for collection in self._collections:
            catalog.put_collection(collection)
        for database in set(catalog.databases()) - set(self._databases):
            catalog.remove_database(database)


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with Victim(tmp_path_factory.mktemp("data")) as victim:
        yield victim


@settings(
    max_examples=1_000,
    deadline=2_000,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(MUTATED)
@example("ALTER TABLE t MODIFY SETTING index_granularity = 1e999")
@example("CREATE TABLE x (a Int8) ENGINE = Kafka(" + "9" * 5000 + ")")
@example("RENAME TABLE q TO x, q TO y")
def test_a_statement_with_something_wrong_in_it(victim: Victim, text: str) -> None:
    """It is refused with a place and leaves the catalog as it was, or it is a statement."""
    before = victim.version()
    try:
        statement = parse(text)
        if isinstance(statement, ir.Select | ir.Insert) or stores_rows(statement):
            spark_of(statement, TABLES)
        elif type(statement) in CHANGES["clickhouse"] and not isinstance(statement, SKIPPED):
            victim.run(text)
    except errors.SluiceError as bad:
        assert bad.place is not None, f"{bad} has no place"  # noqa: PT017 - either way is fine
        assert "\x1b" not in str(bad)  # noqa: PT017
        assert victim.version() == before, text
    else:
        if victim.version() != before:
            victim.restore()
