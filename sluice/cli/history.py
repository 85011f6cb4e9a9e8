"""What was typed at the prompt, kept for the next time."""

from __future__ import annotations

import os
import re
from pathlib import Path

_LENGTH = 2000
_SECRET = re.compile(r"password|secret|sasl|jaas|credential|identified", re.IGNORECASE)


class History:
    """Line editing with a history file; without the readline module it does nothing.

    Statements that seem to contain a password are not stored.
    """

    def __init__(self) -> None:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        self.path = Path(state) / "sluice" / "history"

    def load(self) -> None:
        """Take up what was kept."""
        try:
            import readline
        except ImportError:
            return
        readline.set_auto_history(False)
        readline.set_history_length(_LENGTH)
        if self.path.exists():
            readline.read_history_file(self.path)

    def add(self, text: str) -> None:
        """Remember a statement or a command."""
        try:
            import readline
        except ImportError:
            return
        line = " ".join(text.split())
        if line and not _SECRET.search(line):
            readline.add_history(line)

    def save(self) -> None:
        """Keep it in a file that only its owner reads; a home without write access is no error."""
        try:
            import readline

            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            readline.write_history_file(self.path)
        except (ImportError, OSError):
            return
