"""Source transactions into a table that is kept by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.test_source_transactions import TOTAL, Bank

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab


@pytest.mark.slow
def test_a_table_by_key_has_whole_transactions(flink: FlinkLab) -> None:
    """Balances are replaced, and add up in every version; the ledger names the last transaction."""
    bank = Bank(flink, "keyed-transactions")
    columns = "id INT, balance INT, PRIMARY KEY (id) NOT ENFORCED"
    options = {"debezium__transactions": bank.ends, "debezium__transactions__timeout": "10 min"}
    flink.table("s", columns, bank.accounts, format="debezium-json", **options)
    flink.sql(f"CREATE TABLE t ({columns})")
    flink.start("INSERT INTO t SELECT id, balance FROM s")
    bank.open()
    flink.arrives("SELECT id, balance FROM t ORDER BY id", bank.rows())
    bank.transfer(range(2, 60))
    flink.arrives("SELECT id, balance FROM t ORDER BY id", bank.rows())
    assert set(bank.sums("t", "balance")) == {TOTAL}
    named = flink.sql(
        "SELECT DISTINCT batch, `transaction` FROM system.ledger "
        f"WHERE database = '{flink.database}' ORDER BY batch"
    )
    assert [name.partition(":")[0] for _, name in (named[0], named[-1])] == ["1", "59"]
