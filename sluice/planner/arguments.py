"""What stands in `Kafka(…)` and in SETTINGS, and what a named collection holds, as one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.kafka import KAFKA, POSITIONAL, UNDOCUMENTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Collection
    from sluice.errors import Place

_BEGINNINGS = (
    "kafka_", "input_format_", "output_format_", "format_", "date_time_",
    "allow_experimental_kafka_",
)  # fmt: skip
"""How the keys of a collection begin that a Kafka table takes; it may hold others for others."""


def settings_of(
    args: Sequence[Any],
    settings: Mapping[str, Any],
    places: Mapping[str, Place],
    place: Place | None,
) -> dict[str, Any]:
    """One mapping from `Kafka('broker', 'topic', …) SETTINGS …`.

    Raises:
        SluiceError: TOO_MANY_ENGINE_ARGUMENTS, OPTION_GIVEN_TWICE or AMBIGUOUS_ENGINE_ARGUMENT.
    """
    if len(args) > len(POSITIONAL):
        raise errors.TOO_MANY_ENGINE_ARGUMENTS(limit=len(POSITIONAL), given=len(args), place=place)
    merged = {}
    order = _order(args, place)
    for at, (key, value) in enumerate(zip(order, args, strict=False), start=1):
        name = KAFKA.by_key[key].names["clickhouse"]
        if name in settings:
            raise errors.OPTION_GIVEN_TWICE(position=at, option=name, place=places.get(name))
        merged[name] = value
    return merged | dict(settings)


def _order(args: Sequence[Any], place: Place | None) -> Sequence[str]:
    """What the arguments mean.

    ClickHouse's documentation and its code disagree from the 13th on. The mode of errors, the one
    text among those, tells which order was meant; without it nothing does.
    """
    at = POSITIONAL.index(UNDOCUMENTED)
    actual = (*POSITIONAL[:at], *POSITIONAL[at + 1 :])
    if len(args) <= at:
        return POSITIONAL
    for order in (POSITIONAL, actual):
        mode = order.index("handle_error_mode")
        if len(args) > mode and not _is_number(args[mode]):
            return order
    first, second = (KAFKA.by_key[key].names["clickhouse"] for key in POSITIONAL[at : at + 2])
    raise errors.AMBIGUOUS_ENGINE_ARGUMENT(position=at + 1, option=first, other=second, place=place)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or str(value).lstrip("-").isdecimal()


def with_collection(
    collection: Collection,
    overrides: Mapping[str, Any],
    settings: Mapping[str, Any],
    places: Mapping[str, Place] | None = None,
    place: Place | None = None,
) -> dict[str, Any]:
    """One mapping from `Kafka(collection, key = value) SETTINGS …`: the later ones win.

    Raises:
        SluiceError: NAMED_COLLECTION_OVERRIDE.
    """
    for key in (*overrides, *settings):
        if key in collection.values and not collection.overridable(key):
            at = (places or {}).get(key, place)
            raise errors.NAMED_COLLECTION_OVERRIDE(option=key, place=at)
    known = KAFKA.named("clickhouse")
    held = {
        key: entry.value
        for key, entry in collection.values.items()
        if key in known or key.startswith(_BEGINNINGS)
    }
    return held | dict(overrides) | dict(settings)
