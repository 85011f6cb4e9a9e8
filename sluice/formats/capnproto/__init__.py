"""Schemas of Cap'n Proto: what they import, and the layout of a message in them."""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENDING = ".capnp"
_ANYWHERE = "/capnp/"
"""Files that come with Cap'n Proto."""

_TEXT = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = re.compile(rf"({_TEXT})|#[^\n]*")
_TOKEN = re.compile(rf'\bimport\s*"(?P<path>[^"\n]*)"|{_TEXT}|\b(?P<embed>embed)\b')
_SAID = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+): failed: (?P<said>[^\n]*)")
_ALONE = re.compile(r"what\(\): *(?P<said>[^\n]*)")
_SECONDS = 60


def imports(text: str, path: str) -> Iterator[str]:
    """The files that one imports, by their paths in the folder of schemas.

    Raises:
        SluiceError: FORMAT_SCHEMA_REFUSED for files that are no schemas, or outside the folder.
    """
    plain = _COMMENT.sub(lambda token: token[1] or " ", text)
    for token in _TOKEN.finditer(plain):
        if token["embed"]:
            reason = "it embeds a file; only schemas are read"
            raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason=reason)
        wanted = token["path"]
        if wanted is None or wanted.startswith(_ANYWHERE):
            continue
        if "\\" in wanted:
            reason = f"the import {wanted!r} has a backslash"
            raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason=reason)
        if wanted.startswith("/"):
            yield posixpath.normpath(wanted.lstrip("/"))
        else:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))


def compiled(files: Mapping[str, str], first: str, message: str) -> str:
    """The layout of a message, for `sluice.capnproto` in Java.

    Raises:
        SluiceError: FORMAT_SCHEMA_REFUSED with what the compiler says.
    """
    named = first if first.endswith(_ENDING) else first + _ENDING  # as its compiler wants it
    texts = {named if path == first else path: text for path, text in files.items()}
    return _compiled(tuple(sorted(texts.items())), named, message)


@lru_cache(maxsize=64)
def _compiled(files: tuple[tuple[str, str], ...], first: str, message: str) -> str:
    with tempfile.TemporaryDirectory(prefix="sluice-schemas-") as folder:
        for path, text in files:
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        done = _asked({"folder": folder, "first": first, "message": message})
    if done.returncode == 0:
        return done.stdout
    if found := _SAID.search(done.stderr):
        where = f"{found['file']}, line {int(found['line']) + 1}"  # it counts from 0
        raise _wrong(where, found["said"].strip())
    alone = _ALONE.search(done.stderr)
    raise _wrong(first, alone["said"] if alone else f"its compiler ended with {done.returncode}")


def _asked(what: dict[str, str]) -> subprocess.CompletedProcess[str]:
    source = resources.files("sluice.formats")
    script = source.joinpath("capnproto/child.py").read_text("utf-8")
    confining = source.joinpath("transcoding/child.py").read_text("utf-8")
    try:
        return subprocess.run(  # noqa: S603 - our own script; what users wrote is its input
            [sys.executable, "-I", "-c", script],
            input=json.dumps({**what, "confining": confining}),
            capture_output=True, text=True, timeout=_SECONDS, check=False,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        reason = f"its compiler has not ended after {_SECONDS} seconds"
        raise _wrong(what["first"], reason) from None


def _wrong(file: str, reason: str) -> errors.SluiceError:
    schema = f"Cannot parse CapnProto schema {file}"
    return errors.FORMAT_SCHEMA_REFUSED(schema=schema, reason=reason)
