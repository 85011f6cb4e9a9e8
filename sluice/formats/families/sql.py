"""Rows as SQL."""

from __future__ import annotations

from sluice.formats.descriptor import kept, planned, settings, unused

SETTINGS = (
    *settings("values",
        kept("input_format_values_interpret_expressions", True, "Whether expressions are evaluated."),
        kept("input_format_values_deduce_templates_of_expressions", True, "Whether similar expressions are evaluated together."),
        kept("input_format_values_accurate_types_of_literals", True, "Whether literals keep their exact type."),
        kept("input_format_values_allow_data_after_semicolon", False, "Whether data after a semicolon is accepted."),
        kept("output_format_values_escape_quote_with_quote", False, "Whether a quote is doubled."),
    ),
    *settings("sql",
        kept("input_format_mysql_dump_table_name", "", "The table to read from a dump."),
        kept("input_format_mysql_dump_map_column_names", True, "Whether the columns of a dump are matched by name."),
        unused("elsewhere", "output_format_sql_insert_max_batch_size", 65_409, "The number of rows per INSERT."),
        unused("elsewhere", "output_format_sql_insert_table_name", "table", "The table name in the INSERT."),
        unused("elsewhere", "output_format_sql_insert_include_column_names", True, "Whether the INSERT contains column names."),
        unused("elsewhere", "output_format_sql_insert_use_replace", False, "Whether REPLACE is written instead of INSERT."),
        unused("elsewhere", "output_format_sql_insert_quote_names", True, "Whether names are quoted."),
    ),
)  # fmt: skip

FORMATS = (*planned("values", "Values"), *planned("sql", "MySQLDump MySQLWire SQLInsert"))
