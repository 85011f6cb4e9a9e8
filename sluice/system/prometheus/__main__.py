"""`python -m sluice.system.prometheus`: regenerate the table of metrics in docs/MONITORING.md."""

from __future__ import annotations

from pathlib import Path

from sluice.system.prometheus.table import with_table

if __name__ == "__main__":
    page = Path("docs/MONITORING.md")
    page.write_text(with_table(page.read_text("utf-8")), "utf-8")
