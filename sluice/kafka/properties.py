"""The settings of a connection for both client libraries: librdkafka and Kafka's Java client."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.kafka import java, logins, tls
from sluice.kafka.logins import KERBEROS, MECHANISMS, PASSWORD_MODULES, TOKENS
from sluice.options import client
from sluice.options.client import CONSUMER, EVERY
from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Properties = tuple[tuple[str, "str | Secret"], ...]
"""Properties of a client under their names in `options/client.py`."""

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

_INSTEAD = {KERBEROS: "a ticket or a keytab", TOKENS: "a token"}
_LEVELLED = ("gzip", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class Connection:
    """The brokers and the credentials of a connection, as the user wrote them.

    `consumer` and `producer` are further properties of the clients that read and that write;
    `writer` are parts of the connection that are others for those that write.
    """

    brokers: str
    security_protocol: str = ""
    sasl_mechanism: str = ""
    sasl_username: str = ""
    sasl_password: Secret | None = None
    client_id: str = ""
    consumer: Properties = ()
    producer: Properties = ()
    writer: Properties = ()

    def librdkafka(self, role: str = CONSUMER) -> dict[str, str]:
        """The settings of a confluent-kafka client that reads, or that writes.

        Raises:
            SluiceError: a user error, when the parts contradict each other.
        """
        if self.writer and role != CONSUMER:
            return self._writing().librdkafka(role)
        settings = {}
        for name, value in self._extras(role):
            key = client.by_name()[name]
            if key.librdkafka and not key.unused:
                settings[key.librdkafka] = key.for_librdkafka(_revealed(value))
        settings |= self._common()
        if not self._is_sasl:
            return settings
        settings["sasl.mechanism"] = self._mechanism
        if self._mechanism in PASSWORD_MODULES:
            user, password = self._credentials()
            settings |= {"sasl.username": user, "sasl.password": password}
        elif self._mechanism == TOKENS and logins.URL in settings:
            settings.setdefault("sasl.oauthbearer.method", "oidc")
        elif self._mechanism == KERBEROS:
            own = {name.removeprefix("kafka."): v for name, v in self.spark(role).items()}
            settings[java.SETTINGS] = json.dumps(own)
        return settings

    def spark(self, role: str = CONSUMER) -> dict[str, str]:
        """The options of Spark's Kafka source or sink, which pass them to the Java client.

        Raises:
            SluiceError: a user error, when the parts contradict each other.
        """
        if self.writer and role != CONSUMER:
            return self._writing().spark(role)
        settings = self._java(role) | self._common()
        if self._is_sasl:
            settings |= {"sasl.mechanism": self._mechanism, "sasl.jaas.config": self._jaas(role)}
            if self._mechanism == KERBEROS:
                settings.setdefault("sasl.kerberos.service.name", "kafka")
            elif self._mechanism == TOKENS and logins.URL in settings:
                settings["sasl.login.callback.handler.class"] = logins.TOKEN_HANDLER
        return {f"kafka.{name}": value for name, value in settings.items()}

    def same_cluster(self, other: Connection) -> bool:
        """Whether both list a broker by the same address."""
        return not self._addresses().isdisjoint(other._addresses())

    def _addresses(self) -> set[str]:
        return {each.strip().lower() for each in self.brokers.split(",") if each.strip()}

    def _writing(self) -> Connection:
        parts: dict[str, Any] = dict(self.writer)
        return replace(self, writer=(), **parts)

    def _extras(self, role: str) -> Properties:
        return self.consumer if role == CONSUMER else self.producer

    def _java(self, role: str) -> dict[str, str]:
        settings = {}
        given = dict(self._extras(role))
        for name, value in given.items():
            key = client.by_name()[name]
            # Spark refuses this one: where a group begins is decided before it is asked.
            if key.java and not key.unused and key.java != "auto.offset.reset":
                settings[key.java] = _revealed(value)
        settings = tls.for_java(settings, {name: _revealed(v) for name, v in given.items()})
        codec = settings.get("compression.type", "")
        if "compression.level" in given and codec in _LEVELLED:
            settings.setdefault(f"compression.{codec}.level", _revealed(given["compression.level"]))
        return settings

    @property
    def _protocol(self) -> str:
        return _known("security.protocol", self.security_protocol or "PLAINTEXT", PROTOCOLS)

    @property
    def _mechanism(self) -> str:
        given = self.sasl_mechanism or (KERBEROS if self._kerberos() else "PLAIN")
        mechanism = _known("sasl.mechanism", given, MECHANISMS)
        if self.sasl_username and mechanism in _INSTEAD:
            raise errors.SASL_PASSWORD_NOT_USED(mechanism=mechanism, instead=_INSTEAD[mechanism])
        return mechanism

    @property
    def _is_sasl(self) -> bool:
        return self._protocol.startswith("SASL_")

    def _kerberos(self) -> bool:
        names = {name for name, _ in (*self.consumer, *self.producer)}
        return any(name.startswith("sasl.kerberos.") for name in names) and not self.sasl_username

    def _common(self) -> dict[str, str]:
        if not self.brokers.strip():
            raise errors.KAFKA_BROKERS_MISSING()
        if self.sasl_username and not self._is_sasl:
            raise errors.SASL_PROTOCOL_MISMATCH(protocol=self._protocol)
        settings = {
            "bootstrap.servers": self.brokers,
            "security.protocol": self._protocol if self.security_protocol else "",
            "client.id": self.client_id,
        }
        return {name: value for name, value in settings.items() if value}

    def _credentials(self) -> tuple[str, str]:
        if not self.sasl_username or self.sasl_password is None:
            raise errors.SASL_LOGIN_MISSING(protocol=self._protocol)
        return self.sasl_username, self.sasl_password.reveal()

    def _jaas(self, role: str) -> str:
        given = {name: _revealed(value) for name, value in self._extras(role)}
        if self._mechanism == KERBEROS:
            return logins.kerberos_login(given)
        if self._mechanism == TOKENS:
            return logins.token_login(given)
        return logins.password_login(self._mechanism, *self._credentials())


def properties(given: Mapping[str, str | Secret], role: str) -> Properties:
    """Those of the properties that a client of that role takes."""
    keys = client.by_name()
    return tuple((name, value) for name, value in given.items() if keys[name].role in (role, EVERY))


def _revealed(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _known(option: str, given: str, known: Iterable[str]) -> str:
    """The known value that was given, ignoring case."""
    word = given.strip().upper()
    if word in known:
        return word
    reason = f"one of {', '.join(known)} is expected"
    raise errors.INVALID_OPTION_VALUE(option=option, value=f"'{given}'", reason=reason)
