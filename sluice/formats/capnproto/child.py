"""Compiles a schema of Cap'n Proto, in a process of its own: its compiler ends that at an error.

Standard input has the folder of the files, the first of them and the name of the message; standard
output gets the message's layout, or nothing: then standard error has what is wrong.
"""

from __future__ import annotations

import json
import resource
import struct
import sys
from pathlib import Path
from typing import Any

_SECONDS, _MEMORY, _STRUCTS = 20, 2 << 30, 10_000
_FLOATS = {"float32": "f", "float64": "d"}


class _Layout:
    """The structs and enums that a message has in it, by their ids."""

    def __init__(self) -> None:
        self.structs: dict[str, Any] = {}
        self.enums: dict[str, list[str]] = {}
        self._waiting: list[Any] = []

    def of(self, message: Any) -> dict[str, Any]:
        """The message with all that it refers to."""
        first = self._struct(message)
        while self._waiting:
            schema = self._waiting.pop()
            self.structs[str(schema.node.id)] = self._described(schema)
            if len(self.structs) > _STRUCTS:
                raise SystemExit(f"what():  more than {_STRUCTS} structs")
        return {"message": first, "structs": self.structs, "enums": self.enums}

    def _struct(self, schema: Any) -> str:
        found = str(schema.node.id)
        if found not in self.structs:
            self.structs[found] = {}
            self._waiting.append(schema)
        return found

    def _described(self, schema: Any) -> dict[str, Any]:
        of = schema.node.struct
        fields = schema.fields
        return {
            "name": schema.node.displayName.rpartition(":")[2],
            "words": of.dataWordCount,
            "pointers": of.pointerCount,
            "choices": of.discriminantCount,
            "at": of.discriminantOffset,
            "fields": [self._field(each, fields[each.name]) for each in of.fields],
        }

    def _field(self, proto: Any, field: Any) -> dict[str, Any]:
        group = proto.which() == "group"
        if group:
            offset, default, kind = 0, 0, {"kind": "struct", "id": self._struct(field.schema)}
        else:
            slot = proto.slot
            offset, default = slot.offset, _bits(slot.defaultValue)
            kind = self._type(slot.type, lambda: field.schema)
        return {
            "name": proto.name,
            "offset": offset,
            "default": str(default),
            "choice": proto.discriminantValue,
            "group": group,
            "type": kind,
        }

    def _type(self, proto: Any, schema: Any) -> dict[str, Any]:
        kind = str(proto.which())
        if kind == "list":
            of = schema()
            item = self._type(proto.list.elementType, lambda: of.elementType)
            return {"kind": kind, "item": item}
        if kind == "struct":
            return {"kind": kind, "id": self._struct(schema())}
        if kind == "enum":
            node = schema().node
            self.enums[str(node.id)] = [each.name for each in node.enum.enumerants]
            return {"kind": kind, "id": str(node.id)}
        return {"kind": kind}


def _bits(value: Any) -> int:
    """A default as the bits that are in a message's place, if it is a number."""
    kind = str(value.which())
    if kind in _FLOATS:
        form = _FLOATS[kind]
        packed = struct.pack(f"<{form}", getattr(value, kind))
        return int.from_bytes(packed, "little")
    if kind.startswith(("int", "uint")):
        width = int(kind.lstrip("uint"))
        return int(getattr(value, kind)) & ((1 << width) - 1)
    return int(getattr(value, kind)) if kind in ("bool", "enum") else 0


def _confined(code: str, folder: Path) -> None:
    """See nothing but the folder, Python and the libraries, where the kernel can see to that."""
    confining: dict[str, Any] = {"__name__": "confining"}
    exec(code, confining)  # noqa: S102 - that of the process beside tasks: Sluice is not imported
    confining["_confine"](folder)


def main() -> None:
    """Compile what is asked."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = json.load(sys.stdin)
    import capnp  # type: ignore[import-untyped]

    folder, first = Path(asked["folder"]), asked["first"]
    _confined(asked["confining"], folder)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    capnp.remove_import_hook()
    parser = capnp.SchemaParser()  # which must live as long as what it has parsed
    places = [str(folder), str(Path(capnp.__file__).parents[1])]  # there is /capnp/c++.capnp
    found: Any = parser.load(str(folder / first), first, places)
    for name in asked["message"].split("."):
        found = getattr(found, name, None)
    schema = getattr(found, "schema", None)
    if schema is None or not hasattr(schema, "fields"):
        raise SystemExit(f"what():  there is no struct {asked['message']}")
    json.dump(_Layout().of(schema), sys.stdout)


if __name__ == "__main__":
    main()
