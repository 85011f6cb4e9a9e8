"""What a statement means, whatever dialect it was written in.

Front ends make these; the session runs them. Each carries the place of its name in the text, so
that an error found later still says where.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sluice.catalog.entities import ColumnParts, Element

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from sluice.catalog import Value
    from sluice.errors import Place, SluiceError


@dataclass(frozen=True, slots=True)
class Name:
    """A table's name as it was written; the session fills in the database.

    `catalog` is there only if it is another than the default one. `options` are those of the
    hint after the name in the Flink dialect, for this use of the table alone.
    """

    table: str
    database: str | None = None
    place: Place | None = field(default=None, compare=False)
    catalog: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ".".join(part for part in (self.catalog, self.database, self.table) if part)


@dataclass(frozen=True, slots=True)
class ColumnDef(ColumnParts):
    """A column of a CREATE or an ALTER."""

    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT: the dialect's own tree (checked when it is lowered) and its canonical text.

    `settings` are those after it.
    """

    tree: exp.Expression = field(compare=False)
    text: str
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Statement:
    """Base of everything `Session.execute` can run.

    `writes` tells whether running it can change anything: a GET request may only run those where it
    is false. `place` is that of the name of what has no `Name`, such as a catalog or a job.
    """

    writes: ClassVar[bool] = True
    place: Place | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ReadOnly(Statement):
    """A statement that changes nothing; `format` is that of its FORMAT clause."""

    writes: ClassVar[bool] = False
    format: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Alteration:
    """A change of ALTER TABLE; `place` is that of the column it changes."""

    place: Place | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class CreateDatabase(Statement):
    """CREATE DATABASE."""

    name: str
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropDatabase(Statement):
    """DROP DATABASE; without `cascade` (Flink's RESTRICT) only if it is empty."""

    name: str
    if_exists: bool = False
    cascade: bool = True


@dataclass(frozen=True, slots=True)
class RenameDatabase(Statement):
    """RENAME DATABASE."""

    name: str
    to: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class TruncateDatabase(Statement):
    """TRUNCATE DATABASE: the database stays, and what is in it goes."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class TruncateTables(Statement):
    """TRUNCATE ALL TABLES FROM a database, or those whose names are like, or `negated` unlike."""

    database: str
    if_exists: bool = False
    like: str | None = None
    negated: bool = False
    any_case: bool = False


class Word(str):
    """A name or an expression as it was written, where a string in quotes could stand too."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """`Kafka('b:9092', 'topic')`: a name, and literals or `Word`s; without a name it is left open.

    `Kafka(collection, key = value)` names a collection, and what is to replace its values.
    """

    name: str
    args: tuple[Any, ...] = ()
    place: Place | None = field(default=None, compare=False)
    collection: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    override_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Watermark:
    """WATERMARK FOR column AS delay."""

    column: str
    delay: str


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    """CREATE TABLE; ClickHouse's `AS other` fills `like` instead of `columns`, Flink's LIKE adds.

    `order_by`, `partition_by` and the like are expression texts; `settings` maps names to Python
    literals (for Flink they are the options of WITH), and `setting_places` says where each was
    written. With AS SELECT it has the rows of `query`, or none if it is `empty`; the columns may be
    left to the query. `mode` is CREATE, CREATE OR REPLACE or REPLACE.
    """

    name: Name
    columns: tuple[ColumnDef, ...]
    engine: Engine
    like: Name | None = None
    order_by: tuple[str, ...] | None = None
    partition_by: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    comment: str = ""
    if_not_exists: bool = False
    dialect: str = "clickhouse"
    primary_key: tuple[str, ...] = ()
    sample_by: str | None = None
    ttl: str = ""
    watermark: Watermark | None = None
    like_options: tuple[str, ...] = ()
    temporary: bool = False
    query: Query | None = None
    empty: bool = False
    mode: str = "CREATE"
    elements: tuple[Element, ...] = ()
    element_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(Statement):
    """CREATE MATERIALIZED VIEW; its name, where it writes, what it selects.

    Without a `target` it has a table of its own, `inner`, whose columns are those of the view if
    they were written, else those of the query. With `populate` it begins with the rows that its
    source has already.
    """

    name: Name
    target: Name | None
    query: Query
    if_not_exists: bool = False
    comment: str = ""
    inner: CreateTable | None = None
    populate: bool = False


@dataclass(frozen=True, slots=True)
class CreateDictionary(Statement):
    """CREATE DICTIONARY: the rows of a table by a key.

    `parts` are texts: the layout, the lifetime, the range of a key, the comment; `flags` the words
    after attributes, by name.
    """

    name: Name
    columns: tuple[ColumnDef, ...]
    primary_key: tuple[str, ...]
    source: Name
    parts: Mapping[str, str]
    flags: Mapping[str, str] = field(default_factory=dict)
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class CreateFunction(Statement):
    """CREATE FUNCTION name AS (a, b) -> expression; `text` is what follows AS."""

    name: str
    text: str
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropFunction(Statement):
    """DROP FUNCTION."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Drop(Statement):
    """DROP TABLE, VIEW or DICTIONARY; `kind` is the word used.

    With `if_empty` tables with rows are refused.
    """

    kind: str
    name: Name
    if_exists: bool = False
    temporary: bool = False
    more: tuple[Name, ...] = ()
    if_empty: bool = False

    @property
    def names(self) -> tuple[Name, ...]:
        """All that is dropped."""
        return (self.name, *self.more)


