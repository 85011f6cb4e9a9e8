"""Messages through our own decoders and encoders, in a JVM without Spark."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from sluice.errors.raised import EXPRESSION, JAVA, find
from sluice.formats import described, format_schemas, transcoding
from sluice.formats.codec import Codec
from sluice.formats.registry import FORMAT_SETTINGS, must_fit, must_work
from sluice.formats.transcoding import CARRIED, CARRIER
from sluice.jars import build, built, java, resolve
from sluice.jars.resolve import class_path
from sluice.parameters.kinds import CLICKHOUSE
from sluice.types import model as m
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sluice.formats.descriptor import Columns

KINDS = {option.key: option.kind for option in FORMAT_SETTINGS}
SHOWN = "JSONCompactEachRow"
EXACTLY = {"output_format_json_quote_denormals": 1}
"""How rows are shown: a list of JSON for each, with every number as it is."""

_OPENED = ("java.lang", "java.lang.invoke", "java.nio", "java.util", "sun.nio.ch")


class Wrong(Exception):
    """The error of a message."""


def columns_of(text: str) -> Columns:
    """The columns of `a UInt8, b Array(String)`."""
    found = parse_type(f"Tuple({text})")
    assert isinstance(found, m.Tuple)
    assert found.names is not None
    return list(zip(found.names, found.items, strict=True))


def codec(format_: str, settings: Mapping[str, Any]) -> Codec:
    """A format with settings as a statement gives them."""
    given = {name: KINDS[name].read(value) for name, value in settings.items()}
    made = Codec.named(format_, CLICKHOUSE, given)
    return replace(made, options=format_schemas.found(made.format, given, None))


class Converter:
    """A JVM that reads messages in one format and writes their rows in another."""

    read_by = ""
    """Who has read the last message: `JVM` or `ClickHouse`."""

    def __init__(self, folder: Path, *options: str) -> None:
        """In a folder that is compiled into once; `options` are more of Java's."""
        against = [built(), *class_path()]
        if not (folder / "sluice/formats/Convert.class").exists():
            source = build.MODULE / "src/test/java/sluice/formats/Convert.java"
            build.compile_classes(java(), resolve("compiler")[0], against, [source], folder)
        opened = [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in _OPENED]
        path = os.pathsep.join(map(str, [folder, *against]))
        self._jvm = subprocess.Popen(
            [java(), *opened, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
             "-Duser.timezone=UTC",
             "-Dsluice.remote_url_allow_hosts==127.0.0.1", *options,
             "-cp", path, "sluice.formats.Convert"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip

    @property
    def pid(self) -> int:
        """The process of the JVM."""
        return self._jvm.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._jvm.stdin is not None
        assert self._jvm.stdout is not None
        self._jvm.stdin.close()
        self._jvm.wait(60)
        self._jvm.stdout.close()

    def convert(
        self, columns: str, read: Codec, write: Codec, message: bytes, *, here: bool = False
    ) -> bytes:
        """The rows of a message, written otherwise; nothing for no rows.

        With `here` it is read by our decoder alone, if the format has one, and values that have
        types of their own are written as they are stored.

        Raises:
            Wrong: With the message's error.
        """
        typed = columns_of(columns)
        for one, writes in ((read, False), (write, True)):
            must_work(one.format, writes=writes)
            must_fit(one.format, typed, one.options, writes=writes)
        asked = {
            "columns": described.columns(transcoding.carried(typed)),
            "read": list(read.java_decoder(typed)),
            "write": list(write.java_encoder(typed)),
            "message": base64.b64encode(message).decode(),
        }
        if read.decodes(typed):
            asked["first"] = described.columns(typed)
        if not here and read.reads_twice(typed):
            asked["carrier"] = list(codec(CARRIER, CARRIED).java_decoder(typed))
        by = {
            "read_by": "" if here else read.read_by_clickhouse(typed),
            "written_by": "" if here else write.written_by_clickhouse(typed),
        }
        answer = self._asked(asked | {name: spec for name, spec in by.items() if spec})
        self.read_by = answer.get("by", "")
        if "error" in answer:
            raise Wrong(answer["error"])
        crash = answer.get("crash", "")
        if raised := find(crash, JAVA) or find(crash, EXPRESSION):
            raise Wrong(str(raised.error()))
        assert "crash" not in answer, answer["crash"]
        return base64.b64decode(answer["message"])

    def rows(
        self, columns: str, format_: str, settings: Mapping[str, Any], message: bytes
    ) -> bytes:
        """The rows of a message, shown."""
        shown = codec(SHOWN, EXACTLY | dict(settings))
        return self.convert(columns, codec(format_, settings), shown, message)

    def read(
        self, columns: str, format_: str, settings: Mapping[str, Any], *messages: bytes
    ) -> list[bytes | str]:
        """What ClickHouse makes of each: its rows as RowBinary, or its error as a text."""
        by = codec(format_, settings).read_by_clickhouse(columns_of(columns))
        given = [base64.b64encode(message).decode() for message in messages]
        answer = self._asked({"read_by": by, "messages": given})
        assert "crash" not in answer, answer["crash"]
        return [each["error"] or base64.b64decode(each["rows"]) for each in answer["read"]]

    def written(
        self, columns: str, format_: str, settings: Mapping[str, Any], shown: bytes
    ) -> bytes:
        """The message of rows that are shown."""
        return self.convert(columns, codec(SHOWN, {}), codec(format_, settings), shown)

    def _asked(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self._jvm.stdin is not None
        assert self._jvm.stdout is not None
        self._jvm.stdin.write(json.dumps(asked) + "\n")
        self._jvm.stdin.flush()
        found: dict[str, Any] = json.loads(self._jvm.stdout.readline())
        return found
