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
"""The name of that way to encrypt a key, as it stands in the key."""
_TYPES = {
    "ssl.truststore.location": ("ssl.truststore.type", "PEM"),
    "ssl.truststore.certificates": ("ssl.truststore.type", "PEM"),
    "ssl.keystore.key": ("ssl.keystore.type", "PEM"),
    "ssl.keystore.location": ("ssl.keystore.type", "PKCS12"),
}
"""What Java's client has to be told beside a property that librdkafka understands alone."""


def for_java(settings: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The settings with files of PEM read into them; `given` has librdkafka's names of such files.

    Raises:
        SluiceError: BAD_ARGUMENTS for a key of a form that Java's client does not read.
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
        SluiceError: BAD_ARGUMENTS, which shows nothing of it.
    """
    found = _KEY.search(pem)
    if found is None:
        raise errors.BAD_ARGUMENTS(reason="The client's key is no PEM text (BEGIN PRIVATE KEY)")
    if found["sort"].strip() not in ("", "ENCRYPTED"):
        reason = (
            f"The client's key is of the older form BEGIN {found['sort']}PRIVATE KEY, which Java's "
            "client does not read; openssl pkcs8 -topk8 makes the newer one of it"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)
    if found["sort"] and _PBES2 in _bytes(found["body"]):
        reason = (
            "The client's key is encrypted with PBES2, which Java's client does not read; "
            "openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES makes one that it does read"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)


def _bytes(body: str) -> bytes:
    try:
        return base64.b64decode("".join(body.split()))
    except ValueError:
        return b""


def _read(made: dict[str, str], store: str, path: str, into: str) -> None:
    """Take the certificates out of a file of PEM; one of another sort stays where it is."""
    if not path or made.get(f"{store}.type", "PEM").upper() != "PEM":
        return
    try:
        text = Path(path).read_text("ascii", "replace")
    except OSError:  # Java's client says it when it is used
        return
    found = _CERTIFICATES.findall(text)
    if found:
        made[f"{store}.{into}"] = "\n".join(found)
        del made[f"{store}.location"]


def _file(path: str) -> str:
    try:
        return Path(path).read_text("ascii", "replace")
    except OSError as bad:
        reason = f"The file {path} of the server's configuration cannot be read ({bad.strerror})"
        raise errors.BAD_ARGUMENTS(reason=reason) from bad
