"""Certificates for tests, made by the openssl command: an authority, and what it has signed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_ALT = "subjectAltName=IP:127.0.0.1,DNS:localhost"


@dataclass(frozen=True)
class Signed:
    """A key and its certificate, each in a file, and both in one."""

    key: Path
    certificate: Path
    both: Path


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("certificates are made with the openssl command, which is not here")
        self.folder = folder
        self.certificate = folder / f"{name}.pem"
        self._key = folder / f"{name}.key"
        _openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", str(self._key), "-out", str(self.certificate),
        )  # fmt: skip

    def sign(self, name: str, password: str = "") -> Signed:
        """A new key with a certificate for this machine; with a password the key is encrypted."""
        key, request = self.folder / f"{name}.key", self.folder / f"{name}.csr"
        certificate, both = self.folder / f"{name}.pem", self.folder / f"{name}.both.pem"
        _openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-addext", _ALT,
            "-keyout", str(key), "-out", str(request),
        )  # fmt: skip
        _openssl(
            "x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey",
            str(self._key), "-CAcreateserial", "-days", "2", "-copy_extensions", "copy",
            "-out", str(certificate),
        )  # fmt: skip
        if password:
            open_key = key.rename(key.with_suffix(".open"))
            _openssl(
                "pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES", "-in", str(open_key),
                "-passout", f"pass:{password}", "-out", str(key),
            )  # fmt: skip
        both.write_text(key.read_text() + certificate.read_text())
        return Signed(key, certificate, both)


def _openssl(*arguments: str) -> None:
    run = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
