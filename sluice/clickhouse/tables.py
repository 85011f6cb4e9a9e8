"""Stored tables as ClickHouse reads them: a view over the files of one version."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.clickhouse import encoded, merged_rows, states
from sluice.clickhouse.data_files import NotReadable, physical_name
from sluice.clickhouse.json_rows import ZONELESS, in_utc
from sluice.formats import typed_values
from sluice.planner.late_columns import late_expressions
from sluice.planner.merging import WRITTEN_AT, WRITTEN_ROW
from sluice.planner.nested import lengths_of_late
from sluice.sql.core.recent import Recent
from sluice.types import bare, is_nullable, quote_name, quote_string
from sluice.types import model as m
from sluice.types.encoded import Encoded, is_encoded
from sluice.types.semistructured import Json, is_typed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sluice.catalog import Column, Table
    from sluice.clickhouse.data_files import DataFile, DeletionVector, Snapshot
    from sluice.planner.merging import Merging
    from sluice.types import Type

_FOREIGN = (
    m.LocalDateTime, m.TimeOfDay, m.Interval, m.Text, m.Bytes, m.Multiset,
    m.Nothing,
)  # fmt: skip
"""Types that are not stored in a form that ClickHouse knows."""

_GLOBS = "*?{"
"""In a path these stand for others, and cannot be escaped."""

_ROWS = "__rows"
"""What the rows of files are called, so that no alias is taken for one of their columns."""

_VIRTUAL = frozenset({"_file", "_row_number"})
_FEW = 256
"""Values of an enum whose names are looked up."""
NOWHERE = Path()
"""The folder of deleted rows for files that have none."""
_FILE_BITS = 40
"""A row is known by the number of its file, above so many bits, and its number in the file."""


@dataclass(frozen=True, slots=True)
class View:
    """The body of `CREATE VIEW … (columns) AS query`.

    The columns are declared as those of the table: with them `SELECT *` leaves out ALIAS and
    MATERIALIZED columns. The rows of `deletions` must be in the folder that the view was made with,
    each in the file that `deleted_rows_name` names, before the view is read.
    """

    columns: str
    query: str
    deletions: tuple[DeletionVector, ...] = ()


_Made = tuple["Table", "Snapshot", "Merging | None", "Path", View | NotReadable]

_VIEWS: Recent[_Made] = Recent(most=64)
"""Views by the id of their table, with what they were made of."""
_MANY = 2000
"""Files of a version whose view is not kept."""


def view_of(
    table: Table, snapshot: Snapshot, merging: Merging | None, deleted: Path
) -> View | NotReadable:
    """The rows that a reader sees of a table's version, merged by its engine.

    Files with the numbers of deleted rows are in the folder `deleted`.
    """
    known = _VIEWS.get(table.uuid)
    if known is not None:
        of, at, *more, made = known
        if of is table and at is snapshot and more == [merging, deleted]:
            return made
    made = _view_of(table, snapshot, merging, deleted)
    if len(snapshot.files) <= _MANY:
        _VIEWS.keep(table.uuid, (table, snapshot, merging, deleted, made))
    return made


def _view_of(
    table: Table, snapshot: Snapshot, merging: Merging | None, deleted: Path
) -> View | NotReadable:
    shape = _shape(table, snapshot, merging)
    reason = shape.obstacle or _obstacle_in_files(snapshot, deleted)
    if reason:
        return NotReadable(reason)
    query = _filled(_rows(table, snapshot, merging, deleted), table)
    if merging is not None:
        query = merged_rows.shown(query, [(c.name, c.type) for c in table.stored_columns], merging)
    return View(shape.declared, query, _deletions(snapshot))


FILE, ROW, KEY = "__sluice_file", "__sluice_number", "__sluice_key"
"""Columns of `located` and `keyed`: where a row is, and the text of its key."""

_PLACED = (f"{_ROWS}._file AS {FILE}", f"toInt64({_ROWS}._row_number) AS {ROW}")
_HIDDEN = f"{WRITTEN_AT} Int64, {WRITTEN_ROW} Int64"


def located(
    table: Table,
    snapshot: Snapshot,
    merging: Merging | None,
    deleted: Path,
    *,
    shown: bool = False,
) -> View | NotReadable:
    """The rows of a table's version as they were written, each with its place.

    They have their keys if the engine merges them; those of a versioned engine, which shows rows as
    they are, may be those that are `shown`.
    """
    shape = _shape(table, snapshot, merging)
    reason = shape.obstacle or _obstacle_in_files(snapshot, deleted, placed=True)
    if reason:
        return NotReadable(reason)
    query = _filled(_rows(table, snapshot, merging, deleted, _PLACED), table)
    columns = [shape.declared, f"{FILE} String", f"{ROW} Int64"]
    if merging is not None and merging.ordered:
        columns.append(_HIDDEN)
    if merging is not None and merging.versioned and shown:
        named = [(c.name, c.type) for c in table.stored_columns]
        places = [(name, m.Int(64)) for name in (FILE, ROW, WRITTEN_AT, WRITTEN_ROW)]
        query = merged_rows.shown(query, [*named, *places], merging)
    elif merging is not None:
        query, columns = f"SELECT *, {_key(merging)} FROM ({query})", [*columns, f"{KEY} String"]
    return View(", ".join(columns), query, _deletions(snapshot))


def keyed(table: Table, snapshot: Snapshot, merging: Merging, deleted: Path) -> View | NotReadable:
    """The rows that a reader sees of a version, each with its key and when it was written last."""
    made = view_of(table, snapshot, merging, deleted)
    if isinstance(made, NotReadable):
        return made
    columns = [_shape(table, snapshot, merging).declared, f"{KEY} String"]
    if not merging.ordered:
        query = f"SELECT *, {_key(merging)} FROM ({made.query})"
        return View(", ".join(columns), query, made.deletions)
    hidden = (WRITTEN_AT, WRITTEN_ROW)
    newest = replace(merging, columns={**merging.columns, **dict.fromkeys(hidden, "max")})
    named = [(c.name, c.type) for c in table.stored_columns]
    parts = _filled(_rows(table, snapshot, merging, deleted), table)
    rows = merged_rows.shown(parts, [*named, *((name, m.Int(64)) for name in hidden)], newest)
    return View(
        ", ".join([*columns, _HIDDEN]), f"SELECT *, {_key(merging)} FROM ({rows})", made.deletions
    )


def are_alone(table: Table, snapshot: Snapshot, deleted: Path) -> bool:
    """Whether each column of a version is made of its own values in the files, and of no others.

    States are not: a table in memory does not tell how much they take.
    """
    return (
        all(c.alias is None and not c.late for c in table.columns)
        and not any(isinstance(c.type, m.Inferred | m.AggregateState) for c in table.stored_columns)
        and not snapshot.partitions
        and not (_shape(table, snapshot, None).obstacle or _obstacle_in_files(snapshot, deleted))
    )


def only(table: Table, snapshot: Snapshot, names: Collection[str], deleted: Path = NOWHERE) -> View:
    """Some columns of the rows of all files, where they `are_alone`."""
    columns = [c for c in table.stored_columns if c.name in names]
    declared = ", ".join(f"{quote_name(c.name)} {c.type}" for c in columns)
    query = _rows(table, snapshot, None, deleted, names=names)
    return View(declared, query, _deletions(snapshot))


_WITHOUT: Recent[tuple[Table, frozenset[str], Table]] = Recent(most=256)
"""Tables without the columns of these names, by their ids, with the tables that have them."""


def without_unused_states(table: Table, merging: Merging | None, names: Collection[str]) -> Table:
    """A table for a query that uses columns of these `names`, and perhaps others of any type.

    It is without the states that only Spark can read, if the query uses none of them.
    """
    known = _WITHOUT.get(table.uuid)
    if known is None or known[0] is not table:
        known = (table, *_without_states(table, merging))
        _WITHOUT.keep(table.uuid, known)
    _, foreign, without = known
    return table if foreign.intersection(names) else without


def _without_states(table: Table, merging: Merging | None) -> tuple[frozenset[str], Table]:
    """The columns with states that only Spark can read, and the table without them, if it can be.

    An ALIAS may be of any column.
    """
    of = [c for c in table.stored_columns if isinstance(c.type, m.AggregateState)]
    foreign = frozenset(c.name for c in of if _is_foreign(c.type))
    kept = tuple(c for c in table.columns if c.name not in foreign)
    if not foreign or any(c.alias is not None for c in kept) or foreign & _used(kept, merging):
        return foreign, table
    return foreign, replace(table, columns=kept)


def _used(columns: Sequence[Column], merging: Merging | None) -> set[str]:
    """The names in DEFAULTs of columns, and in the key of rows that are merged."""
    from sluice.sql.clickhouse.reading import names_in

    texts = [column.default for column in columns if column.default is not None]
    texts += merging.sorting if merging is not None else ()
    return {name for text in texts for name in names_in(text)}


def _key(merging: Merging) -> str:
    """The key as a text: no value equals NULL, and NULL equals itself."""
    return f"toString(tuple({', '.join(merging.sorting)})) AS {KEY}"


def _deletions(snapshot: Snapshot) -> tuple[DeletionVector, ...]:
    return tuple(file.deletion for file in snapshot.files if file.deletion is not None)


def deleted_rows_name(vector: DeletionVector) -> str:
    """The file with the numbers of deleted rows, in RowBinary: eight bytes each, lowest first."""
    return f"{hashlib.sha256(vector.id.encode()).hexdigest()[:32]}.bin"


def _obstacle(table: Table, merging: Merging | None) -> str:
    """Why ClickHouse cannot read a table with these columns; empty if it can."""
    for column in table.stored_columns:
        if _is_foreign(column.type):
            return f"column {column.name} is {column.type}"
        if _is_late(column) and not _is_fillable(column):
            return f"column {column.name} of {column.type} came later"
    used = _used([column for column in table.stored_columns if _is_late(column)], merging)
    computed = sorted(used & {column.name for column in table.columns if column.alias is not None})
    return f"its key or a DEFAULT uses the ALIAS column {computed[0]}" if computed else ""


def _is_foreign(type_: Type) -> bool:
    """Whether values of a type are stored in a form that ClickHouse cannot make them of."""
    if isinstance(type_, m.AggregateState):
        return states.stored(type_) is None
    return m.holds(type_, (*_FOREIGN, m.AggregateState)) or _has_null_composite(type_)


def _obstacle_in_files(snapshot: Snapshot, deleted: Path, *, placed: bool = False) -> str:
    """Why ClickHouse cannot read these files, or tell where its rows are; empty if it can."""
    files = snapshot.files
    paths = "\n".join((str(snapshot.folder), str(deleted), *(file.path for file in files)))
    if any(letter in paths for letter in _GLOBS):
        return "the path of a file has one of the characters * ? {"
    if "://" in paths:
        return "a file is in an object store"
    if placed or any(file.deletion for file in files):
        if len({_base(file) for file in files}) < len(files):
            return "two of its files have the same name"
        if _VIRTUAL & {physical_name(each) for each in snapshot.fields.values()}:
            return "a column is called like a virtual column of ClickHouse"
    return ""


def _is_late(column: Column) -> bool:
    """Whether rows of before show its DEFAULT, or its type's default, where they have NULL."""
    return column.late and not is_nullable(column.type)


