"""The language of statements: options, settings, functions, formats, types, engines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sluice.planner.table_engines import ENGINES
from sluice.sql.core.recent import Recent
from sluice.system.registry import system_table
from sluice.types import quote_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sluice.engine.engine import Engine
    from sluice.system.registry import Row


@system_table("one", "dummy UInt8")
def _one(engine: Engine) -> Iterable[Row]:
    yield (0,)


@system_table("numbers", "number UInt64")
def _numbers(engine: Engine) -> Iterable[Row]:
    """Not used: a query over it is one over Spark's own range."""
    return ()


@system_table(
    "options",
    """
    name String
    clickhouse String
    flink String
    dli String
    family String
    type String
    default String
    scope String
    status String
    why String
    secret Bool
    description String
    """,
)
def _options(engine: Engine) -> Iterable[Row]:
    from sluice.options import docs

    return (tuple(row.values()) for row in docs.rows())


@system_table(
    "settings",
    """
    name String
    value String
    changed UInt8
    description String
    min Nullable(String)
    max Nullable(String)
    disallowed_values Array(String)
    readonly UInt8
    type String
    default String
    alias_for String
    is_obsolete UInt8
    tier Enum8('Production' = 0, 'Obsolete' = 4, 'Experimental' = 8, 'Beta' = 12)
    """,
)
def _settings(engine: Engine) -> Iterable[Mapping[str, Any]]:
    from sluice.options import clickhouse_settings, query_settings
    from sluice.options.kafka import KAFKA

    profile = engine.config.settings() if engine.config else {}
    theirs = clickhouse_settings.settings()
    known = {name: (each.type, each.default, "") for name, each in theirs.items()}
    for name, kind, default, state, doc in query_settings.rows():
        if name in theirs:
            kind, default = theirs[name].type, theirs[name].default
        text = doc if state == "honoured" else f"On Spark, {state}: {doc}"
        known[name] = (kind, default, text)
    for name, option in KAFKA.named("clickhouse").items():
        if option.part:
            kind = theirs[name].type if name in theirs else option.kind.title
            known[name] = (kind, _text(option.default), option.doc)
    for name in sorted({*known, *profile}):
        kind, default, doc = known.get(name, ("String", "", "Accepted, without effect."))
        yield {
            "name": name,
            "value": profile.get(name, default),
            "changed": int(name in profile),
            "description": doc,
            "type": kind,
            "default": default,
        }


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


@system_table(
    "merge_tree_settings",
    "name String\nvalue String\ndefault String\nchanged UInt8\ndescription String\n"
    "min Nullable(String)\nmax Nullable(String)\nreadonly UInt8\ntype String\nis_obsolete UInt8",
)
def _merge_tree_settings(engine: Engine) -> Iterable[Mapping[str, Any]]:
    from sluice.planner.table_engines import KEPT_BY_KEY, STORED_SETTINGS

    columns = "name, value, default, min, max, type, is_obsolete, description"
    theirs = _of_clickhouse(engine, "merge_tree_settings", columns)
    for name in sorted(STORED_SETTINGS):
        if name == KEPT_BY_KEY:
            text = "A row takes the place of the one with the same primary key."
            yield {"name": name, "value": "0", "default": "0", "type": "Bool", "description": text}
            continue
        row = theirs.get(name, {"name": name})
        text = f"Accepted, without effect on results. {row.get('description', '').strip()}"
        yield {**row, "description": text.strip()}


@system_table(
    "functions",
    """
    name String
    is_aggregate UInt8
    case_insensitive UInt8
    alias_to String
    create_query String
    origin Enum8('System' = 0, 'SQLUserDefined' = 1, 'ExecutableUserDefined' = 2)
    description String
    syntax String
    arguments String
    returned_value String
    examples String
    categories String
    is_supported UInt8 -- whether materialized views and queries on Spark have it
    """,
)
def _functions(engine: Engine) -> Iterable[Mapping[str, Any]]:
    from sluice.sql.clickhouse.functions import FUNCTIONS, UNSUPPORTED, Aggregate

    theirs = _functions_of_clickhouse(engine)
    for name in sorted({*theirs, *FUNCTIONS, *UNSUPPORTED}):
        row, function = theirs.get(name, {"name": name}), FUNCTIONS.get(name)
        text = row.get("description", "")
        if function is None:
            why = UNSUPPORTED.get(name, "")
            yield {**row, "description": f"{text}\nNot on Spark: {why}".strip() if why else text}
            continue
        on_spark = f"On Spark: {function.doc}" if function.doc else ""
        yield {
            "arguments": function.takes(),
            **row,
            "is_aggregate": int(isinstance(function, Aggregate)),
            "case_insensitive": int(function.any_case),
            "description": f"{text}\n{on_spark}".strip(),
            "is_supported": 1,
        }
    for name, made in sorted(engine.catalog.functions().items()):
        shown = name if name.isidentifier() else quote_name(name)
        text = f"CREATE FUNCTION {shown} AS {made.text}"
        yield {"name": name, "origin": "SQLUserDefined", "create_query": text, "is_supported": 1}


_ASKED = """
    name, is_aggregate, case_insensitive, alias_to, description, syntax, arguments, parameters,
    returned_value, examples, categories, introduced_in, deterministic, higher_order
"""


