"""Where the schemas of formats are found, and which are not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.formats import format_schemas
from sluice.formats.registry import find_format

if TYPE_CHECKING:
    from pathlib import Path

PROTOBUF, FLINKS = find_format("Protobuf", "clickhouse"), find_format("protobuf", "flink")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "format_schemas"
    (made / "deep").mkdir(parents=True)
    (made / "a.proto").write_text(
        '// import "not.proto";\n/* import "not.proto"; */ import public "deep/b.proto";\n'
        'import "google/protobuf/timestamp.proto"; message A { string s = 1; /* " */ }'
    )
    (made / "deep" / "b.proto").write_text('import "a.proto"; message B { int32 i = 1; }')
    (tmp_path / "secret.proto").write_text("message S { int32 i = 1; }")
    (made / "link.proto").symlink_to(tmp_path / "secret.proto")
    (made / "binary.proto").write_bytes(b"\xff\xfe")
    format_schemas.drop_cache()
    return made


def found(folder: Path, schema: str, **more: str) -> dict[str, object]:
    return format_schemas.found(PROTOBUF, {"format_schema": schema, **more}, folder)


@pytest.mark.parametrize("schema", ["a:A", "a.proto:A", "./a.proto:A"])
def test_ch_69_file(folder: Path, schema: str) -> None:
    """CH-69: a file with what it imports, by its name with the extension or without."""
    made = found(folder, schema)
    path = str(made[format_schemas.FILE])
    files = made[format_schemas.FILES]
    assert isinstance(files, dict)
    assert {path, "deep/b.proto"} <= set(files) <= {path, "a.proto", "deep/b.proto"}
    assert made[format_schemas.MESSAGE] == "A"


def test_message_name(folder: Path) -> None:
    assert found(folder, "a", format_schema_message_name="A")[format_schemas.MESSAGE] == "A"
    text = 'syntax = "proto3"; message M { int32 i = 1; }'
    given = {"format_schema_source": "string", "format_schema_message_name": "M"}
    made = found(folder, text, **given)
    assert made[format_schemas.FILES] == {"format_schema": text}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("../secret:S", "without '..'"),
        ("deep/../../secret:S", "without '..'"),
        ("/etc/passwd:S", "without '..'"),
        ("link:S", "leads out of the folder"),
        ("none:S", "none.proto cannot be read: there is no such file"),
        ("binary:S", "it is no text"),
        ("deep:S", "deep.proto cannot be read"),
        ("a", "'schema_file:message_name' format, e.g. 'schema.proto:Message'. Got 'a'"),
        (":A", "Got ':A'"),
        ("a:", "Got 'a:'"),
    ],
)
def test_refused(folder: Path, schema: str, says: str) -> None:
    with pytest.raises(SluiceError) as bad:
        found(folder, schema)
    assert says in bad.value.text()


def test_refused_sources(folder: Path) -> None:
    for source, says in (("query", "a table has no user"), ("string", "must be set")):
        with pytest.raises(SluiceError) as bad:
            found(folder, "SELECT 1", format_schema_source=source)
        assert says in bad.value.text()


def test_import_out_of_the_folder(folder: Path) -> None:
    (folder / "c.proto").write_text('import "../secret.proto"; message C { int32 i = 1; }')
    with pytest.raises(SluiceError, match=r"\.\."):
        found(folder, "c:C")


def test_missing_import(folder: Path) -> None:
    (folder / "c.proto").write_text('import "gone.proto"; message C { int32 i = 1; }')
    with pytest.raises(SluiceError) as bad:
        found(folder, "c:C")
    assert "gone.proto, which c.proto imports, cannot be read" in bad.value.text()


def test_cache(folder: Path) -> None:
    """A file is read again when the cache is dropped, and not before."""
    before = found(folder, "a:A")
    (folder / "a.proto").write_text("message A { int32 other = 1; }")
    assert found(folder, "a:A") == before
    format_schemas.drop_cache()
    assert found(folder, "a:A") != before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("com.shop.events.Order", "Order"),
        ("com.shop.events.Outer$Order$Line", "Outer.Order.Line"),
        ("com.shop.events.EventsProto.Order", "EventsProto.Order"),
        ("shop.Order", "Order"),
    ],
)
def test_class_of_java(folder: Path, name: str, message: str) -> None:
    """A class of Java is no class here, but the message that it would be made of."""
    (folder / "deep" / "events.proto").write_text(
        'syntax = "proto3"; package shop;\noption java_package = "com.shop.events";\n'
        "message Order { message Line { int32 i = 1; } int32 i = 1; } // message Refund {\n"
    )
    made = of_class(name, folder)
    found_ = (made[format_schemas.FILE], made[format_schemas.MESSAGE])
    assert found_ == ("deep/events.proto", message)
    for missing in ("com.shop.events.Refund", "com.other.Order"):
        with pytest.raises(SluiceError) as bad:
            of_class(missing, folder)
        assert f"The schema {missing} cannot be read: no .proto file there" in bad.value.text()


def of_class(name: str, folder: Path) -> dict[str, object]:
    return format_schemas.found(FLINKS, {"message-class-name": name}, folder)


def test_class_in_several_files(folder: Path) -> None:
    text = 'syntax = "proto3"; package p; message Twice { int32 i = 1; }'
    for name in ("x", "y"):
        (folder / f"{name}.proto").write_text(text)
    with pytest.raises(SluiceError, match=r"x\.proto, y\.proto"):
        of_class("p.Twice", folder)


def test_templates(folder: Path) -> None:
    """The files of Template are those of the same folder, and no others."""
    (folder / "row.txt").write_text("${a:CSV}")
    template = find_format("Template", "clickhouse")
    made = format_schemas.found(template, {"format_template_row": "row.txt"}, folder)
    assert made["format_template_row_format"] == "${a:CSV}"
    for wrong in ("../secret.proto", "/etc/passwd", "link.proto", "none.txt"):
        with pytest.raises(SluiceError, match="schema"):
            format_schemas.found(template, {"format_template_resultset": wrong}, folder)
