"""Source transactions: no commit shows half of one."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.lab import Lab, Row

ACCOUNTS, EACH = 10, 100
TOTAL = ACCOUNTS * EACH


@dataclass
class Bank:
    """Accounts in two partitions, and what Debezium writes of transfers between them."""

    lab: Lab
    topic: str
    balances: dict[int, int] = field(default_factory=dict)
    position: int = 1000

    def __post_init__(self) -> None:
        self.accounts, self.ends = f"{self.topic}.bank.accounts", f"{self.topic}.transaction"
        self.lab.make_topic(self.accounts, 2)
        self.lab.make_topic(self.ends)

    def transaction(self, number: int, changes: dict[int, int]) -> tuple[list[Message], Message]:
        """The events of a transaction that changes balances, and its END."""
        events = []
        for order, (account, change) in enumerate(changes.items(), 1):
            before = self.balances.get(account)
            self.balances[account] = (before or 0) + change
            places = {"total_order": order, "data_collection_order": order}
            envelope = {
                "before": None if before is None else {"id": account, "balance": before},
                "after": {"id": account, "balance": self.balances[account]},
                "source": {"schema": "bank", "table": "accounts"},
                "op": "c" if before is None else "u",
                "transaction": {"id": self._id(number), **places},
            }
            key = json.dumps({"id": account}).encode()
            events.append(Message(json.dumps(envelope).encode(), key, account % 2))
        counts = [{"data_collection": "bank.accounts", "event_count": len(changes)}]
        end = {"status": "END", "id": self._id(number), "event_count": len(changes)}
        return events, Message(json.dumps(end | {"data_collections": counts}).encode())

    def _id(self, number: int) -> str:
        """As PostgreSQL's connector has it: another position for every event."""
        self.position += 1
        return f"{number}:{self.position}"

    def open(self) -> None:
        """Write transaction 1, which opens all accounts."""
        events, end = self.transaction(1, dict.fromkeys(range(ACCOUNTS), EACH))
        self.write(*events)
        self.end(end)

    def transfer(self, numbers: Iterable[int]) -> None:
        """Write transfers: each partition in order, partitions and ENDs interleaved at random."""
        chosen = random.Random(16)  # noqa: S311 - no secret
        logs: list[list[Message]] = [[], [], []]
        for number in numbers:
            spans = chosen.sample(range(ACCOUNTS), chosen.randint(2, 6))
            amounts = [chosen.randint(-9, 9) for _ in spans[1:]]
            changes = dict(zip(spans, [-sum(amounts), *amounts], strict=True))
            events, end = self.transaction(number, changes)
            for each in events:
                logs[each.partition or 0].append(each)
            logs[2].append(end)
        while any(logs):
            log = chosen.choice([each for each in logs if each])
            size = chosen.randint(1, 20)
            (self.end if log is logs[2] else self.write)(*log[:size])
            del log[:size]

    def write(self, *events: Message) -> None:
        """Write change events."""
        self.lab.produce(self.accounts, *events)

    def end(self, *ends: Message) -> None:
        """Write ENDs."""
        self.lab.produce(self.ends, *ends)

    def rows(self) -> list[Row]:
        """The accounts as they are now."""
        return sorted(self.balances.items())

    def sums(self, name: str, amount: str) -> list[int]:
        """The sum of what all accounts have, in every version of a table that is not empty."""
        engine = self.lab.session._engine
        table = engine.catalog.find(self.lab.database, name)
        assert table is not None
        versions = range(engine.store.version(table) + 1)
        read = [engine.store.read(engine.spark(), table, version=each) for each in versions]
        found = [rows.selectExpr(f"sum({amount})").head() for rows in read]
        return [int(row[0]) for row in found if row is not None and row[0] is not None]


