"""`python -m sluice.options`: regenerate docs/OPTIONS.md."""

from __future__ import annotations

from pathlib import Path

from sluice.options.docs import page

if __name__ == "__main__":
    Path("docs/OPTIONS.md").write_text(page(), "utf-8")
