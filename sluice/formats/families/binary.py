"""ClickHouse's own binary formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, kept, planned, settings
from sluice.types.model import holds
from sluice.types.semistructured import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns


def _fits(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    setting = (
        f"{'output_format_binary_write' if writes else 'input_format_binary_read'}_json_as_string"
    )
    if options.get(setting) or not any(holds(type_, Json) for _, type_ in columns):
        return ""
    return f"values of type JSON are {'written' if writes else 'read'} only with {setting} = 1"


_NAMES = {"with_names": True}
_TYPES = {"with_types": True}

SETTINGS = settings(
    "binary",
    kept("input_format_native_allow_types_conversion", True, "Whether types are converted to those of the columns."),
    kept("input_format_native_decode_types_in_binary_format", False, "Whether types in Native are binary."),
    kept("output_format_native_encode_types_in_binary_format", False, "Whether types in Native are written binary."),
    kept("output_format_native_use_flattened_dynamic_and_json_serialization", False, "Whether Dynamic and JSON are written in flattened form."),
    kept("output_format_native_write_json_as_string", False, "Whether JSON is written as a string."),
)  # fmt: skip

FORMATS = (
    *(
        Format(f"RowBinary{suffix}", "binary", decoder="binary.RowBinaryDecoder", encoder="binary.RowBinaryEncoder", fits=_fits, fixed=fixed)
        for suffix, fixed in (("", {}), ("WithNames", _NAMES), ("WithNamesAndTypes", _TYPES))
    ),
    *(
        Format(f"RowBinary{suffix}Defaults", "binary", decoder="binary.RowBinaryDecoder", fits=_fits, fixed={**fixed, "with_defaults": True})
        for suffix, fixed in (("With", {}), ("WithNamesAndTypesAnd", _TYPES))
    ),
    *planned("binary", "Native Buffers"),
)  # fmt: skip
