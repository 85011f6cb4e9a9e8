"""The options of a table that is stored in Delta Lake."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.option_set import OptionSet
from sluice.parameters.kinds import FLINK, Duration, Flag, ListOf, Text
from sluice.parameters.option import Option

DELTA_OPTIONS = (
    Option("connector", {"flink": "connector"}, Text(("delta",)), "delta, as in a table without WITH.", "delta", connectors=("delta",)),
    Option("path", {"flink": "path"}, Text(), "The location of a new or an existing table; if it is not set, the server manages the files. A path that does not begin with / is relative to the data folder, or to the server's store if it has one.", connectors=("delta",)),
    Option("changelog", {"flink": "changelog"}, Flag(), "Whether Delta's change data feed has the changes of a table with a PRIMARY KEY, for readers of readChangeFeed. Each batch then also reads the rows that it replaces.", False, connectors=("delta",)),
    Option("changelog_column", {"flink": "changelog.column"}, Text(), "The column of a table without a PRIMARY KEY that holds the kind of each row of a changelog: +I, -U, +U or -D. All rows are appended; queries do not fill this column.", connectors=("delta",)),
    Option("sequence_field", {"flink": "sequence.field"}, ListOf({FLINK: ","}), "The columns that order the changes of a key, the most significant first. A change that is older than the row, or the delete, that it meets is ignored; without it changes are applied in the order of partition and offset.", connectors=("delta",)),
    Option("tombstone_ttl", {"flink": "sequence.tombstone-ttl"}, Duration(), "The time for which a delete is remembered, so that older changes of its key are ignored.", 7 * 24 * 3600 * 1000, connectors=("delta",)),
    Option("table_path", {"flink": "table-path"}, Text(), "Synonym of path.", connectors=("delta",)),
)  # fmt: skip

DELTA = OptionSet("Delta", DELTA_OPTIONS)
