"""The options of a table that is stored in Delta Lake."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import Text
from sluice.options.option import Option, OptionSet

DELTA_OPTIONS = (
    Option("connector", {"flink": "connector"}, Text(("delta",)), "delta, as in a table without WITH.", "delta", connectors=("delta",)),
    Option("path", {"flink": "path"}, Text(), "Where a new table, or one that is there, has its files; without it they are the server's own. A path that does not begin with / is one in the data folder, or in the server's store if it has one.", connectors=("delta",)),
    Option("table_path", {"flink": "table-path"}, Text(), "Another name of path.", connectors=("delta",)),
)  # fmt: skip

DELTA = OptionSet("Delta", DELTA_OPTIONS)
