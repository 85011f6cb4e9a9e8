from __future__ import annotations

import string
from typing import Any

import pytest

from sluice import errors
from sluice.errors import Indefinite, Place, SluiceError, Terminal, Transient, UserError


def test_an_error_tells_what_where_and_what_to_do() -> None:
    error = errors.UNKNOWN_TABLE(table="d.t", hint="Did you mean d.q?", place=Place(2, 7))
    assert isinstance(error, UserError)
    assert error.text() == "Table d.t does not exist (line 2, column 7). Did you mean d.q?"
    assert error.clickhouse_text().startswith("Code: 60. DB::Exception: Table d.t")
    assert error.clickhouse_text().endswith("(UNKNOWN_TABLE)")


def test_the_kind_decides_the_class() -> None:
    assert isinstance(errors.NO_SPACE(folder="x"), Transient)
    assert isinstance(errors.CHECKPOINT_MISSING(table="t", path="p"), Terminal)
    assert issubclass(Indefinite, Transient)
    assert issubclass(Transient, SluiceError)


def test_a_missing_parameter_is_a_bug() -> None:
    with pytest.raises(KeyError):
        errors.UNKNOWN_TABLE(hint="")


def test_an_unknown_condition_is_a_bug() -> None:
    with pytest.raises(AttributeError):
        _ = errors.NO_SUCH_CONDITION


def test_a_place_is_kept() -> None:
    error = errors.UNKNOWN_TABLE(table="t", hint="")
    assert error.at(Place(1, 2)).place == Place(1, 2)
    assert error.at(Place(1, 2)).at(Place(3, 4)).place == Place(1, 2)


def test_a_special_case_keeps_the_codes_of_the_general_condition() -> None:
    """Each dialect has its own message, which an error keeps when its place becomes known."""
    given: dict[str, Any] = {"option": "k", "value": "'x'", "reason": "an integer is expected"}
    error = errors.INVALID_OPTION_VALUE(**given)
    assert error.clickhouse_text() == (
        "Code: 36. DB::Exception: Bad value 'x' for k: an integer is expected. (BAD_ARGUMENTS)"
    )
    placed = errors.INVALID_OPTION_VALUE(**given, dialect="flink").at(Place(1, 2))
    assert placed.message == "Could not parse value 'x' for key 'k': an integer is expected"
    assert placed.text_for("flink").startswith("Code: 36. INVALID_OPTION_VALUE: Could not parse")
    assert placed.clickhouse_text().startswith("Code: 36. DB::Exception: Bad value 'x' for k")


def test_parameters_are_not_formats() -> None:
    assert "{x}" in errors.BAD_ARGUMENTS(reason="{x}").text()


def test_nearest_names() -> None:
    assert errors.nearest("githb", ["github", "gitlab"]).startswith("Did you mean github")
    assert errors.nearest("GITHUB", ["github"]) == "Did you mean github?"
    assert errors.nearest("zzz", ["github"]) == ""


def test_no_control_characters_of_what_is_quoted() -> None:
    """A record's escape sequences would reach whoever reads the error in a terminal."""
    error = errors.BAD_ARGUMENTS(reason="a\x1b]0;x\x07 b\r\x9b1m\nя\tc")
    assert error.text() == "a\\x1b]0;x\\x07 b\\x0d\\x9b1m\nя\tc."
    assert "\x1b" not in error.clickhouse_text()
    assert "\x1b" not in str(error)


FOREIGN = {
    "flink": ("kafka_", "DB::Exception", "Nullable(", "MergeTree", "ENGINE =", "OrZero", "OrNull"),
    "clickhouse": ("'properties.", "scan.startup", "connector' ="),
}
"""What a dialect's users have never seen."""


@pytest.mark.parametrize("dialect", FOREIGN)
def test_each_dialect_has_its_own_words(dialect: str) -> None:
    """Every condition that a dialect can have, rendered for its clients and its Python callers."""
    found = []
    for name, condition in errors.conditions().items():
        c = condition
        texts = (c.message, c.detail, c.hint, c.flink_message, c.flink_hint)
        params: dict[str, Any] = {field: f"<{field}>" for text in texts
                  for _, field, _, _ in string.Formatter().parse(text) if field}  # fmt: skip
        error = condition(**params)
        if condition.dialect in ("", dialect):
            error.dialect = dialect
            shown = (error.text_for(dialect), str(error), error.hint)
            found += [(name, word) for word in FOREIGN[dialect] for text in shown if word in text]
    assert found == []
