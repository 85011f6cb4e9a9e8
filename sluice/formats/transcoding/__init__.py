"""Messages that ClickHouse's own code reads and writes.

ClickHouse runs in processes beside the tasks (`child.py`, started by `sluice.transcode` in Java):
it makes RowBinary of messages, which the decoder of that format reads, and messages of RowBinary.
"""

from __future__ import annotations

import itertools
import json
import sys
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from sluice.formats import typed_values
from sluice.formats.format_schemas import TEMPLATES
from sluice.formats.registry import FORMAT_SETTINGS
from sluice.parameters.option import NO_EFFECT, REFUSED, SINK, SOURCE
from sluice.types import model as m
from sluice.types import quote_name, quote_string
from sluice.types.semistructured import is_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.formats.descriptor import Columns, Format
    from sluice.types import Type

CARRIER = "RowBinary"
"""The format in which rows pass between ClickHouse and our decoders and encoders."""

_READ = {"input_format_binary_read_json_as_string": True}
_WRITTEN = {"output_format_binary_write_json_as_string": True}
CARRIED = _READ | _WRITTEN
"""Its settings. A message in the same format has those of its table."""

_KAFKA = {
    "input_format_skip_unknown_fields": 1,
    "input_format_csv_detect_header": 0,
    "input_format_tsv_detect_header": 0,
    "input_format_custom_detect_header": 0,
    "allow_suspicious_low_cardinality_types": 1,
    "allow_suspicious_variant_types": 1,
}
"""What ClickHouse sets for its Kafka tables, and what lets a table have any of its types."""

_JOINED = ("Arrow", "ArrowStream", "ORC", "Parquet")
"""Formats whose messages are joined into one file."""

NEVER = frozenset({"output_format_schema", *TEMPLATES})
"""Settings that name files; ClickHouse does not get them."""


def needs(found: Format, columns: Columns, options: Mapping[str, Any]) -> bool:
    """Whether ClickHouse alone reads and writes a table's messages: it knows more types."""
    left = found.left is not None and not found.read_twice and found.left(columns, options)
    return left or has_typed(columns)


def carried(columns: Columns) -> Columns:
    """Columns as RowBinary has them on the way: what is stored of values with their own types."""
    text = m.Nullable(m.String())
    return [(name, text if is_typed(type_) else type_) for name, type_ in columns]


def reading(found: Format, columns: Columns, options: Mapping[str, Any], skip: int = 0) -> str:
    """How messages of a format become RowBinary, for `sluice.transcode.Transcoder`."""
    settings = _settings(options, without=SINK) | _WRITTEN
    files = {}
    if found.family == "template":  # which reads them of files alone
        files = {name: text for name in TEMPLATES if (text := settings.pop(f"{name}_format", ""))}
    names, structure = [name for name, _ in columns], _structure(columns)
    asked = _asked(found, names, structure, settings)
    if not has_typed(columns):
        asked["joins"] = found.name in _JOINED
    stored = (_stored(quote_name(name), type_) for name, type_ in columns)
    asked |= {"columns": ", ".join(stored), "files": files, "does": "read", "skip": skip}
    return _told(asked)


def writing(found: Format, columns: Columns, options: Mapping[str, Any]) -> str:
    """How RowBinary becomes messages of a format."""
    settings = _settings(options, without=SOURCE) | _READ
    asked = _asked(found, [name for name, _ in columns], _structure(carried(columns)), settings)
    if has_typed(columns):
        values = (_value(quote_name(name), type_) for name, type_ in columns)
        asked["values"] = ", ".join(values)
    return _told(asked | {"does": "write", "skip": 0})


def has_typed(columns: Columns) -> bool:
    """Whether a column has values with types of their own."""
    return any(is_typed(type_) for _, type_ in columns)


def _stored(column: str, type_: Type) -> str:
    return f"toNullable({typed_values.text_of(column)})" if is_typed(type_) else column


def _value(column: str, type_: Type) -> str:
    return f"{typed_values.value_of(column, type_)} AS {column}" if is_typed(type_) else column


def _structure(columns: Columns) -> str:
    return ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)


def _asked(
    found: Format, names: list[str], structure: str, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What the two kinds of requests have in common; `structure` is that of the rows it reads."""
    return {
        "format": quote_string(found.name),
        "name": found.name,
        "blocks": found.blocks,
        "carrier": CARRIER,
        "structure": quote_string(structure),
        "joins": False,
        "free": _free(names),
        "columns": ", ".join(map(quote_name, names)),
        "values": "",
        "file": next((name for name in ("_file", "_path") if name not in names), ""),
        "settings": _given({**_KAFKA, **settings}),
        "files": {},
    }


def _told(asked: Mapping[str, Any]) -> str:
    return json.dumps({"python": sys.executable, "script": _script(), "asked": asked})


def _free(names: Iterable[str]) -> str:
    """A word that begins the name of no column."""
    known = [name.lower() for name in names]
    return next(
        word
        for word in (f"_message{n or ''}" for n in itertools.count())
        if not any(name.startswith(word) for name in known)
    )


def _given(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_literal(value)}" for name, value in settings.items())


def _settings(options: Mapping[str, Any], without: str) -> dict[str, Any]:
    known = {option.key: option for option in FORMAT_SETTINGS}
    return {
        name: value
        for name, value in options.items()
        if name in known
        and name not in NEVER
        and known[name].scope != without
        and known[name].status not in (NO_EFFECT, REFUSED)
    }


def _literal(value: Any) -> str:
    return quote_string(value) if isinstance(value, str) else str(+value)


@cache
def _script() -> str:
    return resources.files("sluice.formats.transcoding").joinpath("child.py").read_text("utf-8")
