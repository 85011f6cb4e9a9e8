"""Settings of the ClickHouse dialect, from SETTINGS, SET and URL parameters.

A setting is here, or ClickHouse's own (`clickhouse_settings`), or it is unknown. A SELECT that
ClickHouse runs has all of them. For what Spark runs the rows here tell: a setting that would change
an answer, or limit a query, does that or is refused; one that can only say how an answer is come by
has no effect, and its row says why. The settings of formats are in `formats/families`.
"""

# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats.registry import FORMAT_SETTINGS
from sluice.options import clickhouse_settings
from sluice.parameters.kinds import Flag, Integer, Number, Text, hide_in_url
from sluice.parameters.option import HONOURED, NO_EFFECT, REFUSED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sluice.errors import Place
    from sluice.parameters.kinds import Kind

MAX_TIME = "max_execution_time"
MAX_ROWS = "max_result_rows"
OVERFLOW = "result_overflow_mode"
JOIN_NULLS = "join_use_nulls"
ENGINE, SPARK = "sluice_engine", "spark"
DIRECT = "stream_like_engine_allow_direct_select"
FLATTEN = "flatten_nested"
MEMORY = "max_memory_usage"
READ_ROWS, READ_BYTES = "max_rows_to_read", "max_bytes_to_read"

_F, _N = Flag(), Integer()
ZONE = "session_timezone"
_UTC = frozenset({"", "UTC", "Etc/UTC", "GMT", "Z", "Zulu", "Universal", "Etc/GMT"})


@dataclass(frozen=True, slots=True)
class _Anything:
    title = "anything"

    def read(self, given: Any, dialect: str = "clickhouse") -> Any:
        """The value as it is."""
        return given


@dataclass(frozen=True, slots=True)
class QuerySetting:
    """A setting, what it takes, its default, and what becomes of it.

    A `default` is taken wherever the setting is refused: it asks for what happens anyway. `status`
    and `doc` are about what Spark runs, where ClickHouse has a setting of that name.
    """

    name: str
    kind: Kind | _Anything
    default: Any
    doc: str
    status: str = HONOURED


_ANY = _Anything()

_HONOURED = (
    (MAX_TIME, Number(), 0.0, "The maximum run time of a statement in seconds, after which it is cancelled; 0 is no limit."),
    ("timeout_overflow_mode", Text(("throw",)), "throw", "A statement that exceeds max_execution_time fails."),
    (MAX_ROWS, _N, 0, "The maximum number of rows in a result; 0 is no limit."),
    (OVERFLOW, Text(("throw", "break")), "throw", "Whether a query that exceeds max_result_rows fails, or returns the first rows."),
    (READ_ROWS, _N, 0, "The maximum number of rows that a query reads; 0 is no limit. On Spark all rows of the stored tables in it count."),
    (READ_BYTES, _N, 0, "The same in bytes; on Spark those of the files."),
    (MEMORY, _N, 0, "The memory of a query in bytes, at most 4 GiB; 0 is that. On Spark the rows of its answer may have so many, 512 MiB if it is 0, and what its operators keep, which they spill to the disk then."),
    (JOIN_NULLS, _F, False, "Whether an outer JOIN fills missing values with NULL instead of the type's default."),
    (ZONE, Text(), "", "The time zone of DateTime values whose type has none; for queries on Spark it is UTC."),
    ("readonly", Integer(0, 2), 0, "Whether only statements that change nothing are allowed; set by a request."),
    (ENGINE, Text(("clickhouse", SPARK)), "clickhouse", "What runs a SELECT: ClickHouse's own engine in a process of this machine, or Spark, for what needs more than one machine."),
    (DIRECT, _F, True, "Whether a SELECT may read a Kafka table."),
    (FLATTEN, _F, True, "Whether a column of type Nested becomes an array for each of its names, or one array of tuples."),
    ("kafka_disable_num_consumers_limit", _F, False, "Whether a table may have more consumers than the machine has cores."),
    ("max_insert_block_size", _N, 1_048_449, "The default of kafka_max_block_size."),
    ("stream_flush_interval_ms", _N, 500, "The default of kafka_flush_interval_ms."),
    ("stream_poll_timeout_ms", _N, 500, "The default of kafka_poll_timeout_ms."),
)  # fmt: skip

