"""ClickHouse's format settings are those that ClickHouse has, with its defaults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sluice.formats.registry import FORMAT_SETTINGS

if TYPE_CHECKING:
    from formats.peer import Peer

NOT_IN_CHDB = {
    "input_format_json_case_insensitive_column_matching",
    "input_format_values_allow_data_after_semicolon",
    "output_format_avro_confluent_subject_name_strategy",
    "output_format_parquet_compression_level",
}
"""Settings that ClickHouse has in other versions or builds than chdb, and one of our own."""


def test_defaults(peer: Peer) -> None:
    """Each setting has the default that ClickHouse has."""
    lines = peer.asked(
        "SELECT name, default FROM system.settings", "JSONCompactEachRow", {"max_threads": 1}
    )
    given = dict(json.loads(line) for line in lines.decode().splitlines())
    ours = {option.key: option.default for option in FORMAT_SETTINGS}
    assert ours.keys() - given.keys() == NOT_IN_CHDB
    differ = {
        name: (default, given[name])
        for name, default in ours.items()
        if name in given and given[name] != _shown(default) and not _same(default, given[name])
    }
    assert not differ


def _shown(default: object) -> str:
    return str(int(default)) if isinstance(default, bool) else str(default)


def _same(default: object, given: str) -> bool:
    """ClickHouse shows texts with escapes, and numbers without a fraction as integers."""
    if isinstance(default, float):
        return default == float(given)
    return isinstance(default, str) and default == given.encode().decode("unicode_escape")
