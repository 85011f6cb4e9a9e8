"""The engines that a table can have: each is a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, STORED
from sluice.sql import ir
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine: what it makes of a table, its arguments, whether rows have a key.

    It takes at most so many `arguments`, and those that are `required` must be given.
    """

    name: str
    kind: str = STORED
    arguments: int = 0
    keyed: bool = False
    required: tuple[str, ...] = ()


_REPLICATED = "Replicated"

ENGINES = {
    engine.name.lower(): engine
    for engine in (
        EngineKind("Kafka", KAFKA),
        EngineKind("MergeTree", keyed=True),
        EngineKind("ReplacingMergeTree", arguments=2, keyed=True),
        EngineKind("SummingMergeTree", arguments=1, keyed=True),
        EngineKind("AggregatingMergeTree", keyed=True),
        EngineKind("CollapsingMergeTree", arguments=1, keyed=True, required=("sign",)),
        EngineKind(
            "VersionedCollapsingMergeTree", arguments=2, keyed=True, required=("sign", "version")
        ),
        EngineKind("Memory"),
        EngineKind("Log"),
        EngineKind("TinyLog"),
        EngineKind("StripeLog"),
        EngineKind("Null"),
    )
}

_REFUSED = {
    "graphitemergetree": "",
    "distributed": "There is one server: read the table itself",
    "buffer": "Rows are written in batches as it is: read the table itself",
    "merge": "A view reads several tables: CREATE VIEW v AS SELECT * FROM merge('db', 'pattern')",
    "join": "Write a JOIN with a stored table, or CREATE DICTIONARY over one",
    "set": "Write IN (SELECT … FROM table)",
    "dictionary": "A dictionary is read by its name: SELECT … FROM dictionary",
    "view": "Write CREATE VIEW name AS SELECT …",
    "materializedview": "Write CREATE MATERIALIZED VIEW name TO table AS SELECT …",
    "embeddedrocksdb": "A MergeTree table with SETTINGS kept_by_key = 1 keeps one row for each key",
    **dict.fromkeys(
        (
            "file",
            "url",
            "s3",
            "s3queue",
            "azureblobstorage",
            "hdfs",
            "iceberg",
            "deltalake",
            "hudi",
        ),
        "Rows come from Kafka and from INSERT: send the files with INSERT INTO … FORMAT",
    ),
    **dict.fromkeys(
        ("mysql", "postgresql", "mongodb", "redis", "sqlite", "odbc", "jdbc", "rabbitmq", "nats"),
        "Rows come from Kafka and from INSERT: connectors bring other systems' changes into topics",
    ),
}

KEPT_BY_KEY = "kept_by_key"
"""A setting that ClickHouse does not have: a row replaces the one with the same primary key."""

STORED_SETTINGS = frozenset({
    KEPT_BY_KEY,
    "allow_nullable_key", "compress_primary_key", "deduplicate_merge_projection_mode",
    "enable_mixed_granularity_parts", "index_granularity", "index_granularity_bytes",
    "max_bytes_to_merge_at_max_space_in_pool", "max_parts_in_total", "max_suspicious_broken_parts",
    "merge_max_block_size", "merge_with_ttl_timeout", "min_age_to_force_merge_seconds",
    "min_bytes_for_wide_part", "min_rows_for_wide_part", "non_replicated_deduplication_window",
    "number_of_free_entries_in_pool_to_execute_mutation", "old_parts_lifetime",
    "parts_to_delay_insert", "parts_to_throw_insert", "replicated_deduplication_window",
    "replicated_deduplication_window_seconds", "storage_policy", "ttl_only_drop_parts",
    "write_final_mark",
})  # fmt: skip
"""Settings of stored tables: all but `KEPT_BY_KEY` concern ClickHouse's files and do nothing."""


