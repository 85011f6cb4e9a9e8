"""Flink's SQL: text to statements, and its queries to Spark SQL. DLI's older options are part."""

from sluice.sql.flink.lowering import lower_expression, lower_query
from sluice.sql.flink.statements import parse

__all__ = ["lower_expression", "lower_query", "parse"]
