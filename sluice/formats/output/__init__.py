"""Answers as bytes, in ClickHouse's output formats."""

from sluice.formats.output.registry import FORMATS, Format, content_type, find_format, render

__all__ = ["FORMATS", "Format", "content_type", "find_format", "render"]
