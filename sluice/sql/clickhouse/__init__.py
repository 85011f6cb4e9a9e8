"""ClickHouse's SQL: text to statements, and its queries to Spark SQL."""

from sluice.sql.clickhouse.lowering import lower_expression, lower_query
from sluice.sql.clickhouse.statements import parse

__all__ = ["lower_expression", "lower_query", "parse"]
