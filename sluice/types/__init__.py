"""Data types: the model, its text form and what Spark stores."""

from sluice.types.model import Type, bare, is_nullable
from sluice.types.quoting import quote_name, quote_string
from sluice.types.spark import spark_type
from sluice.types.text import parse_columns, parse_type

__all__ = [
    "Type",
    "bare",
    "is_nullable",
    "parse_columns",
    "parse_type",
    "quote_name",
    "quote_string",
    "spark_type",
]
