"""Databases, tables, collections, where pipelines began: SQLAlchemy over SQLite, or any URL."""

from __future__ import annotations

import uuid
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sluice import errors
from sluice.catalog import temporary
from sluice.catalog.instance import Instance
from sluice.catalog.model import (
    Collection,
    Event,
    Generation,
    Job,
    Table,
    Value,
    definition,
    from_definition,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sluice.catalog.model import Offsets

DEFAULT_DATABASE = "default"

MOVED, NEW = "moved", "new"
"""What a data folder is that is not where it was: the same one, or one of its own from now on."""

_META = sa.MetaData()
_DATABASES = sa.Table("databases", _META, sa.Column("name", sa.Text, primary_key=True))
_IDENTITY = sa.Table(
    "identity",
    _META,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("store", sa.Text, nullable=False),
    sa.Column("place", sa.Text, nullable=True),
    sa.Column("former", sa.Text, nullable=True),
    sa.Column("trusted", sa.BigInteger, nullable=True),
    sa.Column("renamed", sa.DateTime(timezone=True), nullable=True),
)
_STARTS = sa.Table(
    "starts",
    _META,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("time", sa.DateTime(timezone=True), nullable=False),
)
_TABLES = sa.Table(
    "tables",
    _META,
    sa.Column("uuid", sa.Text, primary_key=True),
    sa.Column("database", sa.ForeignKey(_DATABASES.c.name), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("attached", sa.Boolean, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    sa.UniqueConstraint("database", "name"),
)
_TEMPORARY_ROWS = sa.Table(
    "temporary_rows", _META, sa.Column("table_uuid", sa.Text, primary_key=True)
)
_COLLECTIONS = sa.Table(
    "named_collections",
    _META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("entries", sa.JSON, nullable=False),
)
_GENERATIONS = sa.Table(
    "generations",
    _META,
    sa.Column("table_uuid", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("starts", sa.JSON, nullable=False),
    sa.Column("topic_ids", sa.JSON, nullable=False),
    sa.Column("shared", sa.Boolean, nullable=True),
    sa.Column("ends", sa.JSON, nullable=True),
)
_JOBS = sa.Table(
    "jobs",
    _META,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("database", sa.Text, nullable=False),
    sa.Column("statement", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
    sa.Column("plan", sa.JSON, nullable=False),
)
_EVENTS = sa.Table(
    "events",
    _META,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("time", sa.DateTime(timezone=True), nullable=False),
    sa.Column("database", sa.Text, nullable=False),
    sa.Column("table", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("ranges", sa.JSON, nullable=False),
)
_KEPT_EVENTS = 10_000
_HANDOVERS = sa.Table(
    "handovers",
    _META,
    sa.Column("group_name", sa.Text, primary_key=True),
    sa.Column("topic_id", sa.Text, primary_key=True),
    sa.Column("partition", sa.Integer, primary_key=True),
    sa.Column("offset", sa.BigInteger, nullable=False),
)


class Catalog:
    """The catalog of one data folder. Every change is one transaction; threads may share it.

    Args:
        url: SQLAlchemy's name of a database: SQLite or PostgreSQL.

    Raises:
        SluiceError: CATALOG_UNAVAILABLE.
    """

    def __init__(self, url: str) -> None:
        self._provided: dict[str, Collection] = {}
        try:
            # A connection that the server has closed meanwhile is replaced before it is used.
            self._engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
            _META.create_all(self._engine)
        except ModuleNotFoundError as missing:
            reason = f"{missing.name} is not installed"
            raise errors.CATALOG_UNAVAILABLE(reason=reason) from missing
        except sa.exc.SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise errors.CATALOG_UNAVAILABLE(reason=reason) from error
        self._complete()
        with self._engine.begin() as db:
            if db.execute(sa.select(_DATABASES)).first() is None:
                db.execute(sa.insert(_DATABASES).values(name=DEFAULT_DATABASE))
            if db.execute(sa.select(_IDENTITY)).first() is None:
                db.execute(sa.insert(_IDENTITY).values(id=str(uuid.uuid4()), store=""))

    def _complete(self) -> None:
        """Add the columns that a catalog of an earlier version does not have."""
        for table in (_GENERATIONS, _IDENTITY):
            known = {c["name"] for c in sa.inspect(self._engine).get_columns(table.name)}
            for column in table.columns:
                if column.name not in known:
                    type_ = column.type.compile(self._engine.dialect)
                    added = f"ALTER TABLE {table.name} ADD COLUMN {column.name} {type_}"
                    with self._engine.begin() as db:
                        db.execute(sa.text(added))

    @classmethod
    def in_folder(cls, folder: Path) -> Catalog:
        """The catalog kept in a data folder, readable by its owner only."""
        path = folder / "catalog.sqlite"
        path.touch(mode=0o600)
        path.chmod(0o600)
        return cls(f"sqlite:///{path}")

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @property
    def id(self) -> str:
        """What tells this catalog from any other."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(_IDENTITY.c.id)))

    @property
    def former(self) -> str:
        """What the catalog was called of which this one is a copy, if it is."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(_IDENTITY.c.former)) or "")

    def start(self, place: str = "", given: str = "") -> Instance:
        """Note that a server starts.

        `place` tells a folder from a copy of it, if the catalog is in a folder. `given` is what was
        said of one that is not where it was: it has MOVED, or is a NEW instance.

        Raises:
            SluiceError: DATA_FOLDER_COPIED, if it is not where it was and nothing was said.
        """
        now = datetime.now(UTC)
        with self._engine.begin() as db:
            known = dict(db.execute(sa.select(_IDENTITY)).mappings().one())
            if place and known["place"] not in (None, place) and not given:
                raise errors.DATA_FOLDER_COPIED(what="it is not the folder of its last start")
            new: dict[str, Any] = {"place": place or known["place"]}
            if given:
                new["trusted"] = int(now.timestamp())
            if given == NEW:
                new |= {"id": str(uuid.uuid4()), "former": known["id"], "renamed": now}
            db.execute(sa.update(_IDENTITY).values(**new))
            known |= new
            past = frozenset(db.scalars(sa.select(_STARTS.c.token)))
            token = f"{known['id']}:{int(now.timestamp())}:{uuid.uuid4().hex[:12]}"
            db.execute(sa.insert(_STARTS).values(token=token, time=now))
        renamed = _zoned(known["renamed"]) if known["renamed"] else None
        suffix = f"-{known['id'][:8]}" if renamed else ""
        return Instance(known["id"], token, past, known["trusted"] or 0, suffix, renamed)

    @property
    def store(self) -> str:
        """Where the tables and checkpoints are, if not in the data folder."""
        with self._engine.connect() as db:
            return str(db.scalar(sa.select(_IDENTITY.c.store)))

    def in_store(self, url: str) -> None:
        """Remember where the tables and checkpoints are."""
        with self._engine.begin() as db:
            db.execute(sa.update(_IDENTITY).values(store=url))

    def databases(self) -> list[str]:
        """All databases, sorted."""
        with self._engine.connect() as db:
            return list(db.scalars(sa.select(_DATABASES.c.name).order_by(_DATABASES.c.name)))

    def add_database(self, name: str) -> None:
        """Remember a database."""
        with self._engine.begin() as db:
            db.execute(sa.insert(_DATABASES).values(name=name))

    def remove_database(self, name: str) -> None:
        """Forget a database; its tables must be gone."""
        with self._engine.begin() as db:
            db.execute(sa.delete(_DATABASES).where(_DATABASES.c.name == name))

    def tables(self) -> list[Table]:
        """All tables and views, attached or not, sorted by database and name."""
        with self._engine.connect() as db:
            query = sa.select(_TABLES).order_by(_TABLES.c.database, _TABLES.c.name)
            kept = [_table(row) for row in db.execute(query).mappings()]
        own = temporary.current()
        if not own:
            return kept
        return sorted(({t.key: t for t in kept} | own).values(), key=lambda table: table.key)

    def find(self, database: str, name: str) -> Table | None:
        """A table or view by its name."""
        if (database, name) in temporary.current():
            return temporary.current()[database, name]
        with self._engine.connect() as db:
            where = (_TABLES.c.database == database, _TABLES.c.name == name)
            row = db.execute(sa.select(_TABLES).where(*where)).mappings().first()
            return _table(row) if row else None

    def add(self, *tables: Table) -> None:
        """Remember tables, all or none."""
        with self._engine.begin() as db:
            for table in tables:
                if table.temporary:
                    temporary.current()[table.key] = table
                    if table.keeps_rows:
                        db.execute(sa.insert(_TEMPORARY_ROWS).values(table_uuid=table.uuid))
                else:
                    db.execute(sa.insert(_TABLES).values(**_row(table)))

    def replace(self, *tables: Table) -> None:
        """Remember tables as they are now, all or none; they are known by their uuid.

        Names may be exchanged: each first gets one that no other has.
        """
        tables = _kept(tables, put=True)
        with self._engine.begin() as db:
            for table in tables:
                aside = {"name": f"\1{table.uuid}"}
                db.execute(sa.update(_TABLES).where(_TABLES.c.uuid == table.uuid).values(**aside))
            for table in tables:
                where = _TABLES.c.uuid == table.uuid
                db.execute(sa.update(_TABLES).where(where).values(**_row(table)))

    def remove(self, *tables: Table) -> None:
        """Forget tables and where they began to read."""
        tables = _kept(tables, put=False)
        with self._engine.begin() as db:
            for table in tables:
                db.execute(sa.delete(_TABLES).where(_TABLES.c.uuid == table.uuid))
                db.execute(sa.delete(_GENERATIONS).where(_GENERATIONS.c.table_uuid == table.uuid))

    def temporary_rows(self) -> list[str]:
        """The ids of temporary tables whose rows may be on disk, those of a crash too."""
        with self._engine.connect() as db:
            return list(db.scalars(sa.select(_TEMPORARY_ROWS.c.table_uuid)))

    def forget_temporary_rows(self, table_uuid: str) -> None:
        """Note that the rows of a temporary table are deleted."""
        with self._engine.begin() as db:
            where = _TEMPORARY_ROWS.c.table_uuid == table_uuid
            db.execute(sa.delete(_TEMPORARY_ROWS).where(where))

    def set_attached(self, table: Table, *, attached: bool) -> None:
        """Remember whether a table takes part."""
        with self._engine.begin() as db:
            where = _TABLES.c.uuid == table.uuid
            db.execute(sa.update(_TABLES).where(where).values(attached=attached))

    def provide(self, collections: Iterable[Collection]) -> None:
        """Know these named collections too, for as long as the process lives; they come first."""
        self._provided = {collection.name: collection for collection in collections}

    def collections(self) -> list[Collection]:
        """All named collections, sorted."""
        with self._engine.connect() as db:
            kept = [_collection(row) for row in db.execute(sa.select(_COLLECTIONS)).mappings()]
        found = {collection.name: collection for collection in kept} | self._provided
        return [found[name] for name in sorted(found)]

    def collection(self, name: str) -> Collection | None:
        """A named collection."""
        if name in self._provided:
            return self._provided[name]
        with self._engine.connect() as db:
            query = sa.select(_COLLECTIONS).where(_COLLECTIONS.c.name == name)
            row = db.execute(query).mappings().first()
            return _collection(row) if row else None

    def put_collection(self, collection: Collection) -> None:
        """Remember a named collection, in place of one of that name."""
        entries = {key: [v.value, v.overridable] for key, v in collection.values.items()}
        with self._engine.begin() as db:
            db.execute(sa.delete(_COLLECTIONS).where(_COLLECTIONS.c.name == collection.name))
            db.execute(sa.insert(_COLLECTIONS).values(name=collection.name, entries=entries))

    def remove_collection(self, name: str) -> None:
        """Forget a named collection."""
        with self._engine.begin() as db:
            db.execute(sa.delete(_COLLECTIONS).where(_COLLECTIONS.c.name == name))

    def generation(self, table_uuid: str, number: int | None = None) -> Generation | None:
        """The newest generation of a Kafka table, or the one of a number."""
        with self._engine.connect() as db:
            query = sa.select(_GENERATIONS).where(_GENERATIONS.c.table_uuid == table_uuid)
            if number is not None:
                query = query.where(_GENERATIONS.c.number == number)
            row = db.execute(query.order_by(_GENERATIONS.c.number.desc())).mappings().first()
        if row is None:
            return None
        starts, ids = _offsets(row["starts"]), row["topic_ids"]
        ends = _offsets(row["ends"]) if row["ends"] is not None else None
        return Generation(row["number"], starts, ids, bool(row["shared"]), ends)

    def add_generations(self, new: Mapping[str, Generation]) -> None:
        """Remember where Kafka tables begin, all or none, before their first batches."""
        with self._engine.begin() as db:
            self._add_generations(db, new)

    def _add_generations(self, db: sa.Connection, new: Mapping[str, Generation]) -> None:
        for table_uuid, generation in new.items():
            db.execute(
                sa.insert(_GENERATIONS).values(
                    table_uuid=table_uuid,
                    number=generation.number,
                    starts=generation.starts,
                    topic_ids=dict(generation.topic_ids),
                    shared=generation.shared,
                    ends=generation.ends,
                )
            )

    def extend_generation(self, table_uuid: str, longer: Generation) -> None:
        """Remember what a generation reads besides; what it began with stays as it is."""
        of = (_GENERATIONS.c.table_uuid == table_uuid) & (_GENERATIONS.c.number == longer.number)
        new = {"starts": longer.starts, "topic_ids": dict(longer.topic_ids)}
        with self._engine.begin() as db:
            db.execute(sa.update(_GENERATIONS).where(of).values(**new))

    def jobs(self) -> list[Job]:
        """All jobs, the oldest first."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(_JOBS).order_by(_JOBS.c.created, _JOBS.c.id)).mappings()
            return [_job(row) for row in rows]

    def job(self, id_: str) -> Job | None:
        """A job by its id."""
        with self._engine.connect() as db:
            row = db.execute(sa.select(_JOBS).where(_JOBS.c.id == id_)).mappings().first()
            return _job(row) if row else None

    def put_job(self, job: Job) -> None:
        """Remember a job, in place of what was known of it."""
        values = {f.name: getattr(job, f.name) for f in fields(job)}
        with self._engine.begin() as db:
            db.execute(sa.delete(_JOBS).where(_JOBS.c.id == job.id))
            db.execute(sa.insert(_JOBS).values(**values))

    def update_job(self, id_: str, **values: Any) -> None:
        """Remember something else of a job that is known already."""
        with self._engine.begin() as db:
            db.execute(sa.update(_JOBS).where(_JOBS.c.id == id_).values(**values))

    def take_over(self, job: Job, old: str, plan: Mapping[str, Any]) -> None:
        """Remember a job that goes on in place of another, which has this plan from now on."""
        values = {f.name: getattr(job, f.name) for f in fields(job)}
        with self._engine.begin() as db:
            db.execute(sa.insert(_JOBS).values(**values))
            db.execute(sa.update(_JOBS).where(_JOBS.c.id == old).values(plan=plan))

    def begin_job(
        self, id_: str, plan: Mapping[str, Any], new: Mapping[str, Generation], events: list[Event]
    ) -> None:
        """Remember where the queries of a job begin, with its plan and what there is to say."""
        with self._engine.begin() as db:
            self._add_generations(db, new)
            db.execute(sa.update(_JOBS).where(_JOBS.c.id == id_).values(plan=plan))
            self._add_events(db, events)

    def forget_job(self, id_: str, queries: Iterable[str]) -> None:
        """Forget a job, and where its queries began to read."""
        with self._engine.begin() as db:
            for query in queries:
                key = _GENERATIONS.c.table_uuid.startswith(f"{query}/", autoescape=True)
                db.execute(sa.delete(_GENERATIONS).where(key))
            db.execute(sa.delete(_JOBS).where(_JOBS.c.id == id_))

    def add_event(self, event: Event) -> None:
        """Remember what happened; the oldest events are forgotten."""
        with self._engine.begin() as db:
            self._add_events(db, [event])

    def _add_events(self, db: sa.Connection, events: Iterable[Event]) -> None:
        for event in events:
            values = {f.name: getattr(event, f.name) for f in fields(event)}
            new = db.execute(sa.insert(_EVENTS).values(**values)).inserted_primary_key
            last = _EVENTS.c.number <= (new[0] if new else 0) - _KEPT_EVENTS
            db.execute(sa.delete(_EVENTS).where(last))

    def events(self) -> list[Event]:
        """What happened, the oldest first."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(_EVENTS).order_by(_EVENTS.c.number)).mappings()
            return [_event(row) for row in rows]

    def hand_over(self, group: str, positions: Iterable[tuple[str, int, int]]) -> None:
        """Keep what could not be told to the broker: (topic id, partition, offset)."""
        with self._engine.begin() as db:
            for topic_id, partition, offset in positions:
                key = {"group_name": group, "topic_id": topic_id, "partition": partition}
                db.execute(sa.delete(_HANDOVERS).filter_by(**key))
                db.execute(sa.insert(_HANDOVERS).values(**key, offset=offset))

    def handed_over(self, group: str, topic_id: str) -> dict[int, int]:
        """What was kept for a group's next reader of a topic, by partition."""
        with self._engine.connect() as db:
            where = {"group_name": group, "topic_id": topic_id}
            rows = db.execute(sa.select(_HANDOVERS).filter_by(**where)).mappings()
            return {row["partition"]: row["offset"] for row in rows}

    def forget_handovers(self, group: str, topic_ids: Iterable[str]) -> None:
        """Somebody has begun to read there."""
        with self._engine.begin() as db:
            topics = _HANDOVERS.c.topic_id.in_(list(topic_ids))
            db.execute(sa.delete(_HANDOVERS).where(_HANDOVERS.c.group_name == group, topics))


def _zoned(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _job(row: Any) -> Job:
    ended = _zoned(row["ended"]) if row["ended"] is not None else None
    return Job(**{**row, "created": _zoned(row["created"]), "ended": ended})


def _event(row: Any) -> Event:
    return Event(
        _zoned(row["time"]),
        row["database"],
        row["table"],
        row["kind"],
        row["message"],
        {
            topic: {int(p): (start, end) for p, (start, end) in parts.items()}
            for topic, parts in row["ranges"].items()
        },
    )


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


def _row(table: Table) -> dict[str, Any]:
    return {
        "uuid": table.uuid,
        "database": table.database,
        "name": table.name,
        "kind": table.kind,
        "attached": table.attached,
        "created": table.created,
        "definition": definition(table),
    }


def _table(row: Any) -> Table:
    head = {name: row[name] for name in ("uuid", "database", "name", "kind", "attached")}
    head["created"] = _zoned(row["created"])
    return from_definition(head, row["definition"])


def _collection(row: Any) -> Collection:
    return Collection(row["name"], {key: Value(*entry) for key, entry in row["entries"].items()})


def _offsets(stored: dict[str, dict[str, int]]) -> Offsets:
    return {t: {int(p): o for p, o in parts.items()} for t, parts in stored.items()}
