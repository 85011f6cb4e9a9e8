"""MessagePack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, honoured, settings, unused
from sluice.formats.fields import nested
from sluice.parameters.kinds import Text
from sluice.types.encoded import Time
from sluice.types.semistructured import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns

_UUIDS = Text(("str", "bin", "ext"))


def _fits(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """Why a column's type has no objects in it, in ClickHouse's words."""
    for _name, column in columns:
        for type_ in nested(column):
            if isinstance(type_, Time | Json):
                return f"Type {type_} is not supported for MsgPack {'output' if writes else 'input'} format"
    return ""


SETTINGS = settings(
    "msgpack",
    unused("inference", "input_format_msgpack_number_of_columns", 0, "The number of columns in a row, for schema inference."),
    honoured("output_format_msgpack_uuid_representation", "ext", "How UUIDs are written.", _UUIDS),
)  # fmt: skip

FORMATS = (
    Format("MsgPack", "msgpack", decoder="binary.MsgPackDecoder", encoder="binary.MsgPackEncoder", fits=_fits),
)  # fmt: skip
