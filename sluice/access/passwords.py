"""Passwords: hashed before they are kept, and compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sluice import errors
from sluice.access.entities import BCRYPT, DOUBLE_SHA1, PLAINTEXT, SHA256, Authentication

_LONGEST_FOR_BCRYPT = 72
_COST = 12


def hashed(kind: str, password: str) -> Authentication:
    """What is kept of a password.

    Raises:
        SluiceError: BAD_PASSWORD for one that bcrypt cannot take.
    """
    if kind == BCRYPT:
        import bcrypt

        if len(password.encode()) > _LONGEST_FOR_BCRYPT:
            reason = f"bcrypt takes at most {_LONGEST_FOR_BCRYPT} bytes"
            raise errors.BAD_PASSWORD(reason=reason)
        made = bcrypt.hashpw(password.encode(), bcrypt.gensalt(_COST)).decode()
        return Authentication(kind, made)
    if kind == DOUBLE_SHA1:
        return Authentication(kind, _double_sha1(password))
    salt = secrets.token_hex(16)
    return Authentication(kind, _sha256(password, salt), salt)


def verify(authentication: Authentication, password: str) -> bool:
    """Whether a password is the one that was hashed."""
    if authentication.kind == BCRYPT:
        import bcrypt

        try:
            return bcrypt.checkpw(
                password.encode()[:_LONGEST_FOR_BCRYPT], authentication.hash.encode()
            )
        except ValueError:  # what was given as a hash is none
            return False
    if authentication.kind in (SHA256, PLAINTEXT):
        made = _sha256(password, authentication.salt)
    elif authentication.kind == DOUBLE_SHA1:
        made = _double_sha1(password)
    else:
        return False
    return hmac.compare_digest(made, authentication.hash.lower())


def _sha256(password: str, salt: str) -> str:
    return hashlib.sha256((password + salt).encode("utf-8", "surrogateescape")).hexdigest()


def _double_sha1(password: str) -> str:
    # ClickHouse's (and MySQL's) own way, for clients that have such hashes.
    once = hashlib.sha1(password.encode("utf-8", "surrogateescape")).digest()  # noqa: S324
    return hashlib.sha1(once).hexdigest()  # noqa: S324
