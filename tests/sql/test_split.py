from __future__ import annotations

import pytest

from sluice.sql.split import split

SET = """BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN x THEN 1 END; -- END;
INSERT INTO b SELECT 1; END"""


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ; ;\n", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT 1 \\G\nSELECT '\\G'", ["SELECT 1 FORMAT Vertical", "SELECT '\\G'"]),
        ("SELECT ';'; SELECT `;`; SELECT \";\"", ["SELECT ';'", "SELECT `;`", 'SELECT ";"']),
        ("SELECT 'a\\';b'; SELECT 'a'';b'", ["SELECT 'a\\';b'", "SELECT 'a'';b'"]),
        ("SELECT 1 -- a; b\n; SELECT 2", ["SELECT 1 -- a; b", "SELECT 2"]),
        ("SELECT /* ; */ 1; #! ;\nSELECT 2", ["SELECT /* ; */ 1", "#! ;\nSELECT 2"]),
        ("-- only this;\n/* and ; this */", []),
        ("SELECT $$;$$; SELECT $x$;$x$", ["SELECT $$;$$", "SELECT $x$;$x$"]),
        ("SELECT 'not closed; SELECT 2", ["SELECT 'not closed", "SELECT 2"]),
    ],
)
def test_split(text: str, statements: list[str]) -> None:
    assert split(text) == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SET 'a' = '\\'; SELECT 1", ["SET 'a' = '\\'", "SELECT 1"]),
        ("SELECT 'it''s;'; SELECT `a``;b`", ["SELECT 'it''s;'", "SELECT `a``;b`"]),
        ("SELECT 1 // a; b\n; SELECT 2 -- c;", ["SELECT 1 // a; b", "SELECT 2 -- c;"]),
        (f"USE d; {SET}; USE e;", ["USE d", SET, "USE e"]),
        (
            "execute statement set begin insert into a select 1; end; select 2",
            ["execute statement set begin insert into a select 1; end", "select 2"],
        ),
        (
            "BEGIN STATEMENT SET; INSERT INTO a SELECT 1;",
            ["BEGIN STATEMENT SET; INSERT INTO a SELECT 1;"],
        ),
    ],
)
def test_split_flink(text: str, statements: list[str]) -> None:
    assert split(text, "flink") == statements


def test_split_is_fast_on_junk() -> None:
    assert len(split("'" * 100_001)) == 1
    assert split("/*" * 10_000) != []
