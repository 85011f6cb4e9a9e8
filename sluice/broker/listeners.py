"""Ways into the embedded broker besides the plain one: TLS, and users that log in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECURITY = "org.apache.kafka.common.security"
_SCRAM = f"{_SECURITY}.scram.ScramLoginModule required;"
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(frozen=True, slots=True)
class Listener:
    """One more port of the broker.

    Args:
        name: What it is called; letters only.
        protocol: SSL, SASL_PLAINTEXT or SASL_SSL.
        mechanisms: How users may log in: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER (with
            unsigned tokens), GSSAPI.
        users: Names and passwords for PLAIN and SCRAM.
        key_store: A PEM file with the broker's key and certificates.
        trust_store: A PEM file with the certificates that clients must show one of; without it
            none is asked for.
        keytab: The broker's own key for GSSAPI.
        principal: The broker's own name for GSSAPI.
        host: What clients are told to connect to.
    """

    name: str
    protocol: str
    mechanisms: tuple[str, ...] = ()
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_store: Path | None = None
    trust_store: Path | None = None
    keytab: Path | None = None
    principal: str = ""
    host: str = "127.0.0.1"

    def settings(self) -> dict[str, str]:
        """Its part of `server.properties`."""
        own: dict[str, str] = {}
        if self.key_store is not None:
            own |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(self.key_store)}
        if self.trust_store is not None:
            own |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(self.trust_store)}
            own["ssl.client.auth"] = "required"
        if self.mechanisms:
            own["sasl.enabled.mechanisms"] = ",".join(self.mechanisms)
            if "GSSAPI" in self.mechanisms:
                own["sasl.kerberos.service.name"] = self.principal.partition("/")[0]
        for mechanism in self.mechanisms:
            own[f"{mechanism.lower()}.sasl.jaas.config"] = self._login(mechanism)
        return {f"listener.name.{self.name.lower()}.{key}": value for key, value in own.items()}

    def scram_users(self) -> list[str]:
        """The users that the broker's storage is formatted with."""
        return [
            f"{mechanism}=[name={user},password={password}]"
            for mechanism in self.mechanisms
            if mechanism in SCRAM
            for user, password in self.users.items()
        ]

    def _login(self, mechanism: str) -> str:
        if mechanism == "PLAIN":
            users = " ".join(f'user_{name}="{word}"' for name, word in self.users.items())
            return f"{_SECURITY}.plain.PlainLoginModule required {users};"
        if mechanism == "OAUTHBEARER":
            return (
                f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule required "
                'unsecuredLoginStringClaim_sub="broker";'
            )
        if mechanism == "GSSAPI":
            return (
                "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true "
                f'storeKey=true keyTab="{self.keytab}" principal="{self.principal}";'
            )
        return _SCRAM
