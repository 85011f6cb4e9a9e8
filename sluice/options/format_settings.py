"""ClickHouse's format settings, which may stand in a Kafka table's SETTINGS and govern its messages.

They are grouped by the family of formats they belong to (`*` for all). A row is a setting: its name,
what it takes, its default, and what it is for.
"""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from typing import Any

from sluice.options.kinds import Delimiter, Flag, Kind, Number, Text, Url, Whole
from sluice.options.option import BOTH, HONOURED, KEPT, NO_EFFECT, SINK, SOURCE, Option

_F, _N, _T, _R = Flag(), Whole(), Text(), Number()
_DATES = Text(("basic", "best_effort", "best_effort_us"))
_DATES_OUT = Text(("simple", "iso", "unix_timestamp"))
_ESCAPING = Text(("None", "Escaped", "Quoted", "CSV", "JSON", "XML", "Raw"))
_VERSIONS = Text(("1.0", "2.4", "2.6", "2.latest"))
_ENUMS = Text(("by_names", "by_values", "by_names_case_insensitive"))
_UUIDS = Text(("str", "bin", "ext"))
_OVERFLOW = Text(("ignore", "throw", "saturate"))

Row = tuple[str, Kind, Any, str]

UNUSED = (
    ("the columns of the table have types; nothing is inferred", "infer"),
    ("a Kafka table never detects a header", "detect_header"),
    ("floating-point numbers are always parsed exactly", "precise_float"),
    ("it changes the performance of ClickHouse, not the result",
     "parallel block_size block_bytes prefetch native_reader fast_decoder custom_encoder seek watermark push_down offset_index row_batch_size async_executor"),
    ("it does not concern messages",
     "connection_handling record_errors errors_output display_secrets statistics streaming pretty markdown sql_insert rows_before join_rewrite distributed outfile regexp_dict show_create validate_experimental hive_text"),
)  # fmt: skip
"""Settings that change nothing here, with why, by parts of their names."""

_WRITTEN = """
    date_time_output_format bool_true_representation bool_false_representation
    output_format_decimal_trailing_zeros
    output_format_json_quote_64bit_integers output_format_json_quote_64bit_floats
    output_format_json_quote_denormals output_format_json_quote_decimals
    output_format_json_escape_forward_slashes output_format_json_named_tuples_as_objects
    output_format_json_skip_null_value_in_named_tuples output_format_json_array_of_rows
    output_format_json_map_as_array_of_tuples
    output_format_csv_crlf_end_of_line output_format_csv_serialize_tuple_into_separate_columns
    output_format_tsv_crlf_end_of_line
"""

_READ = """
    input_format_skip_unknown_fields input_format_null_as_default input_format_with_names_use_header
    input_format_defaults_for_omitted_fields
    input_format_allow_errors_num input_format_allow_errors_ratio date_time_input_format
    input_format_import_nested_json input_format_json_compact_allow_variable_number_of_columns
    input_format_json_read_bools_as_strings input_format_json_read_numbers_as_strings
    input_format_json_read_arrays_as_strings input_format_json_read_objects_as_strings
    input_format_json_named_tuples_as_objects input_format_json_empty_as_default
    input_format_json_defaults_for_missing_elements_in_named_tuple
    input_format_json_ignore_unknown_keys_in_named_tuple
    format_csv_delimiter format_csv_allow_single_quotes format_csv_allow_double_quotes
    format_csv_null_representation input_format_csv_empty_as_default input_format_csv_enum_as_number
    input_format_csv_skip_first_lines input_format_csv_skip_trailing_empty_lines
    input_format_csv_trim_whitespaces input_format_csv_allow_variable_number_of_columns
    input_format_csv_allow_cr_end_of_line input_format_csv_use_default_on_bad_values
    input_format_csv_deserialize_separate_columns_into_tuple
    format_tsv_null_representation input_format_tsv_empty_as_default
    input_format_tsv_enum_as_number input_format_tsv_skip_first_lines
    input_format_tsv_skip_trailing_empty_lines input_format_tsv_allow_variable_number_of_columns
    input_format_tsv_crlf_end_of_line
"""

HONOURED_NOW = frozenset((_READ + _WRITTEN).split())
"""Those that are acted on, nearly all by our Java. Of the others only the default is read, and anything is kept."""

