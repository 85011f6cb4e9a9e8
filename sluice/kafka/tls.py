"""Keys and certificates as Java's client takes them: PEM texts, so that every executor has them."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

_CERTIFICATES = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(r"-----BEGIN (?P<sort>[A-Z ]*)PRIVATE KEY-----(?P<body>.*?)-----END", re.DOTALL)
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
"""The object identifier of that encryption scheme, as encoded in the key."""
_TYPES = {
    "ssl.truststore.location": ("ssl.truststore.type", "PEM"),
    "ssl.truststore.certificates": ("ssl.truststore.type", "PEM"),
    "ssl.keystore.key": ("ssl.keystore.type", "PEM"),
    "ssl.keystore.location": ("ssl.keystore.type", "PKCS12"),
}
"""Settings that the Java client needs in addition to a property that librdkafka understands."""


def for_java(settings: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The settings with files of PEM read into them; `given` has librdkafka's names of such files.

    Raises:
        SluiceError: INVALID_PRIVATE_KEY for a form that Java's client does not read.
    """
    made = dict(settings)
    _read(made, "ssl.truststore", made.get("ssl.truststore.location", ""), "certificates")
    if given.get("ssl.certificate.location") and "ssl.keystore.certificate.chain" not in made:
        made["ssl.keystore.certificate.chain"] = _file(given["ssl.certificate.location"])
    if given.get("ssl.key.location") and "ssl.keystore.key" not in made:
        made["ssl.keystore.key"] = _file(given["ssl.key.location"])
    if "ssl.keystore.key" in made:
        check_key(made["ssl.keystore.key"])
    for name, (beside, sort) in _TYPES.items():
        if name in made:
            made.setdefault(beside, sort)
    return made


def check_key(pem: str) -> None:
    """Whether a text is a key that both clients read.

    Raises:
        SluiceError: INVALID_PRIVATE_KEY, which shows nothing of it.
    """
    found = _KEY.search(pem)
    if found is None:
        raise errors.INVALID_PRIVATE_KEY(
            reason="it is not in PEM format", hint="It begins with BEGIN PRIVATE KEY."
        )
    if found["sort"].strip() not in ("", "ENCRYPTED"):
        raise errors.INVALID_PRIVATE_KEY(
            reason=f"it is in the older format BEGIN {found['sort']}PRIVATE KEY, which Kafka's "
            "Java client does not read",
            hint="Convert it to PKCS #8 with openssl pkcs8 -topk8.",
        )
    if found["sort"] and _PBES2 in _bytes(found["body"]):
        raise errors.INVALID_PRIVATE_KEY(
            reason="it is encrypted with PBES2, which Kafka's Java client does not read",
            hint="Encrypt it with openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES.",
        )


def _bytes(body: str) -> bytes:
    try:
        return base64.b64decode("".join(body.split()))
    except ValueError:
        return b""


def _read(made: dict[str, str], store: str, path: str, into: str) -> None:
    """Read the certificates of a PEM file; a file of another format is left to the client."""
    if not path or made.get(f"{store}.type", "PEM").upper() != "PEM":
        return
    try:
        text = Path(path).read_text("ascii", "replace")
    except OSError:  # Java's client reports it when it is used
        return
    found = _CERTIFICATES.findall(text)
    if found:
        made[f"{store}.{into}"] = "\n".join(found)
        del made[f"{store}.location"]


def _file(path: str) -> str:
    try:
        return Path(path).read_text("ascii", "replace")
    except OSError as bad:
        raise errors.CANNOT_READ_FILE(file=path, reason=bad.strerror) from bad
