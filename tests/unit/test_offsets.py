from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from sluice.catalog import Generation
from sluice.engine import offsets
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path

START = Generation(1, {"t": {0: 3, 1: 0}}, {"t": "id"})


def log(
    checkpoint: Path, batch: int, ends: dict[str, dict[int, int]], *, done: bool = True
) -> None:
    """Write what Spark writes for a batch."""
    for name, text in (
        ("offsets", f"v1\n{{}}\n{json.dumps(ends)}"),
        *([("commits", "v1\n{}")] if done else []),
    ):
        (checkpoint / name).mkdir(exist_ok=True)
        (checkpoint / name / str(batch)).write_text(text, "utf-8")


def test_ranges_of_a_batch(tmp_path: Path) -> None:
    log(tmp_path, 0, {"t": {0: 5, 1: 2}})
    log(tmp_path, 1, {"t": {0: 9, 1: 2, 2: 4}}, done=False)
    assert offsets.ranges("d.t", tmp_path, 0, START) == {"t": {0: (3, 5), 1: (0, 2)}}
    second = offsets.ranges("d.t", tmp_path, 1, START)
    assert second == {"t": {0: (5, 9), 1: (2, 2), 2: (0, 4)}}
    assert offsets.count(second) == 8
    assert offsets.ends(second) == {"t": {0: 9, 1: 2, 2: 4}}


def test_the_last_transaction_of_a_batch(tmp_path: Path) -> None:
    log(tmp_path, 0, {"t": {0: 5}})
    named: dict[str, Any] = {"#transaction": {"571:9": 40}, "t": {0: 7}}
    log(tmp_path, 1, named)
    assert offsets.ranges("d.t", tmp_path, 1, START) == {"t": {0: (5, 7)}}
    assert [offsets.last_transaction(tmp_path, n) for n in range(3)] == ["", "571:9", ""]


def test_ranges_need_the_log(tmp_path: Path) -> None:
    with pytest.raises(SluiceError, match="checkpoint"):
        offsets.ranges("d.t", tmp_path, 0, START)


def test_the_position_is_after_the_last_committed_batch(tmp_path: Path) -> None:
    assert offsets.position(tmp_path, START) == START.starts
    log(tmp_path, 9, {"t": {0: 5, 1: 2}})
    log(tmp_path, 10, {"t": {0: 7, 1: 2}})
    log(tmp_path, 11, {"t": {0: 9, 1: 2}}, done=False)
    (tmp_path / "commits" / ".11.crc").write_text("", "utf-8")
    assert offsets.position(tmp_path, START) == {"t": {0: 7, 1: 2}}


def test_furthest() -> None:
    assert offsets.furthest({"t": {0: 1, 1: 5}}, {"t": {0: 4}}, {"u": {0: 0}}) == {
        "t": {0: 4, 1: 5},
        "u": {0: 0},
    }


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ({"t": {0: 5}}, None),
        ({"t": {0: 10}}, None),
        ({"t": {0: 4}}, "t/0: 4 to 4 are gone"),
        ({"t": {0: 11}}, "t/0: it ends at 10, 11 had been read"),
        ({"other": {0: 11}}, None),
    ],
)
def test_what_kafka_lost_is_named(at: Any, said: str | None) -> None:
    found = offsets.lost(at, {"t": {0: 5}}, {"t": {0: 10}})
    assert offsets.loss_text(found) == (said or "")


def test_sparks_form() -> None:
    assert json.loads(offsets.to_json({"t": {0: 5}})) == {"t": {"0": 5}}
