"""Rows as SQL."""

from __future__ import annotations

from sluice.formats import delimited
from sluice.formats.descriptor import (
    BOTH_WAYS,
    CANONICAL,
    READS,
    WRITES,
    Format,
    by_clickhouse,
    honoured,
    settings,
)

SETTINGS = (
    *settings("values",
        honoured("input_format_values_interpret_expressions", True, "Whether expressions are evaluated."),
        honoured("input_format_values_deduce_templates_of_expressions", True, "Whether similar expressions are evaluated together."),
        honoured("input_format_values_accurate_types_of_literals", True, "Whether literals keep their exact type."),
        honoured("input_format_values_allow_data_after_semicolon", False, "Whether data after a semicolon is accepted."),
        honoured("output_format_values_escape_quote_with_quote", False, "Whether a quote is doubled."),
    ),
    *settings("sql",
        honoured("input_format_mysql_dump_table_name", "", "The table to read from a dump."),
        honoured("input_format_mysql_dump_map_column_names", True, "Whether the columns of a dump are matched by name."),
        honoured("output_format_sql_insert_max_batch_size", 65_409, "The number of rows per INSERT."),
        honoured("output_format_sql_insert_table_name", "table", "The table name in the INSERT."),
        honoured("output_format_sql_insert_include_column_names", True, "Whether the INSERT contains column names."),
        honoured("output_format_sql_insert_use_replace", False, "Whether REPLACE is written instead of INSERT."),
        honoured("output_format_sql_insert_quote_names", True, "Whether names are quoted."),
    ),
)  # fmt: skip

_PROTOCOL = "it is how ClickHouse answers clients of that protocol"

FORMATS = (
    Format("Values", "values", decoder="text.ValuesDecoder", clickhouse=BOTH_WAYS, fixed=CANONICAL),
    Format("MySQLDump", "sql", decoder="text.MySqlDumpDecoder", clickhouse=READS, left=delimited.may_omit, fixed=CANONICAL),
    *by_clickhouse("sql", "SQLInsert", WRITES),
    Format("MySQLWire", "sql", refused=_PROTOCOL),
    Format("PostgreSQLWire", "sql", refused=_PROTOCOL),
    Format("ODBCDriver2", "sql", refused=_PROTOCOL),
)  # fmt: skip
