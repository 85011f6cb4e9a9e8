"""`sluice migrate`: what would become of every statement of a script, without a server."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.cli.command import Command
from sluice.cli.sql import add_dialect, read_script
from sluice.errors import printable

if TYPE_CHECKING:
    import argparse

    from sluice.planner.explain import Explained
    from sluice.session.migration import Trial

_LONGEST = 60
"""How much of a statement is shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", type=Path, help="a script of ClickHouse or Flink statements")
    add_dialect(parser)
    parser.add_argument(
        "--all", action="store_true", help="also show honoured options and options that are not set"
    )


def run(args: argparse.Namespace) -> int:
    """Explain every statement; 1 if one of them, or an option of one, is refused."""
    from sluice.parameters.option import HONOURED, REFUSED
    from sluice.planner.explain import CHANGED, ROLES
    from sluice.session.migration import trial
    from sluice.sql.split import VERTICAL, split

    script = read_script(args.file)
    counts = {HONOURED: 0, CHANGED: 0, REFUSED: 0}
    at = 0
    with trial() as tried:
        for statement in split(script, args.dialect):
            at = script.index(statement.removesuffix(VERTICAL), at)
            line = script.count("\n", 0, at) + 1
            at += len(statement)
            rows = _explained(tried, statement, args.dialect)
            given = [r for r in rows if r.given or r.outcome == REFUSED or r.option in ROLES]
            outcomes = {row.outcome for row in given}
            worst = next((o for o in (REFUSED, CHANGED) if o in outcomes), HONOURED)
            counts[worst] += 1
            shown = " ".join(statement.split())[:_LONGEST]
            print(printable(f"{args.file}:{line}: {worst}: {shown}"))
            for row in rows if args.all else given:
                if args.all or row.outcome != HONOURED:
                    name = f"{row.option} = {row.given}" if row.given else row.option
                    print(printable(f"    {name}: {row.outcome}: {row.how}"))
    total = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    count = sum(counts.values())
    print(f"{count} {'statement' if count == 1 else 'statements'}: {total}")
    return 1 if counts[REFUSED] else 0


def _explained(trial: Trial, statement: str, dialect: str) -> list[Explained]:
    from sluice.parameters.option import REFUSED
    from sluice.planner.explain import Explained
    from sluice.session.migration import WHOLE, explained, read

    if dialect == "flink":
        from sluice.sql.flink import parse
    else:
        from sluice.sql import clickhouse

        parse = partial(clickhouse.parse, lenient=True)
    found, problems = read(parse, statement)
    if found is None:
        return [Explained(WHOLE, "", REFUSED, bad.text(), "") for bad in problems]
    return explained(trial, found, dialect, problems)


COMMAND = Command(
    "migrate",
    "Show how each statement of a script is handled",
    configure,
    run,
)
