"""Worker processes: results, errors, kills, and what is left of them."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from sluice.clickhouse import pool as pools
from sluice.clickhouse.pool import Allowance, Pool, Worker
from sluice.clickhouse.worker import NICENESS
from sluice.errors import SluiceError
from sluice.options.clickhouse_settings import is_passed

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDLESS = "SELECT sum(a.number * b.number) FROM numbers(1000000000) a CROSS JOIN numbers(1000000) b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def pool(folder: Path) -> Iterator[Pool]:
    made = Pool(folder)
    yield made
    made.close()
    assert list(folder.iterdir()) == []


def test_results_and_errors(pool: Pool) -> None:
    with pool.worker() as worker:
        assert worker.run("SELECT 1, 'a\tb'") == "1\ta\tb\n"
        with pytest.raises(SluiceError, match="Unknown expression identifier `nope`") as bad:
            worker.run("SELECT nope")
        assert (bad.value.condition.clickhouse_code, bad.value.condition.http) == (47, 404)
        assert worker.run("SELECT 2") == "2\n"
        stream = worker.stream("SELECT '/sluice-answer', '/dev/fd/1'", "FORMAT TSV")
        assert b"".join(stream) == b"/sluice-answer\t/dev/fd/1\n"
        stream.close()


def test_what_a_query_has_read_is_told_while_it_runs(pool: Pool) -> None:
    with pool.worker() as worker:
        query = "SELECT count() FROM numbers(400000000) WHERE sipHash64(number) = 0"
        stream = worker.stream(query, "FORMAT TSV")
        told: list[dict[str, int]] = []

        def look() -> bool:
            told.append(worker.progress())
            return told[-1].get("read_rows", 0) > 0

        eventually(look)
        assert told[-1]["total_rows_to_read"] == 400_000_000
        stream.close()  # which ends it
    with pool.worker() as worker:
        stream = worker.stream("SELECT number FROM numbers(7)", "FORMAT TSV")
        assert b"".join(stream).count(b"\n") == 7
        assert stream.statistics["read_rows"] == stream.statistics["total_rows_to_read"] == 7
        stream.close()


def test_a_large_result_is_a_stream(pool: Pool) -> None:
    with pool.worker() as worker:
        stream = worker.stream("SELECT number FROM numbers(3000000)", "FORMAT TSV")
        size = most = 0
        for chunk in stream:
            size, most = size + len(chunk), max(most, len(chunk))
        assert size == sum(len(str(n)) + 1 for n in range(3_000_000))
        assert most <= 1 << 20
        stream.close()


def test_what_is_read_is_counted(pool: Pool) -> None:
    with pool.worker() as worker:
        stream = worker.stream("SELECT sum(number) FROM numbers(100000)", "FORMAT TSV")
        assert b"".join(stream) == b"4999950000\n"
        told = stream.statistics
        assert (told["read_rows"], told["read_bytes"], told["result_rows"]) == (100_000, 800_000, 1)
        stream = worker.stream("SELECT number FROM numbers(100)", "FORMAT TSV")
        assert len(b"".join(stream).splitlines()) == 100
        assert stream.statistics["result_bytes"] == 800
        query = "SELECT uniqExact(number) FROM numbers(3000000)"
        stream = worker.stream(query, "FORMAT TSV")
        assert b"".join(stream) == b"3000000\n"
        assert stream.statistics["memory_usage"] > 16 << 20
        stream.close()


def niceness(worker: Worker) -> set[int]:
    """Those of a worker's threads, beyond that of this process; ClickHouse sets one to -20."""
    threads = [int(each.name) for each in Path(f"/proc/{worker.pid}/task").iterdir()]
    own = os.getpriority(os.PRIO_PROCESS, 0)
    found = {os.getpriority(os.PRIO_PROCESS, each) for each in threads}
    return {each - own for each in found if each >= own}


def may_undo() -> bool:
    """Whether the system lets a thread undo that it is nice: a container's root may not."""
    found = []

    def nicer_and_back() -> None:
        own = os.getpriority(os.PRIO_PROCESS, thread := threading.get_native_id())
        os.setpriority(os.PRIO_PROCESS, thread, own + 1)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, own)
            found.append(own)

    trying = threading.Thread(target=nicer_and_back)
    trying.start()
    trying.join()
    return bool(found)


def test_a_query_that_takes_long_stands_behind_others(tmp_path: Path) -> None:
    pool = Pool(tmp_path)
    with pool.worker() as worker:
        assert worker.run("SELECT 1") == "1\n"
        assert niceness(worker) == {0}
        stream = worker.stream("SELECT sleep(1)", "FORMAT TSV")
        eventually(lambda: niceness(worker) == {NICENESS})
        assert b"".join(stream) == b"0\n"
        assert worker.run("SELECT 1") == "1\n"
        assert niceness(worker) == ({NICENESS} if worker.lowered else {0})
        assert worker.lowered != may_undo()
        worker.lowered = True
    with pool.worker() as taken:
        assert taken is worker
    eventually(lambda: len(pool.memory()["idle"]) == 2)  # another one was started meanwhile
    with pool.worker() as other:
        assert other is not worker
        assert not other.lowered
    pool.close()


def test_of_many_queries_only_as_many_as_processors_come_first(tmp_path: Path) -> None:
    pool = Pool(tmp_path)
    with ExitStack() as stack:
        workers = [stack.enter_context(pool.worker()) for _ in range((os.cpu_count() or 1) + 1)]
        for worker in workers:
            worker.run("SELECT 1")
        last = min(pools.niceness(len(workers)), 19 - os.getpriority(os.PRIO_PROCESS, 0))
        assert [niceness(each) for each in workers] == [{0}] * (len(workers) - 1) + [{last}]
    pool.close()


