"""SASL logins as Kafka's Java client configures them: `sasl.jaas.config`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

KERBEROS, TOKENS = "GSSAPI", "OAUTHBEARER"

_SECURITY = "org.apache.kafka.common.security"
_SCRAM = f"{_SECURITY}.scram.ScramLoginModule"
PASSWORD_MODULES = {
    "PLAIN": f"{_SECURITY}.plain.PlainLoginModule",
    "SCRAM-SHA-256": _SCRAM,
    "SCRAM-SHA-512": _SCRAM,
}
MECHANISMS = (*PASSWORD_MODULES, KERBEROS, TOKENS)
_KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule"
_TOKEN_MODULE = f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule"
TOKEN_HANDLER = f"{_SECURITY}.oauthbearer.OAuthBearerLoginCallbackHandler"

# Inside quotes Java's reader of login settings ends at a line end and takes these escapes.
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_VALUE = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.$@+-]+)"""
_JAAS = re.compile(
    rf"\s*(?P<module>[\w.]+)\s+required(?P<options>(?:\s+\w+\s*=\s*{_VALUE})+)\s*;?\s*", re.ASCII
)
_JAAS_OPTION = re.compile(rf"(\w+)\s*=\s*({_VALUE})", re.ASCII)
_LONGEST_JAAS = 4096
_PRINCIPAL = re.compile(r"(?:^|\s)principal=(\S+)")

URL = "sasl.oauthbearer.token.endpoint.url"


def password_login(mechanism: str, user: str, password: str) -> str:
    """A user with a password."""
    module = PASSWORD_MODULES[mechanism]
    return f"{module} required username={_quoted(user)} password={_quoted(password)};"


def kerberos_login(given: Mapping[str, str]) -> str:
    """A keytab, or the ticket that the operating system keeps."""
    keytab, principal = given.get("sasl.kerberos.keytab"), given.get("sasl.kerberos.principal")
    if not keytab:
        return f"{_KERBEROS_MODULE} required useTicketCache=true doNotPrompt=true;"
    named = f" principal={_quoted(principal)}" if principal else ""
    return (
        f"{_KERBEROS_MODULE} required useKeyTab=true storeKey=true doNotPrompt=true "
        f"keyTab={_quoted(keytab)}{named};"
    )


def token_login(given: Mapping[str, str]) -> str:
    """A token from the operator's endpoint, or an unsigned one.

    Raises:
        SluiceError: SASL_OAUTHBEARER_INCOMPLETE, when the configuration has neither.
    """
    if given.get(URL):
        parts = {
            "clientId": given.get("sasl.oauthbearer.client.id", ""),
            "clientSecret": given.get("sasl.oauthbearer.client.secret", ""),
            "scope": given.get("sasl.oauthbearer.scope", ""),
        }
    elif given.get("enable.sasl.oauthbearer.unsecure.jwt", "").lower() == "true":
        found = _PRINCIPAL.search(given.get("sasl.oauthbearer.config", ""))
        if found is None:
            reason = "sasl.oauthbearer.config needs principal=<name> for an unsigned token"
            raise errors.SASL_OAUTHBEARER_INCOMPLETE(reason=reason)
        parts = {"unsecuredLoginStringClaim_sub": found[1]}
    else:
        raise errors.SASL_OAUTHBEARER_INCOMPLETE(reason="no token endpoint is set")
    options = " ".join(f"{name}={_quoted(value)}" for name, value in parts.items() if value)
    return f"{_TOKEN_MODULE} required {options};"


def login_of(jaas: Secret) -> tuple[str, Secret]:
    """The user name and password in a `sasl.jaas.config`; nothing else of it is used.

    Raises:
        SluiceError: INVALID_JAAS_CONFIG; the text itself is never shown.
    """
    found = _JAAS.fullmatch(jaas.reveal()) if len(jaas.reveal()) <= _LONGEST_JAAS else None
    modules = set(PASSWORD_MODULES.values())
    if found is None or found["module"] not in modules:
        raise errors.INVALID_JAAS_CONFIG(
            reason="its module or its form is not supported", modules=", ".join(sorted(modules))
        )
    options = {name: _unquoted(value) for name, value in _JAAS_OPTION.findall(found["options"])}
    if set(options) != {"username", "password"}:
        raise errors.INVALID_JAAS_CONFIG(
            reason="it must have username and password, and nothing else",
            modules=", ".join(sorted(modules)),
        )
    return options["username"], Secret(options["password"])


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _unquoted(text: str) -> str:
    if text[0] not in "\"'":
        return text
    return re.sub(r"\\(.)", lambda m: _UNESCAPED.get(m[1], m[1]), text[1:-1], flags=re.DOTALL)