_IGNORED = {
    "Spark decides how a query is executed.": """
        max_threads max_insert_threads max_final_threads max_parsing_threads max_block_size
        max_insert_block_size_bytes min_insert_block_size_rows min_insert_block_size_bytes
        preferred_block_size_bytes max_compress_block_size min_compress_block_size
        max_read_buffer_size max_streams_to_max_threads_ratio use_uncompressed_cache
        merge_tree_min_rows_for_concurrent_read merge_tree_min_bytes_for_concurrent_read
        merge_tree_max_rows_to_use_cache merge_tree_max_bytes_to_use_cache min_bytes_to_use_direct_io
        local_filesystem_read_method local_filesystem_read_prefetch priority
        compile_expressions compile_aggregate_expressions compile_sort_description
        min_count_to_compile_expression min_count_to_compile_aggregate_expression
        join_algorithm group_by_two_level_threshold group_by_two_level_threshold_bytes
        max_bytes_before_external_group_by max_bytes_before_external_sort
        max_bytes_ratio_before_external_group_by max_bytes_ratio_before_external_sort
        optimize_move_to_prewhere optimize_read_in_order optimize_aggregation_in_order
        optimize_skip_unused_shards optimize_throw_if_noop optimize_on_insert
        optimize_use_projections optimize_use_implicit_projections optimize_trivial_count_query
        optimize_distinct_in_order optimize_if_chain_to_multiif optimize_functions_to_subcolumns
        query_plan_enable_optimizations query_plan_optimize_prewhere prefer_column_name_to_alias
        parallel_view_processing do_not_merge_across_partitions_select_final
        enable_analyzer allow_experimental_analyzer enable_optimize_predicate_expression
        parallelize_output_from_storages input_format_parallel_parsing output_format_parallel_formatting
    """,
    "Results are not cached, and rows with the same key are merged for every reader.": """
        use_query_cache query_cache_ttl final
    """,
    "There is one server.": """
        load_balancing prefer_localhost_replica max_parallel_replicas allow_experimental_parallel_reading_from_replicas
        enable_parallel_replicas distributed_product_mode distributed_group_by_no_merge
        skip_unavailable_shards insert_distributed_sync distributed_foreground_insert
        distributed_aggregation_memory_efficient fallback_to_stale_replicas_for_distributed_queries
        insert_quorum insert_quorum_timeout insert_quorum_parallel select_sequential_consistency
        distributed_ddl_task_timeout distributed_ddl_output_mode replication_alter_partitions_sync
        alter_sync mutations_sync database_atomic_wait_for_drop_and_detach_synchronously
        use_hedged_requests connections_with_failover_max_tries
    """,
    "An INSERT returns when its rows are in the table.": """
        async_insert wait_for_async_insert async_insert_busy_timeout_ms async_insert_max_data_size
        async_insert_busy_timeout_min_ms async_insert_busy_timeout_max_ms wait_for_async_insert_timeout
        async_insert_use_adaptive_busy_timeout
    """,
    "Every statement is one row of system.query_log.": """
        log_queries log_queries_min_type log_queries_min_query_duration_ms log_query_threads log_query_views
        log_profile_events log_formatted_queries log_processors_profiles log_query_settings
        log_comment send_logs_level send_profile_events query_profiler_real_time_period_ns
        query_profiler_cpu_time_period_ns memory_profiler_step calculate_text_stack_trace
    """,
    "A result is sent when it is complete; a query whose client has disconnected is cancelled.": """
        send_progress_in_http_headers http_headers_progress_interval_ms wait_end_of_query buffer_size
        http_wait_end_of_query http_response_buffer_size interactive_delay
        cancel_http_readonly_queries_on_client_close enable_http_compression http_zlib_compression_level
        http_write_exception_in_output_format add_http_cors_header poll_interval
        connect_timeout connect_timeout_with_failover_ms receive_timeout send_timeout
        receive_data_timeout_ms tcp_keep_alive_timeout idle_connection_timeout
        http_connection_timeout http_send_timeout http_receive_timeout client_protocol_version
        network_compression_method network_zstd_compression_level
    """,
    "The feature is either always available or refused with an error that names it.": """
        allow_experimental_json_type enable_json_type allow_experimental_object_type
        allow_experimental_window_functions allow_experimental_map_type allow_experimental_variant_type
        allow_experimental_dynamic_type allow_experimental_kafka_offsets_storage_in_keeper
        allow_suspicious_low_cardinality_types allow_suspicious_fixed_string_types
        allow_suspicious_codecs allow_nullable_key allow_introspection_functions
        allow_nondeterministic_mutations allow_ddl allow_materialized_view_with_bad_select
        allow_experimental_refreshable_materialized_view enable_global_with_statement
        allow_settings_after_format_in_insert allow_deprecated_syntax_for_merge_tree
        cast_string_to_dynamic_use_inference
    """,
}  # fmt: skip
"""Names that can change no answer, by the reason why they have no effect."""

