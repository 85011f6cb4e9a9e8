"""ClickHouse's own binary formats."""

from __future__ import annotations

from sluice.formats.descriptor import kept, planned, settings

SETTINGS = settings(
    "binary",
    kept("input_format_native_allow_types_conversion", True, "Whether types are converted to those of the columns."),
    kept("input_format_native_decode_types_in_binary_format", False, "Whether types in Native are binary."),
    kept("output_format_native_encode_types_in_binary_format", False, "Whether types in Native are written binary."),
    kept("output_format_native_use_flattened_dynamic_and_json_serialization", False, "Whether Dynamic and JSON are written in flattened form."),
    kept("output_format_native_write_json_as_string", False, "Whether JSON is written as a string."),
)  # fmt: skip

FORMATS = (
    *planned("binary", "RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes RowBinaryWithDefaults Native Buffers"),
)  # fmt: skip
