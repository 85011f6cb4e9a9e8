"""Schemas of formats that need one: the texts of their files, from a folder or from a setting.

Only files below the folder of the server are read, each once until the cache is dropped.
"""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats import capnproto

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sluice.formats.descriptor import Format

FILES, FILE, MESSAGE = "schema.files", "schema.file", "schema.message"
"""What Java is told: the texts by their paths, the first path, and the name of the message."""

COMPILED = "schema.compiled"
"""What it is told instead of a schema that is compiled here: the layout of the message."""

GIVEN, CLASS = "format_schema", "message-class-name"
TEXT = _SOURCE, _NAME = "format_schema_source", "format_schema_message_name"
"""Settings of a schema that is given as its text."""

MOST_FILES, MOST_BYTES = 1000, 8 << 20
"""Of one schema with everything that it imports."""

TEMPLATES = ("format_template_row", "format_template_resultset")
"""Settings that name files of Template; those that end in `_format` have the text itself."""

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/
    |\bimport\s+(?:(?:public|weak|option)\s+)?(?P<quote>["'])(?P<path>[^"'\n]+)(?P=quote)\s*;
    |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE,
)
_GOOGLE = "google/protobuf/"
_PACKAGE = re.compile(r"(?:^|;)\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_JAVA_PACKAGE = re.compile(r"""\boption\s+java_package\s*=\s*["']([\w.]+)["']\s*;""")

_texts: dict[Path, str] = {}
_reading = threading.Lock()


def drop_cache() -> None:
    """Read every file again when it is needed next."""
    with _reading:
        _texts.clear()


def among(options: Mapping[str, Any]) -> dict[str, Any]:
    """What of a format's options is a schema that was found."""
    return {key: options[key] for key in (FILES, FILE, MESSAGE, COMPILED) if key in options}


def found(format_: Format, options: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """The options of a format with the texts of the schema that they name, if they name one.

    Raises:
        SluiceError: FORMAT_SCHEMA_REFUSED or FORMAT_SCHEMA_MISSING.
    """
    if CLASS in options:
        return {**options, **_of_class(str(options[CLASS]), folder, format_.schemas)}
    if format_.family == "template":
        return {**options, **_templates(options, folder)}
    given = str(options.get(GIVEN) or "")
    if not format_.schemas or not given:
        return dict(options)
    source, name = options.get(_SOURCE, "file"), str(options.get(_NAME) or "")
    if source == "query":
        reason = "a table has no user whose rights would apply; use 'file' or 'string'"
        raise _refused(format_, f"{_SOURCE} = 'query': {reason}")
    if source == "string":
        imported = _imported(given, "format_schema", folder, format_.schemas)
        made = {"format_schema": given, **imported}
        return {**options, **_told(format_, made, "format_schema", _named(format_, name))}
    file, message = (given, name) if name else _split(format_, given)
    path = _with_extension(file, format_.schemas)
    return {**options, **_told(format_, read_files(folder, path, format_.schemas), path, message)}


def _told(format_: Format, files: dict[str, str], first: str, message: str) -> dict[str, Any]:
    if format_.schemas == "capnp":
        return {COMPILED: capnproto.compiled(files, first, message)}
    return {FILES: files, FILE: first, MESSAGE: message}


def _of_class(name: str, folder: Path | None, extension: str) -> dict[str, Any]:
    """The schema of a Java class, which is not loaded: its file is looked for in the folder."""
    wanted = name.replace("$", ".")
    known = dict(_with_message(folder, extension, wanted.rpartition(".")[2]))
    made: dict[str, str] = {}
    longest = -1
    for path, text in known.items():
        for package in (_said(text, _JAVA_PACKAGE), _said(text, _PACKAGE)):
            if (package and not wanted.startswith(f"{package}.")) or len(package) < longest:
                continue
            if len(package) > longest:
                longest, made = len(package), {}
            made[path] = wanted.removeprefix(f"{package}.")
    if not made:
        reason = "no .proto file there has this message; classes of Java are not loaded"
        raise errors.FORMAT_SCHEMA_MISSING(schema=name, reason=reason, folder=folder or "")
    if len(made) > 1:
        reason = f"several files have this message: {', '.join(made)}"
        raise errors.FORMAT_SCHEMA_REFUSED(schema=name, reason=reason)
    ((first, message),) = made.items()
    return {FILES: read_files(folder, first, extension), FILE: first, MESSAGE: message}


def _with_message(folder: Path | None, extension: str, name: str) -> Iterator[tuple[str, str]]:
    """The paths of the files that have a message of this name, with their texts."""
    pattern = re.compile(rf"\bmessage\s+{re.escape(name)}\s*\{{")
    for found in sorted(folder.rglob(f"*.{extension}")) if folder is not None else ():
        path = found.relative_to(folder or found).as_posix()
        with suppress(errors.SluiceError):  # a file that cannot be read has nothing for anybody
            text = _TOKEN.sub(_without_comment, _read(folder, path, ""))
            if pattern.search(text):
                yield path, text


def _without_comment(token: re.Match[str]) -> str:
    return "" if token[0].startswith("/") else token[0]


def _said(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def _templates(options: Mapping[str, Any], folder: Path | None) -> dict[str, str]:
    """The texts of templates whose files are named."""
    files = {name: str(options.get(name) or "") for name in TEMPLATES}
    return {f"{name}_format": _read(folder, path, "") for name, path in files.items() if path}


def read_files(folder: Path | None, path: str, extension: str) -> dict[str, str]:
    """A file of the folder and those that it imports, by their paths in the folder.

    Raises:
        SluiceError: FORMAT_SCHEMA_REFUSED or FORMAT_SCHEMA_MISSING.
    """
    first = _read(folder, path, "")
    return {path: first, **_imported(first, path, folder, extension)}


def imports(text: str, _: str = "") -> Iterator[str]:
    """The paths that a file imports, but for those of Google, which are always there."""
    for token in _TOKEN.finditer(text):
        path = token["path"]
        if path and not path.startswith(_GOOGLE):
            yield path


_IMPORTS: dict[str, Callable[[str, str], Iterator[str]]] = {
    "proto": imports,
    "capnp": capnproto.imports,
}
"""The paths that a file imports, by the extension of its name."""


def _imported(text: str, path: str, folder: Path | None, extension: str) -> dict[str, str]:
    made: dict[str, str] = {}
    waiting = [(each, path) for each in _IMPORTS[extension](text, path)]
    size = len(text)
    while waiting:
        wanted, importer = waiting.pop()
        if wanted in made or wanted == path:
            continue
        made[wanted] = _read(folder, wanted, importer)
        size += len(made[wanted])
        if len(made) > MOST_FILES or size > MOST_BYTES:
            reason = f"more than {MOST_FILES} files or {MOST_BYTES} bytes with those it imports"
            raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason=reason)
        waiting += [(each, wanted) for each in _IMPORTS[extension](made[wanted], wanted)]
    return made


def _read(folder: Path | None, path: str, importer: str) -> str:
    """The text of one file."""
    by = f", which {importer} imports," if importer else ""
    real = _inside(folder, path)
    with _reading:
        known = _texts.get(real)
        if known is None:
            try:
                if real.stat().st_size > MOST_BYTES:
                    raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason="it is too large")
                known = _texts[real] = real.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as bad:
                why = (
                    "it is no text"
                    if isinstance(bad, UnicodeDecodeError)
                    else "there is no such file"
                )
                raise errors.FORMAT_SCHEMA_MISSING(
                    schema=path + by, reason=why, folder=folder
                ) from None
    return known


def _inside(folder: Path | None, path: str) -> Path:
    """Where a file really is, which must be in the folder."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\0" in path or not pure.name:
        reason = "a path leads to a file below the folder of schemas, without '..'"
        raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason=reason)
    if folder is None:
        raise errors.FORMAT_SCHEMA_MISSING(schema=path, reason="there is no folder", folder="")
    top = folder.resolve()
    real = (top / path).resolve()
    if not real.is_relative_to(top):
        reason = "it is a link that leads out of the folder of schemas"
        raise errors.FORMAT_SCHEMA_REFUSED(schema=path, reason=reason)
    return real


def _split(format_: Format, given: str) -> tuple[str, str]:
    file, colon, message = given.partition(":")
    if file and colon and message:
        return file, message
    raise _refused(
        format_,
        "Format schema requires the 'format_schema' setting to have the 'schema_file:message_name' "
        f"format, e.g. 'schema.{format_.schemas}:Message'. Got '{given}'",
    )


def _named(format_: Format, name: str) -> str:
    if name:
        return name
    raise _refused(format_, f"{_NAME} must be set with {_SOURCE} = 'string'")


def _with_extension(file: str, extension: str) -> str:
    return file if PurePosixPath(file).suffix else f"{file}.{extension}"


def _refused(format_: Format, reason: str) -> errors.SluiceError:
    return errors.FORMAT_SCHEMA_REFUSED(schema=format_.name, reason=reason)
