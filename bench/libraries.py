"""Our decoders and encoders against the libraries that Spark and Flink use for the same.

    .venv/bin/python bench/libraries.py [--rows 50000] [--warm 10] [--repeat 15]

The messages are the events of the ClickHouse guide, 25 columns each. One JVM runs all contenders in
turn, warm; what counts is the CPU time of its process, with that of the garbage collector. A
contender whose rows or messages differ from ours is an error. `bench/java` is compiled for this
alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from sluice.broker.github_events import events
from sluice.cli.demo import statements
from sluice.formats import described
from sluice.formats.settings import with_defaults
from sluice.jars import build, built, fetched, java, resolve
from sluice.jars.resolve import class_path
from sluice.types import model as m
from sluice.types.text import parse_columns

BENCH = Path(__file__).resolve().parent
OPENED = ("java.lang", "java.lang.invoke", "java.nio", "java.util", "sun.nio.ch")
FLINK_OPTIONS = {
    "ignore-parse-errors": False,
    "fail-on-missing-field": False,
    "timestamp-format.standard": "SQL",
    "encode.ignore-null-fields": False,
    "encode.decimal-as-plain-number": False,
    "map-null-key.mode": "FAIL",
    "map-null-key.literal": "null",
    "field-delimiter": ",",
    "disable-quote-character": False,
    "quote-character": '"',
    "array-element-delimiter": ";",
    "trim-spaces": False,
    "allow-comments": False,
    "ignore-first-line": False,
    "empty-string-as-null": False,
    "ignore-trailing-unmappable": False,
    "allow-trailing-comma": True,
    "fail-on-missing-columns": False,
    "write-bigdecimal-in-scientific-notation": True,
    "encoding": "binary",
    "timestamp_mapping.legacy": False,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--warm", type=int, default=10, help="rounds that do not count")
    parser.add_argument("--repeat", type=int, default=15, help="rounds that count")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, args.rows)
        _show(_run(folder, args.warm, args.repeat))


def _write(folder: Path, rows: int) -> None:
    """Put messages and descriptions where the JVM reads them."""
    with (folder / "messages").open("wb") as file:
        file.write(rows.to_bytes(4, "big"))
        for event in events(rows):
            file.write(len(event).to_bytes(4, "big") + event)
    queue = statements("-")[0]
    lines = queue[queue.index("(") + 1 : queue.rindex(")\nENGINE")].strip().splitlines()
    columns = parse_columns("\n".join(line.strip().rstrip(",") for line in lines))
    flink = [(name, m.Nullable(_flink(type_))) for name, type_ in columns.items()]
    for path, text in {
        "clickhouse.columns": described.columns(list(columns.items())),
        "clickhouse.settings": json.dumps(with_defaults({})),
        "flink.columns": described.columns(flink),
        "flink.options": json.dumps(FLINK_OPTIONS),
    }.items():
        (folder / path).write_text(text, "utf-8")


def _flink(type_: m.Type) -> m.Type:
    """What a Flink table would have for a column of the guide."""
    match type_:
        case m.Array():
            return m.Array(m.Nullable(m.String()))
        case m.DateTime():
            return m.LocalDateTime(3)
        case m.Int(bits=64):
            return m.Int(64)
        case m.Int():
            return m.Int(32)
        case _:
            return m.String()


def _run(folder: Path, warm: int, repeat: int) -> list[list[str]]:
    """Job, contender, median and least nanoseconds for a message."""
    against = [built(), *class_path(), *fetched(BENCH / "libraries.ivy.xml")]
    sources = sorted((BENCH / "java").rglob("*.java"))
    build.compile_classes(java(), resolve("compiler")[0], against, sources, folder / "classes")
    opened = [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in OPENED]
    paths = os.pathsep.join(map(str, [folder / "classes", *against]))
    command = [java(), *opened, "-Xms1536m", "-Xmx1536m", "-XX:+UseSerialGC", "-Duser.timezone=UTC"]
    command += ["-cp", paths, "sluice.bench.Libraries", folder, str(warm), str(repeat)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:  # the JVM has told why
        raise SystemExit(run.returncode)
    return [line.split("\t") for line in run.stdout.splitlines()]


def _show(found: list[list[str]]) -> None:
    print(f"{'job':<20} {'contender':<20} {'ns/message':>11} {'least':>8} {'of ours':>8}")
    ours = 1
    for job, name, median, least in found:
        ours = int(median) if name == "sluice" else ours
        print(f"{job:<20} {name:<20} {median:>11} {least:>8} {int(median) / ours:>8.2f}")


if __name__ == "__main__":
    main()
