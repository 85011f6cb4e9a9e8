"""The table of privileges, beside ClickHouse's own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sluice.access.privileges import OWN, grantable, mask_of, names_of, privileges
from sluice.access.rights import Element, Rights, from_json, to_json

_ASK = (
    "import chdb; print(chdb.query('SELECT privilege, level, parent_group FROM "
    "system.privileges', 'TSV'))"
)


def test_names_levels_and_groups_are_those_of_clickhouse() -> None:
    told = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    theirs = {
        name: (level, group)
        for name, level, group in (line.split("\t") for line in told.stdout.strip().splitlines())
    }
    sources = {each.name for each in privileges().values() if each.parent == "SOURCES"}
    for each in privileges().values():
        if each.name in OWN or each.name in sources | {"SOURCES", "SYSTEM DROP CACHE"}:
            continue
        level, group = theirs[each.name]
        assert (each.parent or "\\N") == group, each.name
        if each.level is not None:
            assert each.level == level, each.name
    assert sources <= theirs.keys()


def rights(*elements: Element) -> Rights:
    return Rights(elements)


SELECT, INSERT = mask_of("SELECT"), mask_of("INSERT")


def test_a_grant_on_a_database_holds_for_its_tables_and_columns() -> None:
    held = rights(Element(SELECT, ("db",)))
    assert held.held(("db", "t", "a")) == SELECT
    assert held.held(("other", "t")) == 0
    assert held.held(()) == 0


def test_a_part_can_be_revoked_and_granted_again() -> None:
    held = rights(Element(SELECT), Element(SELECT, ("secret",), revoked=True))
    assert held.held(("secret", "t")) == 0
    assert held.held(("db",)) == SELECT
    held.grant(Element(SELECT, ("secret", "open")))
    assert held.held(("secret", "open")) == SELECT
    assert held.held(("secret", "t")) == 0
    held.grant(Element(SELECT))
    assert held.held(("secret", "t")) == SELECT


def test_what_holds_everywhere() -> None:
    held = rights(Element(SELECT | INSERT), Element(SELECT, ("secret",), revoked=True))
    assert held.everywhere() == INSERT


def test_the_grant_option_is_apart() -> None:
    held = rights(Element(SELECT | INSERT, ("db",)), Element(SELECT, ("db",), option=True))
    assert held.held(("db",), option=True) == SELECT
    held.revoke(Element(SELECT, ("db",), option=True))
    assert held.held(("db",), option=True) == 0
    assert held.held(("db",)) == SELECT | INSERT


@pytest.mark.parametrize(
    "elements",
    [
        (Element(mask_of("ALL"), option=True),),
        (Element(SELECT), Element(SELECT, ("s",), revoked=True), Element(SELECT, ("s", "t"))),
        (Element(SELECT, ("d", "t", "a")), Element(INSERT, ("d", "t"), option=True)),
        (Element(mask_of("NAMED COLLECTION"), ("c",), parameter="NAMED_COLLECTION"),),
    ],
)
def test_rights_are_kept_as_they_are(elements: tuple[Element, ...]) -> None:
    held = rights(*elements)
    again = from_json(to_json(held))
    assert again.elements() == held.elements()


def test_a_group_is_named_if_all_of_it_is_held() -> None:
    assert names_of(mask_of("ALL")) == ["ALL"]
    assert names_of(grantable(1), grantable(1)) == ["ALL"]
    assert names_of(mask_of("SELECT", "ALTER ADD COLUMN")) == ["SELECT", "ALTER ADD COLUMN"]
