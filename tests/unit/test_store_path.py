"""Paths in a store, and whose a store is, with a store that is a dict."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from sluice.catalog import STORED, Catalog, Table
from sluice.engine import offsets
from sluice.engine.runtime.status import now
from sluice.engine.storage import delta_log
from sluice.engine.storage.claim import OWNER, claim
from sluice.engine.storage.locations import Locations
from sluice.engine.storage.store_path import StorePath, check_url, remove, write_whole
from sluice.engine.storage.totals import Totals
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path


class Files:
    """What the Java class answers, from a dict; it counts how often it is asked."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.asked = 0

    def list(self, folder: str, deep: bool) -> str:
        self.asked += 1
        names = [name.removeprefix(f"{folder}/") for name in sorted(self.held, reverse=True)]
        found = [n for n in names if "://" not in n and (deep or "/" not in n)]
        return "".join(f"{len(self.held[f'{folder}/{n}'])}\t5000\t{n}\n" for n in found)

    def read(self, file: str) -> bytes | None:
        self.asked += 1
        return self.held.get(file)

    def write(self, file: str, what: bytes) -> None:
        self.held[file] = what

    def exists(self, file: str) -> bool:
        return any(name == file or name.startswith(f"{file}/") for name in self.held)

    def remove(self, folder: str) -> None:
        for name in [each for each in self.held if each.startswith(f"{folder}/")]:
            del self.held[name]


@pytest.fixture
def files() -> Files:
    return Files()


@pytest.fixture
def store(files: Files) -> StorePath:
    return at("s3a://lake/w/", files)


def at(url: str, files: Files) -> StorePath:
    return StorePath(
        url, lambda: SimpleNamespace(sluice=SimpleNamespace(delta=SimpleNamespace(Store=files)))
    )


def test_paths_are_as_those_of_a_folder(store: StorePath, files: Files) -> None:
    path = store / "checkpoints" / "7.json"
    assert str(path) == "s3a://lake/w/checkpoints/7.json"
    assert (path.name, path.stem) == ("7.json", "7")
    assert path.parts == ("/", "w", "checkpoints", "7.json")
    assert path == store / "checkpoints/7.json"
    assert len({path, store / "checkpoints/7.json", store}) == 2
    with pytest.raises(FileNotFoundError):
        path.read_text("utf-8")
    write_whole(path, "é")
    assert path.read_text("utf-8") == "é"
    assert (path.exists(), (store / "check").exists()) == (True, False)
    remove(store / "checkpoints")
    assert not files.held


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.json", {"0.json"}),
        ("[0-9]*", {"0.json", "12"}),
        ("**/*.parquet", {"a.parquet", "Xy/b.parquet", "_c/d.parquet", "p=1/q=2/e.parquet"}),
        ("[!_]*/*.parquet", {"Xy/b.parquet"}),
    ],
)
def test_glob(
    store: StorePath, files: Files, tmp_path: Path, pattern: str, found: set[str]
) -> None:
    """As pathlib finds them, and in one listing."""
    names = [
        "0.json",
        "12",
        "a.parquet",
        "Xy/b.parquet",
        "_c/d.parquet",
        "p=1/q=2/e.parquet",
    ]
    for name in names:
        files.held[f"s3a://lake/w/{name}"] = b"123"
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    paths = list(store.glob(pattern))
    assert {str(path).removeprefix("s3a://lake/w/") for path in paths} == found
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.glob(pattern) if p.is_file()} == found
    assert {path.stat() for path in paths} == {(3, 5.0)}
    assert files.asked == 1


def test_logs_are_read_in_a_store(store: StorePath, files: Files) -> None:
    """Spark's offset log and Delta's log; a batch's end is one request, not two."""
    files.held["s3a://lake/w/offsets/9"] = b'v1\n{}\n{"t":{"0":5}}'
    files.held["s3a://lake/w/offsets/10"] = b'v1\n{}\n{"t":{"0":7}}'
    assert offsets.logged(store, 10) == {"t": {0: 7}}
    assert files.asked == 1
    assert offsets.logged(store, 11) is None
    assert offsets.last_logged(store) == 10
    for version in (1, 0):
        added = {"add": {"path": f"{version}.parquet", "size": 10, "stats": '{"numRecords":2}'}}
        files.held[str(delta_log.commit(store, version))] = json.dumps(added).encode()
    assert delta_log.versions(store) == [0, 1]
    assert {name: file.rows for name, file in Totals().files(store).items()} == {
        "0.parquet": 2,
        "1.parquet": 2,
    }


@pytest.mark.parametrize(
    "url", ["/srv/lake", "lake", "s3a://", "s3a://k:secret@lake/w", "s3a://lake/w?x=1", "s3a://a b"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(SluiceError) as refused:
        check_url(url)
    assert "secret" not in refused.value.text()


def test_tables_at_paths_are_in_the_store(store: StorePath, files: Files, tmp_path: Path) -> None:
    """A path that begins nowhere is in the store; all others are where they were without one."""
    (tmp_path / "data").mkdir()
    (tmp_path / "lake").mkdir()
    places = Locations(tmp_path / "data", [tmp_path / "lake"], store)
    assert places.find("mine/t") == store / "mine" / "t"
    assert places.find(f"{tmp_path}/lake/t") == tmp_path / "lake" / "t"
    files.held[str(delta_log.commit(store / "mine", 0))] = b"{}"
    assert places.find("mine/t") == store / "mine" / "t"
    for bad in (
        "tables/t",
        "../x",
        "mine/../t",
        "mine/other",
        ".",
        "",
        "s3a://lake/w/t",
        "_x",
        "a*",
    ):
        with pytest.raises(SluiceError, match="cannot be at"):
            places.find(bad)


def test_a_store_belongs_to_one_catalog(tmp_path: Path, files: Files) -> None:
    """A second catalog is refused; so is another store for a catalog that has tables."""
    first, second = Catalog.in_folder(tmp_path), Catalog("sqlite://")
    store = at("s3a://lake/w", files)
    claim(store, first)
    claim(store, first)
    assert (first.store, second.store) == ("s3a://lake/w", "")
    with pytest.raises(SluiceError, match="another catalog"):
        claim(store, second)
    first.add(Table("u", "default", "t", STORED, (), now(), engine="MergeTree"))
    elsewhere = at("s3a://other/w", files)
    with pytest.raises(SluiceError, match="are in s3a://lake/w"):
        claim(elsewhere, first)
    files.held[str(elsewhere / OWNER)] = files.held[str(store / OWNER)]  # everything was copied
    claim(elsewhere, first)
    assert first.store == "s3a://other/w"
    first.close()
    again = Catalog.in_folder(tmp_path)
    assert again.store == "s3a://other/w"
    again.close()
    second.close()