@dataclass(frozen=True, slots=True)
class Detach(Statement):
    """DETACH TABLE or VIEW."""

    kind: str
    name: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Attach(Statement):
    """ATTACH TABLE or VIEW."""

    kind: str
    name: Name
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Use(ReadOnly):
    """USE: the current database from here on."""

    database: str


@dataclass(frozen=True, slots=True)
class ShowDatabases(ReadOnly):
    """SHOW DATABASES."""

    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowTables(ReadOnly):
    """SHOW TABLES."""

    database: str | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowCreate(ReadOnly):
    """SHOW CREATE TABLE, VIEW, DATABASE or NAMED COLLECTION."""

    kind: str
    name: Name


@dataclass(frozen=True, slots=True)
class Describe(ReadOnly):
    """DESCRIBE TABLE."""

    name: Name


@dataclass(frozen=True, slots=True)
class DescribeQuery(ReadOnly):
    """DESCRIBE (SELECT …)."""

    query: Query


@dataclass(frozen=True, slots=True)
class ExplainQuery(ReadOnly):
    """EXPLAIN of a SELECT: AST, SYNTAX, QUERY TREE, PLAN, PIPELINE or ESTIMATE, with options."""

    query: Query
    kind: str = "PLAN"
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exists(ReadOnly):
    """EXISTS TABLE or VIEW."""

    kind: str
    name: Name


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """INSERT INTO: exactly one of `rows`, `constants`, `query` and `data` is filled.

    `rows` are tuples of expressions, `constants` those of many rows: texts, integers, None.

    `dialect` is that of the expressions; with `overwrite` the rows replace what was there.
    `settings` are those of its SETTINGS clause.
    """

    name: Name
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[exp.Expression, ...], ...] | None = None
    query: Query | None = None
    format: str | None = None
    data: str | None = None
    overwrite: bool = False
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict)
    constants: tuple[tuple[str | int | None, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Select(ReadOnly):
    """A query whose rows are answered; `settings` as those of an INSERT."""

    query: Query
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResetOffsets(Statement):
    """SYSTEM RESET OFFSETS t TO EARLIEST | LATEST | GROUP | TIMESTAMP '…' | OFFSETS '…'.

    `value` is what stands in the quotes.
    """

    name: Name
    to: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Consume(Statement):
    """SYSTEM STOP, START, PAUSE, RESUME, CANCEL or REFRESH of a Kafka table, or of all of them."""

    action: str
    name: Name | None


@dataclass(frozen=True, slots=True)
class KillQuery(Statement):
    """KILL QUERY: `query` chooses from system.processes; `mode` is ASYNC, SYNC or TEST."""

    query: Query
    mode: str = "ASYNC"
    format: str | None = None


@dataclass(frozen=True, slots=True)
class KillMutation(KillQuery):
    """KILL MUTATION: `query` chooses from system.mutations."""


@dataclass(frozen=True, slots=True)
class Set(ReadOnly):
    """SET name = value; `defaults` are those that get their defaults again."""

    settings: Mapping[str, Any]
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    defaults: tuple[str, ...] = ()


# What ClickHouse's DDL has besides.


@dataclass(frozen=True, slots=True)
class CreateNamedCollection(Statement):
    """CREATE NAMED COLLECTION name AS key = value [[NOT] OVERRIDABLE], …."""

    name: str
    values: Mapping[str, Value] = field(repr=False)
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterNamedCollection(Statement):
    """ALTER NAMED COLLECTION name SET key = value, … DELETE key, …."""

    name: str
    values: Mapping[str, Value] = field(repr=False)
    delete: tuple[str, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropNamedCollection(Statement):
    """DROP NAMED COLLECTION."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ShowNamedCollections(ReadOnly):
    """SHOW NAMED COLLECTIONS."""

    like: str | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """Which rows `PARTITION …` means: by the values of the partition key, by an id, or all.

    Values are texts of ClickHouse's SQL.
    """

    values: tuple[str, ...] = ()
    id: str | None = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """`column = expression` of an UPDATE."""

    column: str
    expression: str
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mutation(Statement):
    """A change of rows that a stored table has.

    Those that meet the condition, and are in the partition if one is given, get the values of the
    assignments, or are deleted if there are none. With a `source` they are replaced by the rows
    that this table has in the partition. Conditions and expressions are texts of ClickHouse's SQL.
    `more` are those of the same ALTER TABLE that come after it.
    """

    name: Name
    verb: str
    condition: str = ""
    assignments: tuple[Assignment, ...] = ()
    partition: Partition | None = None
    source: Name | None = None
    if_exists: bool = False
    command: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    more: tuple[Mutation, ...] = ()


@dataclass(frozen=True, slots=True)
class AddColumn(Alteration):
    """ADD COLUMN; `after` is the column it follows, "" for the first place."""

    column: ColumnDef
    if_not_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DropColumn(Alteration):
    """DROP COLUMN."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ModifyColumn(Alteration):
    """MODIFY COLUMN: the parts of `changes` are replaced; the others stay as they are."""

    name: str
    changes: Mapping[str, Any]
    if_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn(Alteration):
    """RENAME COLUMN a TO b."""

    name: str
    to: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ModifySetting(Alteration):
    """MODIFY SETTING and RESET SETTING."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    reset: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class ModifyQuery(Alteration):
    """MODIFY QUERY of a materialized view."""

    query: Query


@dataclass(frozen=True, slots=True)
class ModifyComment(Alteration):
    """MODIFY COMMENT of a table."""

    comment: str


@dataclass(frozen=True, slots=True)
class ModifyTtl(Alteration):
    """MODIFY TTL, or REMOVE TTL without one."""

    ttl: str = ""


@dataclass(frozen=True, slots=True)
class AddElement(Alteration):
    """ADD INDEX, PROJECTION or CONSTRAINT; `after` as in ADD COLUMN."""

    element: Element
    if_not_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DropElement(Alteration):
    """DROP INDEX, PROJECTION or CONSTRAINT; with another `verb` its data alone is concerned."""

    kind: str
    element: str
    if_exists: bool = False
    verb: str = "DROP"


@dataclass(frozen=True, slots=True)
class ModifyKey(Alteration):
    """ADD or MODIFY (`columns`) or DROP (none) the PRIMARY KEY; ADD wants that there is none."""

    columns: tuple[str, ...] = ()
    add: bool = False


@dataclass(frozen=True, slots=True)
class ModifyWatermark(Alteration):
    """ADD, MODIFY or DROP (None) the WATERMARK; ADD wants that there is none."""

    watermark: Watermark | None = None
    add: bool = False


@dataclass(frozen=True, slots=True)
class AlterTable(Statement):
    """ALTER TABLE: one change or several, all or none of them."""

    name: Name
    changes: tuple[Alteration, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTables(Statement):
    """RENAME TABLE a TO b, …; each pair sees what those before it have done."""

    pairs: tuple[tuple[Name, Name], ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeTables(Statement):
    """EXCHANGE TABLES a AND b."""

    first: Name
    second: Name


@dataclass(frozen=True, slots=True)
class Truncate(Statement):
    """TRUNCATE TABLE."""

    name: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Optimize(Statement):
    """OPTIMIZE TABLE [FINAL]."""

    name: Name
    final: bool = False


@dataclass(frozen=True, slots=True)
class System(Statement):
    """A SYSTEM statement that there is nothing to do for, as `SYSTEM RELOAD CONFIG`."""

    action: str
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class Redrive(Statement):
    """REDRIVE DEAD LETTERS FROM a table: `query` selects the letters, `using` is a format."""

    name: Name
    query: Query
    using: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    dry: bool = False
    format: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainMigration(ReadOnly):
    """EXPLAIN MIGRATION: what becomes of a statement and of every option in it.

    `problems` are errors in its text that were passed over.
    """

    statement: Statement
    dialect: str = "clickhouse"
    problems: tuple[SluiceError, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateView(Statement):
    """CREATE VIEW: a query under a name; `columns` are names and comments, if they were written.

    Those of ClickHouse's dialect are `declared`, with types; `security` is the clause that says
    with whose rights it reads, and with the `mode` CREATE OR REPLACE it may replace a view.
    """

    name: Name
    query: Query
    columns: tuple[tuple[str, str], ...] = ()
    comment: str = ""
    if_not_exists: bool = False
    temporary: bool = False
    declared: tuple[ColumnDef, ...] = ()
    security: str = ""
    mode: str = "CREATE"


# What Flink's SQL has besides.


@dataclass(frozen=True, slots=True)
class AlterView(Statement):
    """ALTER VIEW … AS: another query under the same name."""

    name: Name
    query: Query


@dataclass(frozen=True, slots=True)
class CreateCatalog(Statement):
    """CREATE CATALOG."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    if_not_exists: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class DropCatalog(Statement):
    """DROP CATALOG."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class UseCatalog(ReadOnly):
    """USE CATALOG."""

    name: str


@dataclass(frozen=True, slots=True)
class StatementSet(Statement):
    """Several INSERTs that start together, as one job."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True, slots=True)
class Explain(ReadOnly):
    """EXPLAIN of a query, an INSERT or a statement set; `details` are the words asked for."""

    statement: Statement
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShowJobs(ReadOnly):
    """SHOW JOBS."""


@dataclass(frozen=True, slots=True)
class DescribeJob(ReadOnly):
    """DESCRIBE JOB 'id'."""

    job: str


@dataclass(frozen=True, slots=True)
class StopJob(Statement):
    """STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]."""

    job: str
    savepoint: bool = False
    drain: bool = False


@dataclass(frozen=True, slots=True)
class Show(ReadOnly):
    """SHOW of what is only a list: CATALOGS, VIEWS, FUNCTIONS, CURRENT DATABASE, …."""

    what: str
    like: str | None = None
    database: str | None = None


@dataclass(frozen=True, slots=True)
class ShowColumns(ReadOnly):
    """SHOW COLUMNS FROM table."""

    name: Name
    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowSettings(ReadOnly):
    """SET without a name: what was set."""


@dataclass(frozen=True, slots=True)
class Reset(ReadOnly):
    """RESET 'name', or of everything that was set."""

    name: str | None = None
