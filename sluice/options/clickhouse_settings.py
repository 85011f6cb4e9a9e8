"""ClickHouse's own settings, which a SELECT that ClickHouse runs takes.

`clickhouse_settings.txt` lists them with types and defaults, so that what a newer ClickHouse has in
addition is unknown until it was looked at: `python -m sluice.options.clickhouse_settings` writes it
anew. Those of `REFUSED` and `READING` are in it, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.parameters.kinds import Flag, Integer, Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.parameters.kinds import Kind

REFUSED = {
    "it names files of the server": """
        format_schema format_schema_source format_template_resultset format_template_row
        output_format_schema format_schema_message_name rename_files_after_processing
        input_format_record_errors_file_path errors_log_\\w+
    """,
    "it is a condition that would not be checked; write it in the query": """
        additional_\\w+_filters? parallel_replicas_custom_key\\w* filter select order sort page
    """,
    "the statement is in ClickHouse's own language": """
        dialect \\w*_dialect\\w* polyglot\\w* promql_\\w+ implicit_select
        implicit_table_at_top_level implicit_transaction run_query_in_background
    """,
}
"""Settings that no query may have, as patterns of names, by the reason."""

READING = """
    input_format_\\w+ engine_file_\\w+ schema_inference_\\w+ asterisk_include_\\w+
    use_hive_partitioning column_names_for_schema_inference date_time_input_format
    max_read_buffer_size\\w* storage_file_\\w+ local_filesystem_\\w+ remote_filesystem_\\w+
    use_page_cache\\w* page_cache_\\w+ min_bytes_to_use_\\w+
"""
"""Settings of how files are read, as patterns: they act where a query reads no table."""

SERVER = """
    \\w*_fault_\\w+ \\w*_filesystem_cache\\w* \\w+_reader_executor \\w*_s3_\\w+ \\w+_sleep\\w*
    add_http_cors_header ai_\\w+ allow_archive_path_syntax allow_ddl allow_experimental_s3queue
    allow_get_client_http_header allow_introspection_functions allow_python_\\w+ alter_\\w+
    apply_settings_from_server async_insert\\w* azure_\\w+ background_\\w+ backup_\\w+
    calculate_\\w+ cancel_http_readonly_queries_on_client_close chdb_\\w+ cloud_\\w+ cluster_\\w+
    compatibility compression connect_timeout\\w* connection_\\w+ connections_\\w+ create_\\w+
    database database_\\w+ ddl_\\w+ default_\\w+ delta_lake_\\w+ describe_\\w+ dictionary_\\w+
    discard_query_data \\w*distributed\\w* distributed_\\w+
    do_not_merge_across_partitions_select_final dynamic_disk_\\w+ enable_blob_storage_log\\w*
    enable_debug_queries enable_http_compression enable_parallel_replicas enable_streaming_queries
    errors_output_format explain_\\w+ external_\\w+ filesystem_\\w+ final format
    input_format_values_interpret_expressions
    input_format_values_deduce_templates_of_expressions
    format_display_secrets_in_show_and_select framing_output_format function_sleep\\w+
    \\w*fuzz\\w* glob_expansion\\w* handshake_\\w+ hdfs_\\w+ hedged_\\w+ hive_\\w+ http_\\w+
    iceberg_\\w+ idle_connection_timeout ignore_drop_\\w+ ignore_on_cluster\\w+ input_format
    insert_\\w+ interactive_delay into_outfile\\w* jemalloc_\\w+ kafka_\\w+ keeper_\\w+
    lightweight_\\w+ load_balancing\\w* log_\\w+ materialized_views_\\w+ max_\\w+_bandwidth\\w*
    max_ast_\\w+ max_concurrent_queries\\w* max_expanded_ast_elements max_insert_\\w+
    max_memory_usage_for_all_queries max_memory_usage_for_user max_network_bytes max_parser_\\w+
    max_query_size max_sessions_for_user max_untracked_memory memory_\\w+ metrics_\\w+
    min_insert_\\w+ mongodb_\\w+ mutations_\\w+ mysql_\\w+ nats_\\w+ network_\\w+
    object_storage_\\w+ odbc_\\w+ opentelemetry_\\w+ os_\\w+ output_format paimon_\\w+ pandas_\\w+
    parallel_replica_offset \\w*parallel_replicas\\w* poll_interval postgresql_\\w+
    prefer_localhost_replica priority profile\\w* \\w*query_cache\\w* query_condition_cache\\w*
    query_metric_log_interval query_profiler_\\w+ queue_max_wait_ms rabbitmq_\\w+
    reader_executor_\\w+ readonly receive_\\w+ \\w*registry\\w* remote_\\w+
    replace_running_query\\w* replication_\\w+ reserve_memory restore_\\w+ s3\\w*
    schema_\\w+_history\\w* send_logs_\\w+ send_profile_events send_progress_in_http_headers
    send_timeout shared_merge_tree\\w+ show_\\w+ skip_unavailable_shards sleep_\\w+ stop_\\w+
    storage_system_\\w+ stream_\\w+ tcp_\\w+ timeout_overflow_mode trace_\\w+ traverse_\\w+
    unknown_packet\\w+ url_\\w+ use_\\w+_metadata_files_cache use_cache_for_count_from_files
    use_client_time_zone use_hedged_requests use_parquet_metadata_cache use_query_condition_cache
    wait_\\w+ webassembly_\\w+ workload zstd_window_log_max
