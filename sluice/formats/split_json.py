r"""A message with several JSON objects as one JSON list: `{…}{…}`, `{…}\n{…}`, `[{…}, {…}]`.

Spark's JSON reader silently stops after the first object of a text. Inside a list it cannot: there
it reads objects up to the closing bracket and refuses anything else. So a message is read as the
inside of a list (`wrapped`), which is right for one object and for several with commas; what the
reader refuses is cut with care (`joined`), looking past strings, escapes and nesting, and read once
more.

A message with brackets of its own could end that list early and hide what follows. Behind the list
stands an empty one, so that `intact` sees whether the list ended where it should.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_MEETING = r"(?<=\})(?=\s*\{)"
WRAPPED = r'(?s)^\{"r":\[\[(.*)\],\[\]\]\}$'
"""Finds the message again in what `wrapped` gave."""

_OUTER_LIST = r"(?s)^\s*\[(.*)\]\s*$"
_PLUS = r"[:\[,]\s*\+\d"
_STRING_OR_PLUS = r'(?s)("[^"\\]*+(?:\\.[^"\\]*+)*+")|\+(?=\d)'


def wrapped(text: Column) -> Column:
    """The message as the first of two lists in the list `r` of an object."""
    from pyspark.sql import functions as F

    return F.concat(F.lit('{"r":[['), text, F.lit("],[]]}"))


def intact(lists: Column) -> Column:
    """Whether `r` still is the two lists that `wrapped` made; NULL for a message that is NULL."""
    from pyspark.sql import functions as F

    return F.size(lists) == 2


def joined(text: Column) -> Column:
    """The message with commas between its objects, without a list around them.

    Numbers written with a plus, which the reader does not know, lose it.
    """
    from pyspark.sql import functions as F

    plain = F.when(text.rlike(_PLUS), F.regexp_replace(text, _STRING_OR_PLUS, "$1")).otherwise(text)
    pieces = F.split(F.regexp_replace(plain, _OUTER_LIST, "$1"), _MEETING)
    start = F.struct(F.lit("").alias("text"), F.lit(False).alias("quoted"))
    return F.aggregate(pieces, start, _join, lambda state: state.text)


def _join(state: Column, piece: Column) -> Column:
    """Add a piece: a `}` that meets a `{` outside strings is always the end of one object."""
    from pyspark.sql import functions as F

    unescaped = F.regexp_replace(piece, r"(?s)\\.", "")
    quotes = F.length(unescaped) - F.length(F.replace(unescaped, F.lit('"'), F.lit("")))
    apart = F.when(state.quoted | (state.text == ""), F.lit("")).otherwise(F.lit(","))
    return F.struct(
        F.concat(state.text, apart, piece).alias("text"),
        (state.quoted != (quotes % 2 == 1)).alias("quoted"),
    )
