"""What the benchmarks ask for, without running them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"

MADE = """
import json, re
import cost

class Server:
    statements = []
    pids = {}

    def run(self, statement):
        self.statements.append(statement)
        return "2"

filled = []
cost.topics.fill = lambda broker, topic, rows: filled.append(topic)
cost.time.sleep = lambda seconds: None
for name in ("sluice_idle-0", "sluice_many-0"):
    list(cost.idle(Server(), "broker", name, [1, 2], 0.0))
groups = [re.search("kafka_group_name = '([^']+)'", each) for each in Server.statements]
print(json.dumps([filled, [each[1] for each in groups if each]]))
"""


def test_idle_tables_of_contenders_share_no_group() -> None:
    """Contenders have one broker: a group that has read its message waits for a second one."""
    run = [sys.executable, "-c", MADE]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=BENCH)
    topics, groups = json.loads(done.stdout)
    wanted = [f"{name}_{n}" for name in ("sluice_idle-0", "sluice_many-0") for n in range(2)]
    assert topics == wanted
    assert len(set(groups)) == len(groups) == 4
