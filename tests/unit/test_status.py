from __future__ import annotations

from sluice import errors
from sluice.engine.runtime.status import RUNNING, STARTING, STOPPED, Status, now

AWAY = errors.BROKER_UNREACHABLE(brokers="b:1", reason="it is off")
RETRY = now()


def test_states_follow_each_other() -> None:
    status = Status()
    assert status.state == STARTING
    status.waiting(AWAY, RETRY)
    assert status.state == "WAITING(BROKER_UNREACHABLE)"
    assert (status.error, status.next_retry) == (AWAY, RETRY)
    status.running()
    assert [status.state, status.error, status.next_retry] == [RUNNING, None, None]
    status.failed(errors.CHECKPOINT_MISSING(table="t", path="p"))
    assert status.state == "FAILED(CHECKPOINT_MISSING)"
    status.stopped()
    assert status.state == STOPPED


def test_since_changes_with_the_state_alone() -> None:
    status = Status()
    status.running()
    since = status.since
    status.running()
    assert status.since is since


def test_errors_are_kept_but_not_for_ever() -> None:
    status = Status()
    for _ in range(50):
        status.waiting(AWAY, now())
    assert 0 < len(status.exceptions) <= 10
    assert all(text == AWAY.text() for _, text in status.exceptions)


def test_a_silence_that_is_only_watched_is_kept_once() -> None:
    status = Status()
    status.waiting(AWAY, None)
    status.waiting(AWAY, None)
    assert len(status.exceptions) == 1


def test_lag_and_position() -> None:
    status = Status()
    status.ends = {"t": {0: 10, 1: 5}, "u": {0: 1}}
    assert status.lag() == 16
    status.batch_done(8, {"t": {0: 8}})
    status.batch_done(2, {"t": {0: 10, 1: 7}})
    assert status.lag() == 1
    assert (status.messages, status.commits) == (10, 2)
    assert status.last_commit is not None