@pytest.mark.slow
def test_no_version_of_a_table_has_half_a_transaction(lab: Lab, topic: str) -> None:
    """Transfers span two partitions: the balances add up in every version of the table.

    Events and ENDs come in any order between the partitions, and a batch has eight messages
    unless a transaction is larger. The ledger names the last transaction of each batch. One whose
    rest never comes is read after the timeout, and recorded.
    """
    bank = Bank(lab, topic)
    columns = "id UInt32, balance Int32"

    def pipe(suffix: str, **settings: Any) -> None:
        given = {"kafka_format": "DebeziumJSON", "kafka_debezium_transactions": bank.ends}
        group = {"kafka_group_name": f"{topic}{suffix}", "kafka_max_block_size": 8}
        lab.queue(f"q{suffix}", bank.accounts, columns, **given, **group, **settings)
        lab.sql(f"CREATE TABLE v{suffix} ({columns}, sign Int8) ENGINE = MergeTree ORDER BY id")
        lab.sql(
            f"CREATE MATERIALIZED VIEW m{suffix} TO v{suffix} AS "
            f"SELECT *, _sign AS sign FROM q{suffix}"
        )

    now = "SELECT id, sum(balance * sign) FROM {} GROUP BY id ORDER BY id"
    bank.open()
    pipe("", kafka_debezium_transactions_timeout_ms=600_000)
    lab.arrives(now.format("v"), bank.rows())
    # 2 is incomplete, and 3, which is in the other partition alone, does not wait for it.
    shown = dict(bank.balances)
    (first, second), end = bank.transaction(2, {0: -30, 1: 30})
    bank.write(first)
    bank.end(end)
    moved, end = bank.transaction(3, {5: -1, 7: 1})
    bank.write(*moved)
    bank.end(end)
    lab.arrives(now.format("v"), sorted({**bank.balances, 0: shown[0], 1: shown[1]}.items()))
    bank.write(second)
    lab.arrives(now.format("v"), bank.rows())
    bank.transfer(range(4, 40))
    lab.arrives(now.format("v"), bank.rows())
    sums = bank.sums("v", "balance * sign")
    assert len(sums) > 5
    assert set(sums) == {TOTAL}
    named = lab.sql(
        "SELECT batch, any(transaction) FROM system.ledger "
        f"WHERE database = '{lab.database}' AND table = 'v' GROUP BY batch ORDER BY batch"
    )
    assert [name.partition(":")[0] for _, name in (*named[:3], named[-1])] == ["1", "3", "2", "39"]

    # What is read by another table; the rest of the last transaction never comes.
    lab.sql("DROP TABLE m")
    (lost, _), _ = bank.transaction(40, {2: 5, 3: -5})
    bank.balances[3] += 5
    bank.write(lost)
    pipe("2", kafka_debezium_transactions_timeout_ms=2000)
    lab.arrives(now.format("v2"), bank.rows())
    happened = lab.sql(
        "SELECT event, message, ranges.partition_id FROM system.pipeline_events "
        f"WHERE database = '{lab.database}'"
    )
    what = "1 events were read, and no END with them"
    text = f"Source transaction 40 is incomplete: {what} in topic {bank.ends}"
    assert [tuple(map(str, row)) for row in happened] == [("TRANSACTION_INCOMPLETE", text, "[0]")]
    *before, last = bank.sums("v2", "balance * sign")
    assert (set(before), last) == ({TOTAL}, TOTAL + 5)


def test_tables_that_share_partitions_are_refused(lab: Lab, topic: str) -> None:
    """Each of them sees a part of a transaction's events only."""
    bank = Bank(lab, topic)
    for name in ("q", "r"):
        given = {"kafka_format": "DebeziumJSON", "kafka_debezium_transactions": bank.ends}
        lab.queue(name, bank.accounts, "id UInt32, balance Int32", kafka_group_name=topic, **given)
        lab.sql(f"CREATE TABLE v{name} (id UInt32, kind String) ENGINE = MergeTree ORDER BY id")
        lab.sql(
            f"CREATE MATERIALIZED VIEW m{name} TO v{name} AS "
            f"SELECT id, _row_kind AS kind FROM {name}"
        )
    said = eventually(lambda: lab.pipeline("r"), lambda row: "shares" in row[1], 60)
    assert "KAFKA_PARTITIONS_SHARED" in str(said)
