"""The options of a table that is stored in Delta Lake."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import Text
from sluice.options.option import Option, OptionSet

DELTA_OPTIONS = (
    Option("connector", {"flink": "connector"}, Text(("delta",)), "delta, as in a table without WITH.", "delta", connectors=("delta",)),
    Option("path", {"flink": "path"}, Text(), "The location of a new or an existing table; if it is not set, the server manages the files. A path that does not begin with / is relative to the data folder, or to the server's store if it has one.", connectors=("delta",)),
    Option("table_path", {"flink": "table-path"}, Text(), "Synonym of path.", connectors=("delta",)),
)  # fmt: skip

DELTA = OptionSet("Delta", DELTA_OPTIONS)
