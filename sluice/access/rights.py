"""What was granted: bits of privileges for everything, for databases, tables and columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sluice.access.privileges import PARAMETERS, grantable, mask_of, names_of, privileges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Path = tuple[str, ...]
"""Nothing for everything, or a database, a table and a column; or the name of a collection."""


@dataclass(slots=True)
class _Node:
    """The bits that hold here, unless a node below has its own for what it is about."""

    mask: int = 0
    below: dict[str, _Node] = field(default_factory=dict)

    def change(self, add: int, remove: int) -> None:
        """Change the bits here and below."""
        self.mask = (self.mask | add) & ~remove
        for node in self.below.values():
            node.change(add, remove)

    def anywhere(self) -> int:
        """The bits that hold here or somewhere below."""
        mask = self.mask
        for node in self.below.values():
            mask |= node.anywhere()
        return mask

    def everywhere(self) -> int:
        """The bits that hold here and everywhere below."""
        mask = self.mask
        for node in self.below.values():
            mask &= node.everywhere()
        return mask


@dataclass(frozen=True, slots=True)
class Element:
    """Privileges on something: granted, or taken back from what is granted on more than that.

    `parameter` is the level of privileges on what has a name, and is in no database.
    """

    mask: int
    path: Path = ()
    option: bool = False
    revoked: bool = False
    parameter: str = ""

    def names(self) -> list[str]:
        """The privileges by their names."""
        return names_of(self.mask, grantable(len(self.path), self.parameter))


class Rights:
    """The grants of a user or a role; those with the grant option are in a tree of their own."""

    def __init__(self, elements: Iterable[Element] = ()) -> None:
        self._held, self._grantable = _Node(), _Node()
        for each in elements:
            if each.revoked:
                self.revoke(each)
            else:
                self.grant(each)

    def grant(self, element: Element) -> None:
        """Add what an element grants."""
        _at(self._held, element.path).change(element.mask, 0)
        if element.option:
            _at(self._grantable, element.path).change(element.mask, 0)

    def revoke(self, element: Element) -> None:
        """Take it away, also where it was granted for more; with `option` only the grant option."""
        _at(self._grantable, element.path).change(0, element.mask)
        if not element.option:
            _at(self._held, element.path).change(0, element.mask)

    def held(self, path: Path, *, option: bool = False) -> int:
        """The bits that hold for something."""
        node = self._grantable if option else self._held
        for name in path:
            if name not in node.below:
                break
            node = node.below[name]
        return node.mask

    def anywhere(self, path: Path = ()) -> int:
        """The bits that hold for something, or for anything in it."""
        node = self._held
        for name in path:
            if name not in node.below:
                return node.mask
            node = node.below[name]
        return node.anywhere()

    def everywhere(self) -> int:
        """The bits that hold for everything, without exception."""
        return self._held.everywhere()

    def elements(self) -> list[Element]:
        """The grants that lead to these rights, in an order in which they can be made."""
        found = list(_elements(self._grantable, 0, (), option=True))
        own = {(each.path, each.revoked): each.mask for each in found}
        for each in _elements(self._held, 0, (), option=False):
            left = each.mask & ~own.get((each.path, each.revoked), 0)
            if left:
                found.append(replace(each, mask=left))
        parts = [part for each in found for part in _by_parameter(each)]
        return sorted(parts, key=lambda each: (len(each.path), each.path, each.revoked))


def _at(node: _Node, path: Path) -> _Node:
    for name in path:
        node = node.below.setdefault(name, _Node(node.mask))
    return node


def _elements(node: _Node, above: int, path: Path, *, option: bool) -> Iterator[Element]:
    if added := node.mask & ~above:
        yield Element(added, path, option)
    if removed := above & ~node.mask:
        yield Element(removed, path, option, revoked=True)
    for name, below in sorted(node.below.items()):
        yield from _elements(below, node.mask, (*path, name), option=option)


def _by_parameter(element: Element) -> Iterator[Element]:
    """A name may be that of a database, of a collection and of a user: each has its element."""
    if len(element.path) != 1:
        yield element
        return
    for parameter in ("", *PARAMETERS):
        mask = element.mask & grantable(1, parameter)
        if mask:
            yield replace(element, mask=mask, parameter=parameter)


def to_json(rights: Rights) -> list[dict[str, Any]]:
    """Grants as the catalog keeps them."""
    return [
        {
            "privileges": each.names(),
            "path": list(each.path),
            "option": each.option,
            "revoked": each.revoked,
            "parameter": each.parameter,
        }
        for each in rights.elements()
    ]


def from_json(kept: Iterable[Mapping[str, Any]]) -> Rights:
    """The rights that were kept; a privilege that there is no more is left out."""
    return Rights(
        Element(
            mask_of(*(name for name in each["privileges"] if name in privileges()))
            & grantable(len(each["path"]), each["parameter"]),
            tuple(each["path"]),
            each["option"],
            each["revoked"],
            each["parameter"],
        )
        for each in kept
    )
