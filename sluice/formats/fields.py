"""Which columns a format can have: what the rules of several formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import model as m
from sluice.types.encoded import Time
from sluice.types.semistructured import TYPED, Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sluice.formats.descriptor import Columns, Fits

SIMPLE = (
    m.Int, m.Float, m.Decimal, m.Bool, m.String, m.Text, m.Bytes, m.Date, m.TimeOfDay,
    m.LocalDateTime, m.DateTime,
)  # fmt: skip
"""Flink types without nested values."""

CLOCK_DIGITS = 3
"""Digits of a second that a time of day has in a message."""


def inside(type_: m.Type) -> tuple[m.Type, ...]:
    """The types of the values that are inside a value, keys of maps among them."""
    plain = m.bare(type_)
    if isinstance(plain, m.Array | m.Multiset):
        return (plain.item,)
    if isinstance(plain, m.Map):
        return (plain.key, plain.value)
    return plain.items if isinstance(plain, m.Tuple) else ()


def nested(type_: m.Type) -> Iterator[m.Type]:
    """A type and all that are inside it, without Nullable around them."""
    yield m.bare(type_)
    for each in inside(type_):
        yield from nested(each)


def is_rare(type_: m.Type) -> bool:
    """Whether most binary formats do not have a type: BFloat16, Variant and Dynamic."""
    return type_ == m.Float(16) or isinstance(type_, TYPED)


def first_rare(columns: Columns) -> m.Type | None:
    """The first of these types in columns."""
    return next(filter(is_rare, (each for _, type_ in columns for each in nested(type_))), None)


def no_rare(use: str) -> Fits:
    """A rule that refuses them, in ClickHouse's words; `{}` is input or output."""
    return _without(is_rare, use)


def plain_only(use: str) -> Fits:
    """A rule that refuses these and Time and JSON."""
    return _without(lambda type_: is_rare(type_) or isinstance(type_, Time | Json), use)


def _without(is_refused: Callable[[m.Type], bool], use: str) -> Fits:
    def fits(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
        types = (type_ for _, column in columns for type_ in nested(column))
        found = next(filter(is_refused, types), None)
        put = "output" if writes else "input"
        return "" if found is None else f"Type {found} is not supported for {use.format(put)}"

    return fits


def map_with_other_keys(columns: Columns) -> m.Type | None:
    """The first map or multiset whose keys are no strings."""
    for _, column in columns:
        for type_ in nested(column):
            holds = isinstance(type_, m.Map | m.Multiset)
            if holds and not isinstance(m.bare(inside(type_)[0]), m.String | m.Text):
                return type_
    return None


def single_json(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """Why the columns to read are not one of type JSON, in ClickHouse's words."""
    if len(columns) != 1:
        only = "This input format is only suitable for tables with a single column of type JSON"
        return f"{only} but the number of columns is {len(columns)}"
    only = "Input format JSONAsObject is only suitable for tables with a single column of type JSON"
    type_ = columns[0][1]
    return "" if isinstance(type_, Json) else f"{only} but the column type is {type_}"


def single_string(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """Why the columns to read are not one String, in ClickHouse's words; it writes any."""
    if writes:
        return ""
    only = "This input format is only suitable for tables with a single column of type String"
    if len(columns) != 1:
        return f"{only} but the number of columns is {len(columns)}"
    type_ = columns[0][1]
    return "" if isinstance(m.bare(type_), m.String) else f"{only} but the column type is {type_}"


OBJECT_NAMES = "format_json_object_each_row_column_for_object_name"


def string_for_names(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """Why the column for the names of objects cannot have them, in ClickHouse's words."""
    column = options.get(OBJECT_NAMES, "")
    type_ = dict(columns).get(column)
    if column and type_ is None:
        return f"Column name '{column}' from setting {OBJECT_NAMES} doesn't exists in header"
    string = not column or isinstance(type_, m.String)
    return "" if string else f"Column '{column}' from setting {OBJECT_NAMES} must have String type"
