"""Names in a query become tables of the catalog, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sluice import errors
from sluice.catalog import DICTIONARY, KAFKA, VIEW, temporary
from sluice.catalog.system_tables import DATABASES, SystemTable, find_system
from sluice.formats.registry import find_format
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner.query import SOURCE_VIEW
from sluice.planner.schema_drift import carried
from sluice.planner.source import changelog_of
from sluice.planner.virtual_columns import virtual_columns
from sluice.sql.relation import BY_KEY, Relation, RelationColumn
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.catalog import Collection, Table
    from sluice.errors import Place
    from sluice.sql.ir import Name


_AT = m.Tuple((m.Int(32), m.Int(64), m.Int(32)), ("partition", "offset", "row"))

UNCHANGED = "__unchanged"
"""The hidden column with the names of columns that a change does not carry."""


class Known(Protocol):
    """Where tables are found: the catalog, or what it would be."""

    def databases(self) -> list[str]:
        """All databases."""

    def tables(self) -> list[Table]:
        """All tables and views."""

    def find(self, database: str, name: str) -> Table | None:
        """A table or view by its name."""

    def collection(self, name: str) -> Collection | None:
        """A named collection."""


class Relations:
    """Resolves the tables of one query and remembers which they were.

    `batch` is the table whose block a view runs over, and `block` what Spark knows that by;
    elsewhere a Kafka table is read from the broker. With `changes` the block has the hidden columns
    of a changelog, which are not visible otherwise.
    """

    def __init__(
        self,
        catalog: Known,
        database: str,
        *,
        batch: Table | None = None,
        block: str = SOURCE_VIEW,
        changes: bool = False,
    ) -> None:
        self._catalog = catalog
        self._database = database
        self._batch = batch
        self._block = block
        self._hidden = hidden_columns(catalog, batch) if batch is not None and changes else ()
        self.found: dict[str, Table] = {}
        self.system: dict[str, SystemTable] = {}
        self._made: dict[str, str] = {}

    def resolve(self, name: Name) -> Relation:
        """The table of that name.

        Raises:
            SluiceError: UNKNOWN_TABLE or UNKNOWN_DATABASE, with the nearest names.
        """
        database = name.database or self._database
        if database in DATABASES:
            return self._system(name, database)
        table = self.table(name)
        if table.kind == DICTIONARY:
            raise errors.DICTIONARY_ON_SPARK(dictionary=table.full_name, place=name.place)
        if self._batch is not None and table.key == self._batch.key:
            more = carried(schema_drift(self._catalog, table)) if table.kind == KAFKA else ()
            return Relation(self._block, (*self._columns(table), *more, *self._hidden))
        view = f"sluice_{table.uuid.replace('-', '')}"
        self.found[view] = table
        return Relation(view, self._columns(table))

    def _columns(self, table: Table) -> tuple[RelationColumn, ...]:
        if table.kind != KAFKA:
            return columns_of(table)
        mode, flavour = error_mode(self._catalog, table), changelog(self._catalog, table)
        return columns_of(table, mode, flavour)

    def table(self, name: Name) -> Table:
        """The attached table or view of that name; a view stands for the table it writes to."""
        table = find(self._catalog, name, self._database)
        if table.kind == VIEW and table.target is not None:
            from sluice.sql.ir import Name as Other

            return self.table(Other(table.target[1], table.target[0], name.place))
        check_dialect(table, name.place)
        return table

    def stored(self) -> tuple[tuple[str, Table], ...]:
        """The stored tables that were found, by the name Spark knows them by.

        Raises:
            SluiceError: VIEW_SOURCE_UNSUPPORTED for a view that reads a second Kafka table, or a
                system table, whose rows differ in every batch.
        """
        for name in self._made.values():
            raise errors.VIEW_SOURCE_UNSUPPORTED(source=name, hint="")
        for table in self.found.values():
            if table.kind == KAFKA:
                raise errors.VIEW_SOURCE_UNSUPPORTED(
                    source=f"a second Kafka table, {table.full_name},",
                    hint="Store its rows with a view of its own, and join with that table.",
                )
        return tuple(sorted(self.found.items()))

    def _system(self, name: Name, database: str) -> Relation:
        table = find_system(database, name.table)
        if table is None:
            hint = errors.nearest(name.table, DATABASES[database])
            full = f"{database}.{name.table}"
            raise errors.UNKNOWN_TABLE(table=full, hint=hint, place=name.place)
        view = f"sluice_{database}_{name.table}".lower()
        self.system[view], self._made[view] = table, f"{database}.{name.table}"
        types = dict(table.columns)
        own = [RelationColumn(n, t) for n, t in table.columns]
        other = [RelationColumn(n, types[of], of, virtual=True) for n, of in table.aliases]
        return Relation(view, (*own, *other))


def check_dialect(table: Table, place: Place | None) -> None:
    """Make sure that a table belongs to the ClickHouse dialect.

    Raises:
        SluiceError: OTHER_DIALECT.
    """
    if table.dialect != "clickhouse":
        raise errors.OTHER_DIALECT(table=table.full_name, dialect_of_table="Flink", place=place)


def error_mode(catalog: Known, table: Table) -> str:
    """What a bad message does in a Kafka table."""
    return _setting(catalog, table, "kafka_handle_error_mode").lower()


def changelog(catalog: Known, table: Table) -> str:
    """The flavour of the changes that a Kafka table's messages are; empty if they are rows."""
    name = _setting(catalog, table, "kafka_format")
    return changelog_of(table, name) if name else ""


