"""Tables for people, and what else no message is: ClickHouse writes answers in these."""

from __future__ import annotations

from sluice.formats.descriptor import Format, planned, settings, unused
from sluice.parameters.kinds import Text

SETTINGS = settings(
    "shown",
    unused("elsewhere", "output_format_pretty_max_rows", 1000, "The maximum number of rows shown."),
    unused("elsewhere", "output_format_pretty_max_column_pad_width", 250, "The maximum width to which values are padded."),
    unused("elsewhere", "output_format_pretty_max_column_name_width_cut_to", 24, "The width to which long column names are truncated."),
    unused("elsewhere", "output_format_pretty_max_column_name_width_min_chars_to_cut", 4, "The minimum number of characters to truncate."),
    unused("elsewhere", "output_format_pretty_max_value_width", 10_000, "The maximum width of a value."),
    unused("elsewhere", "output_format_pretty_max_value_width_apply_for_single_value", 0, "Whether the maximum width applies to a single value."),
    unused("elsewhere", "output_format_pretty_color", "auto", "Whether colours are used.", Text(("0", "1", "auto", "true", "false"))),
    unused("elsewhere", "output_format_pretty_glue_chunks", "auto", "Whether blocks are shown as one table.", Text(("0", "1", "auto", "true", "false"))),
    unused("elsewhere", "output_format_pretty_grid_charset", "UTF-8", "The character set of the grid.", Text(("ASCII", "UTF-8"))),
    unused("elsewhere", "output_format_pretty_row_numbers", True, "Whether rows are numbered."),
    unused("elsewhere", "output_format_pretty_highlight_digit_groups", True, "Whether groups of digits are highlighted."),
    unused("elsewhere", "output_format_pretty_highlight_trailing_spaces", True, "Whether trailing spaces are highlighted."),
    unused("elsewhere", "output_format_pretty_single_large_number_tip_threshold", 1_000_000, "The number from which a readable tip is added."),
    unused("elsewhere", "output_format_pretty_display_footer_column_names", True, "Whether column names are repeated in the footer of long tables."),
    unused("elsewhere", "output_format_pretty_display_footer_column_names_min_rows", 50, "The number of rows from which the footer is shown."),
    unused("elsewhere", "output_format_pretty_squash_consecutive_ms", 50, "How long to wait for another block to merge with."),
    unused("elsewhere", "output_format_pretty_squash_max_wait_ms", 1000, "The maximum time to wait for blocks to merge."),
    unused("elsewhere", "output_format_pretty_fallback_to_vertical", True, "Whether wide tables are shown in Vertical format."),
    unused("elsewhere", "output_format_pretty_fallback_to_vertical_max_rows_per_chunk", 10, "The maximum number of rows shown in Vertical format."),
    unused("elsewhere", "output_format_pretty_fallback_to_vertical_min_columns", 5, "The minimum number of columns for the fallback to Vertical."),
    unused("elsewhere", "output_format_pretty_fallback_to_vertical_min_table_width", 250, "The minimum table width, in characters, for the fallback to Vertical."),
    unused("elsewhere", "output_format_pretty_multiline_fields", True, "Whether newlines in a value are shown as line breaks."),
    unused("elsewhere", "output_format_pretty_named_tuples_as_json", True, "Whether named tuples are shown as JSON."),
    unused("elsewhere", "output_format_markdown_escape_special_characters", False, "Whether special characters of Markdown are escaped."),
)  # fmt: skip

FORMATS = (
    Format("Pretty", "shown", ("PrettyNoEscapes", "PrettyMonoBlock")),
    Format("PrettyCompact", "shown", ("PrettyCompactNoEscapes", "PrettyCompactMonoBlock")),
    Format("PrettySpace", "shown", ("PrettySpaceNoEscapes", "PrettySpaceMonoBlock")),
    Format("Markdown", "shown", ("MD",)),
    *planned("shown", "Vertical Null Form Hash ODBCDriver2 One PrettyJSONEachRow Prometheus XML DWARF"),
)  # fmt: skip