def _is_composite(type_: Type) -> bool:
    """Whether ClickHouse reads no NULL of the type: no value and an empty one are the same."""
    return isinstance(bare(type_), m.Array | m.Map | m.Tuple)


def _is_fillable(column: Column) -> bool:
    """Whether the value of rows that have none can be told, or is what the reader gives them.

    It gives an enum 0, which may be none of its values, and zeros for what is stored encoded.
    A state of no rows is made of no value.
    """
    if isinstance(column.type, m.AggregateState):
        return column.default is None
    if is_typed(column.type) or not _is_composite(column.type):
        return not is_typed(column.type) or column.default is None
    lacks_zero = m.holds(column.type, m.Enum) or is_encoded(column.type)
    return column.default is None and not (isinstance(bare(column.type), m.Tuple) and lacks_zero)


def _has_null_composite(type_: Type) -> bool:
    return m.holds(type_, m.Nullable) and "Optional(" in str(type_)


def declaration(column: Column) -> str:
    """A column as CREATE VIEW declares it."""
    parts = [quote_name(column.name)]
    if not isinstance(column.type, m.Inferred):
        parts.append(str(column.type))
    if column.alias is not None:
        parts.append(f"ALIAS {column.alias}")
    elif column.default is not None:
        parts.append(f"{column.default_kind or 'DEFAULT'} {column.default}")
    if column.comment:
        parts.append(f"COMMENT {quote_string(column.comment)}")
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A column of the files: its physical name, its type, and the type that it is read as.

    A `default` takes the place of NULL, or of a column that a file does not have. The values of one
    that is `typed` have types of their own. Of a type that is `encoded`, or has such a type inside,
    what is read are its stored values; of an enum, these are the `names` of its values.
    A `state` is made of what is kept of its rows.
    """

    name: str
    physical: str
    type: str
    read_as: str
    partition: bool = False
    default: str = ""
    typed: Type | None = None
    encoded: Type | None = None
    names: tuple[str, ...] = ()
    state: m.AggregateState | None = None

    @property
    def structure(self) -> str:
        return f"{quote_name(self.physical)} {self.read_as}"

    def selected(self, values: Mapping[str, str | None]) -> str:
        """The column with its name, from the files or the partition's values."""
        value = f"{_ROWS}.{quote_name(self.physical)}"
        if self.partition:
            text = values.get(self.physical)
            value = "NULL" if text is None else quote_string(text)
        if self.typed is not None:
            return f"{typed_values.value_of(value, self.typed)} AS {quote_name(self.name)}"
        if self.state is not None:
            return f"{states.made(value, self.state)} AS {quote_name(self.name)}"
        if self.encoded is not None:
            value = encoded.decoded(value, self.encoded)
        if self.names:  # in half the time of a CAST, which still refuses what is none of them
            names, type_ = _array(self.names), quote_string(f"Array({self.type})")
            value = f"transform({value}, {names}, CAST({names}, {type_}), NULL)"
        if self.default:
            value = f"ifNull({value}, {self.default})"
        if self.partition:
            zoned = ZONELESS.sub(in_utc, self.type)
            value = f"CAST({value}, {quote_string(zoned)})" if zoned != self.type else value
        if self.partition or self.read_as != self.type:
            value = f"CAST({value}, {quote_string(self.type)})"
        return f"{value} AS {quote_name(self.name)}"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the views of a table's versions have in common.

    It is the `obstacle` to reading it, if there is one, how its columns are `declared`, the
    `structure` of its files, and what is `selected` of those that are in no partition.
    """

    obstacle: str
    declared: str
    columns: tuple[_Stored, ...] = ()
    structure: str = ""
    selected: tuple[str, ...] = ()


_SHAPES: Recent[tuple[Table, object, Merging | None, _Shape]] = Recent(most=256)
"""Shapes by the id of their table, with what they were made of."""


def _shape(table: Table, snapshot: Snapshot, merging: Merging | None) -> _Shape:
    known = _SHAPES.get(table.uuid)
    if known is not None:
        of, fields, how, made = known
        if of is table and fields is snapshot.fields and how == merging:
            return made
    made = _shape_of(table, snapshot, merging)
    _SHAPES.keep(table.uuid, (table, snapshot.fields, merging, made))
    return made


def _shape_of(table: Table, snapshot: Snapshot, merging: Merging | None) -> _Shape:
    declared = ", ".join(map(declaration, table.columns))
    if obstacle := _obstacle(table, merging):
        return _Shape(obstacle, declared)
    columns = [_stored(column, snapshot) for column in table.stored_columns]
    if merging is not None and merging.ordered:
        columns += [_hidden(name, snapshot) for name in (WRITTEN_AT, WRITTEN_ROW)]
    structure = quote_string(", ".join(c.structure for c in columns if not c.partition))
    selected = tuple(column.selected({}) for column in columns)
    return _Shape("", declared, tuple(columns), structure, selected)


def _rows(
    table: Table,
    snapshot: Snapshot,
    merging: Merging | None,
    deleted: Path,
    places: Sequence[str] = (),
    names: Collection[str] | None = None,
) -> str:
    """The rows of all files, without those that are deleted; with `places` where they are.

    They have all columns, or those with these `names`.
    """
    shape = _shape(table, snapshot, merging)
    if names is not None:
        chosen = [at for at, each in enumerate(shape.columns) if each.name in names]
        columns = tuple(shape.columns[at] for at in chosen)
        shape = replace(shape, columns=columns, selected=tuple(shape.selected[at] for at in chosen))
    columns = shape.columns
    if not snapshot.files:
        every = [f"{quote_name(c.name)} {c.type}" for c in columns]
        every += [f"{FILE} String", f"{ROW} Int64"] if places else []
        return f"SELECT * FROM null({quote_string(', '.join(every))})"
    groups: dict[tuple[tuple[tuple[str, str | None], ...], bool], list[DataFile]] = {}
    for file in snapshot.files:
        key = (tuple(sorted(file.partition.items())), file.deletion is not None)
        groups.setdefault(key, []).append(file)
    queries = []
    for (values, has_deletions), files in groups.items():
        own = [column.selected(dict(values)) for column in columns] if values else shape.selected
        selected = ", ".join((*own, *places))
        paths = _array(_absolute(snapshot.folder, (file.path for file in files)))
        query = f"SELECT {selected} FROM file({paths}, Parquet, {shape.structure}) AS {_ROWS}"
        queries.append(query + (_without_deleted(files, deleted) if has_deletions else ""))
    return " UNION ALL ".join(queries)


def _absolute(folder: Path, paths: Iterable[str]) -> Iterator[str]:
    """The paths of perhaps thousands of files: a Path for each would take long."""
    inside = str(folder)
    return (path if path.startswith("/") else f"{inside}/{path}" for path in paths)


def _stored(column: Column, snapshot: Snapshot) -> _Stored:
    name = column.name_in_files
    field = snapshot.fields.get(name)
    physical = physical_name(field) if field is not None else name
    own = column.type.item if isinstance(column.type, m.SimpleAggregate) else column.type
    type_, default = str(column.type), ""
    if is_typed(own):
        return _Stored(column.name, physical, type_, "Nullable(String)", typed=own)
    stored = field["type"] if field is not None else None
    if isinstance(own, m.AggregateState) and (kept_state := states.stored(own)) is not None:
        read_as = _physical_type(kept_state, stored)
        return _Stored(column.name, physical, type_, read_as, state=own)
    read_as = _physical_type(own, stored)
    if _is_late(column) and not _is_composite(own):
        read_as = _nullable(read_as)
        if column.default is None:
            empty = f"defaultValueOfTypeName({quote_string(type_)})"
            default = "'{}'" if isinstance(own, Json) else empty
        else:  # an expression over the others, which are read first
            type_ = _nullable(str(own))
    of_partition, kept = name in snapshot.partitions, own if is_encoded(own) else None
    names: tuple[str, ...] = ()
    if isinstance(own, m.Enum) and not (_is_late(column) or of_partition or len(own.values) > _FEW):
        read_as, names = "String", tuple(name for name, _ in own.values)
    return _Stored(
        column.name, physical, type_, read_as, of_partition, default, encoded=kept, names=names
    )


def _hidden(name: str, snapshot: Snapshot) -> _Stored:
    physical = physical_name(snapshot.fields[name]) if name in snapshot.fields else name
    return _Stored(name, physical, "Int64", "Int64")


def _nullable(text: str) -> str:
    inner = text.removeprefix("LowCardinality(")
    return f"Nullable({text})" if inner == text else f"LowCardinality(Nullable({inner[:-1]}))"


def _physical_type(type_: Type, stored: Any) -> str:
    """A type with the fields of tuples called as in the files; `stored` is Delta's JSON of it."""
    inside = stored if isinstance(stored, dict) else {}
    match type_:
        case m.SimpleAggregate(item=item):
            return _physical_type(item, stored)
        case m.Nullable(item=item):
            return f"Nullable({_physical_type(item, stored)})"
        case m.LowCardinality(item=item):
            inner = _physical_type(item, stored)
            return inner if is_encoded(item) else f"LowCardinality({inner})"
        case Json():
            return "String"
        case Encoded():
            return encoded.stored_as(type_)
        case m.Float(bits=16):
            return "Float32"
        case m.FixedString():
            return "String"  # statistics of shorter texts would be compared with filled ones
        case m.Array(item=item):
            return f"Array({_physical_type(item, inside.get('elementType'))})"
        case m.Map(key=key, value=value):
            made = _physical_type(value, inside.get("valueType"))
            return f"Map({_physical_type(key, inside.get('keyType'))}, {made})"
        case m.Tuple():
            return _physical_tuple(type_, inside)
        case _:
            return str(type_)


