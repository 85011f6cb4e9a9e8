"""Databases, tables, collections, where pipelines began: SQLAlchemy over SQLite, or any URL."""

from __future__ import annotations

import itertools
import threading
import uuid
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sluice import errors
from sluice.catalog import temporary
from sluice.catalog.access_records import AccessRecords
from sluice.catalog.entities import (
    HEAD,
    Collection,
    SqlFunction,
    Table,
    Value,
    definition,
    from_definition,
    zoned,
)
from sluice.catalog.events import Events
from sluice.catalog.instance import Instance
from sluice.catalog.job_records import Jobs
from sluice.catalog.mutation_records import MutationRecords
from sluice.catalog.positions import Positions
from sluice.catalog.schema import (
    COLLECTIONS,
    DATABASES,
    FUNCTIONS,
    GENERATIONS,
    IDENTITY,
    META,
    STARTS,
    TABLES,
    TEMPORARY_ROWS,
)
from sluice.catalog.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


DEFAULT_DATABASE = "default"

MOVED, NEW = "moved", "new"
"""What a data folder is that is not where it was: the same one, or one of its own from now on."""

_NOTHING = Snapshot(-1, {}, {}, {}, {})


class Catalog:
    """The catalog of one data folder. Every change is one transaction; threads may share it.

    Args:
        url: SQLAlchemy's name of a database: SQLite or PostgreSQL.
        alone: whether nothing else changes it while this object is used, so that the database is
            not asked for its version before each look into it.

    Raises:
        SluiceError: CATALOG_UNAVAILABLE.
    """

    def __init__(self, url: str, *, alone: bool = False) -> None:
        self._provided: dict[str, Collection] = {}
        self._snapshot = _NOTHING
        self._alone = alone
        self._changes = itertools.count(1)
        self._changed = 0
        """The number of the last change of definitions by this object."""
        self._read = -1
        """That of the last one before the snapshot was read."""
        self._refreshing = threading.Lock()
        try:
            # A connection that the server has closed meanwhile is replaced before it is used.
            self._engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
            META.create_all(self._engine)
        except ModuleNotFoundError as missing:
            reason = f"{missing.name} is not installed"
            raise errors.CATALOG_UNAVAILABLE(reason=reason) from missing
        except sa.exc.SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise errors.CATALOG_UNAVAILABLE(reason=reason) from error
        self.positions = Positions(self._engine)
        self.jobs = Jobs(self._engine)
        self.events = Events(self._engine)
        self.mutations = MutationRecords(self._engine)
        self.access = AccessRecords(self._engine)
        self._complete()
        with self._engine.begin() as db:
            if db.execute(sa.select(DATABASES)).first() is None:
                db.execute(sa.insert(DATABASES).values(name=DEFAULT_DATABASE))
            if db.execute(sa.select(IDENTITY)).first() is None:
                db.execute(sa.insert(IDENTITY).values(id=str(uuid.uuid4()), store=""))

    def _complete(self) -> None:
        """Add the columns that a catalog of an earlier version does not have."""
        for table in (DATABASES, GENERATIONS, IDENTITY, TABLES):
            known = {c["name"] for c in sa.inspect(self._engine).get_columns(table.name)}
            for column in table.columns:
                if column.name not in known:
                    type_ = column.type.compile(self._engine.dialect)
                    added = f"ALTER TABLE {table.name} ADD COLUMN {column.name} {type_}"
                    with self._engine.begin() as db:
                        db.execute(sa.text(added))

    @classmethod
    def in_folder(cls, folder: Path) -> Catalog:
        """The catalog kept in a data folder, readable by its owner only.

        It belongs to one process at a time, as the folder does, and there to one object.
        """
        path = folder / "catalog.sqlite"
        path.touch(mode=0o600)
        path.chmod(0o600)
        return cls(f"sqlite:///{path}", alone=True)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    @property
    def id(self) -> str:
        """The id of this catalog."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(IDENTITY.c.id)))

    @property
    def former(self) -> str:
        """What the catalog was called of which this one is a copy, if it is."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(IDENTITY.c.former)) or "")

    def start(self, place: str = "", given: str = "") -> Instance:
        """Note that a server starts.

        `place` tells a folder from a copy of it, if the catalog is in a folder. `given` tells
        whether a folder that was copied has MOVED or is a NEW instance.

        Raises:
            SluiceError: DATA_FOLDER_COPIED, if it is not where it was and neither is given.
        """
        now = datetime.now(UTC)
        with self._engine.begin() as db:
            known = dict(db.execute(sa.select(IDENTITY)).mappings().one())
            if place and known["place"] not in (None, place) and not given:
                raise errors.DATA_FOLDER_COPIED(what="it is not the folder of its last start")
            new: dict[str, Any] = {"place": place or known["place"]}
            if given:
                new["trusted"] = int(now.timestamp())
            if given == NEW:
                new |= {"id": str(uuid.uuid4()), "former": known["id"], "renamed": now}
            db.execute(sa.update(IDENTITY).values(**new))
            known |= new
            past = frozenset(db.scalars(sa.select(STARTS.c.token)))
            token = f"{known['id']}:{int(now.timestamp())}:{uuid.uuid4().hex[:12]}"
            db.execute(sa.insert(STARTS).values(token=token, time=now))
        renamed = zoned(known["renamed"]) if known["renamed"] else None
        suffix = f"-{known['id'][:8]}" if renamed else ""
        return Instance(known["id"], token, past, known["trusted"] or 0, suffix, renamed)

    @property
    def store(self) -> str:
        """Where the tables and checkpoints are, if not in the data folder."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(IDENTITY.c.store)))

    def in_store(self, url: str) -> None:
        """Remember where the tables and checkpoints are."""
        with self._engine.begin() as db:
            db.execute(sa.update(IDENTITY).values(store=url))

    def snapshot(self) -> Snapshot:
        """The definitions as they are now; only what has changed since the last call is read."""
        if self._alone and self._read == self._changed:
            return self._snapshot
        with self._refreshing, self._engine.connect() as db:
            changed = self._changed
            version = int(db.scalar(sa.select(IDENTITY.c.version)) or 0)
            if version != self._snapshot.version:
                self._snapshot = self._refreshed(db, version)
            self._read = changed
            return self._snapshot

    def _refreshed(self, db: sa.Connection, version: int) -> Snapshot:
        old = self._snapshot
        query = sa.select(*(c for c in TABLES.columns if c is not TABLES.c.changed))
        if old.version >= 0:
            query = query.where(TABLES.c.changed > old.version)
        changed = {row["uuid"]: _table(row) for row in db.execute(query).mappings()}
        tables = {**old.by_uuid, **changed}
        if db.scalar(sa.select(sa.func.count()).select_from(TABLES)) != len(tables):
            there = {*db.scalars(sa.select(TABLES.c.uuid))}
            tables = {uuid_: table for uuid_, table in tables.items() if uuid_ in there}
        kept = [_collection(row) for row in db.execute(sa.select(COLLECTIONS)).mappings()]
        collections = {collection.name: collection for collection in kept} | self._provided
        functions = {
            row["name"]: SqlFunction(**{**row, "parameters": tuple(row["parameters"])})
            for row in db.execute(sa.select(FUNCTIONS)).mappings()
        }
        databases = {
            row["name"]: row["comment"] or "" for row in db.execute(sa.select(DATABASES)).mappings()
        }
        return Snapshot(version, databases, tables, collections, functions)

    @contextmanager
    def _changing(self) -> Iterator[tuple[sa.Connection, int]]:
        """A transaction that changes definitions, and the version that they have then."""
        version = IDENTITY.c.version
        try:
            with self._engine.begin() as db:
                db.execute(sa.update(IDENTITY).values(version=sa.func.coalesce(version, 0) + 1))
                yield db, int(db.scalar(sa.select(version)) or 0)
        finally:
            self._changed = next(self._changes)

    def databases(self) -> list[str]:
        """All databases, sorted."""
        return self.snapshot().databases()

    def database_comment(self, name: str) -> str:
        """The comment of a database."""
        return self.snapshot().comment(name)

    def add_database(self, name: str, comment: str = "") -> None:
        """Remember a database."""
        with self._changing() as (db, _):
            db.execute(sa.insert(DATABASES).values(name=name, comment=comment))

    def comment_database(self, name: str, comment: str) -> None:
        """Give a database another comment."""
        with self._changing() as (db, _):
            db.execute(sa.update(DATABASES).filter_by(name=name).values(comment=comment))

    def remove_database(self, name: str) -> None:
        """Remove a database, which must have no tables."""
        with self._changing() as (db, _):
            db.execute(sa.delete(DATABASES).where(DATABASES.c.name == name))

    def rename_database(self, old: str, new: str, tables: Iterable[Table]) -> None:
        """Give a database another name; `tables` are those that change with it, as they are then.

        All of it happens, or nothing.
        """
        comment = self.database_comment(old)
        with self._changing() as (db, version):
            db.execute(sa.insert(DATABASES).values(name=new, comment=comment))
            for table in tables:
                row = {**_row(table), "changed": version}
                db.execute(sa.update(TABLES).filter_by(uuid=table.uuid).values(**row))
            db.execute(sa.delete(DATABASES).where(DATABASES.c.name == old))

    def tables(self) -> list[Table]:
        """All tables and views, attached or not, sorted by database and name."""
        kept = self.snapshot().tables()
        own = temporary.current()
        if not own:
            return kept
        return sorted(({t.key: t for t in kept} | own).values(), key=lambda table: table.key)

    def find(self, database: str, name: str) -> Table | None:
        """A table or view by its name."""
        own = temporary.current().get((database, name))
        return own or self.snapshot().find(database, name)

    def add(self, *tables: Table, instead_of: Table | None = None) -> None:
        """Remember tables, all or none, and forget the one whose place is taken.

        Its rows are noted as those of no table, until they are deleted.
        """
        gone = _kept((instead_of,), put=False) if instead_of is not None else ()
        with self._changing() as (db, version):
            for table in gone:
                _forget(db, table)
                if table.keeps_rows:
                    db.execute(sa.insert(TEMPORARY_ROWS).values(table_uuid=table.uuid))
            for table in tables:
                db.execute(sa.delete(TEMPORARY_ROWS).filter_by(table_uuid=table.uuid))
                if table.temporary:
                    temporary.current()[table.key] = table
                    if table.keeps_rows:
                        db.execute(sa.insert(TEMPORARY_ROWS).values(table_uuid=table.uuid))
                else:
                    db.execute(sa.insert(TABLES).values(**_row(table), changed=version))

    def has(self, table: Table) -> bool:
        """Whether a table is known, by its id."""
        return any(known.uuid == table.uuid for known in self.tables())

    def replace(self, *tables: Table) -> None:
        """Remember tables as they are now, all or none; they are known by their uuid.

        Names may be exchanged: each first gets one that no other has.
        """
        tables = _kept(tables, put=True)
        if not tables:
            return
        with self._changing() as (db, version):
            for table in tables:
                aside = {"name": f"\1{table.uuid}"}
                db.execute(sa.update(TABLES).filter_by(uuid=table.uuid).values(**aside))
            for table in tables:
                new = {**_row(table), "changed": version}
                db.execute(sa.update(TABLES).filter_by(uuid=table.uuid).values(**new))

    def remove(self, *tables: Table) -> None:
        """Forget tables and where they began to read."""
        tables = _kept(tables, put=False)
        if not tables:
            return
        with self._changing() as (db, _):
            for table in tables:
                _forget(db, table)

    def reserve_rows(self, table_uuid: str) -> None:
        """Note that there will be rows of a table that is not known yet."""
        with self._engine.begin() as db:
            db.execute(sa.insert(TEMPORARY_ROWS).values(table_uuid=table_uuid))

    def temporary_rows(self) -> list[str]:
        """The ids of tables that may have rows on disk, and are not in the catalog.

        They are those of sessions, those that are being made or deleted, and what crashes left.
        """
        with self._engine.connect() as db:
            return list(db.scalars(sa.select(TEMPORARY_ROWS.c.table_uuid)))

    def forget_temporary_rows(self, table_uuid: str) -> None:
        """Note that the rows of such a table are deleted."""
        with self._engine.begin() as db:
            where = TEMPORARY_ROWS.c.table_uuid == table_uuid
            db.execute(sa.delete(TEMPORARY_ROWS).where(where))

    def provide(self, collections: Iterable[Collection]) -> None:
        """Add named collections of this process, which take precedence."""
        self._provided = {collection.name: collection for collection in collections}
        self._changed = next(self._changes)
        self._snapshot = _NOTHING

    def collections(self) -> list[Collection]:
        """All named collections, sorted."""
        return self.snapshot().collections()

    def collection(self, name: str) -> Collection | None:
        """A named collection."""
        return self.snapshot().collection(name)

    def put_collection(self, collection: Collection) -> None:
        """Remember a named collection, in place of one of that name."""
        entries = {key: [v.value, v.overridable] for key, v in collection.values.items()}
        with self._changing() as (db, _):
            db.execute(sa.delete(COLLECTIONS).where(COLLECTIONS.c.name == collection.name))
            db.execute(sa.insert(COLLECTIONS).values(name=collection.name, entries=entries))

    def remove_collection(self, name: str) -> None:
        """Forget a named collection."""
        with self._changing() as (db, _):
            db.execute(sa.delete(COLLECTIONS).where(COLLECTIONS.c.name == name))

    def functions(self) -> Mapping[str, SqlFunction]:
        """The functions that CREATE FUNCTION has made, by their names."""
        return self.snapshot().functions

    def put_function(self, function: SqlFunction) -> None:
        """Remember a function, in place of one of that name."""
        row = asdict(function) | {"parameters": list(function.parameters)}
        with self._changing() as (db, _):
            db.execute(sa.delete(FUNCTIONS).where(FUNCTIONS.c.name == function.name))
            db.execute(sa.insert(FUNCTIONS).values(**row))

    def remove_function(self, name: str) -> None:
        """Forget a function."""
        with self._changing() as (db, _):
            db.execute(sa.delete(FUNCTIONS).where(FUNCTIONS.c.name == name))


def _kept(tables: tuple[Table, ...], *, put: bool) -> tuple[Table, ...]:
    """Change the temporary ones in their session, and give the others."""
    own = temporary.current()
    for table in tables:
        if table.temporary:
            for key in [key for key, known in own.items() if known.uuid == table.uuid]:
                del own[key]
            if put:
                own[table.key] = table
    return tuple(table for table in tables if not table.temporary)


def _forget(db: sa.Connection, table: Table) -> None:
    db.execute(sa.delete(TABLES).where(TABLES.c.uuid == table.uuid))
    db.execute(sa.delete(GENERATIONS).where(GENERATIONS.c.table_uuid == table.uuid))


def _row(table: Table) -> dict[str, Any]:
    return {name: getattr(table, name) for name in HEAD} | {"definition": definition(table)}


def _table(row: Any) -> Table:
    head = {name: row[name] for name in HEAD} | {"created": zoned(row["created"])}
    return from_definition(head, row["definition"])


def _collection(row: Any) -> Collection:
    return Collection(row["name"], {key: Value(*entry) for key, entry in row["entries"].items()})
