"""The options of a Kafka table, in every dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.registry import FORMAT_OPTIONS, FORMAT_SETTINGS
from sluice.options.connection import CONNECTION
from sluice.options.formats import FORMATS
from sluice.options.option_set import OptionSet
from sluice.options.scan import FLUSH_MS, MAX_BLOCK, SCAN
from sluice.options.security import SECURITY
from sluice.options.sink import SINK_OPTIONS
from sluice.parameters.kinds import DLI, FLINK

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FAMILIES", "FLUSH_MS", "KAFKA", "MAX_BLOCK", "POSITIONAL", "UNDOCUMENTED", "dialect_of"]

FAMILIES = {
    "Brokers and topics": CONNECTION,
    "Formats": FORMATS,
    "Security": SECURITY,
    "Reading": SCAN,
    "Writing": SINK_OPTIONS,
    "Format options of Flink": FORMAT_OPTIONS,
    "Format settings of ClickHouse": FORMAT_SETTINGS,
}
"""Every option, by what it is about."""

KAFKA = OptionSet(
    "Kafka",
    tuple(option for family in FAMILIES.values() for option in family),
    {"flink": "properties.", "dli": "connector.properties."},
)

POSITIONAL = (
    "brokers", "topic", "group", "format", "row_delimiter", "schema", "readers", "max_block_size",
    "skip_broken_messages", "commit_every_batch", "client_id", "poll_timeout_ms",
    "poll_max_batch_size", "flush_interval_ms", "thread_per_consumer", "handle_error_mode",
    "commit_on_select", "max_rows_per_message",
)  # fmt: skip
"""What the arguments in `Kafka(…)` mean, in the order that ClickHouse documents."""

UNDOCUMENTED = "poll_max_batch_size"
"""ClickHouse's code has no such argument: those documented after it come one position earlier."""


def dialect_of(settings: Mapping[str, Any]) -> str:
    """The dialect of WITH options, Flink or DLI: the latter have their own prefixes."""
    return DLI if any(name.startswith("connector.") for name in settings) else FLINK
