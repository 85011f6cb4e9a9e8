from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import sqlalchemy.exc
from postgres import new_database, server
from sqlalchemy.event import listen

from sluice import errors
from sluice.catalog import (
    KAFKA,
    STORED,
    VIEW,
    Catalog,
    Collection,
    Column,
    Generation,
    Table,
    Value,
)
from sluice.errors import SluiceError
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CREATED = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    if request.param == "sqlite":
        catalog = Catalog.in_folder(tmp_path)
    else:
        catalog = Catalog(new_database(request.getfixturevalue("postgres")))
    yield catalog
    catalog.close()


def table(name: str = "t", kind: str = STORED, **more: object) -> Table:
    columns = (
        Column("a", parse_type("Enum8('x' = 1)"), comment="it's"),
        Column("b", parse_type("UInt64"), alias="a + 1"),
    )
    return Table(f"uuid-{name}", "default", name, kind, columns, CREATED, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_tables_survive_a_restart(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path}/catalog"
    if where == "postgresql":
        url = new_database(request.getfixturevalue("postgres"))
    first = Catalog(url)
    stored = table(
        "очередь", order_by=("a", "b"), partition_by="a", comment="c", engine="MergeTree"
    )
    kafka = table("q", KAFKA, settings={"kafka_num_consumers": 2, "x": "y", "f": True})
    view = table("v", VIEW, query="SELECT 1", source=("default", "q"), target=("default", "t"))
    for each in (stored, kafka, view):
        first.add(each)
    first.replace(replace(kafka, attached=False))
    first.close()
    second = Catalog(url)
    assert second.find("default", "очередь") == stored
    assert second.find("default", "v") == view
    found = second.find("default", "q")
    assert found is not None
    assert not found.attached
    assert found.settings == kafka.settings
    assert [t.name for t in second.tables()] == ["q", "v", "очередь"]
    second.close()


def test_the_file_is_private(tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite").touch(mode=0o644)
    Catalog.in_folder(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "catalog.sqlite").stat().st_mode) == 0o600


def test_databases(catalog: Catalog) -> None:
    assert catalog.databases() == ["default"]
    catalog.add_database("a")
    assert catalog.databases() == ["a", "default"]
    catalog.remove_database("a")
    assert catalog.databases() == ["default"]


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_snapshots_follow_every_writer(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """What another process has changed is seen; what nobody changed is the same object."""
    url = f"sqlite:///{tmp_path}/catalog"
    if where == "postgresql":
        url = new_database(request.getfixturevalue("postgres"))
    one, other = Catalog(url), Catalog(url)
    one.add(table("a"), table("b"))
    before = other.snapshot()
    assert other.snapshot() is before
    one.replace(replace(table("b"), comment="new"))
    one.add(table("c"))
    one.put_collection(Collection("k", {"x": Value("1")}))
    after = other.snapshot()
    assert after.find("default", "a") is before.find("default", "a")
    assert [(t.name, t.comment) for t in after.tables()] == [("a", ""), ("b", "new"), ("c", "")]
    assert [held.name for held in after.collections()] == ["k"]
    other.remove(table("a"))
    other.replace(replace(table("c"), attached=False))
    assert [(t.name, t.attached) for t in one.tables()] == [("b", True), ("c", False)]
    assert [t.name for t in before.tables()] == ["a", "b"]
    one.close()
    other.close()


def test_a_catalog_alone_asks_only_after_its_own_changes(tmp_path: Path) -> None:
    catalog = Catalog.in_folder(tmp_path)
    assert catalog.tables() == []
    catalog.add(table("a"))
    before = catalog.snapshot()
    asked: list[str] = []
    listen(catalog._engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    assert catalog.snapshot() is before
    assert asked == []
    catalog.replace(replace(table("a"), comment="new"))
    assert [t.comment for t in catalog.tables()] == ["new"]
    with pytest.raises(sqlalchemy.exc.IntegrityError):
        catalog.add(table("a"))
    catalog.provide([Collection("k", {"x": Value("1")})])
    assert [(t.comment, c.name) for t in catalog.tables() for c in catalog.collections()] == [
        ("new", "k")
    ]
    catalog.remove(table("a"))
    assert catalog.tables() == []
    catalog.add_database("d")
    assert "d" in catalog.databases()
    catalog.close()


def test_a_catalog_of_an_earlier_version(tmp_path: Path) -> None:
    """It gets the columns that versions are kept in."""
    first = Catalog.in_folder(tmp_path)
    first.add(table("a"))
    first.close()
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as file:
        file.execute("ALTER TABLE tables DROP COLUMN changed")
        file.execute("ALTER TABLE identity DROP COLUMN version")
        file.execute("ALTER TABLE databases DROP COLUMN comment")
        file.commit()
    second = Catalog.in_folder(tmp_path)
    assert [t.name for t in second.tables()] == ["a"]
    second.add(table("b"))
    assert [t.name for t in second.tables()] == ["a", "b"]
    assert second.database_comment("default") == ""
    second.comment_database("default", "x")
    assert second.database_comment("default") == "x"
    second.close()


def test_a_name_is_taken_once(catalog: Catalog) -> None:
    catalog.add(table())
    with pytest.raises(sqlalchemy.exc.IntegrityError):
        catalog.add(table("t", KAFKA))
    assert [t.kind for t in catalog.tables()] == [STORED]


def test_tables_are_replaced_all_or_none(catalog: Catalog) -> None:
    first, second = table("a"), table("b")
    catalog.add(first, second)
    catalog.replace(replace(first, name="b"), replace(second, name="a", comment="was b"))
    assert [(t.name, t.uuid, t.comment) for t in catalog.tables()] == [
        ("a", "uuid-b", "was b"),
        ("b", "uuid-a", ""),
    ]
    with pytest.raises(sqlalchemy.exc.IntegrityError):
        catalog.replace(replace(second, name="x"), replace(first, name="x"))
    assert [t.name for t in catalog.tables()] == ["a", "b"]


def test_collections_survive_a_restart(tmp_path: Path) -> None:
    first = Catalog.in_folder(tmp_path)
    kept = Collection("c", {"a": Value("x"), "b": Value(1, False), "d": Value(True, True)})
    first.put_collection(Collection("c", {"old": Value(1)}))
    first.put_collection(kept)
    first.put_collection(Collection("b", {}))
    first.close()
    second = Catalog.in_folder(tmp_path)
    assert second.collection("c") == kept
    assert [c.name for c in second.collections()] == ["b", "c"]
    assert not kept.overridable("b")
    assert kept.overridable("a")
    second.remove_collection("c")
    assert second.collection("c") is None
    second.close()


def test_what_a_table_takes_from_a_collection_is_kept(catalog: Catalog) -> None:
    args = ("c", {"kafka_format": "CSV", "kafka_num_consumers": 2})
    catalog.add(table("q", KAFKA, engine_args=args))
    found = catalog.find("default", "q")
    assert found is not None
    assert (found.engine_args, found.collection) == (args, "c")


def test_generations(catalog: Catalog) -> None:
    assert catalog.positions.generation("u") is None
    catalog.positions.add({"u": Generation(1, {"t": {0: 5, 1: 0}}, {"t": "id1"})})
    second = Generation(2, {"t": {0: 7}}, {"t": "id2"})
    catalog.positions.add({"u": second})
    assert catalog.positions.generation("u") == second


def test_a_removed_table_leaves_nothing(catalog: Catalog) -> None:
    catalog.add(table("q", KAFKA))
    catalog.positions.add({"uuid-q": Generation(1, {"t": {0: 0}}, {})})
    catalog.remove(table("q", KAFKA))
    assert catalog.tables() == []
    assert catalog.positions.generation("uuid-q") is None


def test_handed_over_positions(catalog: Catalog) -> None:
    catalog.positions.hand_over("g", [("id", 0, 5), ("id", 1, 6)])
    catalog.positions.hand_over("g", [("id", 0, 9)])
    assert catalog.positions.handed_over("g", "id") == {0: 9, 1: 6}
    assert catalog.positions.handed_over("other", "id") == {}
    catalog.positions.forget_handovers("g", ["id"])
    assert catalog.positions.handed_over("g", "id") == {}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql+psycopg://u:S3CR3T@127.0.0.1:1/d", "refused"),
        ("nonsense S3CR3T", "parse"),
        ("mysql+nothing://u:S3CR3T@h/d", "mysql"),
    ],
)
def test_a_catalog_that_cannot_be_opened(url: str, said: str) -> None:
    with pytest.raises(errors.SluiceError) as caught:
        Catalog(url)
    assert caught.value.condition.name == "CATALOG_UNAVAILABLE"
    assert said in str(caught.value)
    assert "S3CR3T" not in str(caught.value)


def test_a_start_knows_those_before_it(catalog: Catalog) -> None:
    """What a server writes carries its start; what a copy's server writes is told from it."""
    first, second = catalog.start("1"), catalog.start("1")
    assert first.id == second.id == catalog.id
    assert second.wrote(first.token)
    assert second.wrote(second.token)
    assert second.wrote("")
    assert not first.wrote(second.token)
    assert (second.suffix, second.named("g", CREATED)) == ("", "g")


def test_a_folder_that_is_not_where_it_was(catalog: Catalog) -> None:
    """Moved or restored it is the same; as a new instance it has names of its own in Kafka."""
    old = catalog.start("1")
    with pytest.raises(SluiceError, match="a copy of it are both in use") as copied:
        catalog.start("2")
    assert copied.value.condition.name == "DATA_FOLDER_COPIED"
    assert "--new-instance" in copied.value.text()
    lost = f"{old.id}:{int(datetime.now(UTC).timestamp()) - 5}:of-a-start-after-the-backup"
    assert not old.wrote(lost)
    moved = catalog.start("2", "moved")
    assert moved.id == old.id
    assert catalog.start("2").wrote(lost)
    new = catalog.start("3", "new")
    assert new.id == catalog.id != old.id
    assert catalog.former == old.id
    assert new.wrote(old.token)
    assert new.named("g", CREATED) == f"g{new.suffix}" != "g"
    assert new.named("g", datetime.now(UTC) + timedelta(1)) == "g"
    assert new.named("", CREATED) == ""
    again = catalog.start("3")
    assert (again.id, again.suffix, again.renamed) == (new.id, new.suffix, new.renamed)
