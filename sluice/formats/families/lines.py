"""Texts and bytes as they are: ClickHouse's LineAsString and RawBLOB, Flink's raw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, option
from sluice.formats.fields import single_string
from sluice.parameters.kinds import FLINK, Text
from sluice.types import model as m
from sluice.types.flink import quote, summary, write_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns

_RAW = (m.String, m.Text, m.Bytes, m.Bool, m.Int, m.Float)


def _one_simple(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    if len(columns) != 1:
        fields = ", ".join(f"{quote(name)} {write_type(type_)}" for name, type_ in columns)
        return f"The 'raw' format only supports single physical column. However the defined schema contains multiple physical columns: [{fields}]"
    type_ = m.bare(columns[0][1])
    return (
        ""
        if isinstance(type_, _RAW)
        else f"The 'raw' format doesn't supports '{summary(type_)}' as column type."
    )


FORMATS = (
    Format("LineAsString", "line", decoder="text.WholeMessageDecoder", encoder="text.SeparatedEncoder$Tabs", fixed={"lines": True, "raw": True}, fits=single_string),
    Format("RawBLOB", "line", decoder="text.WholeMessageDecoder", encoder="text.RawBlobEncoder", fits=single_string),
    Format("LineAsStringWithNames", "line", encoder="text.SeparatedEncoder$Tabs", fixed={"with_names": True, "raw": True}),
    Format("LineAsStringWithNamesAndTypes", "line", encoder="text.SeparatedEncoder$Tabs", fixed={"with_types": True, "raw": True}),
    Format(
        "raw", "raw", dialect=FLINK, decoder="flink.FlinkRaw$Read", encoder="flink.FlinkRaw$Write", fits=_one_simple,
        options=(
            option("raw.charset", Text(("UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE")), "The character set of strings.", "UTF-8"),
            option("raw.endianness", Text(("big-endian", "little-endian")), "The byte order of numbers.", "big-endian"),
        ),
    ),
)  # fmt: skip
