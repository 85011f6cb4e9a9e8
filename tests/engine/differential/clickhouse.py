"""ClickHouse's answers, from a process of its own: the library brings its own allocator along.

As a program it reads `{"setup": [...], "queries": [...]}` from its input and writes a list with an
answer for each query: `[[types], [rows of texts]]`, or the error's text.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

Answer = tuple[list[str], list[list[str]]]


def ask(setup: list[str], queries: list[str]) -> list[Answer | str]:
    """What ClickHouse answers each query: types and rows, or an error."""
    given = json.dumps({"setup": setup, "queries": queries})
    command = [sys.executable, __file__]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [a if isinstance(a, str) else (a[0], a[1]) for a in json.loads(done.stdout)]


def _main() -> None:
    from chdb import session as sessions

    asked = json.loads(sys.stdin.read())
    session: Any = sessions.Session()  # type: ignore[no-untyped-call]
    for statement in asked["setup"]:
        session.query(statement)
    answers: list[Any] = []
    for query in asked["queries"]:
        try:
            body = bytes(session.query(query, "TabSeparatedWithNamesAndTypes").bytes())
        except (RuntimeError, UnicodeDecodeError) as bad:  # errors may quote bytes
            answers.append(str(bad))
            continue
        lines = body.decode("utf-8", "surrogateescape").split("\n")[1:-1]
        answers.append([lines[0].split("\t"), [line.split("\t") for line in lines[1:]]])
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    _main()
