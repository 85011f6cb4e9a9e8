"""MessagePack."""

from __future__ import annotations

from sluice.formats.descriptor import Format, honoured, settings, unused
from sluice.formats.fields import plain_only
from sluice.parameters.kinds import Text

_UUIDS = Text(("str", "bin", "ext"))


_fits = plain_only("MsgPack {} format")
"""Time and JSON have no objects."""

SETTINGS = settings(
    "msgpack",
    unused("inference", "input_format_msgpack_number_of_columns", 0, "The number of columns in a row, for schema inference."),
    honoured("output_format_msgpack_uuid_representation", "ext", "How UUIDs are written.", _UUIDS),
)  # fmt: skip

FORMATS = (
    Format("MsgPack", "msgpack", decoder="binary.MsgPackDecoder", encoder="binary.MsgPackEncoder", fits=_fits),
)  # fmt: skip
