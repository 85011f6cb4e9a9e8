"""JSON: ClickHouse's family, Flink's json, and the changes of databases as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import (
    WRITES,
    Format,
    by_clickhouse,
    honoured,
    option,
    settings,
    unused,
)
from sluice.formats.families.common import IGNORE_PARSE_ERRORS
from sluice.formats.fields import map_with_other_keys, single_json, single_string, string_for_names
from sluice.parameters.kinds import FLINK, Flag, Text
from sluice.parameters.option import NO_EFFECT, SINK, SOURCE
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns


SETTINGS = settings(
    "json",
    honoured("input_format_import_nested_json", False, "Whether columns a.b are filled from nested objects."),
    honoured("input_format_json_read_bools_as_numbers", True, "Whether booleans may be read as numbers; UInt8 and Int8 always may."),
    honoured("input_format_json_read_bools_as_strings", True, "Whether booleans may be read as strings."),
    honoured("input_format_json_read_numbers_as_strings", True, "Whether numbers may be read as strings."),
    honoured("input_format_json_read_arrays_as_strings", True, "Whether arrays may be read as strings."),
    honoured("input_format_json_read_objects_as_strings", True, "Whether objects may be read as strings."),
    honoured("input_format_json_try_infer_numbers_from_strings", False, "Whether numbers are inferred from strings."),
    honoured("input_format_json_try_infer_named_tuples_from_objects", True, "Whether objects are inferred as named tuples."),
    honoured("input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects", False, "Whether paths of several types are inferred as String."),
    honoured("input_format_json_infer_incomplete_types_as_strings", True, "Whether incomplete types, such as only NULLs, are inferred as String."),
    honoured("input_format_json_infer_array_of_dynamic_from_array_of_different_types", True, "Whether arrays of several types are inferred as Array(Dynamic)."),
    honoured("input_format_json_named_tuples_as_objects", True, "Whether named tuples are read from objects."),
    honoured("input_format_json_defaults_for_missing_elements_in_named_tuple", True, "Whether missing elements have their defaults."),
    honoured("input_format_json_ignore_unknown_keys_in_named_tuple", True, "Whether unknown keys of a named tuple are skipped."),
    honoured("input_format_json_ignore_unnecessary_fields", True, "Whether the rest of an object is skipped once every column has its value; a key that comes again is an error otherwise."),
    honoured("input_format_json_validate_types_from_metadata", True, "Whether types in the message's metadata are checked."),
    honoured("input_format_json_throw_on_bad_escape_sequence", True, "Whether an invalid escape sequence is an error."),
    honoured("input_format_json_empty_as_default", False, "Whether an empty string becomes the column's default."),
    honoured("input_format_json_compact_allow_variable_number_of_columns", False, "Whether rows may have fewer or more columns."),
    honoured("input_format_json_map_as_array_of_tuples", False, "Whether maps are read from arrays of tuples."),
    honoured("input_format_json_max_depth", 1000, "The maximum nesting depth."),
    honoured("input_format_json_case_insensitive_column_matching", False, "Whether keys are matched case-insensitively."),
    honoured("format_json_object_each_row_column_for_object_name", "", "JSONObjectEachRow: the column that has the key of a row's object."),
    honoured("type_json_skip_duplicated_paths", False, "JSON: whether the first one counts of paths that come again, which are an error otherwise."),
    honoured("type_json_allow_duplicated_key_with_literal_and_nested_object", True, "JSON: whether a key may come as a value and as an object."),
    honoured("type_json_use_partial_match_to_skip_paths_by_regexp", True, "JSON: whether SKIP REGEXP skips a path of which it matches a part."),
    honoured("type_json_skip_invalid_typed_paths", False, "JSON: whether a value that is none of its path's type is left out, and no error."),
    honoured("type_json_skip_null_typed_paths", False, "JSON: whether a path with a type is left out where it is NULL."),
    unused("speed", "max_dynamic_subcolumns_in_json_type_parsing", "auto", "JSON: the maximum number of paths with columns of their own.", Text()),
    unused("speed", "input_format_json_max_string_column_growth_step", 0, "JSON: how a buffer grows."),
    unused("files", "input_format_json_max_object_size", 536_870_912, "The maximum number of bytes of an object in a file."),
    honoured("json_type_escape_dots_in_keys", False, "JSON: whether a dot in a key is a part of it, written %2E in paths."),
    honoured("output_format_json_quote_64bit_integers", False, "Whether 64-bit integers are quoted."),
    honoured("output_format_json_quote_64bit_floats", False, "Whether 64-bit floating-point numbers are quoted."),
    honoured("output_format_json_quote_denormals", False, "Whether inf and nan are written, in quotes."),
    honoured("output_format_json_quote_decimals", False, "Whether decimals are quoted."),
    honoured("output_format_json_escape_forward_slashes", True, "Whether slashes are escaped."),
    honoured("output_format_json_named_tuples_as_objects", True, "Whether named tuples are written as objects."),
    honoured("output_format_json_skip_null_value_in_named_tuples", False, "Whether NULLs of a named tuple are omitted."),
    honoured("output_format_json_array_of_rows", False, "Whether rows are written as one array."),
    honoured("output_format_json_validate_utf8", False, "Whether invalid UTF-8 is replaced."),
    unused("elsewhere", "output_format_json_pretty_print", True, "Whether JSON is indented."),
    honoured("output_format_json_map_as_array_of_tuples", False, "Whether maps are written as arrays of tuples."),
)  # fmt: skip

_TIMESTAMPS = option("json.timestamp-format.standard", Text(("SQL", "ISO-8601"), exact=True), "The format of timestamps.", "SQL",
                     says="Unsupported value '{value}' for timestamp-format.standard. Supported values are [SQL, ISO-8601].")  # fmt: skip
_WRITTEN = (
    option("json.map-null-key.mode", Text(("LITERAL", "FAIL", "DROP")), "How a NULL key of a map is handled.", "FAIL", scope=SINK,
           says="Unsupported value '{value}' for option map-null-key.mode. Supported values are [LITERAL, FAIL, DROP]."),
    option("json.map-null-key.literal", Text(), "The key that is written for NULL in mode LITERAL.", "null", scope=SINK),
    option("json.encode.decimal-as-plain-number", Flag(), "Whether decimals are written without an exponent.", False, scope=SINK),
    option("json.encode.ignore-null-fields", Flag(), "Whether fields that are NULL are omitted.", False, scope=SINK),
)  # fmt: skip
JSON_OPTIONS = (
    IGNORE_PARSE_ERRORS,
    option("json.fail-on-missing-field", Flag(), "Whether a missing field is an error; otherwise it is NULL.", False, dli=True, scope=SOURCE),
    _TIMESTAMPS, *_WRITTEN,
    option("json.decode.json-parser.enabled", Flag(), "Which of Flink's two parsers is used.", True, scope=SOURCE, status=NO_EFFECT, why="Sluice has one parser"),
)  # fmt: skip
_CHANGES = (IGNORE_PARSE_ERRORS, _TIMESTAMPS, *_WRITTEN)

_STRING, _STRINGS = m.Nullable(m.String()), m.Nullable(m.Array(m.Nullable(m.String())))
_MILLISECONDS, _MICROSECONDS = m.Nullable(m.DateTime(3)), m.Nullable(m.DateTime(6))


def string_keys(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """Why columns have keys that no object has."""
    found = map_with_other_keys(columns)
    return (
        f"JSON format doesn't support non-string as key type of map. The type is: {summary(found)}"
        if found
        else ""
    )


def strict_or_lenient(options: Mapping[str, Any], given: frozenset[str], use: str) -> str:
    """Why a missing field cannot be both an error and nothing."""
    both = options["fail-on-missing-field"] and options["ignore-parse-errors"]
    return "fail-on-missing-field and ignore-parse-errors shouldn't both be true." if both else ""


def _no_written_schema(options: Mapping[str, Any], given: frozenset[str], use: str) -> str:
    text = "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been set to true."
    return text if use == "sink" and options["schema-include"] else ""


_OBJECTS: dict[str, Any] = {"decoder": "json.JsonEachRowDecoder", "encoder": "json.JsonEncoder"}
_LISTS: dict[str, Any] = {
    "decoder": "json.JsonCompactEachRowDecoder",
    "encoder": "json.JsonEncoder$Compact",
}
_NAMES, _TYPES, _TEXTS = {"with_names": True}, {"with_types": True}, {"strings": True}

FORMATS = (
    Format("JSONEachRow", "json", ("JSONLines", "NDJSON", "JSONL"), **_OBJECTS),
    Format("JSONStringsEachRow", "json", **_OBJECTS, fixed=_TEXTS),
    Format("JSONCompactEachRow", "json", **_LISTS),
    Format("JSONCompactEachRowWithNames", "json", **_LISTS, fixed=_NAMES),
    Format("JSONCompactEachRowWithNamesAndTypes", "json", **_LISTS, fixed=_TYPES),
    Format("JSONCompactStringsEachRow", "json", **_LISTS, fixed=_TEXTS),
    Format("JSONCompactStringsEachRowWithNames", "json", **_LISTS, fixed=_TEXTS | _NAMES),
    Format("JSONCompactStringsEachRowWithNamesAndTypes", "json", **_LISTS, fixed=_TEXTS | _TYPES),
    Format("JSONObjectEachRow", "json", decoder="json.JsonObjectEachRowDecoder", encoder="json.JsonEncoder$Named", fits=string_for_names),
    Format("JSONAsString", "json", decoder="json.JsonAsStringDecoder", encoder="text.SeparatedEncoder$Tabs", fixed={"raw": True}, fits=single_string),
    Format("JSONAsObject", "json", decoder="json.JsonAsObjectDecoder", fits=single_json),
    Format("JSON", "json", decoder="json.JsonDecoder", clickhouse=WRITES),
    Format("JSONCompact", "json", decoder="json.JsonCompactDecoder", clickhouse=WRITES),
    *by_clickhouse("json", "JSONStrings JSONCompactStrings", WRITES),
    Format("JSONColumns", "json", decoder="json.JsonColumnsDecoder", clickhouse=WRITES, blocks=True),
    Format("JSONColumnsWithMetadata", "json", decoder="json.JsonColumnsDecoder$WithMetadata", clickhouse=WRITES, blocks=True),
    Format("JSONCompactColumns", "json", decoder="json.JsonColumnsDecoder$Compact", clickhouse=WRITES, blocks=True),
    Format("GeoJSON", "json", refused="it needs a column of type Geometry, which Kafka tables cannot have"),
    *(Format(f"{name}WithProgress", "json", refused="it reports the progress of a query") for name in ("JSONEachRow", "JSONStringsEachRow", "JSONCompactEachRow", "JSONCompactStringsEachRow")),
    Format(
        "json", "json", dialect=FLINK, decoder="flink.FlinkJsonDecoder", encoder="flink.FlinkJsonEncoder", several=True,
        fits=string_keys, conflict=strict_or_lenient,
        options=JSON_OPTIONS,
    ),
    Format(
        "debezium-json", "json", dialect=FLINK, changes=True, omits=True, decoder="changes.DebeziumJsonDecoder", encoder="changes.DebeziumJsonEncoder",
        fits=string_keys, conflict=_no_written_schema,
        options=(*_CHANGES, option("debezium-json.schema-include", Flag(), "Whether messages contain their schema, with the change under payload.", False, scope=SOURCE)),
        metadata={
            "schema": _STRING, "ingestion-timestamp": _MILLISECONDS, "source.timestamp": _MILLISECONDS, "source.database": _STRING,
            "source.schema": _STRING, "source.table": _STRING, "source.properties": m.Nullable(m.Map(_STRING, _STRING)),
        },
    ),
    Format(
        "canal-json", "json", dialect=FLINK, changes=True, decoder="changes.CanalJsonDecoder", encoder="changes.CanalJsonEncoder",
        fits=string_keys,
        options=(
            *_CHANGES,
            option("canal-json.database.include", Text(), "A regular expression: changes of other databases are skipped.", scope=SOURCE),
            option("canal-json.table.include", Text(), "A regular expression: changes of other tables are skipped.", scope=SOURCE),
        ),
        metadata={
            "database": _STRING, "table": _STRING, "sql-type": m.Nullable(m.Map(_STRING, m.Nullable(m.Int(32)))), "pk-names": _STRINGS,
            "ingestion-timestamp": _MILLISECONDS, "event-timestamp": _MILLISECONDS,
        },
    ),
    Format(
        "maxwell-json", "json", dialect=FLINK, changes=True, decoder="changes.MaxwellJsonDecoder", encoder="changes.MaxwellJsonEncoder",
        fits=string_keys, options=_CHANGES,
        metadata={"database": _STRING, "table": _STRING, "primary-key-columns": _STRINGS, "ingestion-timestamp": _MILLISECONDS},
    ),
    Format(
        "ogg-json", "json", dialect=FLINK, changes=True, decoder="changes.OggJsonDecoder", encoder="changes.OggJsonEncoder",
        fits=string_keys, options=_CHANGES,
        metadata={"table": _STRING, "primary-keys": _STRINGS, "ingestion-timestamp": _MICROSECONDS, "event-timestamp": _MICROSECONDS},
    ),
    Format("DebeziumJSON", "json", changes=True, omits=True, decoder="changes.DebeziumJsonDecoder", fixed={"clickhouse": True, "schema-include": None}),
    Format("CanalJSON", "json", changes=True, decoder="changes.CanalJsonDecoder", fixed={"clickhouse": True}),
    Format("MaxwellJSON", "json", changes=True, decoder="changes.MaxwellJsonDecoder", fixed={"clickhouse": True}),
    Format("OggJSON", "json", changes=True, decoder="changes.OggJsonDecoder", fixed={"clickhouse": True}),
)  # fmt: skip
