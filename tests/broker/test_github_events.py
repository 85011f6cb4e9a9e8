from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from sluice.broker.github_events import events, fill
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

COLUMNS = [
    "file_time",
    "event_type",
    "actor_login",
    "repo_name",
    "created_at",
    "updated_at",
    "action",
    "comment_id",
    "path",
    "ref",
    "ref_type",
    "creator_user_login",
    "number",
    "title",
    "labels",
    "state",
    "assignee",
    "assignees",
    "closed_at",
    "merged_at",
    "merge_commit_sha",
    "requested_reviewers",
    "merged_by",
    "review_comments",
    "member_login",
]

ENUMS = {
    "event_type": """CommitCommentEvent CreateEvent DeleteEvent ForkEvent GollumEvent
        IssueCommentEvent IssuesEvent MemberEvent PublicEvent PullRequestEvent
        PullRequestReviewCommentEvent PushEvent ReleaseEvent SponsorshipEvent WatchEvent GistEvent
        FollowEvent DownloadEvent PullRequestReviewEvent ForkApplyEvent Event TeamAddEvent""",
    "action": """none created added edited deleted opened closed reopened assigned unassigned
        labeled unlabeled review_requested review_request_removed synchronize started published
        update create fork merged""",
    "ref_type": "none branch tag repository unknown",
    "state": "none open closed",
}
TIMES = ("file_time", "created_at", "updated_at", "closed_at", "merged_at")
LISTS = ("labels", "assignees", "requested_reviewers")
NUMBERS = ("comment_id", "number", "review_comments")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(event) for event in events(20_000)]


def test_every_event_has_the_columns(rows: list[dict[str, Any]]) -> None:
    assert len(COLUMNS) == 25
    assert all(list(row) == COLUMNS for row in rows)


def test_values_fit_their_types(rows: list[dict[str, Any]]) -> None:
    time = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
    for row in rows:
        assert all(row[name] in words.split() for name, words in ENUMS.items())
        assert all(time.fullmatch(row[name]) for name in TIMES)
        assert all(type(row[name]) is list for name in LISTS)
        assert all(type(row[name]) is int and 0 <= row[name] < 2**32 for name in NUMBERS)
        assert all(type(row[name]) is str for name in {*COLUMNS} - {*LISTS} - {*NUMBERS})


def test_events_are_distinct(rows: list[dict[str, Any]]) -> None:
    assert len({row["comment_id"] for row in rows}) == len(rows)


def test_names_are_skewed(rows: list[dict[str, Any]]) -> None:
    repositories = Counter(row["repo_name"] for row in rows)
    assert len(repositories) > 100
    assert repositories.most_common(1)[0][1] > 10 * len(rows) / len(repositories)


def test_titles_need_care(rows: list[dict[str, Any]]) -> None:
    titles = "".join(row["title"] for row in rows)
    assert all(mark in titles for mark in ('"', "\\", "\n", "\t", "%", "Б", "🚀"))


def test_events_are_single_lines() -> None:
    assert all(b"\n" not in event for event in events(5000))


def test_the_sequence_is_the_same_however_it_is_cut() -> None:
    whole = list(events(10_000, seed=3))
    assert list(events(4_000, seed=3)) + list(events(6_000, seed=3, first=4_000)) == whole
    assert list(events(1, seed=3, first=9_999)) == whole[-1:]
    assert list(islice(events(10**9, seed=4), 10)) != whole[:10]
    assert list(events(0)) == []


def test_fill(cluster: Cluster, broker: Broker, topic: str) -> None:
    told: list[int] = []
    fill(broker.address, topic, 10_000, partitions=3, progress=told.append)
    ends = cluster.latest([topic])[topic]
    assert sum(ends.values()) == 10_000
    assert min(ends.values()) > 3000
    assert told[-1] == 10_000
    assert told == sorted(told)
    fill(broker.address, topic, 5, first=10_000)
    assert sum(cluster.latest([topic])[topic].values()) == 10_005


def test_fill_without_a_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sluice.broker.github_events._PATIENCE", 0.5)
    with pytest.raises(SluiceError) as caught:
        fill("127.0.0.1:1", "t", 1)
    assert caught.value.condition.name == "BROKER_UNREACHABLE"
