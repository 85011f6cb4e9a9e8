"""Flink's SQL: text to statements, and its queries to Spark SQL. DLI's older options are part."""

from sluice.sql.flink.statements import parse

__all__ = ["parse"]
