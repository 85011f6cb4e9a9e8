"""Formats of ClickHouse that our own decoders read where that gives exactly the same rows.

They take values in the form in which ClickHouse writes them. A message with anything else in it is
read by ClickHouse, and so are all messages of a table that has one of the types or settings that
are left to it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.fields import nested
from sluice.formats.registry import FORMAT_SETTINGS
from sluice.parameters.option import NO_EFFECT, SINK
from sluice.types import encoded
from sluice.types import model as m
from sluice.types.semistructured import Dynamic, Variant, is_typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns, Format

_TYPES = (
    m.Int, m.Float, m.Decimal, m.Bool, m.String, m.FixedString, m.Uuid, m.Date, m.DateTime, m.Enum,
    m.Array, m.Map, m.Tuple, encoded.WideInt, encoded.WideDecimal, encoded.IPv4, encoded.IPv6,
    encoded.FineDateTime,
)  # fmt: skip

_UTC = (None, "UTC")
_HONOURED = (
    "format_custom_",
    "format_template_",
    "format_regexp",
    "input_format_mysql_dump_",
    "input_format_values_",
)
_HONOURED_NAMES = {
    "date_time_input_format",
    "date_time_overflow_behavior",
    "format_csv_null_representation",
    "format_tsv_null_representation",
    "input_format_csv_empty_as_default",
    "input_format_custom_skip_trailing_empty_lines",
    "input_format_null_as_default",
    "input_format_skip_unknown_fields",
    "input_format_tsv_empty_as_default",
}
"""Settings that the decoders act on as ClickHouse does, or that concern no canonical value."""


def reads_typed(found: Format, columns: Columns, options: Mapping[str, Any]) -> bool:
    """Whether it reads them first in a table with columns of type Variant and Dynamic."""
    others = [(name, type_) for name, type_ in columns if not is_typed(type_)]
    for _, type_ in columns:
        if isinstance(type_, Variant) and not type_.alias:
            others += [(str(kind), kind) for kind in type_.kinds]
        elif is_typed(type_) and type_ != Dynamic():
            return False
    return found.typed and reads(found, others, options)


def reads(found: Format, columns: Columns, options: Mapping[str, Any]) -> bool:
    """Whether our own decoder reads the messages of a table first."""
    types = [type_ for _, column in columns for type_ in nested(column)]
    if not all(isinstance(type_, _TYPES) for type_ in types):
        return False
    if any(isinstance(type_, encoded.FineDateTime) and type_.zone not in _UTC for type_ in types):
        return False
    known = {option.key: option for option in FORMAT_SETTINGS}
    for name, value in options.items():
        option = known.get(name)
        if option is None or option.scope == SINK or option.status == NO_EFFECT:
            continue
        if name in _HONOURED_NAMES or name.startswith(_HONOURED):
            continue
        if value != option.default:
            return False
    return found.left is None or not found.left(columns, options)
