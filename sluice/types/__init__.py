"""Data types: the model, its text form and what Spark stores."""

from sluice.types.model import Type, bare, is_nullable
from sluice.types.spark import spark_type
from sluice.types.text import format_type, parse_columns, parse_type, quote_name, quote_string

__all__ = [
    "Type",
    "bare",
    "format_type",
    "is_nullable",
    "parse_columns",
    "parse_type",
    "quote_name",
    "quote_string",
    "spark_type",
]
