"""The metrics as a table, for people."""

from __future__ import annotations

from sluice.system.prometheus.metrics import FAMILIES

_BEGIN, _END = "<!-- metrics: begin -->", "<!-- metrics: end -->"


def table() -> str:
    """All metrics that are ours, in Markdown."""
    lines = ["| metric | type | labels | |", "|---|---|---|---|"]
    for each in FAMILIES:
        labels = ", ".join(f"`{label}`" for label in each.labels.split())
        lines.append(f"| `{each.name}` | {each.kind} | {labels} | {each.help} |")
    return "\n".join(lines)


def with_table(page: str) -> str:
    """A page with the table as it is now between its marks."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return f"{before}{begin}\n{table()}\n{end}{after}"