def _functions_of_clickhouse(engine: Engine) -> Mapping[str, Mapping[str, Any]]:
    """The functions that a query may call, by name."""
    from sluice.clickhouse.allowed import is_allowed

    return _of_clickhouse(engine, "functions", _ASKED, is_allowed)


_OF_CLICKHOUSE: Recent[Mapping[str, Mapping[str, Any]]] = Recent()
"""What ClickHouse tells of itself, by its table: asked once."""


def _of_clickhouse(
    engine: Engine, table: str, columns: str, keeps: Callable[[str], bool] = bool
) -> Mapping[str, Mapping[str, Any]]:
    """The rows of one of ClickHouse's own tables, by the names that it `keeps`."""
    found = _OF_CLICKHOUSE.get(table)
    if found is None:
        query = f"SELECT {columns} FROM system.{table}"  # noqa: S608 - all of it is ours
        with engine.workers.worker(inner=True) as worker:
            lines = worker.run(query, lines="JSONEachRow").splitlines()
        found = {row["name"]: row for row in map(json.loads, lines) if keeps(row["name"])}
        _OF_CLICKHOUSE.keep(table, found)
    return found


@system_table(
    "formats",
    """
    name String
    is_input UInt8
    is_output UInt8
    supports_parallel_parsing UInt8
    supports_parallel_formatting UInt8
    is_tty_friendly UInt8
    content_type String
    supports_random_access UInt8
    has_schema_inference UInt8
    has_external_schema UInt8
    prefers_large_blocks UInt8
    supports_append UInt8
    supports_subsets_of_columns UInt8
    is_message_input UInt8
    is_message_output UInt8
    messages_read_by String
    messages_written_by String
    messages_refused String
    """,
)
def _formats(engine: Engine) -> Iterable[Mapping[str, Any]]:
    """Those of messages, and those of answers."""
    from sluice.formats import answers
    from sluice.formats.registry import of_dialect
    from sluice.parameters.kinds import CLICKHOUSE

    messages = {name: each for each in of_dialect(CLICKHOUSE) for name in each.names}
    for name in sorted(messages.keys() | answers.formats().keys()):
        answer, message = answers.formats().get(name), messages.get(name)
        reads = message is not None and message.reads
        writes = message is not None and message.writes
        yield {
            "name": name,
            "is_input": int(reads or (answer is not None and answer.is_input)),
            "is_output": int(writes or answer is not None),
            "supports_parallel_parsing": int(reads),
            "is_tty_friendly": int(answer is not None and answer.is_text),
            "content_type": answer.content_type if answer is not None else "",
            "is_message_input": int(reads),
            "is_message_output": int(writes),
            "messages_read_by": message.read_by if message is not None else "",
            "messages_written_by": message.written_by if message is not None else "",
            "messages_refused": message.refused if message is not None else "",
        }


@system_table(
    "table_engines",
    """
    name String
    supports_settings UInt8
    supports_skipping_indices UInt8
    supports_projections UInt8
    supports_sort_order UInt8
    supports_ttl UInt8
    supports_replication UInt8
    supports_deduplication UInt8
    supports_parallel_insert UInt8
    """,
)
def _table_engines(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for known in sorted(ENGINES.values(), key=lambda kind: kind.name):
        keyed = int(known.keyed)
        yield {
            "name": known.name,
            "supports_settings": 1,
            "supports_skipping_indices": keyed,
            "supports_projections": keyed,
            "supports_sort_order": keyed,
            "supports_ttl": keyed,
            "supports_parallel_insert": 1,
        }
    for name in ("Dictionary", "MaterializedView", "View"):
        yield {"name": name}


@system_table("database_engines", "name String")
def _database_engines(engine: Engine) -> Iterable[Row]:
    return (("Atomic",),)


@system_table("table_functions", "name String\ndescription String\nallow_readonly UInt8")
def _table_functions(engine: Engine) -> Iterable[Row]:
    from sluice.clickhouse.allowed import TABLE_FUNCTION_NAMES
    from sluice.sql.clickhouse.sources import TABLE_FUNCTIONS

    docs = {
        **dict.fromkeys(TABLE_FUNCTION_NAMES, "As in ClickHouse."),
        "input": "The data of INSERT INTO … SELECT … FROM input('structure') FORMAT name.",
        "merge": "The rows of all tables whose names fit a regular expression.",
    }
    docs |= {name: (each.__doc__ or "").strip() for name, each in TABLE_FUNCTIONS.items()}
    for name, doc in sorted(docs.items()):
        yield (name, doc, 1)


@system_table("data_type_families", "name String\ncase_insensitive UInt8\nalias_to String")
def _data_type_families(engine: Engine) -> Iterable[Row]:
    from sluice.types.spellings import ALIASES, is_any_case
    from sluice.types.text import NAMES

    for name in sorted(NAMES):
        yield (name, int(is_any_case(name)), "")
    for name, of in sorted(ALIASES.items()):
        yield (name.upper(), 1, of)


@system_table("time_zones", "time_zone String")
def _time_zones(engine: Engine) -> Iterable[Row]:
    from zoneinfo import available_timezones

    return ((name,) for name in sorted(available_timezones()))
