"""Starting a process that cannot outlive this one.

The child's standard input is a pipe that only this process holds open. A shell puts a watcher on
it and becomes the command: when the pipe closes, for whatever reason, even `kill -9`, the watcher
kills the group. The command leads its group and the watcher is a member of it, so the number it
kills by cannot have passed to a stranger. Unlike PR_SET_PDEATHSIG this does not depend on the
thread that started the child, and needs no code between fork and exec.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SCRIPT = """\
exec 3<&0 </dev/null
{ read -r _ <&3; kill -s KILL -- -$$; } &
exec "$@" 3<&-
"""


def tethered(command: Sequence[str], console: Path) -> subprocess.Popen[bytes]:
    """Start `command` with a group of its own, its output going to `console`.

    The terminal's Ctrl-C does not reach it: stopping it in good order is the caller's business.
    """
    with console.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - our own script and arguments
            ["/bin/sh", "-c", _SCRIPT, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def release(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its watcher, and take note of the end."""
    process.kill()
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
