"""A configuration file as a tree, whether it was written as XML or as YAML."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST = 4 << 20
DEEPEST = 50
ROOTS = ("clickhouse", "yandex")


@dataclass(slots=True)
class Node:
    """An element: its name, its attributes, its text and what is in it."""

    tag: str
    file: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    written: str = field(default="", repr=False)

    def find(self, tag: str) -> Iterator[Node]:
        """The elements of that name in it."""
        return (child for child in self.children if child.tag == tag)

    def text(self) -> str:
        """Its text, or that of the environment variable it names.

        Raises:
            SluiceError: BAD_CONFIG if there is no such variable.
        """
        variable = self.attributes.get("from_env")
        if variable is None:
            return self.written.strip()
        value = os.environ.get(variable)
        if value is None:
            reason = f"<{self.tag}> is read from the environment: {variable}, which is not set"
            raise bad(self.file, reason)
        return value


def read_tree(path: Path) -> Node:
    """The tree of one file, by the ending of its name.

    Raises:
        SluiceError: BAD_CONFIG.
    """
    name = str(path)
    try:
        if path.stat().st_size > LARGEST:
            raise bad(name, f"the file is larger than {LARGEST >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise bad(name, f"the file cannot be read ({error.strerror})") from None
    if path.suffix in (".yaml", ".yml"):
        return _yaml(data, name)
    return _xml(data, name)


def bad(file: str, reason: str, hint: str = "") -> errors.SluiceError:
    """The error for a file."""
    return errors.BAD_CONFIG(file=file, reason=reason, hint=hint)


def merge(into: Node, other: Node) -> None:
    """Lay one tree over another: equal names are merged, `replace` and `remove` are obeyed.

    Topics are kept side by side, because their names are inside.
    """
    for child in other.children:
        same = [node for node in into.children if node.tag == child.tag]
        if "remove" in child.attributes:
            into.children = [node for node in into.children if node.tag != child.tag]
        elif "replace" in child.attributes:
            into.children = [node for node in into.children if node.tag != child.tag]
            into.children.append(child)
        elif len(same) != 1 or child.tag == "kafka_topic":
            into.children.append(child)
        elif child.children:
            merge(same[0], child)
        else:
            into.children[into.children.index(same[0])] = child


def _xml(data: bytes, file: str) -> Node:
    top = Node("", file)
    open_nodes = [top]
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_nodes) > DEEPEST:
            raise bad(file, f"elements are nested more than {DEEPEST} deep")
        node = Node(tag, file, attributes)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def end(_: str) -> None:
        open_nodes.pop()

    def text(data: str) -> None:
        open_nodes[-1].written += data

    def refuse(*_: object) -> int:
        raise bad(file, "entities and document types are not allowed")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = f"invalid XML: {expat.ErrorString(error.code)} in line {error.lineno}"
        raise bad(file, reason) from None
    root = top.children[0]
    if root.tag not in ROOTS:
        raise bad(file, f"the outermost element is <{root.tag}>", "It has to be <clickhouse>.")
    return root


def _yaml(data: bytes, file: str) -> Node:
    import yaml

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(data)):
            raise bad(file, "aliases are not allowed")
        made = yaml.safe_load(data)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise bad(file, f"invalid YAML{where}") from None
    if not isinstance(made, dict):
        raise bad(file, "a mapping of names to values is expected")
    if len(made) == 1 and next(iter(made)) in ROOTS and isinstance(next(iter(made.values())), dict):
        made = next(iter(made.values()))
    root = Node(ROOTS[0], file)
    _fill(root, made, 0)
    return root


def _fill(node: Node, made: dict[Any, Any], depth: int) -> None:
    if depth > DEEPEST:
        raise bad(node.file, f"values are nested more than {DEEPEST} deep")
    for name, value in made.items():
        if str(name).startswith("@"):
            node.attributes[str(name)[1:]] = str(value)
            continue
        if str(name) == "#text":
            node.written = _scalar(value)
            continue
        for each in value if isinstance(value, list) else [value]:
            child = Node(str(name), node.file)
            node.children.append(child)
            if isinstance(each, dict):
                _fill(child, each, depth + 1)
            else:
                child.written = _scalar(each)


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
