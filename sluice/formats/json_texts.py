"""Texts of JSON objects as they are stored, made by our Java from any text of one."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from sluice.formats import described
from sluice.formats.settings import with_defaults
from sluice.types import quote_string

if TYPE_CHECKING:
    from sluice.types.semistructured import Json

FUNCTION = "sluice_ch_json"
"""The function of Spark: it takes a text, a `reader`, and the name of a column."""


def made_of(text: str, type_: Json, column: str = "") -> str:
    """SQL that makes one of a text; an error names the column."""
    told = ", ".join(map(quote_string, (reader(type_), column)))
    return f"{FUNCTION}({text}, {told})"


@cache
def reader(type_: Json) -> str:
    """What the function has to know of a type."""
    return json.dumps({"type": described.describe(type_), "settings": with_defaults({})})