def find_engine(given: ir.Engine) -> tuple[EngineKind, str]:
    """An engine and the name it is kept under.

    Raises:
        SluiceError: UNKNOWN_ENGINE or UNSUPPORTED_ENGINE.
    """
    folded, prefix = given.name.lower(), ""
    bare = folded.removeprefix(_REPLICATED.lower())
    if bare != folded and (bare in _REFUSED or (bare in ENGINES and ENGINES[bare].keyed)):
        folded, prefix = bare, _REPLICATED
    if folded in _REFUSED:
        hint = _REFUSED[folded]
        raise errors.UNSUPPORTED_ENGINE(engine=given.name, hint=hint, place=given.place)
    if folded not in ENGINES:
        names = [engine.name for engine in ENGINES.values()]
        hint = errors.nearest(given.name, names) or f"Known are {', '.join(names)}."
        raise errors.UNKNOWN_ENGINE(engine=given.name or "(none)", hint=hint, place=given.place)
    return ENGINES[folded], prefix + ENGINES[folded].name


def check_settings(given: Iterable[str], places: Mapping[str, Place]) -> None:
    """Whether a stored table can have these settings.

    Raises:
        SluiceError: UNKNOWN_SETTING with the nearest names.
    """
    for name in given:
        if name not in STORED_SETTINGS:
            hint = errors.nearest(name, STORED_SETTINGS)
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=places.get(name))


def kept_by_key(table: Table) -> bool:
    """Whether a table of the ClickHouse dialect has one row for each primary key."""
    return table.kind == STORED and str(table.settings.get(KEPT_BY_KEY, 0)).lower() in ("1", "true")


def engine_of(table: Table) -> EngineKind:
    """The engine of a table that is there."""
    plain = EngineKind(table.engine, table.kind)
    return ENGINES.get(table.engine.removeprefix(_REPLICATED).lower(), plain)


def arguments(given: ir.Engine, engine: EngineKind, columns: Iterable[str]) -> tuple[str, ...]:
    """The arguments of a stored table's engine as texts; those that name columns are checked.

    Raises:
        SluiceError: INVALID_ENGINE_ARGUMENT or UNKNOWN_COLUMN.
    """
    known = set(columns)
    own = _behind_path(given)
    if len(own) > engine.arguments:
        takes = f"at most {engine.arguments}" if engine.arguments else "no"
        reason = f"{engine.name} takes {takes} arguments; write the key with ORDER BY"
        raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=given.place)
    if len(own) < len(engine.required):
        reason = f"{engine.name}({', '.join(engine.required)}) needs the names of these columns"
        raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=given.place)
    for arg in own:
        if not isinstance(arg, ir.Word):
            reason = f"The arguments of {engine.name} are names of columns"
            raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=given.place)
        for name in _names(arg):
            if name not in known:
                hint = errors.nearest(name, known)
                raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=given.place)
    return tuple(_text(arg) for arg in given.args)


def _behind_path(given: ir.Engine) -> Sequence[Any]:
    """The arguments without the path and the replica's name of a Replicated engine."""
    replicated = given.name.lower().startswith(_REPLICATED.lower())
    path = [arg for arg in given.args[:2] if isinstance(arg, str) and not isinstance(arg, ir.Word)]
    if replicated and len(path) == 1:
        reason = f"{given.name} takes a path and a replica's name, or neither of them"
        raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=given.place)
    return given.args[2:] if replicated and path else given.args


def _names(arg: str) -> list[str]:
    """`a`, `(a, b)`: the names in it."""
    inner = arg.removeprefix("tuple").strip().removeprefix("(").removesuffix(")")
    return [column_name(name) for name in inner.split(",") if name.strip()]


def column_name(text: str) -> str:
    """The name of a column as it is written, in quotes or without."""
    return text.strip().strip('`"')


def named_columns(table: Table) -> list[str]:
    """The columns that the arguments of a stored table's engine name."""
    return [name for arg in table.engine_args if not arg.startswith("'") for name in _names(arg)]


def _text(arg: Any) -> str:
    quoted = isinstance(arg, str) and not isinstance(arg, ir.Word)
    return quote_string(arg) if quoted else str(arg)


def written_columns(table: Table) -> set[str]:
    """The columns of a stored table that a row can be given."""
    return {c.name for c in table.columns if c.alias is None and c.default_kind != "MATERIALIZED"}
