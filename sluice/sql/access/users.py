"""The clauses of CREATE and ALTER USER."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import re2
from sqlglot import TokenType

from sluice import errors
from sluice.access import entities as e
from sluice.access.entities import Hosts
from sluice.access.hosts import is_network
from sluice.parameters.secret import Secret
from sluice.sql.access import clauses
from sluice.sql.access.nodes import Identified

if TYPE_CHECKING:
    from sluice.sql.core.cursor import Cursor

_BY_PASSWORD = {
    "PLAINTEXT_PASSWORD": e.PLAINTEXT,
    "SHA256_PASSWORD": e.SHA256,
    "DOUBLE_SHA1_PASSWORD": e.DOUBLE_SHA1,
    "BCRYPT_PASSWORD": e.BCRYPT,
}
_BY_HASH = {
    "SHA256_HASH": (e.SHA256, r"[0-9A-Fa-f]{64}"),
    "DOUBLE_SHA1_HASH": (e.DOUBLE_SHA1, r"[0-9A-Fa-f]{40}"),
    "BCRYPT_HASH": (e.BCRYPT, r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}"),
}
_REFUSED = ("LDAP", "KERBEROS", "SSH_KEY", "HTTP", "SCRAM_SHA256_PASSWORD", "SCRAM_SHA256_HASH")


def user_parts(cursor: Cursor) -> dict[str, Any]:
    """Read the clauses, in any order."""
    parts: dict[str, Any] = {}
    while cursor.token is not None:
        if cursor.word("NOT", "IDENTIFIED"):
            parts["authentication"] = (Identified(e.NO_PASSWORD),)
        elif cursor.word("IDENTIFIED"):
            parts["authentication"] = _methods(cursor)
        elif cursor.word("ADD", "IDENTIFIED"):
            parts["more_authentication"] = _methods(cursor)
        elif cursor.word("RESET", "AUTHENTICATION", "METHODS", "TO", "NEW"):
            parts["newest_authentication"] = True
        elif cursor.word("ADD", "HOST"):
            parts["more_hosts"] = _hosts(cursor)
        elif cursor.word("DROP", "HOST"):
            parts["fewer_hosts"] = _hosts(cursor)
        elif cursor.word("HOST"):
            parts["hosts"] = _hosts(cursor)
        elif cursor.word("DEFAULT", "ROLE"):
            parts["default_roles"] = clauses.names(cursor)
        elif cursor.word("DEFAULT", "DATABASE"):
            none = cursor.word("NONE")
            parts["default_database"] = "" if none else cursor.identifier("a database's name")
        elif cursor.word("SETTINGS") or cursor.word("SETTING"):
            parts["settings"] = clauses.settings(cursor)
        elif cursor.word("GRANTEES"):
            parts["grantees"] = clauses.names(cursor, any_word=True)
        elif cursor.word("VALID", "UNTIL"):
            parts["valid_until"] = _time(cursor)
        elif cursor.word("IN"):
            clauses.name(cursor, "a storage's name")
        else:
            break
    return parts


def _methods(cursor: Cursor) -> tuple[Identified, ...]:
    place, found = cursor.place(), [_method(cursor)]
    while cursor.mark(TokenType.COMMA):
        found.append(_method(cursor))
    if len(found) > 1 and any(each.kind == e.NO_PASSWORD for each in found):
        reason = "no_password stands alone: with it no other way to log in is needed"
        raise errors.SYNTAX_ERROR(reason=reason, place=place)
    return tuple(found)


def _method(cursor: Cursor) -> Identified:
    """Read `[WITH kind] BY 'password'` and the like."""
    cursor.word("WITH")
    place = cursor.place()
    if cursor.word("BY"):
        return Identified(e.SHA256, Secret(cursor.string("a password")))
    if cursor.word("NO_PASSWORD"):
        return Identified(e.NO_PASSWORD)
    for word, kind in _BY_PASSWORD.items():
        if cursor.word(word):
            cursor.need("BY")
            return Identified(kind, Secret(cursor.string("a password")))
    for word, (kind, shape) in _BY_HASH.items():
        if cursor.word(word):
            cursor.need("BY")
            made = cursor.string("a hash")
            if not re2.fullmatch(shape, made):
                reason = f"the text after {word.lower()} is no such hash"
                raise errors.BAD_PASSWORD(reason=reason, place=place)
            salt = cursor.string("a salt") if cursor.word("SALT") else ""
            return Identified(kind, hash=made, salt=salt)
    if cursor.word("SSL_CERTIFICATE"):
        if not cursor.word("CN"):
            raise cursor.unsupported(
                clause="ssl_certificate SAN", hint="Name the certificate's CN."
            )
        listed = clauses.several(cursor, lambda: cursor.string("a common name"))
        return Identified(e.CERTIFICATE, names=listed)
    for word in _REFUSED:
        if cursor.is_word(word):
            known = ", ".join(w.lower() for w in (*_BY_PASSWORD, *_BY_HASH, "SSL_CERTIFICATE"))
            clause, hint = f"IDENTIFIED WITH {word.lower()}", f"Supported: {known}"
            raise cursor.unsupported(clause=clause, hint=hint)
    raise cursor.wrong(reason="expected BY, or how the user is identified")


def _hosts(cursor: Cursor) -> Hosts:
    """Read `ANY | NONE | LOCAL | NAME 'n' | REGEXP 'r' | IP 'a' | LIKE 'p', …`."""
    everywhere = here = False
    found: dict[str, list[str]] = {"NAME": [], "REGEXP": [], "IP": [], "LIKE": []}
    while True:
        place = cursor.place()
        if cursor.word("ANY"):
            everywhere = True
        elif cursor.word("LOCAL"):
            here = True
        elif not cursor.word("NONE"):
            kind = cursor.one_of(*found)
            if kind is None:
                raise cursor.wrong(reason="expected ANY, LOCAL, NAME, REGEXP, IP, LIKE or NONE")
            while True:
                found[kind].append(_checked(kind, cursor.string(f"a {kind}"), place))
                at = cursor.index
                if not cursor.mark(TokenType.COMMA):
                    break
                if cursor.token is None or cursor.token.token_type != TokenType.STRING:
                    cursor.index = at
                    break
        if not cursor.mark(TokenType.COMMA):
            return Hosts(
                everywhere,
                here,
                tuple(found["IP"]),
                tuple(found["NAME"]),
                tuple(found["REGEXP"]),
                tuple(found["LIKE"]),
            )


def _checked(kind: str, text: str, place: errors.Place) -> str:
    reason = ""
    if kind == "IP" and not is_network(text):
        reason = f"{text} is no address and no network"
    if kind == "REGEXP":
        try:
            re2.compile(text)
        except re2.error as bad:
            reason = f"{text} is no pattern: {bad}"
    if reason:
        raise errors.SYNTAX_ERROR(reason=reason, place=place)
    return text


def _time(cursor: Cursor) -> datetime | None:
    """Read a time in UTC, or 'infinity'."""
    place = cursor.place()
    text = cursor.string("a time")
    if text.lower() == "infinity":
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        reason = f"{text} is no time such as 2030-01-31 12:00:00"
        raise errors.SYNTAX_ERROR(reason=reason, place=place) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
