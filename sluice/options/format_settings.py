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
    ("the columns of the table have their types; nothing is guessed", "infer"),
    ("a Kafka table never guesses a header", "detect_header"),
    ("fractions are always read exactly", "precise_float"),
    ("it changes how fast ClickHouse is, not what is read",
     "parallel block_size block_bytes prefetch native_reader fast_decoder custom_encoder seek watermark push_down offset_index row_batch_size async_executor"),
    ("it is about something else than messages",
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
"""Those that `sluice/jvm` acts on. Of the others only the default is read, and anything is kept."""

SETTINGS: dict[str, tuple[Row, ...]] = {
    "*": (
        ("input_format_skip_unknown_fields", _F, True, "Whether fields that are no column are skipped; on for Kafka tables."),
        ("input_format_null_as_default", _F, True, "Whether NULL becomes the default of a column that takes none."),
        ("input_format_defaults_for_omitted_fields", _F, True, "Whether missing fields take the column's default."),
        ("input_format_force_null_for_omitted_fields", _F, False, "Whether missing fields are NULL."),
        ("input_format_with_names_use_header", _F, True, "Whether a header decides the order of columns."),
        ("input_format_with_types_use_header", _F, True, "Whether a header's types are checked."),
        ("input_format_allow_errors_num", _N, 0, "How many bad rows a message may have."),
        ("input_format_allow_errors_ratio", _R, 0.0, "Which share of a message's rows may be bad."),
        ("input_format_max_bytes_to_read_for_schema_inference", _N, 33_554_432, "Bytes that are looked at to guess types."),
        ("input_format_max_rows_to_read_for_schema_inference", _N, 25_000, "Rows that are looked at to guess types."),
        ("input_format_max_block_size_bytes", _N, 0, "The most bytes of a block."),
        ("input_format_connection_handling", _F, False, "Whether rows are kept when a connection breaks."),
        ("input_format_parallel_parsing", _F, True, "Whether parsing runs in several threads."),
        ("input_format_ipv4_default_on_conversion_error", _F, False, "Whether a bad IPv4 becomes 0.0.0.0."),
        ("input_format_ipv6_default_on_conversion_error", _F, False, "Whether a bad IPv6 becomes ::."),
        ("input_format_try_infer_integers", _F, True, "Whether whole numbers are guessed as such."),
        ("input_format_try_infer_dates", _F, True, "Whether dates are guessed in texts."),
        ("input_format_try_infer_datetimes", _F, True, "Whether times are guessed in texts."),
        ("input_format_try_infer_datetimes_only_datetime64", _F, False, "Whether guessed times always have fractions."),
        ("input_format_try_infer_exponent_floats", _F, False, "Whether numbers with an exponent are guessed."),
        ("input_format_try_infer_variants", _F, False, "Whether a column of several types is guessed as Variant."),
        ("input_format_record_errors_file_path", _T, "", "A file that bad rows are written to."),
        ("schema_inference_hints", _T, "", "Types of columns that need no guess."),
        ("schema_inference_make_columns_nullable", Text(("0", "1", "auto", "2", "3", "true", "false")), "3", "Whether guessed types take NULL."),
        ("schema_inference_make_json_columns_nullable", _F, False, "The same for guessed JSON columns."),
        ("schema_inference_mode", Text(("default", "union")), "default", "How the guesses of several files are joined."),
        ("column_names_for_schema_inference", _T, "", "Names for columns without a header."),
        ("date_time_input_format", _DATES, "basic", "How freely times are read."),
        ("date_time_output_format", _DATES_OUT, "simple", "How times are written."),
        ("date_time_overflow_behavior", _OVERFLOW, "ignore", "What a time outside the range does."),
        ("date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands", _F, False, "Whether zeros at the end of a fraction are cut."),
        ("cast_string_to_date_time_mode", _DATES, "basic", "How freely casts read times."),
        ("interval_output_format", Text(("kusto", "numeric")), "numeric", "How intervals are written."),
        ("bool_true_representation", _T, "true", "What stands for true."),
        ("bool_false_representation", _T, "false", "What stands for false."),
        ("format_schema", _T, "", "The schema of formats that need one."),
        ("format_schema_source", Text(("file", "string", "query")), "file", "Where that schema is."),
        ("format_schema_message_name", _T, "", "The message's name in that schema."),
        ("format_display_secrets_in_show_and_select", _F, False, "Whether secrets may be shown; they never are."),
        ("precise_float_parsing", _F, False, "Whether fractions are read exactly."),
        ("allow_special_bool_values_inside_variant", _F, False, "Whether on and off are flags inside a Variant."),
        ("input_format_allow_seeks", _F, True, "Whether parts of a file may be skipped."),
        ("errors_output_format", _T, "CSV", "How errors are written."),
        ("exact_rows_before_limit", _F, False, "Whether rows before a LIMIT are counted exactly."),
        ("rows_before_aggregation", _F, False, "Whether rows are counted before they are grouped."),
        ("cross_to_inner_join_rewrite", Whole(0, 2), 1, "Whether joins are rewritten."),
        ("insert_distributed_one_random_shard", _F, False, "Whether a row goes to any shard."),
        ("into_outfile_create_parent_directories", _F, False, "Whether folders are made for files."),
        ("regexp_dict_allow_hyperscan", _F, True, "How dictionaries of regular expressions are searched."),
        ("regexp_dict_flag_case_insensitive", _F, False, "Whether case matters in those."),
        ("regexp_dict_flag_dotall", _F, False, "Whether a dot matches a line end in those."),
        ("dictionary_use_async_executor", _F, False, "Whether dictionaries are read in several threads."),
        ("show_create_query_identifier_quoting_rule", Text(("user_display", "when_necessary", "always")), "when_necessary", "Which names SHOW CREATE quotes."),
        ("show_create_query_identifier_quoting_style", Text(("Backticks", "DoubleQuotes", "BackticksMySQL")), "Backticks", "How it quotes them."),
        ("validate_experimental_and_suspicious_types_inside_nested_types", _F, True, "Whether unusual types are looked for inside others."),
        ("output_format_decimal_trailing_zeros", _F, False, "Whether decimals are written with all their digits."),
        ("output_format_enable_streaming", _F, False, "Whether written rows go out at once."),
        ("output_format_write_statistics", _F, True, "Whether what was read is written behind the rows."),
        ("output_format_parallel_formatting", _F, True, "Whether writing runs in several threads."),
        ("output_format_schema", _T, "", "Where a schema that was made is kept."),
        ("output_format_binary_write_json_as_string", _F, False, "Whether JSON is written as text in binary formats."),
        ("input_format_binary_read_json_as_string", _F, False, "Whether JSON is read as text in binary formats."),
        ("input_format_binary_decode_types_in_binary_format", _F, False, "Whether types in a header are binary."),
        ("output_format_binary_encode_types_in_binary_format", _F, False, "Whether types in a header are written binary."),
        ("input_format_binary_max_type_complexity", _N, 1000, "The most parts of a type in a binary header."),
        ("format_binary_max_string_size", _N, 1 << 30, "The longest text in RowBinary."),
        ("format_binary_max_array_size", _N, 1 << 30, "The longest array in RowBinary."),
        ("format_binary_max_object_size", _N, 100_000, "The most paths of a JSON value in RowBinary."),
    ),
    "json": (
        ("input_format_import_nested_json", _F, False, "Whether columns a.b are filled from nested objects."),
        ("input_format_json_read_bools_as_numbers", _F, True, "Whether true may fill a number."),
        ("input_format_json_read_bools_as_strings", _F, True, "Whether true may fill a text."),
        ("input_format_json_read_numbers_as_strings", _F, True, "Whether a number may fill a text."),
        ("input_format_json_read_arrays_as_strings", _F, True, "Whether an array may fill a text."),
        ("input_format_json_read_objects_as_strings", _F, True, "Whether an object may fill a text."),
        ("input_format_json_try_infer_numbers_from_strings", _F, False, "Whether numbers are guessed in texts."),
        ("input_format_json_try_infer_named_tuples_from_objects", _F, True, "Whether objects are guessed as tuples."),
        ("input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects", _F, False, "Whether paths of several types are guessed as text."),
        ("input_format_json_infer_incomplete_types_as_strings", _F, True, "Whether only NULLs are guessed as text."),
        ("input_format_json_infer_array_of_dynamic_from_array_of_different_types", _F, True, "How arrays of several types are guessed."),
        ("input_format_json_named_tuples_as_objects", _F, True, "Whether named tuples are read from objects."),
        ("input_format_json_defaults_for_missing_elements_in_named_tuple", _F, True, "Whether missing elements take defaults."),
        ("input_format_json_ignore_unknown_keys_in_named_tuple", _F, True, "Whether unknown keys of a tuple are skipped."),
        ("input_format_json_ignore_unnecessary_fields", _F, True, "Whether fields that are skipped are checked."),
        ("input_format_json_validate_types_from_metadata", _F, True, "Whether types in the message are checked."),
        ("input_format_json_throw_on_bad_escape_sequence", _F, True, "Whether a bad escape is an error."),
        ("input_format_json_empty_as_default", _F, False, "Whether an empty text takes the default."),
        ("input_format_json_compact_allow_variable_number_of_columns", _F, False, "Whether rows may be short or long."),
        ("input_format_json_map_as_array_of_tuples", _F, False, "Whether maps are read from arrays."),
        ("input_format_json_max_depth", _N, 1000, "How deep objects may lie."),
        ("input_format_json_case_insensitive_column_matching", _F, False, "Whether the case of keys matters not."),
        ("format_json_object_each_row_column_for_object_name", _T, "", "The column that takes an object's name."),
        ("type_json_skip_duplicated_paths", _F, False, "Whether a path that is there twice is skipped."),
        ("json_type_escape_dots_in_keys", _F, False, "Whether dots in keys are escaped."),
        ("output_format_json_quote_64bit_integers", _F, False, "Whether large numbers are written in quotes."),
        ("output_format_json_quote_64bit_floats", _F, False, "Whether fractions are written in quotes."),
        ("output_format_json_quote_denormals", _F, False, "Whether inf and nan are written in quotes."),
        ("output_format_json_quote_decimals", _F, False, "Whether decimals are written in quotes."),
        ("output_format_json_escape_forward_slashes", _F, True, "Whether slashes are written with a backslash."),
        ("output_format_json_named_tuples_as_objects", _F, True, "Whether named tuples are written as objects."),
        ("output_format_json_skip_null_value_in_named_tuples", _F, False, "Whether NULLs of a tuple are left out."),
        ("output_format_json_array_of_rows", _F, False, "Whether rows are written as one array."),
        ("output_format_json_validate_utf8", _F, False, "Whether texts are mended to UTF-8."),
        ("output_format_json_pretty_print", _F, True, "Whether JSON is written with line ends."),
        ("output_format_json_map_as_array_of_tuples", _F, False, "Whether maps are written as arrays."),
    ),
    "csv": (
        ("format_csv_delimiter", Delimiter(), ",", "What stands between fields."),
        ("format_csv_allow_single_quotes", _F, False, "Whether single quotes may stand around a field."),
        ("format_csv_allow_double_quotes", _F, True, "Whether double quotes may stand around a field."),
        ("format_csv_null_representation", _T, "\\N", "What stands for NULL."),
        ("input_format_csv_empty_as_default", _F, True, "Whether an empty field takes the default."),
        ("input_format_csv_enum_as_number", _F, False, "Whether enums are read as numbers."),
        ("input_format_csv_arrays_as_nested_csv", _F, False, "Whether an array is CSV inside a field."),
        ("input_format_csv_skip_first_lines", _N, 0, "Lines at the start that are skipped."),
        ("input_format_csv_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_csv_trim_whitespaces", _F, True, "Whether blanks around a field are dropped."),
        ("input_format_csv_allow_whitespace_or_tab_as_delimiter", _F, False, "Whether a blank may be the delimiter."),
        ("input_format_csv_allow_variable_number_of_columns", _F, False, "Whether rows may be short or long."),
        ("input_format_csv_allow_cr_end_of_line", _F, False, "Whether a carriage return alone ends a line."),
        ("input_format_csv_use_default_on_bad_values", _F, False, "Whether a bad field takes the default."),
        ("input_format_csv_use_best_effort_in_schema_inference", _F, True, "How freely types are guessed."),
        ("input_format_csv_detect_header", _F, True, "Whether a header is guessed; never for Kafka tables."),
        ("input_format_csv_deserialize_separate_columns_into_tuple", _F, True, "Whether a tuple is read from several fields."),
        ("input_format_csv_try_infer_numbers_from_strings", _F, False, "Whether numbers are guessed in quotes."),
        ("input_format_csv_try_infer_strings_from_quoted_tuples", _F, True, "Whether tuples in quotes are texts."),
        ("output_format_csv_crlf_end_of_line", _F, False, "Whether lines end with CR LF."),
        ("output_format_csv_serialize_tuple_into_separate_columns", _F, True, "Whether a tuple is written as several fields."),
    ),
    "tsv": (
        ("format_tsv_null_representation", _T, "\\N", "What stands for NULL."),
        ("input_format_tsv_empty_as_default", _F, False, "Whether an empty field takes the default."),
        ("input_format_tsv_enum_as_number", _F, False, "Whether enums are read as numbers."),
        ("input_format_tsv_skip_first_lines", _N, 0, "Lines at the start that are skipped."),
        ("input_format_tsv_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_tsv_allow_variable_number_of_columns", _F, False, "Whether rows may be short or long."),
        ("input_format_tsv_crlf_end_of_line", _F, False, "Whether lines end with CR LF."),
        ("input_format_tsv_use_best_effort_in_schema_inference", _F, True, "How freely types are guessed."),
        ("input_format_tsv_detect_header", _F, True, "Whether a header is guessed; never for Kafka tables."),
        ("output_format_tsv_crlf_end_of_line", _F, False, "Whether lines are written with CR LF."),
    ),
    "custom": (
        ("format_custom_escaping_rule", _ESCAPING, "Escaped", "How fields are escaped."),
        ("format_custom_field_delimiter", _T, "\t", "What stands between fields."),
        ("format_custom_row_before_delimiter", _T, "", "What stands before a row."),
        ("format_custom_row_after_delimiter", _T, "\n", "What stands behind a row."),
        ("format_custom_row_between_delimiter", _T, "", "What stands between rows."),
        ("format_custom_result_before_delimiter", _T, "", "What stands before all rows."),
        ("format_custom_result_after_delimiter", _T, "", "What stands behind all rows."),
        ("input_format_custom_detect_header", _F, True, "Whether a header is guessed; never for Kafka tables."),
        ("input_format_custom_skip_trailing_empty_lines", _F, False, "Whether empty lines at the end are skipped."),
        ("input_format_custom_allow_variable_number_of_columns", _F, False, "Whether rows may be short or long."),
    ),
    "template": (
        ("format_template_resultset", _T, "", "The file with the form of all rows."),
        ("format_template_row", _T, "", "The file with the form of a row."),
        ("format_template_resultset_format", _T, "", "The form of all rows."),
        ("format_template_row_format", _T, "", "The form of a row."),
        ("format_template_rows_between_delimiter", _T, "\n", "What stands between rows."),
    ),
    "regexp": (
        ("format_regexp", _T, "", "The regular expression a row matches."),
        ("format_regexp_escaping_rule", _ESCAPING, "Raw", "How its groups are escaped."),
        ("format_regexp_skip_unmatched", _F, False, "Whether lines that do not match are skipped."),
    ),
    "values": (
        ("input_format_values_interpret_expressions", _F, True, "Whether expressions are worked out."),
        ("input_format_values_deduce_templates_of_expressions", _F, True, "Whether alike expressions are worked out together."),
        ("input_format_values_accurate_types_of_literals", _F, True, "Whether literals keep their exact type."),
        ("input_format_values_allow_data_after_semicolon", _F, False, "Whether what follows a semicolon is skipped."),
        ("output_format_values_escape_quote_with_quote", _F, False, "Whether a quote is doubled."),
    ),
    "avro": (
        ("format_avro_schema_registry_url", Url(), "", "The schema registry, for AvroConfluent."),
        ("format_avro_schema_registry_connection_timeout", _N, 1, "Seconds to connect to the registry."),
        ("format_avro_schema_registry_send_timeout", _N, 1, "Seconds to ask the registry."),
        ("format_avro_schema_registry_receive_timeout", _N, 1, "Seconds to hear from the registry."),
        ("input_format_avro_allow_missing_fields", _F, False, "Whether a column may be missing in the schema."),
        ("input_format_avro_null_as_default", _F, False, "Whether NULL takes the default."),
        ("output_format_avro_codec", Text(("", "null", "deflate", "snappy", "zstd")), "", "How a file's blocks are compressed."),
        ("output_format_avro_sync_interval", _N, 16_384, "Bytes between a file's marks."),
        ("output_format_avro_string_column_pattern", _T, "", "Columns that are written as text and not as bytes."),
        ("output_format_avro_rows_in_file", _N, 1, "The most rows of a file."),
        ("output_format_avro_confluent_subject", _T, "", "The name a written schema is registered under."),
    ),
    "protobuf": (
        ("input_format_protobuf_flatten_google_wrappers", _F, False, "Whether Google's wrappers are read as plain values."),
        ("input_format_protobuf_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether fields of unknown types are skipped in guesses."),
        ("input_format_protobuf_oneof_presence", _F, False, "Whether a column tells which branch of a oneof is there."),
        ("output_format_protobuf_nullables_with_google_wrappers", _F, False, "Whether nullable values are written in Google's wrappers."),
        ("format_protobuf_use_autogenerated_schema", _F, True, "Whether columns are the schema if none is given."),
    ),
    "capnproto": (
        ("format_capn_proto_enum_comparising_mode", _ENUMS, "by_values", "How enums are compared."),
        ("format_capn_proto_use_autogenerated_schema", _F, True, "Whether columns are the schema if none is given."),
        ("format_capn_proto_max_message_size", _N, 1 << 30, "The largest message."),
        ("input_format_capn_proto_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether fields of unknown types are skipped in guesses."),
    ),
    "msgpack": (
        ("input_format_msgpack_number_of_columns", _N, 0, "How many columns a row has, for guesses."),
        ("output_format_msgpack_uuid_representation", _UUIDS, "ext", "How UUIDs are written."),
    ),
    "bson": (
        ("input_format_bson_skip_fields_with_unsupported_types_in_schema_inference", _F, False, "Whether fields of unknown types are skipped in guesses."),
        ("output_format_bson_string_as_string", _F, False, "Whether texts are written as text and not as bytes."),
    ),
    "binary": (
        ("input_format_native_allow_types_conversion", _F, True, "Whether types are converted to the columns'."),
        ("input_format_native_decode_types_in_binary_format", _F, False, "Whether types in Native are binary."),
        ("output_format_native_encode_types_in_binary_format", _F, False, "Whether types in Native are written binary."),
        ("output_format_native_use_flattened_dynamic_and_json_serialization", _F, False, "Whether each path of JSON is written by itself."),
        ("output_format_native_write_json_as_string", _F, False, "Whether JSON is written as text."),
    ),
    "arrow": (
        ("input_format_arrow_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_arrow_case_insensitive_column_matching", _F, False, "Whether the case of names matters not."),
        ("input_format_arrow_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether columns of unknown types are skipped in guesses."),
        ("output_format_arrow_low_cardinality_as_dictionary", _F, False, "Whether LowCardinality is written as a dictionary."),
        ("output_format_arrow_use_signed_indexes_for_dictionary", _F, True, "Whether its indexes have a sign."),
        ("output_format_arrow_use_64_bit_indexes_for_dictionary", _F, False, "Whether its indexes are long."),
        ("output_format_arrow_string_as_string", _F, True, "Whether texts are written as text and not as bytes."),
        ("output_format_arrow_fixed_string_as_fixed_byte_array", _F, True, "Whether FixedString keeps its length."),
        ("output_format_arrow_compression_method", Text(("none", "lz4_frame", "zstd")), "lz4_frame", "How blocks are compressed."),
    ),
    "parquet": (
        ("input_format_parquet_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_parquet_case_insensitive_column_matching", _F, False, "Whether the case of names matters not."),
        ("input_format_parquet_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_parquet_preserve_order", _F, False, "Whether rows keep their order."),
        ("input_format_parquet_filter_push_down", _F, True, "Whether groups that cannot match are skipped."),
        ("input_format_parquet_bloom_filter_push_down", _F, True, "Whether bloom filters are used for that."),
        ("input_format_parquet_use_native_reader", _F, False, "Which of the readers is used."),
        ("input_format_parquet_use_native_reader_v3", _F, False, "Which of the readers is used."),
        ("input_format_parquet_enable_json_parsing", _F, True, "Whether JSON columns are read as such."),
        ("input_format_parquet_allow_geoparquet_parser", _F, True, "Whether columns of shapes are read as such."),
        ("input_format_parquet_page_filter_push_down", _F, True, "Whether pages that cannot match are skipped."),
        ("input_format_parquet_use_offset_index", _F, True, "How pages are found."),
        ("input_format_parquet_memory_low_watermark", _N, 2 << 20, "Below which memory more is read ahead."),
        ("input_format_parquet_memory_high_watermark", _N, 4 << 30, "How much memory reading may take."),
        ("input_format_parquet_max_block_size", _N, 65_409, "The most rows of a block."),
        ("input_format_parquet_prefer_block_bytes", _N, 16_744_704, "The bytes a block should have."),
        ("input_format_parquet_local_file_min_bytes_for_seek", _N, 8192, "Bytes that are read rather than skipped."),
        ("input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether columns of unknown types are skipped in guesses."),
        ("input_format_parquet_enable_row_group_prefetch", _F, True, "Whether groups are read ahead."),
        ("output_format_parquet_row_group_size", _N, 1_000_000, "Rows of a group."),
        ("output_format_parquet_row_group_size_bytes", _N, 536_870_912, "Bytes of a group."),
        ("output_format_parquet_string_as_string", _F, True, "Whether texts are written as text and not as bytes."),
        ("output_format_parquet_fixed_string_as_fixed_byte_array", _F, True, "Whether FixedString keeps its length."),
        ("output_format_parquet_datetime_as_uint32", _F, False, "Whether DateTime is written as a number."),
        ("output_format_parquet_date_as_uint16", _F, False, "Whether Date is written as a number."),
        ("output_format_parquet_enum_as_byte_array", _F, True, "Whether enums are written as texts."),
        ("output_format_parquet_geometadata", _F, True, "Whether columns of shapes are described."),
        ("output_format_parquet_max_dictionary_size", _N, 1_048_576, "The largest dictionary."),
        ("output_format_parquet_bloom_filter_bits_per_value", _R, 10.5, "Bits of a bloom filter for each value."),
        ("output_format_parquet_bloom_filter_flush_threshold_bytes", _N, 134_217_728, "How many bytes of bloom filters are written together."),
        ("output_format_parquet_version", _VERSIONS, "2.latest", "The version of the format."),
        ("output_format_parquet_compression_method", Text(("none", "snappy", "lz4", "brotli", "zstd", "gzip")), "zstd", "How pages are compressed."),
        ("output_format_parquet_compression_level", _N, 3, "How hard."),
        ("output_format_parquet_compliant_nested_types", _F, True, "Whether list elements are called element."),
        ("output_format_parquet_use_custom_encoder", _F, True, "Which of the writers is used."),
        ("output_format_parquet_parallel_encoding", _F, True, "Whether groups are written in parallel."),
        ("output_format_parquet_data_page_size", _N, 1_048_576, "Bytes of a page."),
        ("output_format_parquet_batch_size", _N, 1024, "Rows that are looked at together."),
        ("output_format_parquet_write_page_index", _F, True, "Whether pages are indexed."),
        ("output_format_parquet_write_bloom_filter", _F, True, "Whether bloom filters are written."),
    ),
    "orc": (
        ("input_format_orc_allow_missing_columns", _F, True, "Whether a column may be missing."),
        ("input_format_orc_case_insensitive_column_matching", _F, False, "Whether the case of names matters not."),
        ("input_format_orc_import_nested", _F, False, "Whether columns a.b are filled from nested ones."),
        ("input_format_orc_row_batch_size", _N, 100_000, "Rows that are read together."),
        ("input_format_orc_use_fast_decoder", _F, True, "Which of the readers is used."),
        ("input_format_orc_filter_push_down", _F, True, "Whether stripes that cannot match are skipped."),
        ("input_format_orc_reader_time_zone_name", _T, "GMT", "The time zone of times."),
        ("input_format_orc_dictionary_as_low_cardinality", _F, True, "Whether dictionaries become LowCardinality."),
        ("input_format_orc_skip_columns_with_unsupported_types_in_schema_inference", _F, False, "Whether columns of unknown types are skipped in guesses."),
        ("output_format_orc_string_as_string", _F, True, "Whether texts are written as text and not as bytes."),
        ("output_format_orc_compression_method", Text(("none", "snappy", "lz4", "zstd", "zlib")), "zstd", "How stripes are compressed."),
        ("output_format_orc_compression_block_size", _N, 262_144, "Bytes that are compressed together."),
        ("output_format_orc_row_index_stride", _N, 10_000, "Rows between marks of the index."),
        ("output_format_orc_dictionary_key_size_threshold", _R, 0.0, "When texts go into a dictionary."),
        ("output_format_orc_writer_time_zone_name", _T, "GMT", "The time zone times are written in."),
    ),
    "hive": (
        ("input_format_hive_text_fields_delimiter", _T, "\x01", "What stands between fields of Hive's text files."),
        ("input_format_hive_text_collection_items_delimiter", _T, "\x02", "What stands between items in them."),
        ("input_format_hive_text_map_keys_delimiter", _T, "\x03", "What stands between keys and values in them."),
        ("input_format_hive_text_allow_variable_number_of_columns", _F, True, "Whether their rows may be short or long."),
    ),
    "sql": (
        ("input_format_mysql_dump_table_name", _T, "", "The table of a dump that is read."),
        ("input_format_mysql_dump_map_column_names", _F, True, "Whether a dump's columns are found by name."),
        ("output_format_sql_insert_max_batch_size", _N, 65_409, "Rows of an INSERT."),
        ("output_format_sql_insert_table_name", _T, "table", "The table of an INSERT."),
        ("output_format_sql_insert_include_column_names", _F, True, "Whether an INSERT names its columns."),
        ("output_format_sql_insert_use_replace", _F, False, "Whether it is a REPLACE."),
        ("output_format_sql_insert_quote_names", _F, True, "Whether names stand in quotes."),
    ),
    "shown": (
        ("output_format_pretty_max_rows", _N, 1000, "The most rows that are shown."),
        ("output_format_pretty_max_column_pad_width", _N, 250, "How wide a column is drawn."),
        ("output_format_pretty_max_column_name_width_cut_to", _N, 24, "What a long name is cut to."),
        ("output_format_pretty_max_column_name_width_min_chars_to_cut", _N, 4, "How much must be left to cut."),
        ("output_format_pretty_max_value_width", _N, 10_000, "How much of a value is shown."),
        ("output_format_pretty_max_value_width_apply_for_single_value", _N, 0, "Whether that holds for a single value."),
        ("output_format_pretty_color", Text(("0", "1", "auto", "true", "false")), "auto", "Whether colours are used."),
        ("output_format_pretty_glue_chunks", Text(("0", "1", "auto", "true", "false")), "auto", "Whether blocks are shown as one table."),
        ("output_format_pretty_grid_charset", Text(("ASCII", "UTF-8")), "UTF-8", "What lines are drawn with."),
        ("output_format_pretty_row_numbers", _F, True, "Whether rows are numbered."),
        ("output_format_pretty_highlight_digit_groups", _F, True, "Whether groups of digits are marked."),
        ("output_format_pretty_highlight_trailing_spaces", _F, True, "Whether blanks at the end are marked."),
        ("output_format_pretty_single_large_number_tip_threshold", _N, 1_000_000, "When a number is said in words as well."),
        ("output_format_pretty_display_footer_column_names", _F, True, "Whether long tables repeat the names."),
        ("output_format_pretty_display_footer_column_names_min_rows", _N, 50, "How long those are."),
        ("output_format_pretty_squash_consecutive_ms", _N, 50, "How long blocks wait for others."),
        ("output_format_pretty_squash_max_wait_ms", _N, 1000, "How long they wait at most."),
        ("output_format_pretty_fallback_to_vertical", _F, True, "Whether wide tables are shown upright."),
        ("output_format_pretty_fallback_to_vertical_max_rows_per_chunk", _N, 10, "How long those may be."),
        ("output_format_pretty_fallback_to_vertical_min_columns", _N, 5, "How wide they must be."),
        ("output_format_pretty_fallback_to_vertical_min_table_width", _N, 250, "How many letters wide."),
        ("output_format_pretty_multiline_fields", _F, True, "Whether line ends in a value are shown as such."),
        ("output_format_pretty_named_tuples_as_json", _F, True, "Whether named tuples are shown as JSON."),
        ("output_format_markdown_escape_special_characters", _F, False, "Whether Markdown's signs are escaped."),
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
