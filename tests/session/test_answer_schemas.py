"""Answers by a schema that is in a file of the server's folder, which ClickHouse never opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab

_PERSON = 'syntax = "proto3"; message Person { uint32 age = 1; string name = 2; }'
_QUERY = "SELECT 7 AS age, 'Ann' AS name"
_OF_A_QUERY = (
    "format_schema = 'SELECT 1', format_schema_source = 'query', "
    "format_schema_message_name = 'Person'"
)
_PASSWORDS = "format_schema = '/etc/passwd:X'"
_BYTES = b"\x07\x08\x07\x12\x03Ann"


@pytest.fixture
def with_schemas(lab: Lab) -> Lab:
    folder = lab.engine.folder.path / "format_schemas"
    folder.mkdir(exist_ok=True)
    (folder / "person.proto").write_text(_PERSON)
    (folder / "more.proto").write_text(
        'syntax = "proto3"; import "person.proto"; message More { Person person = 1; }'
    )
    (folder.parent / "outside.proto").write_text(_PERSON)
    return lab


def _answer(lab: Lab, text: str, **settings: str) -> bytes:
    result = lab.session.execute(text, settings=settings, stream=True)
    assert result.stream is not None
    return b"".join(result.stream)


def test_in_the_query(with_schemas: Lab) -> None:
    text = f"{_QUERY} FORMAT Protobuf SETTINGS format_schema = 'person:Person'"
    assert _answer(with_schemas, text) == _BYTES


def test_in_the_request(with_schemas: Lab) -> None:
    found = _answer(with_schemas, f"{_QUERY} FORMAT protobuf", format_schema="person.proto:Person")
    assert found == _BYTES


def test_name_of_the_message(with_schemas: Lab) -> None:
    named = "format_schema = 'person', format_schema_message_name = 'Person'"
    found = _answer(with_schemas, f"{_QUERY} FORMAT ProtobufSingle SETTINGS {named}")
    assert found == _BYTES[1:]


def test_text(with_schemas: Lab) -> None:
    named = "format_schema_source = 'string', format_schema_message_name = 'Person'"
    text = f"{_QUERY} FORMAT Protobuf SETTINGS format_schema = '{_PERSON}', {named}"
    assert _answer(with_schemas, text) == _BYTES


def test_another_format_does_not_need_it(with_schemas: Lab) -> None:
    text = "SELECT 1 FORMAT CSV SETTINGS format_schema = 'none:None'"
    assert _answer(with_schemas, text) == b"1\n"


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("/etc/passwd:X", "without '..'"),
        ("../outside:Person", "without '..'"),
        ("none:Person", "there is no such file"),
        ("more:More", "this one has imports"),
        ("person", "'schema_file:message_name' format"),
    ],
)
def test_refused_files(with_schemas: Lab, schema: str, says: str) -> None:
    text = f"{_QUERY} FORMAT Protobuf SETTINGS format_schema = '{schema}'"
    with pytest.raises(SluiceError) as bad:
        _answer(with_schemas, text)
    assert says in bad.value.text()


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SELECT * FROM (SELECT 1 SETTINGS format_schema = 'person:Person')", "SETTING_REFUSED"),
        (
            f"SELECT 1 AS age FORMAT Protobuf SETTINGS {_OF_A_QUERY}",
            "FORMAT_SCHEMA_REFUSED",
        ),
        (
            f"SELECT * FROM format(Protobuf, 'age UInt8', 'x') SETTINGS {_PASSWORDS}",
            "ATTEMPT_TO_READ_AFTER_EOF",  # by a schema made of the columns
        ),
    ],
)
def test_clickhouse_gets_no_file(with_schemas: Lab, text: str, condition: str) -> None:
    with pytest.raises(SluiceError) as bad:
        _answer(with_schemas, text)
    assert bad.value.condition.name == condition, bad.value.text()