def schema_drift(catalog: Known, table: Table) -> str:
    """What a column means that a Kafka table does not declare."""
    return _setting(catalog, table, "kafka_schema_drift").lower()


def hidden_columns(catalog: Known, table: Table) -> tuple[RelationColumn, ...]:
    """The columns of the changes of a Kafka table that are not visible to queries.

    They are what a change does, its place in the topic and, where changes may leave out values,
    the names of the columns that this one leaves as they are.
    """
    found = {"__row_kind": m.String(), "__at": _AT}
    omits = find_format(_setting(catalog, table, "kafka_format"), CLICKHOUSE).omits
    if omits and changelog(catalog, table) == BY_KEY:
        found[UNCHANGED] = m.Array(m.String())
    return tuple(RelationColumn(name, type_, virtual=True) for name, type_ in found.items())


def _setting(catalog: Known, table: Table, name: str) -> str:
    """A setting of a Kafka table, by itself or its collection."""
    settings = dict(table.settings)
    if table.collection is not None:
        held = catalog.collection(table.collection)
        shared = {key: entry.value for key, entry in held.values.items()} if held else {}
        settings = shared | table.engine_args[1] | settings
    return str(settings.get(name, ""))


def columns_of(
    table: Table, error_mode: str = "", changelog: str = ""
) -> tuple[RelationColumn, ...]:
    """A table's columns, with the virtual ones of a Kafka table; `*` leaves out MATERIALIZED."""
    own = tuple(
        RelationColumn(c.name, c.type, c.alias, c.default_kind == "MATERIALIZED")
        for c in table.columns
    )
    if table.kind != KAFKA:
        return own
    named = {column.name for column in own}
    return own + tuple(
        RelationColumn(name, type_, virtual=True)
        for name, type_ in virtual_columns(error_mode, changelog).items()
        if name not in named
    )


def find(catalog: Known, name: Name, default: str, *, detached: bool = False) -> Table:
    """A table or view by name; a temporary table comes before one of the current database.

    Raises:
        SluiceError: UNKNOWN_DATABASE or UNKNOWN_TABLE with the nearest names; NOT_ATTACHED.
    """
    own = temporary.named(name.database, name.table)
    if own is not None:
        return own
    database = name.database or default
    databases = catalog.databases()
    if database not in databases:
        hint = errors.nearest(database, databases)
        raise errors.UNKNOWN_DATABASE(database=database, hint=hint, place=name.place)
    table = catalog.find(database, name.table)
    if table is None:
        near = [t.name for t in catalog.tables() if t.database == database]
        full = f"{database}.{name.table}"
        hint = errors.nearest(name.table, near)
        raise errors.UNKNOWN_TABLE(table=full, hint=hint, place=name.place)
    if not table.attached and not detached:
        raise errors.NOT_ATTACHED(table=table.full_name, place=name.place)
    return table
