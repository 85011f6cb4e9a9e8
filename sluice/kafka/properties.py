"""How a connection is said to the two client libraries: librdkafka's and Java's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.options.secret import Secret

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": _SCRAM,
    "SCRAM-SHA-512": _SCRAM,
}

# Inside quotes Java's reader of login settings ends at a line end and takes these escapes.
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the brokers are and who asks; texts are as the user wrote them."""

    brokers: str
    security_protocol: str = ""
    sasl_mechanism: str = ""
    sasl_username: str = ""
    sasl_password: Secret | None = None
    client_id: str = ""

    def librdkafka(self) -> dict[str, str]:
        """The settings of a confluent-kafka client.

        Raises:
            SluiceError: BAD_ARGUMENTS, when the parts do not fit together.
        """
        settings = self._common()
        if self._is_sasl:
            user, password = self._credentials()
            settings |= {
                "sasl.mechanism": self._mechanism,
                "sasl.username": user,
                "sasl.password": password,
            }
        return settings

    def spark(self) -> dict[str, str]:
        """The options of Spark's Kafka source and sink, which hand them to Java's client.

        Raises:
            SluiceError: BAD_ARGUMENTS, when the parts do not fit together.
        """
        settings = self._common()
        if self._is_sasl:
            settings |= {"sasl.mechanism": self._mechanism, "sasl.jaas.config": self._jaas()}
        return {f"kafka.{name}": value for name, value in settings.items()}

    @property
    def _protocol(self) -> str:
        return _known("security protocol", self.security_protocol or "PLAINTEXT", PROTOCOLS)

    @property
    def _mechanism(self) -> str:
        return _known("SASL mechanism", self.sasl_mechanism or "PLAIN", LOGIN_MODULES)

    @property
    def _is_sasl(self) -> bool:
        return self._protocol.startswith("SASL_")

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

    def _jaas(self) -> str:
        user, password = map(_quoted, self._credentials())
        module = LOGIN_MODULES[self._mechanism]
        return f"{module} required username={user} password={password};"


def _known(what: str, given: str, known: Iterable[str]) -> str:
    """The one of the known words that was given, in whatever case."""
    word = given.strip().upper()
    if word in known:
        return word
    reason = f"Unknown {what} {given}; known are {', '.join(known)}"
    raise errors.BAD_ARGUMENTS(reason=reason)


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
