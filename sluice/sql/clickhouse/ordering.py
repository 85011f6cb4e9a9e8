"""What values are ordered by, where Spark would order them otherwise than ClickHouse does."""

from __future__ import annotations

from sluice.sql.clickhouse.values import Value, fields
from sluice.sql.core.spark import Sql, name, number, string
from sluice.types import Type, bare
from sluice.types import model as m

_ITEM = "_o"


def signed(n: int) -> Sql:
    """An integer that may be negative."""
    return number(n) if n >= 0 else Sql("-:0", number(-n))


def enum_number(source: Sql, enum: m.Enum) -> Sql:
    """The number of an Enum's value, which Spark has as its name."""
    pairs = [part for text, n in enum.values for part in (string(text), signed(n))]
    return Sql("element_at(map(:*), :0)", source, *pairs)


def numbered(value: Value) -> Value:
    """An Enum as its number; any other value as it is."""
    kind = value.kind
    if not isinstance(kind, m.Enum):
        return value
    return Value(enum_number(value.sql, kind), m.Int(kind.bits))


def sort_key(value: Sql, type_: Type) -> Sql | None:
    """What values of a type are ordered by, None if Spark orders them rightly.

    An Enum is ordered by its numbers, which the names in its type are sorted by, a UUID by its
    second half first, and a Map as an array of its pairs.
    """
    kind = bare(type_)
    if isinstance(kind, m.Enum):
        names = [string(text) for text, _ in kind.values]
        return Sql("array_position(array(:*), :0)", value, *names)
    if isinstance(kind, m.Uuid):
        return Sql("concat(substr(:0, 20), substr(:0, 1, 18))", value)
    if isinstance(kind, m.Tuple):
        return _tuple_key(value, kind)
    if isinstance(kind, m.Array):
        inner = sort_key(name(_ITEM), kind.item)
        return inner and Sql("transform(:0, :1 -> :2)", value, name(_ITEM), inner)
    if isinstance(kind, m.Map):
        entries = Sql("map_entries(:0)", value)
        pairs = m.Array(m.Tuple((kind.key, kind.value), ("key", "value")))
        return sort_key(entries, pairs) or entries
    return None


def ordered_by(value: Sql, type_: Type) -> Sql:
    """What to order by."""
    return sort_key(value, type_) or value


def _tuple_key(value: Sql, kind: m.Tuple) -> Sql | None:
    parts = fields(value, kind)
    if not any(sort_key(part.sql, part.type) for part in parts):
        return None
    return Sql("struct(:*)", *(ordered_by(part.sql, part.type) for part in parts))
