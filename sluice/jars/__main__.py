"""`python -m sluice.jars`: download all jars now, so that no later start has to."""

from __future__ import annotations

import sys
from typing import get_args

from sluice.errors import SluiceError
from sluice.jars import Group, built, java, resolve


def main() -> int:
    """Fetch every group, saying what happens; the exit status."""
    redraw = sys.stdout.isatty()  # one line that changes, or one line each

    def say(line: str) -> None:
        sys.stdout.write(f"\r\x1b[K{line}" if redraw else f"{line}\n")
        sys.stdout.flush()

    try:
        java()  # reported now, not when the first server starts
        counts = [f"{len(resolve(group, progress=say))} for {group}" for group in get_args(Group)]
        built(progress=say)
    except SluiceError as error:
        sys.stderr.write(f"\n{error}\n")
        return 1
    say(f"jars: {', '.join(counts)}, all there")
    sys.stdout.write("\n" if redraw else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
