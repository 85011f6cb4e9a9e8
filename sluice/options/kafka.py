"""The options of a Kafka table. A new one is one row."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from typing import Any

from sluice.options.option import Flag, Hidden, Kind, Option, OptionSet, Text, Whole

MAX_BLOCK = 1_048_576
FLUSH_MS = 1_000


def _option(
    key: str, kind: Kind, doc: str, default: Any = None, *, required: bool = False
) -> Option:
    return Option(key, {"clickhouse": f"kafka_{key}"}, kind, doc, default, required)


_PROTOCOLS = ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl")
_MECHANISMS = ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

KAFKA = OptionSet(
    "Kafka",
    (
        _option("broker_list", Text(), "Brokers, as host:port with commas.", required=True),
        _option("topic_list", Text(), "Topics to read, with commas.", required=True),
        _option("group_name", Text(), "The consumer group that keeps the position.", required=True),
        _option("format", Text(), "How messages are written.", required=True),
        _option("row_delimiter", Text(), "Accepted from old tables; has no effect."),
        _option("schema", Text(), "Schema of formats that need one.", ""),
        _option("num_consumers", Whole(1, 16), "Least number of tasks that read; all cores are used."),
        _option("max_block_size", Whole(1), "Most messages in a batch.", MAX_BLOCK),
        _option("skip_broken_messages", Whole(), "Above 0: messages that cannot be parsed are skipped.", 0),
        _option("commit_every_batch", Flag(), "Accepted; a batch is always committed whole.", False),
        _option("client_id", Text(), "What the broker sees as the client's name.", ""),
        _option("poll_timeout_ms", Whole(), "Accepted; reading never waits on a poll."),
        _option("poll_max_batch_size", Whole(1), "Accepted; a batch is limited by max_block_size."),
        _option("flush_interval_ms", Whole(), "How long messages wait for a batch to fill.", FLUSH_MS),
        _option("thread_per_consumer", Flag(), "Accepted; tasks always write in parallel.", False),
        _option("handle_error_mode", Text(("default",)), "What a bad message does.", "default"),
        _option("commit_on_select", Flag(), "Whether a SELECT moves the group.", False),
        _option("max_rows_per_message", Whole(1), "Rows in a written message.", 1),
        _option("security_protocol", Text(_PROTOCOLS), "How the brokers are spoken to.", ""),
        _option("sasl_mechanism", Text(_MECHANISMS), "How the user is authenticated.", ""),
        _option("sasl_username", Text(), "The user.", ""),
        _option("sasl_password", Hidden(), "The user's password."),
        _option("keeper_path", Text(), "Accepted; the ledger repeats a failed batch exactly, always."),
        _option("replica_name", Text(), "Accepted together with keeper_path."),
    ),
)  # fmt: skip

POSITIONAL = (
    "broker_list", "topic_list", "group_name", "format", "row_delimiter", "schema", "num_consumers",
    "max_block_size", "skip_broken_messages", "commit_every_batch", "client_id",
)  # fmt: skip
"""What the arguments in `Kafka(…)` mean, in their order."""

ACCEPTED = frozenset({"allow_experimental_kafka_offsets_storage_in_keeper"})
"""Settings of other things that may stand in a Kafka table's SETTINGS, without effect."""
