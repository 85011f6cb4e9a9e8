"""ClickHouse tables about what there is not here: tools ask them, and find nothing."""

from __future__ import annotations

from sluice.system.registry import system_table

TABLES = {
    "merges": """
        database String
        table String
        elapsed Float64
        progress Float64
        num_parts UInt64
        source_part_names Array(String)
        result_part_name String
        source_part_paths Array(String)
        result_part_path String
        partition_id String
        partition String
        is_mutation UInt8
        total_size_bytes_compressed UInt64
        total_size_bytes_uncompressed UInt64
        total_size_marks UInt64
        bytes_read_uncompressed UInt64
        rows_read UInt64
        bytes_written_uncompressed UInt64
        rows_written UInt64
        columns_written UInt64
        memory_usage UInt64
        thread_id UInt64
        merge_type String
        merge_algorithm String
    """,
    "moves": """
        database String
        table String
        elapsed Float64
        target_disk_name String
        target_disk_path String
        part_name String
        part_size UInt64
        thread_id UInt64
    """,
    "detached_parts": """
        database String
        table String
        partition_id Nullable(String)
        name String
        bytes_on_disk UInt64
        modification_time DateTime
        disk String
        path String
        reason Nullable(String)
        min_block_number Nullable(Int64)
        max_block_number Nullable(Int64)
        level Nullable(UInt32)
    """,
    "dropped_tables": """
        index UInt32
        database String
        table String
        uuid UUID
        engine String
        metadata_dropped_path String
        table_dropped_time DateTime
    """,
    "replication_queue": """
        database String
        table String
        replica_name String
        position UInt32
        node_name String
        type String
        create_time DateTime
        source_replica String
        new_part_name String
        parts_to_merge Array(String)
        is_currently_executing UInt8
        num_tries UInt32
        last_exception String
        last_attempt_time DateTime
        num_postponed UInt32
        postpone_reason String
        last_postpone_time DateTime
        merge_type String
    """,
    "asynchronous_inserts": """
        query String
        database String
        table String
        format String
        first_update DateTime64(6)
        total_bytes UInt64
        entries.query_id Array(String)
        entries.bytes Array(UInt64)
    """,
    "view_refreshes": """
        database String
        view String
        uuid UUID
        status String
        last_success_time Nullable(DateTime)
        last_refresh_time Nullable(DateTime)
        next_refresh_time Nullable(DateTime)
        exception String
        retry UInt64
    """,
    "replicas": """
        database String
        table String
        engine String
        is_leader UInt8
    """,
    "warnings": """
        message String
        message_format_string LowCardinality(String)
    """,
}


for _name, _columns in TABLES.items():
    system_table(_name, _columns)(lambda engine: ())
