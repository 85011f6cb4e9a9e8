"""Which types of a query go into which columns of a table."""

from __future__ import annotations

import pytest

from sluice.errors import SluiceError
from sluice.planner.fitting import casts, check_fits
from sluice.types import model as m

INT, BIGINT, TEXT = m.Int(32), m.Int(64), m.String()
PAIR = m.Tuple((INT, TEXT), ("a", "b"))


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        (INT, m.Nullable(BIGINT), True),
        (BIGINT, INT, False),
        (m.Float(64), m.Decimal(5, 2), True),
        (m.Float(64), m.Float(32), False),
        (m.Decimal(10, 2), m.Float(64), True),
        (m.Text(3, fixed=True), TEXT, True),
        (TEXT, INT, False),
        (INT, TEXT, False),
        (m.Bool(), INT, False),
        (m.Bytes(), m.Bytes(4), True),
        (m.Bytes(), TEXT, False),
        (m.LocalDateTime(3), m.DateTime(6), True),
        (m.LocalDateTime(3), m.Date(), True),
        (m.Date(), m.LocalDateTime(3), False),
        (TEXT, m.TimeOfDay(), False),
        (m.TimeOfDay(3), m.TimeOfDay(), True),
        (m.Nothing(), PAIR, True),
        (PAIR, m.Tuple((BIGINT, TEXT), ("x", "y")), True),
        (PAIR, m.Tuple((TEXT, TEXT), ("a", "b")), False),
        (PAIR, m.Tuple((INT,), ("a",)), False),
        (m.Array(m.Nullable(INT)), m.Array(BIGINT), True),
        (m.Array(INT), INT, False),
        (m.Map(TEXT, m.Bytes()), m.Map(TEXT, m.Bytes()), True),
        (m.Map(INT, TEXT), m.Map(TEXT, TEXT), False),
        (m.Multiset(TEXT), m.Multiset(TEXT), True),
    ],
)
def test_casts(given: m.Type, wanted: m.Type, *, fits: bool) -> None:
    assert casts(given, wanted) is fits


def test_check() -> None:
    check_fits([("a", None), ("b", m.Nothing())], [("x", INT), ("y", TEXT)], "db.t")
    with pytest.raises(SluiceError) as caught:
        check_fits(
            [("a", None), ("b", m.Nothing()), ("c", m.Nullable(TEXT))],
            [("x", INT), ("y", TEXT), ("z", BIGINT)],
            "db.t",
        )
    assert caught.value.message == (
        "Column types of query result and sink for 'default_catalog.db.t' do not match.\n"
        "Cause: Incompatible types for sink column 'z' at position 2.\n\n"
        "Query schema: [a: ?, b: NULL, c: STRING]\nSink schema:  [x: INT, y: STRING, z: BIGINT]"
    )