LIMITS = (
    "only max_execution_time, max_result_rows, max_rows_to_read, max_bytes_to_read and "
    "max_memory_usage limit queries on Spark"
)
_UNSUPPORTED = "not supported on Spark; queries run with its default"
_REFUSED = {
    LIMITS: """
        max_rows_to_read_leaf max_bytes_to_read_leaf max_result_bytes
        max_memory_usage_for_user max_rows_to_group_by max_rows_to_sort
        max_bytes_to_sort max_rows_in_distinct max_bytes_in_distinct max_rows_in_set max_bytes_in_set
        max_rows_in_join max_bytes_in_join max_rows_to_transfer max_bytes_to_transfer
        max_columns_to_read max_temporary_columns min_execution_speed max_execution_speed
        max_estimated_execution_time max_partitions_to_read max_concurrent_queries_for_user
        max_network_bandwidth max_network_bytes read_overflow_mode sort_overflow_mode
        group_by_overflow_mode join_overflow_mode set_overflow_mode distinct_overflow_mode
        transfer_overflow_mode
    """,
    "write it in the query": """
        limit offset extremes additional_table_filters additional_result_filter
    """,
    _UNSUPPORTED: """
        aggregate_functions_null_for_empty transform_null_in group_by_use_nulls cast_keep_nullable
        data_type_default_nullable any_join_distinct_right_table_keys join_default_strictness
        join_any_take_last_row totals_mode union_default_mode intersect_default_mode
        except_default_mode asterisk_include_alias_columns asterisk_include_materialized_columns
        prefer_global_in_and_join empty_result_for_aggregation_by_empty_set
        enable_positional_arguments enable_order_by_all insert_null_as_default insert_deduplicate
        insert_deduplication_token deduplicate_blocks_in_dependent_materialized_views
        materialized_views_ignore_errors decimal_check_overflow
        date_time_overflow_behavior convert_query_to_cnf implicit_transaction replace_running_query
        dialect compatibility
    """,
}  # fmt: skip
"""Names that would change an answer or limit a query, by why they cannot."""


def _default(name: str) -> Any:
    """What ClickHouse does without a setting; None if it has none of that name."""
    theirs = clickhouse_settings.settings().get(name)
    return theirs.default if theirs is not None else None


SETTINGS = (
    *(QuerySetting(*row) for row in _HONOURED),
    *(
        QuerySetting(name, _ANY, None, why, NO_EFFECT)
        for why, names in _IGNORED.items()
        for name in names.split()
    ),
    *(
        QuerySetting(name, _ANY, _default(name), why, REFUSED)
        for why, names in _REFUSED.items()
        for name in names.split()
    ),
)


SCHEMA = frozenset({"format_schema", "format_schema_source", "format_schema_message_name"})
"""Settings of a schema, which Sluice looks up by its own rules where it reads the data itself."""


