"""Tables for people, and what else no message is: ClickHouse writes answers in these."""

from __future__ import annotations

from sluice.formats.descriptor import (
    CANONICAL,
    READS,
    WRITES,
    Format,
    by_clickhouse,
    honoured,
    settings,
)
from sluice.parameters.kinds import Text

SETTINGS = settings(
    "shown",
    honoured("output_format_pretty_max_rows", 1000, "The maximum number of rows shown."),
    honoured("output_format_pretty_max_column_pad_width", 250, "The maximum width to which values are padded."),
    honoured("output_format_pretty_max_column_name_width_cut_to", 24, "The width to which long column names are truncated."),
    honoured("output_format_pretty_max_column_name_width_min_chars_to_cut", 4, "The minimum number of characters to truncate."),
    honoured("output_format_pretty_max_value_width", 10_000, "The maximum width of a value."),
    honoured("output_format_pretty_max_value_width_apply_for_single_value", 0, "Whether the maximum width applies to a single value."),
    honoured("output_format_pretty_color", "auto", "Whether colours are used.", Text(("0", "1", "auto", "true", "false"))),
    honoured("output_format_pretty_glue_chunks", "auto", "Whether blocks are shown as one table.", Text(("0", "1", "auto", "true", "false"))),
    honoured("output_format_pretty_grid_charset", "UTF-8", "The character set of the grid.", Text(("ASCII", "UTF-8"))),
    honoured("output_format_pretty_row_numbers", True, "Whether rows are numbered."),
    honoured("output_format_pretty_highlight_digit_groups", True, "Whether groups of digits are highlighted."),
    honoured("output_format_pretty_highlight_trailing_spaces", True, "Whether trailing spaces are highlighted."),
    honoured("output_format_pretty_single_large_number_tip_threshold", 1_000_000, "The number from which a readable tip is added."),
    honoured("output_format_pretty_display_footer_column_names", True, "Whether column names are repeated in the footer of long tables."),
    honoured("output_format_pretty_display_footer_column_names_min_rows", 50, "The number of rows from which the footer is shown."),
    honoured("output_format_pretty_squash_consecutive_ms", 50, "How long to wait for another block to merge with."),
    honoured("output_format_pretty_squash_max_wait_ms", 1000, "The maximum time to wait for blocks to merge."),
    honoured("output_format_pretty_fallback_to_vertical", True, "Whether wide tables are shown in Vertical format."),
    honoured("output_format_pretty_fallback_to_vertical_max_rows_per_chunk", 10, "The maximum number of rows shown in Vertical format."),
    honoured("output_format_pretty_fallback_to_vertical_min_columns", 5, "The minimum number of columns for the fallback to Vertical."),
    honoured("output_format_pretty_fallback_to_vertical_min_table_width", 250, "The minimum table width, in characters, for the fallback to Vertical."),
    honoured("output_format_pretty_multiline_fields", True, "Whether newlines in a value are shown as line breaks."),
    honoured("output_format_pretty_named_tuples_as_json", True, "Whether named tuples are shown as JSON."),
    honoured("output_format_markdown_escape_special_characters", False, "Whether special characters of Markdown are escaped."),
)  # fmt: skip

_NO_ROWS = "it has no rows of a table"

FORMATS = (
    *by_clickhouse("shown", """
        Pretty PrettyNoEscapes PrettyMonoBlock PrettyNoEscapesMonoBlock
        PrettyCompact PrettyCompactNoEscapes PrettyCompactMonoBlock PrettyCompactNoEscapesMonoBlock
        PrettySpace PrettySpaceNoEscapes PrettySpaceMonoBlock PrettySpaceNoEscapesMonoBlock Hash
    """, WRITES, blocks=True),
    *by_clickhouse("shown", "Markdown", WRITES, aliases=("MD",)),
    *by_clickhouse("shown", "Vertical XML", WRITES),
    *by_clickhouse("shown", "PrettyJSONEachRow", WRITES, aliases=("PrettyJSONLines", "PrettyNDJSON")),
    *by_clickhouse("prometheus", "Prometheus", WRITES),
    *by_clickhouse("hive", "HiveText", WRITES),
    Format("Form", "form", decoder="text.FormDecoder", clickhouse=READS, fixed=CANONICAL),
    Format("Null", "shown", refused="nothing is written in it"),
    Format("One", "shown", refused=_NO_ROWS),
    Format("DWARF", "shown", refused="it is the debug information of a program, not a message format"),
    Format("PNG", "shown", refused="it is an image, not a message format"),
)  # fmt: skip
