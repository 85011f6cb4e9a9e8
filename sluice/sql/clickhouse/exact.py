"""Numbers cast so that what does not fit is an error, and digits of no place are cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.core.spark import Sql, forbidden, raised, string
from sluice.types import spark_type

if TYPE_CHECKING:
    from sluice.types import Type
    from sluice.types import model as m


def type_sql(type_: Type) -> Sql:
    """A type's name in Spark; the names inside of it are the user's, so it is never a template."""
    text = spark_type(type_)
    if "${" in text:
        raise forbidden(text)
    return Sql(text, rank=100)


def checked(source: Sql, type_: m.Int) -> Sql:
    """A number of any size, or a text; what does not fit is an error."""
    text = f"Value out of range of {type_}"
    wrong = raised("VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE", reason=string(text))
    within = Sql(
        f"if(CAST(:0 AS DECIMAL(38,0)) BETWEEN {type_.low} AND {type_.high}, :0, :1)",
        source,
        wrong,
    )
    return Sql("CAST(:0 AS :1)", within, type_sql(type_))


def cut(number_: Sql, scale: int) -> Sql:
    """The text of a number without the digits that a scale has no place for."""
    kept = f"([.][0-9]{{{scale}}})[0-9]+$" if scale else "([.])[0-9]*$"
    new = string("$1" if scale else "")
    return Sql("regexp_replace(CAST(:0 AS STRING), :1, :2)", number_, string(kept), new)