"""
"""Settings about the server rather than the query, as patterns: ClickHouse here has its own."""

WRITING = """
    output_format_\\w+ format_\\w+ bool_(true|false)_representation date_time_output_format
    date_time_64_output_format_\\w+ interval_output_format
"""
"""Settings of how an answer is written, as patterns."""

HOW = """
    optimize_\\w+ query_plan_\\w+ compile_\\w+ min_count_to_compile\\w+ merge_tree_\\w+
    max_streams_\\w+ allow_experimental_\\w+ allow_suspicious_\\w+ join_runtime_\\w+
    parallel_hash_join\\w+
"""
"""Settings that change no answer, as patterns: Spark has no use for them."""

_KINDS: Mapping[str, Kind] = {
    "UInt64": Integer(0, (1 << 64) - 1), "NonZeroUInt64": Integer(1, (1 << 64) - 1), "Bool": Flag(),
    "Int64": Integer(-(1 << 63)), "UInt32": Integer(0, (1 << 32) - 1), "Int32": Integer(-(1 << 31)),
    "Float": Number(), "Double": Number(), "Seconds": Number(), "Milliseconds": Number(),
}  # fmt: skip
"""The types whose values are checked here; ClickHouse checks those of others when it runs."""

_FILE = "clickhouse_settings.txt"


@dataclass(frozen=True, slots=True)
class ClickHouseSetting:
    """A setting as `system.settings` of ClickHouse has it."""

    name: str
    type: str
    default: str

    @property
    def kind(self) -> Kind | None:
        """What checks its values; None if only ClickHouse can."""
        return _KINDS.get(self.type)


def refused(name: str, given: Mapping[str, Any]) -> str:
    """Why no query may have a setting, beside the others that are given; empty if it may."""
    source = str(given.get("format_schema_source", "")).strip("'")
    if name.startswith("format_schema") and source == "string":
        return ""  # the schema itself, and no file
    return next((why for why, names in REFUSED.items() if _matches(names, name)), "")


@cache
def is_passed(name: str, *, reads: bool) -> bool:
    """Whether ClickHouse gets a setting with a query that `reads` tables, or none."""
    if name not in settings() or _matches(SERVER, name):
        return False
    return not (reads and _matches(READING, name))


@cache
def writes(name: str) -> bool:
    """Whether a setting is about how an answer is written."""
    return is_passed(name, reads=True) and _matches(WRITING, name)


def changes_answers(name: str) -> bool:
    """Whether a query may answer differently, or be limited, because of a setting."""
    return is_passed(name, reads=True) and not _matches(HOW, name)


def _matches(patterns: str, name: str) -> bool:
    return _compiled(patterns).fullmatch(name) is not None


@cache
def _compiled(patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns.split()))


@cache
def settings() -> Mapping[str, ClickHouseSetting]:
    """Every setting of ClickHouse, by name."""
    found = resources.files("sluice.options").joinpath(_FILE).read_text("utf-8")
    rows = (line.split("\t") for line in found.splitlines())
    return {name: ClickHouseSetting(name, type_, default) for name, type_, default in rows}


def write() -> None:
    """Write the list anew, from what ClickHouse has."""
    import chdb

    ask: Any = chdb.query
    query = "SELECT name, type, default FROM system.settings ORDER BY name"
    Path(__file__).with_name(_FILE).write_text(str(ask(query, "TSV")), "utf-8")


if __name__ == "__main__":
    write()
