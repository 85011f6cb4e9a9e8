"""MessagePack."""

from __future__ import annotations

from sluice.formats.descriptor import kept, planned, settings
from sluice.parameters.kinds import Text

_UUIDS = Text(("str", "bin", "ext"))

SETTINGS = settings(
    "msgpack",
    kept("input_format_msgpack_number_of_columns", 0, "The number of columns in a row, for schema inference."),
    kept("output_format_msgpack_uuid_representation", "ext", "How UUIDs are written.", _UUIDS),
)  # fmt: skip

FORMATS = (
    *planned("msgpack", "MsgPack"),
)  # fmt: skip
