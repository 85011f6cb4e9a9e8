"""BSON."""

from __future__ import annotations

from sluice.formats.descriptor import Format, honoured, settings, unused
from sluice.formats.fields import plain_only

SETTINGS = settings(
    "bson",
    unused("inference", "input_format_bson_skip_fields_with_unsupported_types_in_schema_inference", False, "Whether schema inference skips fields of unsupported types."),
    honoured("output_format_bson_string_as_string", False, "Whether strings are written as the format's string type instead of bytes."),
)  # fmt: skip

FORMATS = (
    Format("BSONEachRow", "bson", decoder="binary.BsonDecoder", encoder="binary.BsonEncoder", fits=plain_only("{} in BSON format")),
)  # fmt: skip
