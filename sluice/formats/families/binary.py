"""ClickHouse's own binary formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, honoured, settings, unused
from sluice.types.model import holds
from sluice.types.semistructured import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns


def _native(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """Native says in each message whether JSON is a text; it is written only so."""
    setting = "output_format_native_write_json_as_string"
    if not writes or options.get(setting) or not any(holds(type_, Json) for _, type_ in columns):
        return ""
    return f"values of type JSON are written only with {setting} = 1"


_NAMES = {"with_names": True}
_TYPES = {"with_types": True}

SETTINGS = settings(
    "binary",
    honoured("input_format_native_allow_types_conversion", True, "Whether types are converted to those of the columns."),
    honoured("input_format_native_decode_types_in_binary_format", False, "Whether types in Native are binary."),
    honoured("output_format_native_encode_types_in_binary_format", False, "Whether types in Native are written binary."),
    unused("texts", "output_format_native_use_flattened_dynamic_and_json_serialization", False, "Whether Dynamic and JSON are written in flattened form."),
    honoured("output_format_native_write_json_as_string", False, "Whether JSON is written as a string."),
)  # fmt: skip

FORMATS = (
    *(
        Format(f"RowBinary{suffix}", "binary", decoder="binary.RowBinaryDecoder", encoder="binary.RowBinaryEncoder", fixed=fixed)
        for suffix, fixed in (("", {}), ("WithNames", _NAMES), ("WithNamesAndTypes", _TYPES))
    ),
    *(
        Format(f"RowBinary{suffix}Defaults", "binary", decoder="binary.RowBinaryDecoder", fixed={**fixed, "with_defaults": True})
        for suffix, fixed in (("With", {}), ("WithNamesAndTypesAnd", _TYPES))
    ),
    Format("Native", "binary", decoder="binary.NativeDecoder", encoder="binary.NativeEncoder", blocks=True, fits=_native),
    Format("Buffers", "binary", decoder="binary.NativeDecoder", encoder="binary.NativeEncoder", blocks=True, fits=_native, fixed={"buffers": True}),
)  # fmt: skip
