"""Source transactions: the options of a table whose batches end between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.kafka import KAFKA
from sluice.parameters.kinds import CLICKHOUSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.options.option_set import Values

_KEY = "transactions"


def transaction_parts(
    values: Values, format_name: str, dialect: str, places: Mapping[str, Place]
) -> dict[str, Any]:
    """The parts of a `KafkaSource` that are about source transactions.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS or, in ClickHouse's dialect, INVALID_OPTION_VALUE for a
            format whose messages have no transactions.
    """
    topic = values[_KEY]
    if not topic:
        return {}
    option = KAFKA.by_key[_KEY].names[dialect]
    place = places.get(option)
    if not format_name.lower().startswith("debezium"):
        reason = f"A Debezium format is needed, and the table's format is {format_name}."
        if dialect == CLICKHOUSE:
            raise errors.INVALID_OPTION_VALUE(
                option=option, value=f"'{topic}'", reason=reason, place=place
            )
        raise errors.UNSUPPORTED_OPTIONS(
            connector=values["connector"], option=option, hint=reason, place=place
        )
    return {"transactions": topic, "transactions_timeout_ms": values["transactions_timeout"]}
