"""Protobuf beside Google's own code, with generated schemas: one writes what the other reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.convert import codec
from formats.generated_protobuf import PROTO2, PROTO3, Message, schemas, varint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formats.convert import Converter


def delimited(data: bytes) -> Iterator[bytes]:
    """The records of a message."""
    while data:
        length, at, shift = 0, 0, 0
        while True:
            length |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 128:
                break
        assert len(data) >= at + length
        yield data[at : at + length]
        data = data[at + length :]


@pytest.mark.parametrize("syntax", [PROTO2, PROTO3])
def test_ch_58_beside_google(syntax: str, ours: Converter) -> None:
    """CH-58, CH-82: google.protobuf reads the rows that we write, and we those that it writes."""
    binary: Any = codec("RowBinary", {})

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas(syntax), st.data())
    def check(schema: Message, data: st.DataObject) -> None:
        rows = data.draw(st.lists(schema.values, min_size=1, max_size=3))
        known: Any = codec(
            "Protobuf",
            {
                "format_schema_source": "string",
                "format_schema": schema.text(),
                "format_schema_message_name": "M",
            },
        )
        theirs = schema.made()
        stored = b"".join(map(schema.binary, rows))

        def has(message: bytes) -> bytes:
            found = (schema.found(theirs.FromString(record)) for record in delimited(message))
            return b"".join(map(schema.binary, found))

        assert has(ours.convert(schema.columns, binary, known, stored)) == stored

        message = b""
        for row in rows:
            record = theirs()
            schema.fill(record, row)
            body = record.SerializeToString(deterministic=True)
            message += varint(len(body)) + body
        assert has(ours.convert(schema.columns, known, known, message)) == stored

    check()