def read(
    given: Mapping[str, Any],
    places: Mapping[str, Place] | None = None,
    *,
    ours: Collection[str] = (),
) -> dict[str, Any]:
    """Check settings and give each its value; those of formats are left as they were written.

    `ours` may name files, because ClickHouse does not get them.

    Raises:
        SluiceError: UNKNOWN_SETTING with the nearest names, SETTING_REFUSED, or
            INVALID_OPTION_VALUE.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        place = (places or {}).get(name)
        theirs = clickhouse_settings.settings().get(name)
        if name not in ours and (why := clickhouse_settings.refused(name, given)):
            if theirs is None or not _is_default(value, theirs.default):
                raise errors.SETTING_REFUSED(setting=name, reason=why, place=place)
            continue
        setting = _by_name().get(name)
        check_known(name, place)
        if name in _formats():
            found[name] = value
            continue
        kind = setting.kind if setting is not None and setting.status == HONOURED else None
        kind = kind or (theirs.kind if theirs is not None else None) or _ANY
        try:
            found[name] = kind.read(value)
        except ValueError as bad:
            shown = hide_in_url(str(value))[:200]
            raise errors.INVALID_OPTION_VALUE(
                option=name, value=f"'{shown}'", reason=bad, place=place
            ) from None
    return found


def check_known(name: str, place: Place | None = None) -> None:
    """Make sure that there is a setting.

    Raises:
        SluiceError: UNKNOWN_SETTING with the nearest names.
    """
    known = (_by_name(), _formats(), clickhouse_settings.settings())
    if not any(name in each for each in known):
        every = [each for names in known for each in names]
        hint = errors.nearest(name, every, say="Maybe you meant {}?")
        raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=place)


def check_view(given: Mapping[str, Any], places: Mapping[str, Place] | None = None) -> None:
    """Make sure that a materialized view runs as its settings say.

    Raises:
        SluiceError: SETTING_REFUSED.
    """
    check_spark(given, places)
    for name in (READ_ROWS, READ_BYTES, MEMORY):
        if name in given and not _is_default(given[name], _default(name)):
            place = (places or {}).get(name)
            raise errors.SETTING_REFUSED(setting=name, reason=_NOT_IN_VIEWS, place=place)


_NOT_IN_VIEWS = "it limits queries on Spark, and not the batches of a view"


def check_spark(
    given: Mapping[str, Any],
    places: Mapping[str, Place] | None = None,
    *,
    without: Collection[str] = (),
    answers: bool = True,
) -> None:
    """Make sure that Spark runs a query as its settings say; the reasons `without` do not matter.

    A query whose rows are stored `answers` nothing.

    Raises:
        SluiceError: SETTING_REFUSED.
    """
    for name, value in given.items():
        if name in _formats():
            continue
        setting = _by_name().get(name)
        why = setting.doc if setting is not None and setting.status == REFUSED else ""
        if setting is None and clickhouse_settings.changes_answers(name):
            why = _UNSUPPORTED
        if name == ZONE and value not in _UTC:
            why = (
                "the time zone of queries on Spark is UTC; toTimeZone(x, 'zone') converts to others"
            )
        if name == MEMORY and not answers:
            why = "it limits the answers of queries on Spark, and this one has none"
        if why and why not in without and not _is_default(value, _default(name)):
            raise errors.SETTING_REFUSED(setting=name, reason=why, place=(places or {}).get(name))


def check_insert(given: Mapping[str, Any]) -> None:
    """Make sure that the rows of an INSERT become what its settings say.

    Raises:
        SluiceError: SETTING_REFUSED.
    """
    rows = {name: value for name, value in given.items() if name in _by_name()}
    check_spark(rows, without=[LIMITS])


def _is_default(value: Any, default: Any) -> bool:
    """Whether a value, as a number, a flag or a text, is the default."""
    flags = {"true": "1", "false": "0"}
    texts = [str(each).strip().lower() for each in (value, default)]
    return len({flags.get(text, text) for text in texts}) == 1


@cache
def _by_name() -> Mapping[str, QuerySetting]:
    return {setting.name: setting for setting in SETTINGS}


@cache
def _formats() -> frozenset[str]:
    return frozenset(option.key for option in FORMAT_SETTINGS)


def rows() -> Iterable[tuple[str, str, str, str, str]]:
    """For the documentation: name, what it takes, default, what becomes of it, and why."""
    for setting in SETTINGS:
        default = "" if setting.default is None else _text(setting.default)
        yield setting.name, setting.kind.title, default, setting.status, setting.doc


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)
