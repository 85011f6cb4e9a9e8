"""Values that have types of their own as texts, and the values of such texts, in ClickHouse's SQL.

The state of `any` over one value has its type and its bytes, as ClickHouse itself writes them.
"""

from __future__ import annotations

from sluice.types import Type, quote_string


def text_of(value: str) -> str:
    """The text of a value."""
    return f"base64Encode(CAST(initializeAggregation('anyState', {value}) AS String))"


def value_of(text: str, type_: Type) -> str:
    """The value of a text; of NULL the type's default."""
    name = str(type_)
    default = text_of(f"defaultValueOfTypeName({quote_string(name)})")
    state = quote_string(f"AggregateFunction(any, {name})")
    found = f"CAST(base64Decode(ifNull({text}, {default})), {state})"
    return f"CAST(finalizeAggregation({found}), {quote_string(name)})"