def _physical_tuple(type_: m.Tuple, stored: Mapping[str, Any]) -> str:
    fields = {each["name"]: each for each in stored.get("fields", ())}
    made = []
    for name, item in type_.struct:
        field = fields.get(name)
        called = physical_name(field) if field is not None else name
        made.append(f"{quote_name(called)} {_physical_type(item, field and field['type'])}")
    return f"Tuple({', '.join(made)})"


def _without_deleted(files: Sequence[DataFile], deleted: Path) -> str:
    """The condition that a row is not deleted.

    Rows of all files are in one bitmap, which takes less time and memory than a set of them does.
    """
    vectors = [file.deletion for file in files if file.deletion is not None]
    numbers = f"[{', '.join(str((at + 1) << _FILE_BITS) for at in range(len(vectors)))}]"
    names = list(map(deleted_rows_name, vectors))
    paths = _array(_absolute(deleted, names))
    gone = f"transform(_file, {_array(names)}, {numbers}, 0) + row"
    of = f"transform({_ROWS}._file, {_array(map(_base, files))}, {numbers}, 0)"
    bitmap = f"SELECT groupBitmapState({gone}) FROM file({paths}, RowBinary, 'row UInt64')"
    return f" WHERE NOT bitmapContains(({bitmap}), {of} + {_ROWS}._row_number)"


def _base(file: DataFile) -> str:
    return file.path.rpartition("/")[2]


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quote_string, texts))}]"


def _as_long(name: str, type_: Type, early: str) -> str:
    """An array of a Nested structure, of defaults in rows from before it was added."""
    assert isinstance(type_, m.Array)  # noqa: S101 - a structure has no others
    own, item = quote_name(name), quote_string(str(type_.item))
    made = f"arrayMap(x -> defaultValueOfTypeName({item}), {quote_name(early)})"
    return f"CAST(if(empty({own}), {made}, {own}), {quote_string(str(type_))}) AS {own}"


def _filled(query: str, table: Table) -> str:
    """Rows with the DEFAULTs of columns that came later where they have no value."""
    types = {column.name: column.type for column in table.stored_columns}
    for name, early in lengths_of_late(table).items():
        query = f"SELECT * REPLACE ({_as_long(name, types[name], early.name)}) FROM ({query})"
    for name, expression in late_expressions(table).items():
        made = f"ifNull({quote_name(name)}, CAST({expression}, {quote_string(str(types[name]))}))"
        query = f"SELECT * REPLACE ({made} AS {quote_name(name)}) FROM ({query})"
    return query
