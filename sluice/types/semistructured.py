"""JSON, Variant and Dynamic: types whose values have a type of their own."""

from __future__ import annotations

from dataclasses import dataclass

from sluice.types.model import Type, holds, is_nullable, plain_or_quoted
from sluice.types.quoting import quote_string


@dataclass(frozen=True, slots=True)
class Json(Type):
    """An object by its paths: some have a type of their own, some are skipped.

    `limits` are the parameters for ClickHouse's storage. They are kept, shown, and given to
    ClickHouse with every value.
    """

    limits: tuple[tuple[str, int], ...] = ()
    paths: tuple[tuple[str, Type], ...] = ()
    skipped: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in self.limits]
        parts += [f"{plain_or_quoted(path)} {type_}" for path, type_ in self.paths]
        parts += [f"SKIP {plain_or_quoted(path)}" for path in self.skipped]
        parts += [f"SKIP REGEXP {quote_string(pattern)}" for pattern in self.patterns]
        return f"JSON({', '.join(parts)})" if parts else "JSON"


LIMITS = {"max_dynamic_types": 254, "max_dynamic_paths": 10_000}
"""The parameters of JSON, in the order in which they are shown, with their largest values."""


def json_type(args: list[tuple[str, object]]) -> Json:
    """The type of what stands in its parentheses: a path with its type, or a word with its value.

    Raises:
        ValueError: if parts contradict each other.
    """
    limits: dict[str, int] = {}
    paths: dict[str, Type] = {}
    skipped: dict[str, set[str]] = {"SKIP": set(), "SKIP REGEXP": set()}
    for word, value in args:
        if isinstance(value, Type):
            if word in paths:
                raise ValueError(f"the path {word} has two types")
            paths[word] = value
        elif isinstance(value, int):
            if word not in LIMITS or not 0 <= value <= LIMITS[word]:
                raise ValueError(f"{word} is none of its parameters, or {value} is too large")
            limits[word] = value
        else:
            skipped[word].add(str(value))
    for path in paths:
        for prefix in skipped["SKIP"]:
            if f"{path}.".startswith(f"{prefix}."):
                raise ValueError(f"the path {path} has a type and is skipped")
    return Json(
        tuple((name, limits[name]) for name in LIMITS if name in limits),
        tuple(sorted(paths.items())),
        tuple(sorted(skipped["SKIP"])),
        tuple(sorted(skipped["SKIP REGEXP"])),
    )


@dataclass(frozen=True, slots=True)
class Variant(Type):
    """A value of one of several types, or NULL; `alias` is the name of one that has its own."""

    kinds: tuple[Type, ...]
    alias: str = ""

    def __str__(self) -> str:
        return self.alias or f"Variant({', '.join(map(str, self.kinds))})"


@dataclass(frozen=True, slots=True)
class Dynamic(Type):
    """A value of any type, or NULL; `most` is how many types ClickHouse stores apart."""

    most: int | None = None

    def __str__(self) -> str:
        return "Dynamic" if self.most is None else f"Dynamic(max_types={self.most})"


def variant_type(args: list[object]) -> Variant:
    """The Variant of some types: each once, in the order of their texts.

    Raises:
        ValueError: if there is none.
        TypeError: for one that cannot be in it.
    """
    if not args:
        raise ValueError("at least one type is needed")
    kinds: dict[str, Type] = {}
    for each in args:
        if not isinstance(each, Type):
            raise TypeError("types are expected")
        if isinstance(each, Variant | Dynamic) or is_nullable(each):
            raise TypeError(f"{each} cannot be inside Variant")
        kinds[str(each)] = each
    return Variant(tuple(kinds[name] for name in sorted(kinds)))


TYPED: tuple[type[Type], ...] = (Variant, Dynamic)
"""The types whose values have one of their own, which only ClickHouse knows."""

OPAQUE: tuple[type[Type], ...] = (Json, *TYPED)
"""The types whose values only ClickHouse looks into: Spark stores them and passes them on."""


def same_texts(one: Type, other: Type) -> bool:
    """Whether what Spark stores for values of one type can be read as another's."""
    if isinstance(one, Json) and isinstance(other, Json):
        return one.paths == other.paths
    return one == other or not (is_opaque(one) or is_opaque(other))


def is_opaque(type_: Type) -> bool:
    """Whether Spark only passes values of a type on, or what is inside of them."""
    return holds(type_, OPAQUE)


def is_typed(type_: Type) -> bool:
    """Whether values of a type, or what is inside of them, have types of their own."""
    return holds(type_, TYPED)
