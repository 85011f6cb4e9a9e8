"""The same messages through ClickHouse itself."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import chdb.session

from formats.convert import EXACTLY, SHOWN, Wrong
from sluice.formats.format_schemas import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KAFKA = {
    "input_format_skip_unknown_fields": 1,
    "input_format_csv_detect_header": 0,
    "input_format_tsv_detect_header": 0,
    "input_format_custom_detect_header": 0,
    "input_format_parallel_parsing": 0,
    "output_format_parallel_formatting": 0,
    "session_timezone": "UTC",
    "max_threads": 1,
    "allow_suspicious_low_cardinality_types": 1,
}
"""What its Kafka tables set, and what makes answers the same everywhere."""


class Peer:
    """ClickHouse with a file for a message."""

    def __init__(self, folder: Path) -> None:
        start: Any = chdb.session.Session
        self._session: Any = start(str(folder / "clickhouse"))
        self._file = folder / "message"
        self._schemas = folder / "schemas"
        self._schemas.mkdir()

    def close(self) -> None:
        self._session.close()

    def asked(self, query: str, format_: str, settings: Mapping[str, Any]) -> bytes:
        """The answer to a query.

        Raises:
            Wrong: With ClickHouse's error.
        """
        settings = self._with_file(settings)
        given = ", ".join(f"{name} = {_literal(value)}" for name, value in settings.items())
        try:
            return bytes(self._session.query(f"{query} SETTINGS {given}", format_).bytes())
        except (RuntimeError, UnicodeDecodeError) as bad:  # an error may quote bytes
            self._session.query("SELECT 1", "Null")  # takes what the failed one has written
            raise Wrong(str(bad)) from None

    def rows(
        self, columns: str, format_: str, settings: Mapping[str, Any], message: bytes
    ) -> bytes:
        """The rows of a message, shown.

        Raises:
            Wrong: With ClickHouse's error.
        """
        self._file.write_bytes(message)
        settings = dict(settings)
        for name in TEMPLATES if format_.startswith("Template") else ():  # it reads them of files
            if text := settings.pop(f"{name}_format", ""):
                path = self._file.with_name(name)
                path.write_text(text, "utf-8")
                settings[name] = str(path)
        source = f"file({_literal(str(self._file))}, {format_}, {_literal(columns)})"
        return self.asked(f"SELECT * FROM {source}", SHOWN, KAFKA | EXACTLY | dict(settings))

    def written(self, query: str, format_: str, settings: Mapping[str, Any]) -> bytes:
        """The message of a query's rows."""
        return self.asked(query, format_, KAFKA | dict(settings))

    def _with_file(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """A schema as a file: a text would be kept where this process was started."""
        if settings.get("format_schema_source") != "string":
            return settings
        text = str(settings["format_schema"])
        file = self._schemas / f"{hashlib.sha256(text.encode()).hexdigest()}.proto"
        file.write_text(text, "utf-8")
        left = {name: value for name, value in settings.items() if "format_schema" not in name}
        return {**left, "format_schema": f"{file}:{settings['format_schema_message_name']}"}

    def formats(self) -> dict[str, tuple[bool, bool]]:
        """Its formats: whether each is read and written."""
        answer = self.asked("SELECT name, is_input, is_output FROM system.formats", "TSV", KAFKA)
        lines = (line.split("\t") for line in answer.decode().splitlines())
        return {name: (reads == "1", writes == "1") for name, reads, writes in lines}


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(int(value) if isinstance(value, bool) else value)
