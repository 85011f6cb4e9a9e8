"""`python -m sluice.errors`: regenerate docs/ERRORS.md."""

from __future__ import annotations

from pathlib import Path

from sluice.errors.docs import page

if __name__ == "__main__":
    Path("docs/ERRORS.md").write_text(page(), "utf-8")
