"""TabSeparated and TSKV."""

from __future__ import annotations

from typing import Any

from sluice.formats.descriptor import Format, honoured, settings, unused

SETTINGS = settings(
    "tsv",
    honoured("format_tsv_null_representation", "\\N", "The string that represents NULL."),
    honoured("input_format_tsv_empty_as_default", False, "Whether an empty field has the column's default."),
    honoured("input_format_tsv_enum_as_number", False, "Whether enums are read as numbers."),
    honoured("input_format_tsv_skip_first_lines", 0, "The number of lines to skip at the beginning."),
    honoured("input_format_tsv_skip_trailing_empty_lines", False, "Whether empty lines at the end are skipped."),
    honoured("input_format_tsv_allow_variable_number_of_columns", False, "Whether rows may have fewer or more columns."),
    honoured("input_format_tsv_crlf_end_of_line", False, "Whether lines end with CR LF."),
    honoured("input_format_tsv_use_best_effort_in_schema_inference", True, "Whether types are inferred with best effort."),
    unused("headers", "input_format_tsv_detect_header", True, "Whether a header is detected; never for Kafka tables."),
    honoured("output_format_tsv_crlf_end_of_line", False, "Whether lines are written with CR LF."),
)  # fmt: skip

_CODECS: dict[str, Any] = {"decoder": "text.TsvDecoder", "encoder": "text.SeparatedEncoder$Tabs"}
_NAMES, _TYPES, _RAW = {"with_names": True}, {"with_types": True}, {"raw": True}

FORMATS = (
    Format("TabSeparated", "tsv", ("TSV",), **_CODECS),
    Format("TabSeparatedWithNames", "tsv", ("TSVWithNames",), **_CODECS, fixed=_NAMES),
    Format("TabSeparatedWithNamesAndTypes", "tsv", ("TSVWithNamesAndTypes",), **_CODECS, fixed=_TYPES),
    Format("TabSeparatedRaw", "tsv", ("TSVRaw", "Raw"), **_CODECS, fixed=_RAW),
    Format("TabSeparatedRawWithNames", "tsv", ("TSVRawWithNames", "RawWithNames"), **_CODECS, fixed=_RAW | _NAMES),
    Format("TabSeparatedRawWithNamesAndTypes", "tsv", ("TSVRawWithNamesAndTypes", "RawWithNamesAndTypes"), **_CODECS, fixed=_RAW | _TYPES),
    Format("TSKV", "tskv", decoder="text.TskvDecoder", encoder="text.TskvEncoder"),
)  # fmt: skip
