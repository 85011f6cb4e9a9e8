"""Text with delimiters, templates and patterns of the user's own."""

from __future__ import annotations

from typing import Any

from sluice.formats import delimited
from sluice.formats.descriptor import (
    BOTH_WAYS,
    CANONICAL,
    READS,
    Format,
    honoured,
    settings,
    unused,
)
from sluice.parameters.kinds import Text

_ESCAPING = Text(("None", "Escaped", "Quoted", "CSV", "JSON", "XML", "Raw"))

SETTINGS = (
    *settings("custom",
        honoured("format_custom_escaping_rule", "Escaped", "How fields are escaped.", _ESCAPING),
        honoured("format_custom_field_delimiter", "\t", "The delimiter between fields."),
        honoured("format_custom_row_before_delimiter", "", "The delimiter before a row."),
        honoured("format_custom_row_after_delimiter", "\n", "The delimiter after a row."),
        honoured("format_custom_row_between_delimiter", "", "The delimiter between rows."),
        honoured("format_custom_result_before_delimiter", "", "The prefix of the result."),
        honoured("format_custom_result_after_delimiter", "", "The suffix of the result."),
        unused("headers", "input_format_custom_detect_header", True, "Whether a header is detected; never for Kafka tables."),
        honoured("input_format_custom_skip_trailing_empty_lines", False, "Whether empty lines at the end are skipped."),
        honoured("input_format_custom_allow_variable_number_of_columns", False, "Whether rows may have fewer or more columns."),
    ),
    *settings("template",
        honoured("format_template_resultset", "", "The file with the template of the result."),
        honoured("format_template_row", "", "The file with the template of a row."),
        honoured("format_template_resultset_format", "", "The template of the result."),
        honoured("format_template_row_format", "", "The template of a row."),
        honoured("format_template_rows_between_delimiter", "\n", "The delimiter between rows."),
    ),
    *settings("regexp",
        honoured("format_regexp", "", "The regular expression a row matches."),
        honoured("format_regexp_escaping_rule", "Raw", "How the matched groups are escaped.", _ESCAPING),
        honoured("format_regexp_skip_unmatched", False, "Whether lines that do not match are skipped."),
    ),
)  # fmt: skip

_CUSTOM: dict[str, Any] = {"family": "custom", "decoder": "text.CustomSeparatedDecoder"}
_IGNORING: dict[str, Any] = {"clickhouse": READS, "left": delimited.ignoring_spaces}
_TEMPLATE: dict[str, Any] = {"family": "template", "decoder": "text.TemplateDecoder"}
_NAMES, _TYPES = CANONICAL | {"with_names": True}, CANONICAL | {"with_types": True}
_SPACES: dict[str, Any] = {"ignore_spaces": True}

FORMATS = (
    Format("CustomSeparated", **_CUSTOM, clickhouse=BOTH_WAYS, left=delimited.custom, fixed=CANONICAL),
    Format("CustomSeparatedWithNames", **_CUSTOM, clickhouse=BOTH_WAYS, left=delimited.custom_with_names, fixed=_NAMES),
    Format("CustomSeparatedWithNamesAndTypes", **_CUSTOM, clickhouse=BOTH_WAYS, left=delimited.custom_with_names, fixed=_TYPES),
    Format("CustomSeparatedIgnoreSpaces", **_CUSTOM, **_IGNORING, fixed=CANONICAL | _SPACES),
    Format("CustomSeparatedIgnoreSpacesWithNames", **_CUSTOM, **_IGNORING, fixed=_NAMES | _SPACES),
    Format("CustomSeparatedIgnoreSpacesWithNamesAndTypes", **_CUSTOM, **_IGNORING, fixed=_TYPES | _SPACES),
    Format("Template", **_TEMPLATE, clickhouse=BOTH_WAYS, blocks=True, left=delimited.template, fixed=CANONICAL),
    Format("TemplateIgnoreSpaces", **_TEMPLATE, clickhouse=READS, left=delimited.template_ignoring_spaces, fixed=CANONICAL | _SPACES),
    Format("Regexp", "regexp", decoder="text.RegexpDecoder", clickhouse=READS, left=delimited.regexp, fixed=CANONICAL),
)  # fmt: skip
