"""Files of columns: Arrow, Parquet, ORC, Npy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import (
    BOTH_WAYS,
    READS,
    Format,
    by_clickhouse,
    honoured,
    settings,
    unused,
)
from sluice.formats.fields import no_rare
from sluice.parameters.kinds import FLINK, Text
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns

_VERSIONS = Text(("1.0", "2.4", "2.6", "2.latest"))
_ICEBERG = "it is a file of Iceberg tables, not a message format"
_FILES = "it is a file format, not a message format"

SETTINGS = (
    *settings("arrow",
        honoured("input_format_arrow_allow_missing_columns", True, "Whether a column may be missing."),
        honoured("input_format_arrow_case_insensitive_column_matching", False, "Whether names are matched case-insensitively."),
        honoured("input_format_arrow_import_nested", False, "Whether columns a.b are filled from nested ones."),
        unused("inference", "input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference", False, "Whether schema inference skips columns of unsupported types."),
        honoured("output_format_arrow_low_cardinality_as_dictionary", False, "Whether LowCardinality is written as a dictionary."),
        honoured("output_format_arrow_use_signed_indexes_for_dictionary", True, "Whether dictionary indexes are signed."),
        honoured("output_format_arrow_use_64_bit_indexes_for_dictionary", False, "Whether dictionary indexes have 64 bits."),
        honoured("output_format_arrow_string_as_string", True, "Whether strings are written as the format's string type instead of bytes."),
        honoured("output_format_arrow_fixed_string_as_fixed_byte_array", True, "Whether FixedString is written as a fixed-length byte array."),
        honoured("output_format_arrow_compression_method", "lz4_frame", "The compression codec of blocks.", Text(("none", "lz4_frame", "zstd"))),
    ),
    *settings("parquet",
        honoured("input_format_parquet_allow_missing_columns", True, "Whether a column may be missing."),
        honoured("input_format_parquet_case_insensitive_column_matching", False, "Whether names are matched case-insensitively."),
        honoured("input_format_parquet_import_nested", False, "Whether columns a.b are filled from nested ones."),
        honoured("input_format_parquet_preserve_order", False, "Whether rows keep their order."),
        unused("speed", "input_format_parquet_filter_push_down", True, "Whether row groups are skipped by their statistics."),
        unused("speed", "input_format_parquet_bloom_filter_push_down", True, "Whether row groups are skipped by bloom filters."),
        unused("speed", "input_format_parquet_use_native_reader", False, "The reader implementation."),
        unused("speed", "input_format_parquet_use_native_reader_v3", True, "The reader implementation."),
        honoured("input_format_parquet_enable_json_parsing", True, "Whether JSON columns are parsed."),
        honoured("input_format_parquet_allow_geoparquet_parser", True, "Whether GeoParquet columns are parsed."),
        unused("speed", "input_format_parquet_page_filter_push_down", True, "Whether pages are skipped by their statistics."),
        unused("speed", "input_format_parquet_use_offset_index", True, "Whether the offset index is used."),
        unused("speed", "input_format_parquet_memory_low_watermark", 2 << 20, "The memory use below which prefetching increases."),
        unused("speed", "input_format_parquet_memory_high_watermark", 4 << 30, "The memory use above which prefetching stops."),
        unused("speed", "input_format_parquet_max_block_size", 65_409, "The maximum number of rows in a block."),
        unused("speed", "input_format_parquet_prefer_block_bytes", 16_744_704, "The preferred size of a block in bytes."),
        unused("speed", "input_format_parquet_local_file_min_bytes_for_seek", 8192, "The minimum number of bytes for which the reader seeks instead of reading."),
        unused("inference", "input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference", False, "Whether schema inference skips columns of unsupported types."),
        unused("speed", "input_format_parquet_enable_row_group_prefetch", True, "Whether row groups are prefetched."),
        honoured("output_format_parquet_row_group_size", 1_000_000, "The number of rows in a row group."),
        honoured("output_format_parquet_row_group_size_bytes", 536_870_912, "The number of bytes in a row group."),
        honoured("output_format_parquet_string_as_string", True, "Whether strings are written as the format's string type instead of bytes."),
        honoured("output_format_parquet_fixed_string_as_fixed_byte_array", True, "Whether FixedString is written as a fixed-length byte array."),
        honoured("output_format_parquet_datetime_as_uint32", False, "Whether DateTime is written as a number."),
        honoured("output_format_parquet_date_as_uint16", False, "Whether Date is written as a number."),
        honoured("output_format_parquet_enum_as_byte_array", True, "Whether enums are written as byte arrays."),
        honoured("output_format_parquet_geometadata", True, "Whether GeoParquet metadata is written."),
        honoured("output_format_parquet_max_dictionary_size", 1_048_576, "The maximum size of a dictionary."),
        honoured("output_format_parquet_bloom_filter_bits_per_value", 10.5, "The number of bits per value in a bloom filter."),
        honoured("output_format_parquet_bloom_filter_flush_threshold_bytes", 134_217_728, "The number of bytes after which bloom filters are flushed."),
        honoured("output_format_parquet_version", "2.latest", "The version of the format.", _VERSIONS),
        honoured("output_format_parquet_compression_method", "zstd", "The compression codec of pages.", Text(("none", "snappy", "lz4", "brotli", "zstd", "gzip"))),
        honoured("output_format_parquet_compression_level", 3, "The compression level."),
        honoured("output_format_parquet_compliant_nested_types", True, "Whether array elements are named element."),
        unused("speed", "output_format_parquet_use_custom_encoder", True, "The writer implementation."),
        unused("speed", "output_format_parquet_parallel_encoding", True, "Whether row groups are encoded in parallel."),
        honoured("output_format_parquet_data_page_size", 1_048_576, "The size of a page in bytes."),
        honoured("output_format_parquet_batch_size", 1024, "The number of rows per check of the page size."),
        honoured("output_format_parquet_write_page_index", True, "Whether a page index is written."),
        honoured("output_format_parquet_write_bloom_filter", True, "Whether bloom filters are written."),
    ),
    *settings("orc",
        honoured("input_format_orc_allow_missing_columns", True, "Whether a column may be missing."),
        honoured("input_format_orc_case_insensitive_column_matching", False, "Whether names are matched case-insensitively."),
        honoured("input_format_orc_import_nested", False, "Whether columns a.b are filled from nested ones."),
        unused("speed", "input_format_orc_row_batch_size", 100_000, "The number of rows per batch."),
        unused("speed", "input_format_orc_use_fast_decoder", True, "The reader implementation."),
        unused("speed", "input_format_orc_filter_push_down", True, "Whether stripes are skipped by their statistics."),
        honoured("input_format_orc_reader_time_zone_name", "GMT", "The time zone of the reader."),
        honoured("input_format_orc_dictionary_as_low_cardinality", True, "Whether dictionaries become LowCardinality."),
        unused("inference", "input_format_orc_skip_columns_with_unsupported_types_in_schema_inference", False, "Whether schema inference skips columns of unsupported types."),
        honoured("output_format_orc_string_as_string", True, "Whether strings are written as the format's string type instead of bytes."),
        honoured("output_format_orc_compression_method", "zstd", "The compression codec of stripes.", Text(("none", "snappy", "lz4", "zstd", "zlib"))),
        unused("speed", "output_format_orc_compression_block_size", 262_144, "The size of a compression block in bytes."),
        honoured("output_format_orc_row_index_stride", 10_000, "The row index stride."),
        honoured("output_format_orc_dictionary_key_size_threshold", 0.0, "The threshold for dictionary encoding of strings."),
        honoured("output_format_orc_writer_time_zone_name", "GMT", "The time zone of the writer."),
    ),
)  # fmt: skip

_IN_NPY = (m.Int, m.Float, m.Bool, m.String, m.FixedString)
_NOT_IN_NPY = no_rare("Npy {} format")


def _npy(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """Why columns are not written, in ClickHouse's words; why they cannot be read it says later."""
    problem = _NOT_IN_NPY(columns, options, writes=writes)
    if problem or not writes:
        return problem
    if len(columns) != 1:
        return f"Expected single column for Npy output format, got {len(columns)}"
    value = columns[0][1]
    while isinstance(value, m.Array | m.SimpleAggregate):
        value = value.item
    known = isinstance(value, _IN_NPY)
    return "" if known else f"Type {value} is not supported for Npy output format"


def _not_npy(columns: Columns, options: Mapping[str, Any]) -> bool:
    return bool(_npy(columns, options, writes=True))


FORMATS = (
    *by_clickhouse("arrow", "Arrow ArrowStream", BOTH_WAYS, blocks=True),
    *by_clickhouse("parquet", "Parquet", BOTH_WAYS, blocks=True),
    *by_clickhouse("orc", "ORC", BOTH_WAYS, blocks=True),
    Format("Npy", "npy", decoder="binary.NpyDecoder", encoder="binary.NpyEncoder", clickhouse=READS, blocks=True, fits=_npy, left=_not_npy),
    Format("ParquetMetadata", "parquet", refused="it shows the metadata of a Parquet file, not its rows"),
    Format("Puffin", "parquet", refused=_ICEBERG),
    Format("PuffinMetadata", "parquet", refused=_ICEBERG),
    Format("parquet", "parquet", dialect=FLINK, refused=_FILES),
    Format("orc", "orc", dialect=FLINK, refused=_FILES),
)  # fmt: skip
