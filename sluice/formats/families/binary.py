"""ClickHouse's own binary formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, honoured, settings
from sluice.types.model import holds
from sluice.types.semistructured import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns


_AS_STRING = "output_format_native_write_json_as_string"


def _json_by_paths(columns: Columns, options: Mapping[str, Any]) -> bool:
    """Native has JSON as a column for each path, unless it is told to have texts."""
    return not options.get(_AS_STRING) and any(holds(type_, Json) for _, type_ in columns)


_NAMES = {"with_names": True}
_TYPES = {"with_types": True}

SETTINGS = settings(
    "binary",
    honoured("input_format_native_allow_types_conversion", True, "Whether types are converted to those of the columns."),
    honoured("input_format_native_decode_types_in_binary_format", False, "Whether types in Native are binary."),
    honoured("output_format_native_encode_types_in_binary_format", False, "Whether types in Native are written binary."),
    honoured("output_format_native_use_flattened_dynamic_and_json_serialization", False, "Whether Dynamic and JSON are written in flattened form."),
    honoured(_AS_STRING, False, "Whether JSON is written as a string."),
)  # fmt: skip

FORMATS = (
    *(
        Format(f"RowBinary{suffix}", "binary", decoder="binary.RowBinaryDecoder", encoder="binary.RowBinaryEncoder", typed=not suffix, fixed=fixed)
        for suffix, fixed in (("", {}), ("WithNames", _NAMES), ("WithNamesAndTypes", _TYPES))
    ),
    *(
        Format(f"RowBinary{suffix}Defaults", "binary", decoder="binary.RowBinaryDecoder", fixed={**fixed, "with_defaults": True})
        for suffix, fixed in (("With", {}), ("WithNamesAndTypesAnd", _TYPES))
    ),
    Format("Native", "binary", decoder="binary.NativeDecoder", encoder="binary.NativeEncoder", blocks=True, left=_json_by_paths),
    Format("Buffers", "binary", decoder="binary.NativeDecoder", encoder="binary.NativeEncoder", blocks=True, left=_json_by_paths, fixed={"buffers": True}),
)  # fmt: skip