SETTINGS: dict[str, tuple[Row, ...]] = {
    "*": (
        ("input_format_skip_unknown_fields", _F, True, "Whether fields without a column are skipped; on for Kafka tables."),
        ("input_format_null_as_default", _F, True, "Whether NULL becomes the default of a column that is not Nullable."),
        ("input_format_defaults_for_omitted_fields", _F, True, "Whether missing fields have the column's default."),
        ("input_format_force_null_for_omitted_fields", _F, False, "Whether missing fields are NULL."),
        ("input_format_with_names_use_header", _F, True, "Whether a header determines the order of columns."),
        ("input_format_with_types_use_header", _F, True, "Whether the types in a header are checked."),
        ("input_format_allow_errors_num", _N, 0, "The maximum number of bad rows in a message."),
        ("input_format_allow_errors_ratio", _R, 0.0, "The maximum ratio of bad rows in a message."),
        ("input_format_max_bytes_to_read_for_schema_inference", _N, 33_554_432, "The maximum number of bytes read for schema inference."),
        ("input_format_max_rows_to_read_for_schema_inference", _N, 25_000, "The maximum number of rows read for schema inference."),
        ("input_format_max_block_size_bytes", _N, 0, "The maximum number of bytes in a block."),
        ("input_format_connection_handling", _F, False, "Whether rows received so far are kept when a connection is lost."),
        ("input_format_parallel_parsing", _F, True, "Whether parsing runs in several threads."),
        ("input_format_ipv4_default_on_conversion_error", _F, False, "Whether an invalid IPv4 becomes 0.0.0.0."),
        ("input_format_ipv6_default_on_conversion_error", _F, False, "Whether an invalid IPv6 becomes ::."),
        ("input_format_try_infer_integers", _F, True, "Whether integers are inferred."),
        ("input_format_try_infer_dates", _F, True, "Whether dates are inferred from strings."),
        ("input_format_try_infer_datetimes", _F, True, "Whether times are inferred from strings."),
        ("input_format_try_infer_datetimes_only_datetime64", _F, False, "Whether inferred times are always DateTime64."),
        ("input_format_try_infer_exponent_floats", _F, False, "Whether numbers with an exponent are inferred as floating point."),
        ("input_format_try_infer_variants", _F, False, "Whether a column of several types is inferred as Variant."),
        ("input_format_record_errors_file_path", _T, "", "A file that bad rows are written to."),
        ("schema_inference_hints", _T, "", "The types of columns that are not inferred."),
        ("schema_inference_make_columns_nullable", Text(("0", "1", "auto", "2", "3", "true", "false")), "3", "Whether inferred types are Nullable."),
        ("schema_inference_make_json_columns_nullable", _F, False, "Whether inferred JSON columns are Nullable."),
        ("schema_inference_mode", Text(("default", "union")), "default", "How the inferred schemas of several files are combined."),
        ("column_names_for_schema_inference", _T, "", "The names of columns if there is no header."),
        ("date_time_input_format", _DATES, "basic", "How leniently times are parsed."),
        ("date_time_output_format", _DATES_OUT, "simple", "How times are written."),
        ("date_time_overflow_behavior", _OVERFLOW, "ignore", "How a time out of range is handled."),
        ("date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands", _F, False, "Whether trailing zeros of a fraction are removed."),
        ("cast_string_to_date_time_mode", _DATES, "basic", "How leniently casts parse times."),
        ("interval_output_format", Text(("kusto", "numeric")), "numeric", "How intervals are written."),
        ("bool_true_representation", _T, "true", "The string that represents true."),
        ("bool_false_representation", _T, "false", "The string that represents false."),
        ("format_schema", _T, "", "The schema of formats that need one."),
        ("format_schema_source", Text(("file", "string", "query")), "file", "The source of the schema."),
        ("format_schema_message_name", _T, "", "The name of the message in the schema."),
        ("format_display_secrets_in_show_and_select", _F, False, "Whether secrets may be shown; they never are."),
        ("precise_float_parsing", _F, False, "Whether floating-point numbers are parsed exactly."),
        ("allow_special_bool_values_inside_variant", _F, False, "Whether special boolean values such as on and off are accepted in a Variant."),
        ("input_format_allow_seeks", _F, True, "Whether parts of a file may be skipped."),
        ("errors_output_format", _T, "CSV", "The format of recorded errors."),
        ("exact_rows_before_limit", _F, False, "Whether rows before a LIMIT are counted exactly."),
        ("rows_before_aggregation", _F, False, "Whether rows are counted before aggregation."),
        ("cross_to_inner_join_rewrite", Whole(0, 2), 1, "Whether cross joins are rewritten as inner joins."),
        ("insert_distributed_one_random_shard", _F, False, "Whether rows are inserted into a random shard."),
        ("into_outfile_create_parent_directories", _F, False, "Whether parent directories are created."),
        ("regexp_dict_allow_hyperscan", _F, True, "Whether regular expression dictionaries use Hyperscan."),
        ("regexp_dict_flag_case_insensitive", _F, False, "Whether regular expression dictionaries ignore case."),
        ("regexp_dict_flag_dotall", _F, False, "Whether a dot matches a newline in regular expression dictionaries."),
        ("dictionary_use_async_executor", _F, False, "Whether dictionaries are read in several threads."),
        ("show_create_query_identifier_quoting_rule", Text(("user_display", "when_necessary", "always")), "when_necessary", "Which names SHOW CREATE quotes."),
        ("show_create_query_identifier_quoting_style", Text(("Backticks", "DoubleQuotes", "BackticksMySQL")), "Backticks", "The quoting style of SHOW CREATE."),
        ("validate_experimental_and_suspicious_types_inside_nested_types", _F, True, "Whether experimental types inside nested types are rejected."),
        ("output_format_decimal_trailing_zeros", _F, False, "Whether decimals are written with trailing zeros."),
        ("output_format_enable_streaming", _F, False, "Whether rows are flushed as they are written."),
        ("output_format_write_statistics", _F, True, "Whether statistics are written after the rows."),
        ("output_format_parallel_formatting", _F, True, "Whether writing runs in several threads."),
        ("output_format_schema", _T, "", "The file in which a generated schema is saved."),
        ("output_format_binary_write_json_as_string", _F, False, "Whether JSON is written as a string in binary formats."),
        ("input_format_binary_read_json_as_string", _F, False, "Whether JSON is read as a string in binary formats."),
        ("input_format_binary_decode_types_in_binary_format", _F, False, "Whether types in a header are binary."),
        ("output_format_binary_encode_types_in_binary_format", _F, False, "Whether types in a header are written binary."),
        ("input_format_binary_max_type_complexity", _N, 1000, "The maximum complexity of a type in a binary header."),
        ("format_binary_max_string_size", _N, 1 << 30, "The maximum length of a string in RowBinary."),
        ("format_binary_max_array_size", _N, 1 << 30, "The maximum length of an array in RowBinary."),
        ("format_binary_max_object_size", _N, 100_000, "The maximum number of paths of a JSON value in RowBinary."),
    ),
    "json": (
        ("input_format_import_nested_json", _F, False, "Whether columns a.b are filled from nested objects."),
        ("input_format_json_read_bools_as_numbers", _F, True, "Whether booleans may be read as numbers."),
        ("input_format_json_read_bools_as_strings", _F, True, "Whether booleans may be read as strings."),
        ("input_format_json_read_numbers_as_strings", _F, True, "Whether numbers may be read as strings."),
        ("input_format_json_read_arrays_as_strings", _F, True, "Whether arrays may be read as strings."),
        ("input_format_json_read_objects_as_strings", _F, True, "Whether objects may be read as strings."),
        ("input_format_json_try_infer_numbers_from_strings", _F, False, "Whether numbers are inferred from strings."),
        ("input_format_json_try_infer_named_tuples_from_objects", _F, True, "Whether objects are inferred as named tuples."),
        ("input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects", _F, False, "Whether paths of several types are inferred as String."),
        ("input_format_json_infer_incomplete_types_as_strings", _F, True, "Whether incomplete types, such as only NULLs, are inferred as String."),
        ("input_format_json_infer_array_of_dynamic_from_array_of_different_types", _F, True, "Whether arrays of several types are inferred as Array(Dynamic)."),
        ("input_format_json_named_tuples_as_objects", _F, True, "Whether named tuples are read from objects."),
        ("input_format_json_defaults_for_missing_elements_in_named_tuple", _F, True, "Whether missing elements have their defaults."),
        ("input_format_json_ignore_unknown_keys_in_named_tuple", _F, True, "Whether unknown keys of a named tuple are skipped."),
        ("input_format_json_ignore_unnecessary_fields", _F, True, "Whether skipped fields are not validated."),
        ("input_format_json_validate_types_from_metadata", _F, True, "Whether types in the message's metadata are checked."),
        ("input_format_json_throw_on_bad_escape_sequence", _F, True, "Whether an invalid escape sequence is an error."),
        ("input_format_json_empty_as_default", _F, False, "Whether an empty string becomes the column's default."),
        ("input_format_json_compact_allow_variable_number_of_columns", _F, False, "Whether rows may have fewer or more columns."),
        ("input_format_json_map_as_array_of_tuples", _F, False, "Whether maps are read from arrays of tuples."),
        ("input_format_json_max_depth", _N, 1000, "The maximum nesting depth."),
        ("input_format_json_case_insensitive_column_matching", _F, False, "Whether keys are matched case-insensitively."),
        ("format_json_object_each_row_column_for_object_name", _T, "", "The column for the name of the object."),
        ("type_json_skip_duplicated_paths", _F, False, "Whether duplicate paths are skipped."),
        ("json_type_escape_dots_in_keys", _F, False, "Whether dots in keys are escaped."),
        ("output_format_json_quote_64bit_integers", _F, False, "Whether 64-bit integers are quoted."),
        ("output_format_json_quote_64bit_floats", _F, False, "Whether 64-bit floating-point numbers are quoted."),
        ("output_format_json_quote_denormals", _F, False, "Whether inf and nan are written, in quotes."),
        ("output_format_json_quote_decimals", _F, False, "Whether decimals are quoted."),
        ("output_format_json_escape_forward_slashes", _F, True, "Whether slashes are escaped."),
        ("output_format_json_named_tuples_as_objects", _F, True, "Whether named tuples are written as objects."),
        ("output_format_json_skip_null_value_in_named_tuples", _F, False, "Whether NULLs of a named tuple are omitted."),
        ("output_format_json_array_of_rows", _F, False, "Whether rows are written as one array."),
        ("output_format_json_validate_utf8", _F, False, "Whether invalid UTF-8 is replaced."),
        ("output_format_json_pretty_print", _F, True, "Whether JSON is indented."),
        ("output_format_json_map_as_array_of_tuples", _F, False, "Whether maps are written as arrays of tuples."),
    ),
    "csv": (
        ("format_csv_delimiter", Delimiter(), ",", "The delimiter between fields."),
        ("format_csv_allow_single_quotes", _F, False, "Whether fields may be in single quotes."),
        ("format_csv_allow_double_quotes", _F, True, "Whether fields may be in double quotes."),
        ("format_csv_null_representation", _T, "\\N", "The string that represents NULL."),
        ("input_format_csv_empty_as_default", _F, True, "Whether an empty field has the column's default."),
        ("input_format_csv_enum_as_number", _F, False, "Whether enums are read as numbers."),
        ("input_format_csv_arrays_as_nested_csv", _F, False, "Whether an array is nested CSV in a field."),
        ("input_format_csv_skip_first_lines", _N, 0, "The number of lines to skip at the beginning."),
        ("input_format_csv_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_csv_trim_whitespaces", _F, True, "Whether whitespace around a field is trimmed."),
        ("input_format_csv_allow_whitespace_or_tab_as_delimiter", _F, False, "Whether a space or a tab may be the delimiter."),
        ("input_format_csv_allow_variable_number_of_columns", _F, False, "Whether rows may have fewer or more columns."),
        ("input_format_csv_allow_cr_end_of_line", _F, False, "Whether a carriage return alone ends a line."),
        ("input_format_csv_use_default_on_bad_values", _F, False, "Whether an invalid field has the column's default."),
        ("input_format_csv_use_best_effort_in_schema_inference", _F, True, "Whether types are inferred with best effort."),
        ("input_format_csv_detect_header", _F, True, "Whether a header is detected; never for Kafka tables."),
        ("input_format_csv_deserialize_separate_columns_into_tuple", _F, True, "Whether a tuple is read from several fields."),
        ("input_format_csv_try_infer_numbers_from_strings", _F, False, "Whether numbers are inferred from quoted fields."),
        ("input_format_csv_try_infer_strings_from_quoted_tuples", _F, True, "Whether quoted tuples are inferred as String."),
        ("output_format_csv_crlf_end_of_line", _F, False, "Whether lines end with CR LF."),
        ("output_format_csv_serialize_tuple_into_separate_columns", _F, True, "Whether a tuple is written as several fields."),
    ),
    "tsv": (
        ("format_tsv_null_representation", _T, "\\N", "The string that represents NULL."),
        ("input_format_tsv_empty_as_default", _F, False, "Whether an empty field has the column's default."),
        ("input_format_tsv_enum_as_number", _F, False, "Whether enums are read as numbers."),
        ("input_format_tsv_skip_first_lines", _N, 0, "The number of lines to skip at the beginning."),
        ("input_format_tsv_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_tsv_allow_variable_number_of_columns", _F, False, "Whether rows may have fewer or more columns."),
        ("input_format_tsv_crlf_end_of_line", _F, False, "Whether lines end with CR LF."),
        ("input_format_tsv_use_best_effort_in_schema_inference", _F, True, "Whether types are inferred with best effort."),
        ("input_format_tsv_detect_header", _F, True, "Whether a header is detected; never for Kafka tables."),
        ("output_format_tsv_crlf_end_of_line", _F, False, "Whether lines are written with CR LF."),
    ),
    "custom": (
        ("format_custom_escaping_rule", _ESCAPING, "Escaped", "How fields are escaped."),
        ("format_custom_field_delimiter", _T, "\t", "The delimiter between fields."),
        ("format_custom_row_before_delimiter", _T, "", "The delimiter before a row."),
        ("format_custom_row_after_delimiter", _T, "\n", "The delimiter after a row."),
        ("format_custom_row_between_delimiter", _T, "", "The delimiter between rows."),
        ("format_custom_result_before_delimiter", _T, "", "The prefix of the result."),
        ("format_custom_result_after_delimiter", _T, "", "The suffix of the result."),
        ("input_format_custom_detect_header", _F, True, "Whether a header is detected; never for Kafka tables."),
        ("input_format_custom_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_custom_allow_variable_number_of_columns", _F, False, "Whether rows may have fewer or more columns."),
    ),
    "template": (
        ("format_template_resultset", _T, "", "The file with the template of the result."),
        ("format_template_row", _T, "", "The file with the template of a row."),
        ("format_template_resultset_format", _T, "", "The template of the result."),
        ("format_template_row_format", _T, "", "The template of a row."),
        ("format_template_rows_between_delimiter", _T, "\n", "The delimiter between rows."),
    ),
    "regexp": (
        ("format_regexp", _T, "", "The regular expression a row matches."),
        ("format_regexp_escaping_rule", _ESCAPING, "Raw", "How the matched groups are escaped."),
        ("format_regexp_skip_unmatched", _F, False, "Whether lines that do not match are skipped."),
    ),
    "values": (
        ("input_format_values_interpret_expressions", _F, True, "Whether expressions are evaluated."),
        ("input_format_values_deduce_templates_of_expressions", _F, True, "Whether similar expressions are evaluated together."),
        ("input_format_values_accurate_types_of_literals", _F, True, "Whether literals keep their exact type."),
        ("input_format_values_allow_data_after_semicolon", _F, False, "Whether data after a semicolon is accepted."),
        ("output_format_values_escape_quote_with_quote", _F, False, "Whether a quote is doubled."),
    ),
    "avro": (
        ("format_avro_schema_registry_url", Url(), "", "The schema registry, for AvroConfluent."),
        ("format_avro_schema_registry_connection_timeout", _N, 1, "The timeout for connecting to the registry, in seconds."),
        ("format_avro_schema_registry_send_timeout", _N, 1, "The timeout for sending a request to the registry, in seconds."),
        ("format_avro_schema_registry_receive_timeout", _N, 1, "The timeout for receiving a response from the registry, in seconds."),
        ("input_format_avro_allow_missing_fields", _F, False, "Whether a column may be missing in the schema."),
        ("input_format_avro_null_as_default", _F, False, "Whether NULL becomes the column's default."),
        ("output_format_avro_codec", Text(("", "null", "deflate", "snappy", "zstd")), "", "The compression codec of files."),
        ("output_format_avro_sync_interval", _N, 16_384, "The number of bytes between sync markers."),
        ("output_format_avro_string_column_pattern", _T, "", "A pattern of columns that are written as string instead of bytes."),
        ("output_format_avro_rows_in_file", _N, 1, "The maximum number of rows in a file."),
        ("output_format_avro_confluent_subject", _T, "", "The subject under which the schema is registered."),
    ),
    "protobuf": (
        ("input_format_protobuf_flatten_google_wrappers", _F, False, "Whether Google's wrappers are read as plain values."),
        ("input_format_protobuf_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips fields of unsupported types."),
        ("input_format_protobuf_oneof_presence", _F, False, "Whether a column contains the branch of a oneof that is set."),
        ("output_format_protobuf_nullables_with_google_wrappers", _F, False, "Whether nullable values are written in Google's wrappers."),
        ("format_protobuf_use_autogenerated_schema", _F, True, "Whether the schema is generated from the columns if none is set."),
    ),
    "capnproto": (
        ("format_capn_proto_enum_comparising_mode", _ENUMS, "by_values", "How enums are compared."),
        ("format_capn_proto_use_autogenerated_schema", _F, True, "Whether the schema is generated from the columns if none is set."),
        ("format_capn_proto_max_message_size", _N, 1 << 30, "The maximum size of a message."),
        ("input_format_capn_proto_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips fields of unsupported types."),
    ),
    "msgpack": (
        ("input_format_msgpack_number_of_columns", _N, 0, "The number of columns in a row, for schema inference."),
        ("output_format_msgpack_uuid_representation", _UUIDS, "ext", "How UUIDs are written."),
    ),
    "bson": (
        ("input_format_bson_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips fields of unsupported types."),
        ("output_format_bson_string_as_string", _F, False, "Whether strings are written as the format's string type instead of bytes."),
    ),
    "binary": (
        ("input_format_native_allow_types_conversion", _F, True, "Whether types are converted to those of the columns."),
        ("input_format_native_decode_types_in_binary_format", _F, False, "Whether types in Native are binary."),
        ("output_format_native_encode_types_in_binary_format", _F, False, "Whether types in Native are written binary."),
        ("output_format_native_use_flattened_dynamic_and_json_serialization", _F, False, "Whether Dynamic and JSON are written in flattened form."),
        ("output_format_native_write_json_as_string", _F, False, "Whether JSON is written as a string."),
    ),
    "arrow": (
        ("input_format_arrow_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_arrow_case_insensitive_column_matching", _F, False, "Whether names are matched case-insensitively."),
        ("input_format_arrow_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips columns of unsupported types."),
        ("output_format_arrow_low_cardinality_as_dictionary", _F, False, "Whether LowCardinality is written as a dictionary."),
        ("output_format_arrow_use_signed_indexes_for_dictionary", _F, True, "Whether dictionary indexes are signed."),
        ("output_format_arrow_use_64_bit_indexes_for_dictionary", _F, False, "Whether dictionary indexes have 64 bits."),
        ("output_format_arrow_string_as_string", _F, True, "Whether strings are written as the format's string type instead of bytes."),
        ("output_format_arrow_fixed_string_as_fixed_byte_array", _F, True, "Whether FixedString is written as a fixed-length byte array."),
        ("output_format_arrow_compression_method", Text(("none", "lz4_frame", "zstd")), "lz4_frame", "The compression codec of blocks."),
    ),
    "parquet": (
        ("input_format_parquet_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_parquet_case_insensitive_column_matching", _F, False, "Whether names are matched case-insensitively."),
        ("input_format_parquet_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_parquet_preserve_order", _F, False, "Whether rows keep their order."),
        ("input_format_parquet_filter_push_down", _F, True, "Whether row groups are skipped by their statistics."),
        ("input_format_parquet_bloom_filter_push_down", _F, True, "Whether row groups are skipped by bloom filters."),
        ("input_format_parquet_use_native_reader", _F, False, "The reader implementation."),
        ("input_format_parquet_use_native_reader_v3", _F, False, "The reader implementation."),
        ("input_format_parquet_enable_json_parsing", _F, True, "Whether JSON columns are parsed."),
        ("input_format_parquet_allow_geoparquet_parser", _F, True, "Whether GeoParquet columns are parsed."),
        ("input_format_parquet_page_filter_push_down", _F, True, "Whether pages are skipped by their statistics."),
        ("input_format_parquet_use_offset_index", _F, True, "Whether the offset index is used."),
        ("input_format_parquet_memory_low_watermark", _N, 2 << 20, "The memory use below which prefetching increases."),
        ("input_format_parquet_memory_high_watermark", _N, 4 << 30, "The memory use above which prefetching stops."),
        ("input_format_parquet_max_block_size", _N, 65_409, "The maximum number of rows in a block."),
        ("input_format_parquet_prefer_block_bytes", _N, 16_744_704, "The preferred size of a block in bytes."),
        ("input_format_parquet_local_file_min_bytes_for_seek", _N, 8192, "The minimum number of bytes for which the reader seeks instead of reading."),
        ("input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips columns of unsupported types."),
        ("input_format_parquet_enable_row_group_prefetch", _F, True, "Whether row groups are prefetched."),
        ("output_format_parquet_row_group_size", _N, 1_000_000, "The number of rows in a row group."),
        ("output_format_parquet_row_group_size_bytes", _N, 536_870_912, "The number of bytes in a row group."),
        ("output_format_parquet_string_as_string", _F, True, "Whether strings are written as the format's string type instead of bytes."),
        ("output_format_parquet_fixed_string_as_fixed_byte_array", _F, True, "Whether FixedString is written as a fixed-length byte array."),
        ("output_format_parquet_datetime_as_uint32", _F, False, "Whether DateTime is written as a number."),
        ("output_format_parquet_date_as_uint16", _F, False, "Whether Date is written as a number."),
        ("output_format_parquet_enum_as_byte_array", _F, True, "Whether enums are written as byte arrays."),
        ("output_format_parquet_geometadata", _F, True, "Whether GeoParquet metadata is written."),
        ("output_format_parquet_max_dictionary_size", _N, 1_048_576, "The maximum size of a dictionary."),
        ("output_format_parquet_bloom_filter_bits_per_value", _R, 10.5, "The number of bits per value in a bloom filter."),
        ("output_format_parquet_bloom_filter_flush_threshold_bytes", _N, 134_217_728, "The number of bytes after which bloom filters are flushed."),
        ("output_format_parquet_version", _VERSIONS, "2.latest", "The version of the format."),
        ("output_format_parquet_compression_method", Text(("none", "snappy", "lz4", "brotli", "zstd", "gzip")), "zstd", "The compression codec of pages."),
        ("output_format_parquet_compression_level", _N, 3, "The compression level."),
        ("output_format_parquet_compliant_nested_types", _F, True, "Whether array elements are named element."),
        ("output_format_parquet_use_custom_encoder", _F, True, "The writer implementation."),
        ("output_format_parquet_parallel_encoding", _F, True, "Whether row groups are encoded in parallel."),
        ("output_format_parquet_data_page_size", _N, 1_048_576, "The size of a page in bytes."),
        ("output_format_parquet_batch_size", _N, 1024, "The number of rows per check of the page size."),
        ("output_format_parquet_write_page_index", _F, True, "Whether a page index is written."),
        ("output_format_parquet_write_bloom_filter", _F, True, "Whether bloom filters are written."),
    ),
    "orc": (
        ("input_format_orc_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_orc_case_insensitive_column_matching", _F, False, "Whether names are matched case-insensitively."),
        ("input_format_orc_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_orc_row_batch_size", _N, 100_000, "The number of rows per batch."),
        ("input_format_orc_use_fast_decoder", _F, True, "The reader implementation."),
        ("input_format_orc_filter_push_down", _F, True, "Whether stripes are skipped by their statistics."),
        ("input_format_orc_reader_time_zone_name", _T, "GMT", "The time zone of the reader."),
        ("input_format_orc_dictionary_as_low_cardinality", _F, True, "Whether dictionaries become LowCardinality."),
        ("input_format_orc_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether schema inference skips columns of unsupported types."),
        ("output_format_orc_string_as_string", _F, True, "Whether strings are written as the format's string type instead of bytes."),
        ("output_format_orc_compression_method", Text(("none", "snappy", "lz4", "zstd", "zlib")), "zstd", "The compression codec of stripes."),
        ("output_format_orc_compression_block_size", _N, 262_144, "The size of a compression block in bytes."),
        ("output_format_orc_row_index_stride", _N, 10_000, "The row index stride."),
        ("output_format_orc_dictionary_key_size_threshold", _R, 0.0, "The threshold for dictionary encoding of strings."),
        ("output_format_orc_writer_time_zone_name", _T, "GMT", "The time zone of the writer."),
    ),
    "hive": (
        ("input_format_hive_text_fields_delimiter", _T, "\x01", "The delimiter between fields of Hive text files."),
        ("input_format_hive_text_collection_items_delimiter", _T, "\x02", "The delimiter between collection elements in Hive text files."),
        ("input_format_hive_text_map_keys_delimiter", _T, "\x03", "The delimiter between map keys and values in Hive text files."),
        ("input_format_hive_text_allow_variable_number_of_columns", _F, True, "Whether rows of Hive text files may have fewer or more columns."),
    ),
    "sql": (
        ("input_format_mysql_dump_table_name", _T, "", "The table to read from a dump."),
        ("input_format_mysql_dump_map_column_names", _F, True, "Whether the columns of a dump are matched by name."),
        ("output_format_sql_insert_max_batch_size", _N, 65_409, "The number of rows per INSERT."),
        ("output_format_sql_insert_table_name", _T, "table", "The table name in the INSERT."),
        ("output_format_sql_insert_include_column_names", _F, True, "Whether the INSERT contains column names."),
        ("output_format_sql_insert_use_replace", _F, False, "Whether REPLACE is written instead of INSERT."),
        ("output_format_sql_insert_quote_names", _F, True, "Whether names are quoted."),
    ),
    "shown": (
        ("output_format_pretty_max_rows", _N, 1000, "The maximum number of rows shown."),
        ("output_format_pretty_max_column_pad_width", _N, 250, "The maximum width to which values are padded."),
        ("output_format_pretty_max_column_name_width_cut_to", _N, 24, "The width to which long column names are truncated."),
        ("output_format_pretty_max_column_name_width_min_chars_to_cut", _N, 4, "The minimum number of characters to truncate."),
        ("output_format_pretty_max_value_width", _N, 10_000, "The maximum width of a value."),
        ("output_format_pretty_max_value_width_apply_for_single_value", _N, 0, "Whether the maximum width applies to a single value."),
        ("output_format_pretty_color", Text(("0", "1", "auto", "true", "false")), "auto", "Whether colours are used."),
        ("output_format_pretty_glue_chunks", Text(("0", "1", "auto", "true", "false")), "auto", "Whether blocks are shown as one table."),
        ("output_format_pretty_grid_charset", Text(("ASCII", "UTF-8")), "UTF-8", "The character set of the grid."),
        ("output_format_pretty_row_numbers", _F, True, "Whether rows are numbered."),
        ("output_format_pretty_highlight_digit_groups", _F, True, "Whether groups of digits are highlighted."),
        ("output_format_pretty_highlight_trailing_spaces", _F, True, "Whether trailing spaces are highlighted."),
        ("output_format_pretty_single_large_number_tip_threshold", _N, 1_000_000, "The number from which a readable tip is added."),
        ("output_format_pretty_display_footer_column_names", _F, True, "Whether column names are repeated in the footer of long tables."),
        ("output_format_pretty_display_footer_column_names_min_rows", _N, 50, "The number of rows from which the footer is shown."),
        ("output_format_pretty_squash_consecutive_ms", _N, 50, "How long to wait for another block to merge with."),
        ("output_format_pretty_squash_max_wait_ms", _N, 1000, "The maximum time to wait for blocks to merge."),
        ("output_format_pretty_fallback_to_vertical", _F, True, "Whether wide tables are shown in Vertical format."),
        ("output_format_pretty_fallback_to_vertical_max_rows_per_chunk", _N, 10, "The maximum number of rows shown in Vertical format."),
        ("output_format_pretty_fallback_to_vertical_min_columns", _N, 5, "The minimum number of columns for the fallback to Vertical."),
        ("output_format_pretty_fallback_to_vertical_min_table_width", _N, 250, "The minimum table width, in characters, for the fallback to Vertical."),
        ("output_format_pretty_multiline_fields", _F, True, "Whether newlines in a value are shown as line breaks."),
        ("output_format_pretty_named_tuples_as_json", _F, True, "Whether named tuples are shown as JSON."),
        ("output_format_markdown_escape_special_characters", _F, False, "Whether special characters of Markdown are escaped."),
    ),
}  # fmt: skip


def _option(family: str, row: Row) -> Option:
    name, kind, default, doc = row
    scope = SOURCE if name.startswith("input_") else SINK if name.startswith("output_") else BOTH
    why = next((why for why, parts in UNUSED if any(part in name for part in parts.split())), "")
    status = HONOURED if name in HONOURED_NOW else NO_EFFECT if why else KEPT
    families = () if family == "*" else (family,)
    return Option(
        name,
        {"clickhouse": name},
        kind,
        doc,
        default,
        scope=scope,
        status=status,
        why=why,
        formats=families,
        part="format",
    )


FORMAT_SETTINGS = tuple(_option(family, row) for family, rows in SETTINGS.items() for row in rows)
