"""How a connection is said to the two client libraries: librdkafka's and Java's."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options import client
from sluice.options.client import CONSUMER, EVERY
from sluice.options.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Properties = tuple[tuple[str, "str | Secret"], ...]
"""Properties of a client under their names in `options/client.py`."""

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
KERBEROS = "GSSAPI"

_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": _SCRAM,
    "SCRAM-SHA-512": _SCRAM,
}
_KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule"

# Inside quotes Java's reader of login settings ends at a line end and takes these escapes.
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_VALUE = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.$@+-]+)"""
_JAAS = re.compile(
    rf"\s*(?P<module>[\w.]+)\s+required(?P<options>(?:\s+\w+\s*=\s*{_VALUE})+)\s*;?\s*", re.ASCII
)
_JAAS_OPTION = re.compile(rf"(\w+)\s*=\s*({_VALUE})", re.ASCII)
_LONGEST_JAAS = 4096

_LEVELLED = ("gzip", "lz4", "zstd")
_JAVA_TYPES = {
    "ssl.truststore.location": ("ssl.truststore.type", "PEM"),
    "ssl.truststore.certificates": ("ssl.truststore.type", "PEM"),
    "ssl.keystore.key": ("ssl.keystore.type", "PEM"),
    "ssl.keystore.location": ("ssl.keystore.type", "PKCS12"),
}
"""What Java's client has to be told beside a property that librdkafka understands alone."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the brokers are and who asks; texts are as the user wrote them.

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
            SluiceError: BAD_ARGUMENTS, when the parts do not fit together.
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
        if self._mechanism != KERBEROS:
            user, password = self._credentials()
            settings |= {"sasl.username": user, "sasl.password": password}
        return settings

    def spark(self, role: str = CONSUMER) -> dict[str, str]:
        """The options of Spark's Kafka source or sink, which hand them to Java's client.

        Raises:
            SluiceError: BAD_ARGUMENTS, when the parts do not fit together.
        """
        if self.writer and role != CONSUMER:
            return self._writing().spark(role)
        settings = self._java(role) | self._common()
        if self._is_sasl:
            settings |= {"sasl.mechanism": self._mechanism, "sasl.jaas.config": self._jaas(role)}
            if self._mechanism == KERBEROS:
                settings.setdefault("sasl.kerberos.service.name", "kafka")
        return {f"kafka.{name}": value for name, value in settings.items()}

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
        for name, (beside, sort) in _JAVA_TYPES.items():
            if name in settings:
                settings.setdefault(beside, sort)
        codec = settings.get("compression.type", "")
        if "compression.level" in given and codec in _LEVELLED:
            settings.setdefault(f"compression.{codec}.level", _revealed(given["compression.level"]))
        return settings

    @property
    def _protocol(self) -> str:
        return _known("security protocol", self.security_protocol or "PLAINTEXT", PROTOCOLS)

    @property
    def _mechanism(self) -> str:
        given = self.sasl_mechanism or (KERBEROS if self._kerberos() else "PLAIN")
        mechanism = _known("SASL mechanism", given, (*LOGIN_MODULES, KERBEROS))
        if mechanism == KERBEROS and self.sasl_username:
            reason = f"{KERBEROS} takes no SASL user and password; it takes a ticket or a keytab"
            raise errors.BAD_ARGUMENTS(reason=reason)
        return mechanism

    @property
    def _is_sasl(self) -> bool:
        return self._protocol.startswith("SASL_")

    def _kerberos(self) -> bool:
        names = {name for name, _ in (*self.consumer, *self.producer)}
        return any(name.startswith("sasl.kerberos.") for name in names) and not self.sasl_username

    def _common(self) -> dict[str, str]:
        if not self.brokers.strip():
            raise errors.BAD_ARGUMENTS(reason="The list of Kafka brokers is empty")
        if self.sasl_username and not self._is_sasl:
            reason = (
                f"A SASL user is given, but the security protocol is {self._protocol}, "
                "which sends none; use SASL_PLAINTEXT or SASL_SSL"
            )
            raise errors.BAD_ARGUMENTS(reason=reason)
        settings = {
            "bootstrap.servers": self.brokers,
            "security.protocol": self._protocol if self.security_protocol else "",
            "client.id": self.client_id,
        }
        return {name: value for name, value in settings.items() if value}

    def _credentials(self) -> tuple[str, str]:
        if not self.sasl_username or self.sasl_password is None:
            reason = f"The security protocol {self._protocol} needs a SASL user name and password"
            raise errors.BAD_ARGUMENTS(reason=reason)
        return self.sasl_username, self.sasl_password.reveal()

    def _jaas(self, role: str) -> str:
        if self._mechanism == KERBEROS:
            return _kerberos_jaas(dict(self._extras(role)))
        user, password = map(_quoted, self._credentials())
        module = LOGIN_MODULES[self._mechanism]
        return f"{module} required username={user} password={password};"


def login_of(jaas: Secret) -> tuple[str, Secret]:
    """The user and password in what Java calls `sasl.jaas.config`; nothing else is taken from it.

    Raises:
        SluiceError: BAD_ARGUMENTS for another module, or another form; the text is never shown.
    """
    found = _JAAS.fullmatch(jaas.reveal()) if len(jaas.reveal()) <= _LONGEST_JAAS else None
    modules = set(LOGIN_MODULES.values())
    if found is None or found["module"] not in modules:
        reason = (
            'sasl.jaas.config must be of the form \'<module> required username="…" '
            f'password="…";\' with one of the modules {", ".join(sorted(modules))}'
        )
        raise errors.BAD_ARGUMENTS(reason=reason)
    options = {name: _unquoted(value) for name, value in _JAAS_OPTION.findall(found["options"])}
    if set(options) != {"username", "password"}:
        reason = "sasl.jaas.config must have username and password, and nothing else"
        raise errors.BAD_ARGUMENTS(reason=reason)
    return options["username"], Secret(options["password"])


def properties(given: Mapping[str, str | Secret], role: str) -> Properties:
    """Those of the properties that a client of that role takes."""
    keys = client.by_name()
    return tuple((name, value) for name, value in given.items() if keys[name].role in (role, EVERY))


def _revealed(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _kerberos_jaas(given: Mapping[str, str | Secret]) -> str:
    keytab = _revealed(given.get("sasl.kerberos.keytab", ""))
    principal = _revealed(given.get("sasl.kerberos.principal", ""))
    if not keytab:
        return f"{_KERBEROS_MODULE} required useTicketCache=true doNotPrompt=true;"
    named = f" principal={_quoted(principal)}" if principal else ""
    return (
        f"{_KERBEROS_MODULE} required useKeyTab=true storeKey=true doNotPrompt=true "
        f"keyTab={_quoted(keytab)}{named};"
    )


def _known(what: str, given: str, known: Iterable[str]) -> str:
    """The one of the known words that was given, in whatever case."""
    word = given.strip().upper()
    if word in known:
        return word
    reason = f"Unknown {what} {given}; known are {', '.join(known)}"
    raise errors.BAD_ARGUMENTS(reason=reason)


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _unquoted(text: str) -> str:
    if text[0] not in "\"'":
        return text
    return re.sub(r"\\(.)", lambda m: _UNESCAPED.get(m[1], m[1]), text[1:-1], flags=re.DOTALL)
