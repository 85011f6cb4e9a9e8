"""A Kerberos of the test's own: MIT's key distribution centre, on loopback, in a folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from sluice.broker.settings import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REALM = "SLUICE.TEST"
_PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local")
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

_CLIENTS = """\
[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  rdns = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = 127.0.0.1:{port}
  }}
[domain_realm]
  localhost = {realm}
"""
_CENTRE = """\
[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {realm} = {{
    database_name = {folder}/principals
    key_stash_file = {folder}/stash
    acl_file = {folder}/acl
    max_life = 1h
  }}
[logging]
  kdc = FILE:{folder}/kdc.log
"""


@dataclass(frozen=True)
class Kerberos:
    """A realm that answers: its configuration, and keytabs for those who log in."""

    config: Path
    folder: Path
    env: dict[str, str]

    def keytab(self, principal: str) -> Path:
        """Make a principal; the answer is the file with its key."""
        path = self.folder / f"{principal.replace('/', '_')}.keytab"
        self._admin(f"addprinc -randkey {principal}")
        self._admin(f"ktadd -k {path} {principal}")
        return path

    def _admin(self, command: str) -> None:
        _run(self.env, "kadmin.local", "-r", REALM, "-q", command)


@contextmanager
def kerberos(folder: Path) -> Iterator[Kerberos]:
    """Start a realm; skip the test where MIT's programs are not installed."""
    missing = [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} of Debian's krb5-kdc and krb5-admin-server not there")
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    files = {"krb5.conf": _CLIENTS, "kdc.conf": _CENTRE}
    for name, text in files.items():
        (folder / name).write_text(text.format(realm=REALM, port=port, folder=folder))
    env = {
        **os.environ,
        "PATH": _PATH,
        "KRB5_CONFIG": str(folder / "krb5.conf"),
        "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
    }
    _run(env, "kdb5_util", "create", "-s", "-r", REALM, "-P", "master")
    centre = subprocess.Popen(["krb5kdc", "-n", "-r", REALM], env=env, stdout=subprocess.DEVNULL)
    try:
        eventually(lambda: _listens(port), within=20)
        yield Kerberos(folder / "krb5.conf", folder, env)
    finally:
        centre.terminate()
        centre.wait(10)


def _run(env: dict[str, str], *command: str) -> None:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
