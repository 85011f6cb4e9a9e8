"""Variants of generated GitHub events: actors, repositories, kinds, titles, and their frequency."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEVER = "1970-01-01 00:00:00"

# Stand-ins that JSON leaves as they are; an event's own values take their place.
_HOUR, _SECOND, _COMMENT, _NUMBER = "<hour>", "<:mm:ss>", 111_222_333_444, 555_666_777
_NOW = _HOUR + _SECOND
_PLACES = {f'"{_HOUR}': '"%b', f'{_SECOND}"': '%b"', str(_COMMENT): "%d", str(_NUMBER): "%d"}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How often an event type occurs, and what it carries."""

    weight: float
    actions: tuple[str, ...] = ("none",)
    issue: bool = False
    ref_types: tuple[str, ...] = ("none",)
    path: bool = False


_KINDS = {
    "PushEvent": _Kind(44, ref_types=("branch",)),
    "CreateEvent": _Kind(12, ref_types=("branch", "branch", "tag", "repository")),
    "PullRequestEvent": _Kind(10, ("opened", "closed", "reopened"), issue=True),
    "IssueCommentEvent": _Kind(9, ("created",), issue=True),
    "WatchEvent": _Kind(8, ("started",)),
    "IssuesEvent": _Kind(5, ("opened", "closed", "reopened", "labeled"), issue=True),
    "PullRequestReviewEvent": _Kind(3, ("created",), issue=True),
    "PullRequestReviewCommentEvent": _Kind(3, ("created",), issue=True, path=True),
    "DeleteEvent": _Kind(2, ref_types=("branch", "tag")),
    "ForkEvent": _Kind(2),
    "ReleaseEvent": _Kind(0.8, ("published",), ref_types=("tag",)),
    "CommitCommentEvent": _Kind(0.5, ("created",), path=True),
    "GollumEvent": _Kind(0.4),
    "MemberEvent": _Kind(0.2, ("added",)),
    "PublicEvent": _Kind(0.1),
}

_SYLLABLES = ("ka", "lo", "mi", "ren", "to", "zu", "vel", "dar", "ny", "os", "bri", "jun", "ek")
_NOUNS = ("server", "client", "parser", "tools", "docs", "kit", "engine", "ui", "core", "lib")
_LABELS = ("bug", "feature", "good first issue", "pr-bugfix", "can be tested", "help wanted",
           "question", "документация")  # fmt: skip
_REFS = ("master", "main", "develop", "release/23.1", "fix-build", "feature/kafka", "ci")
_PATHS = ("src/main.cpp", "docs/en/index.md", "tests/queries/00001_select.sql", "README.md")
_TITLES = (
    "Fix the build on {}",
    "Crash in {} when the table is empty",
    'Parsing "{}" fails with a quoted "name"',
    "Бросает исключение в {}",
    "Add support for {} 🚀",
    "{}: path C:\\temp\\new is not escaped",
    "First line of {}\nsecond line\twith a tab",
    "データ型 {} を追加",
    "Slow {} at 100% CPU",
)


@lru_cache(maxsize=4)
def variants(seed: int, count: int) -> tuple[tuple[bytes, int], ...]:
    """Templates with the highest issue number to give them, 0 for those about no issue.

    A template takes (hour, hour, :mm:ss, hour, :mm:ss, comment id, number): the file's time, when
    it was created, when it was updated.
    """
    rng = random.Random(seed)  # noqa: S311 - made-up data
    actors = _Skewed([_login(rng) for _ in range(1500)])
    repositories = _Skewed([f"{_login(rng)}/{rng.choice(_NOUNS)}" for _ in range(400)])
    kinds = rng.choices(list(_KINDS), [kind.weight for kind in _KINDS.values()], k=count)
    return tuple(
        (_template(_event(rng, kind, actors, repositories)), 60_000 * _KINDS[kind].issue)
        for kind in kinds
    )


class _Skewed:
    """Names of which the n-th is taken about 1/n as often as the first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._weights = list(accumulate(1 / n for n in range(1, len(names) + 1)))

    def one(self, rng: random.Random) -> str:
        return rng.choices(self._names, cum_weights=self._weights)[0]

    def some(self, rng: random.Random, most: int) -> list[str]:
        return [self.one(rng) for _ in range(rng.randint(0, most))]


def _event(
    rng: random.Random, event_type: str, actors: _Skewed, repositories: _Skewed
) -> dict[str, object]:
    kind = _KINDS[event_type]
    action = rng.choice(kind.actions)
    merged = event_type == "PullRequestEvent" and action == "closed" and rng.random() < 0.8
    ref_type = rng.choice(kind.ref_types)
    state = ("closed" if action == "closed" else "open") if kind.issue else "none"
    assignees = actors.some(rng, 2) if kind.issue else []
    return {
        "file_time": f"{_HOUR}:00:00",
        "event_type": event_type,
        "actor_login": actors.one(rng),
        "repo_name": repositories.one(rng),
        "created_at": _NOW,
        "updated_at": _NOW,
        "action": action,
        "comment_id": _COMMENT,
        "path": rng.choice(_PATHS) if kind.path else "",
        "ref": rng.choice(_REFS) if ref_type in ("branch", "tag") else "",
        "ref_type": ref_type,
        "creator_user_login": actors.one(rng) if kind.issue else "",
        "number": _NUMBER,
        "title": rng.choice(_TITLES).format(_login(rng)) if kind.issue else "",
        "labels": rng.sample(_LABELS, rng.randint(0, 3)) if kind.issue else [],
        "state": state,
        "assignee": assignees[0] if assignees else "",
        "assignees": assignees,
        "closed_at": "2023-01-01 00:00:00" if state == "closed" else _NEVER,
        "merged_at": "2023-01-01 00:00:00" if merged else _NEVER,
        "merge_commit_sha": f"{rng.getrandbits(160):040x}" if merged else "",
        "requested_reviewers": actors.some(rng, 2) if kind.issue else [],
        "merged_by": actors.one(rng) if merged else "",
        "review_comments": rng.randint(0, 20) if event_type.startswith("PullRequest") else 0,
        "member_login": actors.one(rng) if event_type == "MemberEvent" else "",
    }


def _template(event: dict[str, object]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":")).replace("%", "%%")
    for stand_in, place in _PLACES.items():
        text = text.replace(stand_in, place)
    return text.encode()


def _login(rng: random.Random) -> str:
    name = "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))
    return f"{name}{rng.choice(('', '', '-dev', '42', '[bot]'))}"
