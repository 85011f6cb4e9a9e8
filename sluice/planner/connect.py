"""From options and configuration files to a connection, whatever the dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.kafka.logins import KERBEROS, login_of
from sluice.kafka.properties import Connection, properties
from sluice.options.client import CONSUMER, PRODUCER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.config import Config
    from sluice.options.option_set import Values
    from sluice.parameters.secret import Secret

_FIELDS = {
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_username",
    "sasl.password": "sasl_password",
}
"""Properties that are parts of a connection, so that a table's own come before them."""


_KEYS = {
    "ssl_ca": ("ssl.truststore.certificates", ("ssl.truststore.location", "ssl.truststore.type")),
    "ssl_certificate": (
        "ssl.keystore.certificate.chain",
        ("ssl.certificate.location", "ssl.keystore.location", "ssl.keystore.type"),
    ),
    "ssl_key": ("ssl.keystore.key", ("ssl.key.location", "ssl.key.password")),
    "ssl_key_password": ("ssl.key.password", ()),
}
"""A table's own keys and certificates: the property of each, and what it stands instead of."""


def connection(
    values: Values,
    topics: Iterable[str],
    client_id: str,
    config: Config | None = None,
    collection: str = "",
    producer: Mapping[str, str | Secret] | None = None,
) -> Connection:
    """Who connects where; what the table says comes before what the configuration says.

    Raises:
        SluiceError: a user error, when the parts contradict each other.
    """
    topics = tuple(topics)
    reading = _merged(config, CONSUMER, topics, collection, values.client)
    writing = _merged(config, PRODUCER, topics, collection, values.client)
    writing.update(producer or {})
    for part, (name, instead) in _KEYS.items():
        if values[part]:
            for given in (reading, writing):
                for other in instead:
                    given.pop(other, None)
                given[name] = values[part]
    own: dict[str, Any] = {part: values[part] for part in _FIELDS.values() if values[part]}
    if values["sasl_jaas"] is not None:
        own["sasl_username"], own["sasl_password"] = login_of(values["sasl_jaas"])
    reader, writer = _login(reading, own), _login(writing, own)
    made = Connection(
        values["brokers"],
        client_id=client_id,
        consumer=properties(reading, CONSUMER),
        producer=properties(writing, PRODUCER),
        writer=tuple((part, value) for part, value in writer.items() if reader.get(part) != value),
        **reader,
    )
    made.librdkafka()  # the parts are checked against each other here
    made.spark()
    return made


def _login(given: dict[str, str | Secret], own: Mapping[str, Any]) -> dict[str, Any]:
    """Take what is part of a connection out of the properties; the table's own comes before it."""
    parts = {part: given.pop(name) for name, part in _FIELDS.items() if name in given}
    if own.get("sasl_username"):
        parts.pop("sasl_password", None)  # another user's
    merged = {**parts, **own}
    asked = str(parts.get("security_protocol", "")).lower().startswith("sasl")
    if asked and not merged.get("sasl_username") and not merged.get("sasl_mechanism"):
        merged["sasl_mechanism"] = KERBEROS  # a ticket of the system's is enough
    return merged


def offset_reset(made: Connection) -> str:
    """Where a group without offsets begins, if the configuration says so."""
    return str(dict(made.consumer).get("auto.offset.reset", ""))


def _merged(
    config: Config | None,
    role: str,
    topics: tuple[str, ...],
    collection: str,
    own: Mapping[str, str | Secret],
) -> dict[str, str | Secret]:
    given = config.properties(role, topics, collection) if config else {}
    return given | dict(own)
