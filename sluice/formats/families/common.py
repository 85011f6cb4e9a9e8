"""What belongs to every format, and what several have in common."""

from __future__ import annotations

from sluice.formats.descriptor import honoured, option, refused, settings, unused
from sluice.parameters.kinds import DLI, Flag, Integer, Kind, Text
from sluice.parameters.option import NO_EFFECT, REFUSED, SOURCE, Option

_DATES = Text(("basic", "best_effort", "best_effort_us"))
_DATES_OUT = Text(("simple", "iso", "unix_timestamp"))
_OVERFLOW = Text(("ignore", "throw", "saturate"))
_MATCHING = Text(("match_case", "ignore_case", "auto"))

SETTINGS = (
    honoured("input_format_skip_unknown_fields", True, "Whether fields without a column are skipped; on for Kafka tables."),
    honoured("input_format_null_as_default", True, "Whether NULL becomes the default of a column that is not Nullable."),
    honoured("input_format_defaults_for_omitted_fields", True, "Whether missing fields have the column's default."),
    honoured("input_format_force_null_for_omitted_fields", False, "Whether missing fields are NULL."),
    honoured("input_format_with_names_use_header", True, "Whether a header determines the order of columns."),
    honoured("input_format_with_types_use_header", True, "Whether the types in a header are checked."),
    honoured("input_format_column_name_matching_mode", "auto", "Whether the case of letters matters in names of columns; auto: only if a name differs from one in nothing else.", _MATCHING),
    honoured("input_format_allow_errors_num", 0, "The maximum number of bad rows in a message."),
    honoured("input_format_allow_errors_ratio", 0.0, "The maximum ratio of bad rows in a message."),
    unused("inference", "input_format_max_bytes_to_read_for_schema_inference", 33_554_432, "The maximum number of bytes read for schema inference."),
    unused("inference", "input_format_max_rows_to_read_for_schema_inference", 25_000, "The maximum number of rows read for schema inference."),
    unused("speed", "input_format_max_block_size_bytes", 0, "The maximum number of bytes in a block."),
    unused("elsewhere", "input_format_connection_handling", False, "Whether rows received so far are kept when a connection is lost."),
    unused("speed", "input_format_parallel_parsing", True, "Whether parsing runs in several threads."),
    unused("casts", "input_format_ipv4_default_on_conversion_error", False, "Whether an invalid IPv4 becomes 0.0.0.0."),
    unused("casts", "input_format_ipv6_default_on_conversion_error", False, "Whether an invalid IPv6 becomes ::."),
    honoured("input_format_try_infer_integers", True, "Whether integers are inferred."),
    honoured("input_format_try_infer_dates", True, "Whether dates are inferred from strings."),
    honoured("input_format_try_infer_datetimes", True, "Whether times are inferred from strings."),
    honoured("input_format_try_infer_datetimes_only_datetime64", False, "Whether inferred times are always DateTime64."),
    honoured("input_format_try_infer_exponent_floats", False, "Whether numbers with an exponent are inferred as floating point."),
    unused("inference", "input_format_try_infer_variants", False, "Whether a column of several types is inferred as Variant."),
    unused("elsewhere", "input_format_record_errors_file_path", "", "A file that bad rows are written to."),
    unused("inference", "schema_inference_hints", "", "The types of columns that are not inferred."),
    unused("inference", "schema_inference_make_columns_nullable", "3", "Whether inferred types are Nullable.", Text(("0", "1", "auto", "2", "3", "true", "false"))),
    unused("inference", "schema_inference_make_json_columns_nullable", False, "Whether inferred JSON columns are Nullable."),
    unused("inference", "schema_inference_mode", "default", "How the inferred schemas of several files are combined.", Text(("default", "union"))),
    unused("inference", "column_names_for_schema_inference", "", "The names of columns if there is no header."),
    honoured("date_time_input_format", "best_effort", "How leniently times are parsed.", _DATES),
    honoured("date_time_output_format", "simple", "How times are written.", _DATES_OUT),
    honoured("date_time_overflow_behavior", "ignore", "How a time out of range is handled.", _OVERFLOW),
    honoured("date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands", False, "Whether trailing zeros of a fraction are removed."),
    unused("casts", "cast_string_to_date_time_mode", "best_effort", "How leniently casts parse times.", _DATES),
    unused("columns", "interval_output_format", "numeric", "How intervals are written.", Text(("kusto", "numeric"))),
    honoured("bool_true_representation", "true", "The string that represents true."),
    honoured("bool_false_representation", "false", "The string that represents false."),
    honoured("format_schema", "", "The schema of formats that need one: file:message, or its text."),
    honoured("format_schema_source", "file", "The source of the schema.", Text(("file", "string", "query"))),
    honoured("format_schema_message_name", "", "The name of the message in the schema."),
    unused("elsewhere", "format_display_secrets_in_show_and_select", False, "Whether secrets may be shown; they never are."),
    unused("exact", "precise_float_parsing", True, "Whether floating-point numbers are parsed exactly."),
    honoured("allow_special_bool_values_inside_variant", False, "Whether special boolean values such as on and off are accepted in a Variant."),
    unused("speed", "input_format_allow_seeks", True, "Whether parts of a file may be skipped."),
    unused("elsewhere", "errors_output_format", "CSV", "The format of recorded errors."),
    unused("elsewhere", "exact_rows_before_limit", False, "Whether rows before a LIMIT are counted exactly."),
    unused("elsewhere", "rows_before_aggregation", False, "Whether rows are counted before aggregation."),
    unused("elsewhere", "cross_to_inner_join_rewrite", 1, "Whether cross joins are rewritten as inner joins.", Integer(0, 2)),
    unused("elsewhere", "insert_distributed_one_random_shard", False, "Whether rows are inserted into a random shard."),
    unused("elsewhere", "into_outfile_create_parent_directories", False, "Whether parent directories are created."),
    unused("elsewhere", "regexp_dict_allow_hyperscan", True, "Whether regular expression dictionaries use Hyperscan."),
    unused("elsewhere", "regexp_dict_flag_case_insensitive", False, "Whether regular expression dictionaries ignore case."),
    unused("elsewhere", "regexp_dict_flag_dotall", False, "Whether a dot matches a newline in regular expression dictionaries."),
    unused("speed", "dictionary_use_async_executor", False, "Whether dictionaries are read in several threads."),
    unused("elsewhere", "show_create_query_identifier_quoting_rule", "when_necessary", "Which names SHOW CREATE quotes.", Text(("user_display", "when_necessary", "always"))),
    unused("elsewhere", "show_create_query_identifier_quoting_style", "Backticks", "The quoting style of SHOW CREATE.", Text(("Backticks", "DoubleQuotes", "BackticksMySQL"))),
    unused("elsewhere", "validate_experimental_and_suspicious_types_inside_nested_types", True, "Whether experimental types inside nested types are rejected."),
    honoured("output_format_decimal_trailing_zeros", False, "Whether decimals are written with trailing zeros."),
    unused("elsewhere", "output_format_enable_streaming", False, "Whether rows are flushed as they are written."),
    honoured("output_format_write_statistics", True, "Whether statistics are written after the rows."),
    unused("speed", "output_format_parallel_formatting", True, "Whether writing runs in several threads."),
    refused("output_format_schema", "", "The file in which a generated schema is saved.", "it names files of the server; ProtobufConfluent registers the schema that it makes of the columns"),
    honoured("output_format_binary_write_json_as_string", False, "Whether JSON is written as a string in binary formats."),
    honoured("input_format_binary_read_json_as_string", False, "Whether JSON is read as a string in binary formats."),
    honoured("input_format_binary_decode_types_in_binary_format", False, "Whether types in a header are binary."),
    honoured("output_format_binary_encode_types_in_binary_format", False, "Whether types in a header are written binary."),
    honoured("input_format_binary_max_type_complexity", 1000, "The maximum complexity of a type in a binary header."),
    honoured("format_binary_max_string_size", 1 << 30, "The maximum length of a string in RowBinary."),
    honoured("format_binary_max_array_size", 1 << 30, "The maximum length of an array in RowBinary."),
    honoured("format_binary_max_object_size", 100_000, "The maximum number of paths of a JSON value in RowBinary."),
    *settings("hive",
        unused("elsewhere", "input_format_hive_text_fields_delimiter", "\x01", "The delimiter between fields of Hive text files."),
        unused("elsewhere", "input_format_hive_text_collection_items_delimiter", "\x02", "The delimiter between collection elements in Hive text files."),
        unused("elsewhere", "input_format_hive_text_map_keys_delimiter", "\x03", "The delimiter between map keys and values in Hive text files."),
        unused("elsewhere", "input_format_hive_text_allow_variable_number_of_columns", True, "Whether rows of Hive text files may have fewer or more columns."),
    ),
)  # fmt: skip

IGNORE_PARSE_ERRORS = option(
    "json.ignore-parse-errors", Flag(), "true: a field that cannot be parsed is NULL, a message that cannot be parsed is skipped.", False, dli=True, scope=SOURCE,
)  # fmt: skip

_DERIVED = "the schema is derived from the columns of the table"


def _legacy(name: str, kind: Kind, doc: str, why: str, status: str = NO_EFFECT) -> Option:
    key = f"format.{name}"
    return Option(key, {DLI: key}, kind, doc, status=status, why=why, part="format")


LEGACY = (
    _legacy("property-version", Integer(1), "The version of these keys.", "there is one version"),
    _legacy("derive-schema", Flag(), "Whether the schema is derived from the columns.", _DERIVED),
    _legacy("schema", Text(), "The schema of the messages.", _DERIVED),
    _legacy("json-schema", Text(), "The schema of the messages as JSON Schema.", _DERIVED),
    _legacy("avro-schema", Text(), "The schema of the messages as Avro.", _DERIVED),
    _legacy(
        "record-class",
        Text(),
        "A Java class with the schema.",
        "user-defined Java classes are not loaded; " + _DERIVED,
        REFUSED,
    ),
)
"""DLI's options of every format."""
