"""How partitions are shared out among the tables of a group."""

from __future__ import annotations

from collections import Counter

import pytest

from sluice.engine.sources.assignment import assigned


def all_of(*members: str, partitions: int = 11) -> dict[tuple[str, int], list[str]]:
    return {("t", p): list(members) for p in range(partitions)}


def test_even_and_stable() -> None:
    """Whoever joins or leaves, shares are even, and nothing moves without a need."""
    whose: dict[tuple[str, int], str] = {}
    for count in (1, 2, 3, 5, 4, 1):
        before = dict(whose)
        members = "abcde"[:count]
        whose = assigned(all_of(*members), before, moving=True)
        shares = Counter(whose.values())
        assert set(shares) == set(members)
        assert max(shares.values()) - min(shares.values()) <= 1
        assert assigned(all_of(*members), whose, moving=True) == whose
        kept = sum(before.get(p) == o for p, o in whose.items())
        assert not before or kept >= 11 // max(count, len(set(before.values())))


def test_only_what_nobody_has_while_others_read() -> None:
    owners = {("t", 0): "a", ("t", 1): "a", ("t", 2): "a"}
    whose = assigned(all_of("a", "b", partitions=4), owners, moving=False)
    assert whose == {**owners, ("t", 3): "b"}


def test_topics_that_only_some_read() -> None:
    eligible = {("t", 0): ["a", "b"], ("t", 1): ["a", "b"], ("u", 0): ["b"], ("u", 1): ["b"]}
    whose = assigned(eligible, {}, moving=True)
    assert whose == {("t", 0): "a", ("t", 1): "a", ("u", 0): "b", ("u", 1): "b"}


@pytest.mark.parametrize("owner", ["gone", "b"])
def test_an_owner_that_cannot_read_it_gives_it_up(owner: str) -> None:
    assert assigned({("t", 0): ["a"]}, {("t", 0): owner}, moving=False) == {("t", 0): "a"}


def test_what_others_read_counts() -> None:
    """Two tables that look at the same time come to the same answer about a new partition."""
    eligible, owners = all_of("a", "b", partitions=3), {("t", 0): "a"}
    first = assigned(eligible, owners, moving=True)
    second = assigned(eligible, owners, {("t", 0)}, moving=False)
    assert first == second == {("t", 0): "a", ("t", 1): "b", ("t", 2): "a"}
