"""`python -m sluice.options`: write docs/OPTIONS.md anew."""

from __future__ import annotations

from pathlib import Path

from sluice.options.docs import page

if __name__ == "__main__":
    Path("docs/OPTIONS.md").write_text(page(), "utf-8")
