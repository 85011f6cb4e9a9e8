"""CSV: ClickHouse's, and Flink's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, honoured, option, settings, unused
from sluice.formats.families.common import IGNORE_PARSE_ERRORS
from sluice.formats.fields import CLOCK_DIGITS, SIMPLE, inside
from sluice.parameters.kinds import FLINK, Delimiter, Flag, Letter, Text
from sluice.parameters.option import SINK, SOURCE
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns

_ONE = "Option '{name}' must be a string with single character, but was: {value}"

SETTINGS = settings(
    "csv",
    honoured("format_csv_delimiter", ",", "The delimiter between fields.", Delimiter()),
    honoured("format_csv_allow_single_quotes", False, "Whether fields may be in single quotes."),
    honoured("format_csv_allow_double_quotes", True, "Whether fields may be in double quotes."),
    honoured("format_csv_null_representation", "\\N", "The string that represents NULL."),
    honoured("input_format_csv_empty_as_default", True, "Whether an empty field has the column's default."),
    honoured("input_format_csv_missing_nullable_as_empty_string", False, "Whether an empty field of a Nullable(String) is an empty string."),
    honoured("input_format_csv_enum_as_number", False, "Whether enums are read as numbers."),
    honoured("input_format_csv_arrays_as_nested_csv", False, "Whether an array is nested CSV in a field."),
    honoured("input_format_csv_skip_first_lines", 0, "The number of lines to skip at the beginning."),
    honoured("input_format_csv_skip_trailing_empty_lines", False, "Whether empty lines at the end are skipped."),
    honoured("input_format_csv_trim_whitespaces", True, "Whether whitespace around a field is trimmed."),
    honoured("input_format_csv_allow_whitespace_or_tab_as_delimiter", False, "Whether a space or a tab may be the delimiter."),
    honoured("input_format_csv_allow_variable_number_of_columns", False, "Whether rows may have fewer or more columns."),
    honoured("input_format_csv_allow_cr_end_of_line", False, "Whether a carriage return alone ends a line."),
    honoured("input_format_csv_use_default_on_bad_values", False, "Whether an invalid field has the column's default."),
    honoured("input_format_csv_use_best_effort_in_schema_inference", True, "Whether types are inferred with best effort."),
    unused("headers", "input_format_csv_detect_header", True, "Whether a header is detected; never for Kafka tables."),
    honoured("input_format_csv_deserialize_separate_columns_into_tuple", True, "Whether a tuple is read from several fields."),
    honoured("input_format_csv_try_infer_numbers_from_strings", False, "Whether numbers are inferred from quoted fields."),
    honoured("input_format_csv_try_infer_strings_from_quoted_tuples", True, "Whether quoted tuples are inferred as String."),
    honoured("output_format_csv_crlf_end_of_line", False, "Whether lines end with CR LF."),
    honoured("output_format_csv_serialize_tuple_into_separate_columns", True, "Whether a tuple is written as several fields."),
    honoured("output_format_csv_header_serialize_tuple_into_separate_columns", True, "Whether a header names each of these fields."),
)  # fmt: skip


def _one_level(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """A field holds one value, or several simple ones."""
    for name, column in columns:
        type_ = m.bare(column)
        if not isinstance(type_, (*SIMPLE, m.Array, m.Tuple)):
            return f"Unsupported type '{summary(type_)}' for field '{name}'."
        for each in map(m.bare, inside(type_)):
            if not isinstance(each, SIMPLE):
                return f"Only simple types are supported in the second level nesting of fields '{name}' but was: {summary(each)}"
        for each in (type_, *map(m.bare, inside(type_))):
            if isinstance(each, m.TimeOfDay) and each.precision > CLOCK_DIGITS and not writes:
                return f"Csv does not support TIME type with precision: {each.precision}, it only supports precision 0 ~ 3."
    return ""


def _quotes(options: Mapping[str, Any], given: frozenset[str], use: str) -> str:
    both = options["disable-quote-character"] and "quote-character" in given
    return (
        "Format cannot define a quote character and disabled quote character at the same time."
        if both
        else ""
    )


def _delimiter(_: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """A blank is a delimiter only if the setting says so, which concerns reading."""
    blank = options.get("format_csv_delimiter", ",") in " \t"
    allowed = options.get("input_format_csv_allow_whitespace_or_tab_as_delimiter", False)
    if not blank or allowed or writes:
        return ""
    return f"CSV format may not work correctly with delimiter {options['format_csv_delimiter']!r}"


_CODECS: dict[str, Any] = {
    "decoder": "text.CsvDecoder",
    "encoder": "text.SeparatedEncoder$Csv",
    "fits": _delimiter,
}

FORMATS = (
    Format("CSV", "csv", **_CODECS),
    Format("CSVWithNames", "csv", **_CODECS, fixed={"with_names": True}),
    Format("CSVWithNamesAndTypes", "csv", **_CODECS, fixed={"with_types": True}),
    Format(
        "csv", "csv", dialect=FLINK, decoder="flink.FlinkCsvDecoder", encoder="flink.FlinkCsvEncoder", fits=_one_level, conflict=_quotes,
        options=(
            IGNORE_PARSE_ERRORS,
            option("csv.field-delimiter", Letter(), "The delimiter between fields.", ",", dli=True, says=_ONE),
            option("csv.line-delimiter", Text(), "The delimiter that is written after a row; none if it is not set.", dli=True, scope=SINK),
            option("csv.quote-character", Letter(), "The quote character.", '"', dli=True, says=_ONE),
            option("csv.disable-quote-character", Flag(), "Whether quoting is disabled.", False, dli=True),
            option("csv.escape-character", Letter(), "The escape character.", dli=True, says=_ONE),
            option("csv.array-element-delimiter", Letter(), "The delimiter between the elements of arrays and rows.", ";", dli=True, says=_ONE),
            option("csv.null-literal", Text(), "The string that represents NULL.", dli=True),
            option("csv.allow-comments", Flag(), "Whether lines that begin with # are skipped.", False, dli=True, scope=SOURCE),
            option("csv.write-bigdecimal-in-scientific-notation", Flag(), "Whether 100000 is written as 1E+5.", False, scope=SINK),
            option("csv.trim-spaces", Flag(), "Whether whitespace around a field is trimmed.", False, scope=SOURCE),
            option("csv.ignore-trailing-unmappable", Flag(), "Whether fields beyond the last column are skipped.", False, scope=SOURCE),
            option("csv.allow-trailing-comma", Flag(), "Whether a line may end with a delimiter.", True, scope=SOURCE),
            option("csv.fail-on-missing-columns", Flag(), "Whether a line with too few fields is an error.", False, scope=SOURCE),
            option("csv.empty-string-as-null", Flag(), "Whether an empty field is NULL.", False, scope=SOURCE),
            option("csv.ignore-first-line", Flag(), "Whether the first line is skipped.", False, scope=SOURCE),
        ),
    ),
)  # fmt: skip