def test_many_statements_that_take_long_get_what_one_gets() -> None:
    """A thread gets a quarter less with each step of niceness."""
    assert pools.niceness(1) == NICENESS
    for count in (2, 4, 8):
        assert count * 1.25 ** -(pools.niceness(count) - NICENESS) == pytest.approx(1, abs=0.12)


def test_workers_are_kept_while_they_are_needed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_SURPLUS_S", 0.3)
    pool = Pool(tmp_path)

    def ask(count: int) -> list[int]:
        with ExitStack() as stack:
            return [stack.enter_context(pool.worker()).pid for _ in range(count)]

    first = ask(4)
    assert sorted(ask(4)) == sorted(first)
    eventually(lambda: len(pool.memory()["idle"]) == 2)
    assert set(ask(2)) <= set(first)
    pool.close()


def test_an_allowance() -> None:
    now = 0.0
    allowance = Allowance(2.0, lambda: now)
    allowance.spend(1.5)
    assert allowance.is_left()
    allowance.spend(1.0)
    assert not allowance.is_left()
    now = 0.7  # 0.9 seconds are there
    assert not allowance.is_left()
    now = 0.8
    assert allowance.is_left()
    now = 60.0
    allowance.spend(2.1)
    assert not allowance.is_left()


def test_a_stream_of_short_statements_does_not_stay_before_ingestion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(tmp_path)
    monkeypatch.setattr(pool, "_allowance", Allowance(0.05))
    with pool.worker() as worker:
        assert niceness(worker) == {0}
    asked = 0
    while worker.first:
        with pool.worker() as worker:
            worker.run("SELECT sum(cityHash64(number)) FROM numbers(1000000)")
            asked += 1
    assert asked > 1
    assert niceness(worker) == {NICENESS}
    time.sleep(1.1)
    with pool.worker() as worker:
        worker.run("SELECT 1")
        assert niceness(worker) == ({0} if may_undo() else {NICENESS})
    pool.close()


def test_an_error_in_the_middle_comes_after_what_was_written(pool: Pool) -> None:
    query = "SELECT throwIf(number = 900000) FROM numbers(1000000)"
    with pool.worker() as worker:
        stream = worker.stream(query, "FORMAT TSV SETTINGS max_block_size = 1000")
        chunks = iter(stream)
        assert next(chunks).startswith(b"0\n0\n")
        with pytest.raises(SluiceError, match="throwIf"):
            list(chunks)
        stream.close()
        assert worker.usable


def test_a_killed_worker_is_replaced(pool: Pool) -> None:
    with pool.worker() as worker:
        threading.Timer(0.3, worker.kill).start()
        started = time.monotonic()
        with pytest.raises(SluiceError) as lost:
            list(worker.stream(ENDLESS, "FORMAT TSV"))
        assert lost.value.condition.name == "QUERY_WORKER_LOST"
        assert time.monotonic() - started < 30
        assert not worker.usable
        gone = worker.folder
    assert not gone.exists()
    with pool.worker() as other:
        assert other.run("SELECT 3") == "3\n"


def test_a_query_has_a_limit_of_memory(pool: Pool) -> None:
    query = "SELECT length(groupArray(number)) FROM numbers(1000000000)"
    with pool.worker() as worker:
        with pytest.raises(SluiceError) as bad:
            list(worker.stream(query, "FORMAT TSV SETTINGS max_memory_usage = 100000000"))
        assert bad.value.condition.name == "MEMORY_LIMIT_EXCEEDED"


def test_a_system_without_memory_ends_a_worker_first(pool: Pool) -> None:
    """Else it ends the largest process, which may be the JVM that ingests."""
    with pool.worker() as worker:
        score = int(Path(f"/proc/{worker.pid}/oom_score_adj").read_text("ascii"))
    assert score > int(Path("/proc/self/oom_score_adj").read_text("ascii"))


def test_a_worker_gets_no_secrets_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "S3CR3T-canary")
    other = Pool(tmp_path)
    with other.worker() as worker:
        found = worker.run(f"SELECT file('/proc/{worker.pid}/environ')")
        assert "PATH=" in found
        assert "S3CR3T" not in found
    other.close()


def test_what_is_short_does_not_wait_for_queries(tmp_path: Path) -> None:
    other = Pool(tmp_path, most=1)
    with other.worker(), other.worker(short=True) as worker:
        assert worker.run("SELECT 4") == "4\n"
    other.close()


def test_a_worker_ends_with_the_pool(tmp_path: Path) -> None:
    (tmp_path / "clickhouse-999999999-left").mkdir()
    other = Pool(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with other.worker() as worker:
        pid = worker.pid
    other.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(SluiceError, match="the server stops"), other.worker():
        pass


def test_a_worker_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    pool = Pool(tmp_path)
    pids: list[int] = []

    def ask() -> None:
        with pool.worker() as worker:
            pids.append(worker.pid)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    time.sleep(0.2)
    with pool.worker() as worker:
        assert worker.pid == pids[0]
        assert worker.run("SELECT 1").strip() == "1"
    pool.close()


def test_texts_call_nothing(pool: Pool) -> None:
    """An expression in data reads no file: what is checked is the query, not texts in it."""
    hidden = "(SELECT * FROM file(''/etc/passwd'', ''LineAsString'', ''a String'') LIMIT 1)"
    for expression in ("file(''/etc/passwd'')", hidden, "hostName()"):
        with pool.worker() as worker, pytest.raises(SluiceError):
            worker.run(f"SELECT * FROM format('Values', 'a String', '({expression})')")
    assert not is_passed("input_format_values_interpret_expressions", reads=False)
