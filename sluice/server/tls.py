"""HTTPS: certificates that are read again when their files change."""

from __future__ import annotations

import logging
import ssl
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors

if TYPE_CHECKING:
    from sluice.config import Tls

_LOOK_S = 1.0
log = logging.getLogger("sluice.server")


class Certificates:
    """The server's certificate and key, and the authority of clients' certificates.

    New files take effect for new connections; ones that cannot be read are logged, and the old ones
    stay.

    Raises:
        SluiceError: TLS_REFUSED.
    """

    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self.context = _context(tls)
        self._seen = self._state()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="certificates", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop looking at the files."""
        self._stop.set()
        self._thread.join(_LOOK_S)

    def _state(self) -> tuple[Any, ...]:
        files = (self._tls.certificate, self._tls.key, self._tls.authority)
        return tuple(_stamp(Path(file)) for file in files if file)

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        """Read the files again if they have changed."""
        state = self._state()
        if state == self._seen:
            return
        try:
            _context(self._tls)  # a pair that does not fit must not replace one that does
            _load(self.context, self._tls)
        except errors.SluiceError as bad:
            log.warning("certificates stay as they were: %s", bad.text())
            return
        self._seen = state
        log.info("certificates were read again")


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino


def _context(tls: Tls) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    _load(context, tls)
    if tls.authority:
        context.verify_mode = ssl.CERT_REQUIRED if tls.strict else ssl.CERT_OPTIONAL
    return context


def _load(context: ssl.SSLContext, tls: Tls) -> None:
    file = tls.certificate or "--certificate"
    try:
        context.load_cert_chain(tls.certificate, tls.key or None, password=_no_password)
        if tls.authority:
            file = tls.authority
            context.load_verify_locations(tls.authority)
    except (OSError, ssl.SSLError, ValueError) as bad:
        reason = getattr(bad, "reason", None) or getattr(bad, "strerror", None) or bad
        raise errors.TLS_REFUSED(file=file, reason=reason) from bad


def _no_password() -> str:
    reason = "the key is encrypted"
    raise ValueError(reason)


def names_of(transport: Any) -> tuple[str, ...]:
    """The common names of the certificate that a client has shown, if TLS has verified one."""
    tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
    shown = tls.getpeercert() if tls is not None else None
    subject: Any = (shown or {}).get("subject", ())
    return tuple(value for part in subject for key, value in part if key == "commonName")
