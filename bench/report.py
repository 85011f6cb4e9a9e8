"""The figures of a run, as a table for people and as JSON."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import machine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    Step = dict[str, Any]
    Result = dict[str, Any]

LATENCY_P95 = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """The rows in a second that a Sluice contender should have: at least, and at best."""

    floor: int
    goal: int


PACES = {"sluice_changelog": Pace(40_000, 60_000), "sluice_growth": Pace(40_000, 60_000)}


@dataclass(frozen=True, slots=True)
class Limit:
    """What a figure in a contender's notes may be at most, and the remark about it."""

    most: float
    text: str
    figure: str = "ratio"


LIMITS = {
    "sluice_idle": Limit(
        15.0,
        "A server with 1 idle Kafka table uses {with_1} % of a core, one with 100 {with_100} %",
        "with_100",
    ),
    "sluice_steady": Limit(
        25.0,
        "100 messages/s exactly once use {busy} % of a core (latency p50 {p50} ms, p99 {p99} ms)",
        "busy",
    ),
    "sluice_visible": Limit(
        1000.0,
        "Beside 1,000 messages/s a message is visible after {p50} ms (p95 {p95}, p99 {p99} ms; the"
        " query that looks takes {select} ms)",
        "p95",
    ),
    "sluice_many": Limit(
        500.0,
        "A server with 500 Kafka tables has {threads} threads, {python_mb} MB in Python and"
        " {jvm_mb} MB in the JVM; idle it uses {busy} % of a core",
        "threads",
    ),
    "sluice_beside": Limit(
        2.0,
        "Beside 8 clients that ask without pause ingestion takes {ratio} times as long: {beside:,}"
        " rows/s instead of {alone:,} ({queries} queries/s; /ping p50 {ping_p50}, p99 {ping_p99}"
        " ms, without clients p99 {ping_alone_p99} ms)",
    ),
    "fan_out": Limit(1.6, "Three views take {ratio} times as long as one"),
    "sluice_growth": Limit(
        1.2,
        "A change of a table by key costs {ratio} times as much in the last tenth as in the first"
        " ({last_us} and {first_us} µs)",
    ),
    "sluice_keys": Limit(
        2.0,
        "A change costs {ratio} times as much in a table of {many:,} keys as in one of {few:,}"
        " ({many_us} and {few_us} µs; a query starts in {many_start} and {few_start} s)",
    ),
}


@dataclass(frozen=True, slots=True)
class Target:
    """What a Sluice rate should be, as a multiple of another's: at least, and at best."""

    of: str
    floor: float
    goal: float | None = None
    ours: str = "sluice"


TARGETS = (
    Target("baseline", 1.5),
    Target("clickhouse", 4.0),
    Target("read", 0.22, 0.40),
    Target("merge_baseline", 1.0, ours="sluice_merge"),
    Target("changelog_baseline", 1.0, ours="sluice_changelog"),
    Target("flink_alo", 1.2, ours="sluice_alo"),
    Target("flink_eos", 1.3, 1.5, ours="sluice_eos"),
    Target("flink_window", 0.8, ours="sluice_window"),
    Target("flink_groups", 1.0, ours="sluice_groups"),
)

FASTER = (
    ("sluice_realtime", "flink_latency", ("p50", "p99")),
    ("sluice_eos_latency", "flink_eos_latency", ("p50",)),
)
"""Whose messages should be through before whose, and which of the figures say so."""

QUERY_TIMES = {
    "SELECT 1": (5, 20),
    "system table": (10, 40),
    "count()": (15, 60),
    "lookup": (60, 200),
    "GROUP BY": (60, 200),
}
"""Milliseconds that a query to Sluice may take: half of them, and 99 of 100."""

_TIMES = ("p50", "p99", "max")
_QUERIES = ("sluice_queries", "clickhouse_queries")
_TIMED = {name for ours, theirs, _ in FASTER for name in (ours, theirs)}
_NO_RATE = {"latency", *_QUERIES, *_TIMED} | {
    *("sluice_idle", "sluice_steady", "sluice_visible", "sluice_many", "sluice_beside")
}


def summary(began: datetime, rows: int, steps: Sequence[Step]) -> Result:
    """Everything that is known of a run; with repeats, rates are medians."""
    rates = _rates(steps)
    return {
        "began": began.isoformat(timespec="seconds"),
        "rows": rows,
        "machine": machine.describe(),
        "rates": rates,
        "paces": _paces(rates),
        "ratios": _ratios(rates),
        "latency": _latency(steps),
        "limits": _limits(steps),
        "times": _times(steps),
        "queries": _queries(steps),
        "steps": list(steps),
    }


def _rates(steps: Sequence[Step]) -> dict[str, int]:
    found: dict[str, list[float]] = {}
    for step in steps:
        if "error" not in step and step["name"] not in _NO_RATE:
            found.setdefault(step["name"], []).append(step["rows"] / step["seconds"])
    return {name: round(statistics.median(rates)) for name, rates in found.items()}


def _paces(rates: dict[str, int]) -> dict[str, dict[str, Any]]:
    return {
        name: {**asdict(pace), "met": rates[name] >= pace.floor, "best": rates[name] >= pace.goal}
        for name, pace in PACES.items()
        if name in rates
    }


def _ratios(rates: dict[str, int]) -> list[dict[str, Any]]:
    ratios = []
    for target in TARGETS:
        if target.ours in rates and target.of in rates:
            value = round(rates[target.ours] / rates[target.of], 3)
            ratios.append({**asdict(target), "ratio": value, "met": value >= target.floor})
    return ratios


def _latency(steps: Sequence[Step]) -> dict[str, Any] | None:
    runs = [s["notes"] for s in steps if s["name"] == "latency" and "error" not in s]
    if not runs:
        return None
    figures = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    return {**figures, "limit_p95": LATENCY_P95, "met": figures["p95"] < LATENCY_P95}


def _limits(steps: Sequence[Step]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, limit in LIMITS.items():
        runs = [s["notes"] for s in steps if s["name"] == name and "error" not in s]
        if runs:
            figures = {n: round(statistics.median(run[n] for run in runs), 2) for n in runs[0]}
            found[name] = {
                **figures,
                "most": limit.most,
                "met": figures[limit.figure] <= limit.most,
            }
    return found


def _times(steps: Sequence[Step]) -> dict[str, dict[str, Any]]:
    """Milliseconds of a message's way through a job; `met` says whether ours are below theirs."""
    found: dict[str, dict[str, Any]] = {}
    for name in (n for ours, theirs, _ in FASTER for n in (theirs, ours)):
        runs = [s["notes"] for s in steps if s["name"] == name and "error" not in s]
        if runs:
            found[name] = {t: round(statistics.median(r[t] for r in runs), 1) for t in _TIMES}
    for ours, theirs, which in FASTER:
        if ours in found and theirs in found:
            met = {time: found[ours][time] < found[theirs][time] for time in which}
            found[ours] |= {"below": theirs, "met": met}
    return found


def _queries(steps: Sequence[Step]) -> dict[str, dict[str, Any]]:
    """Milliseconds of each query, by contender; `met` says whether Sluice's are short enough."""
    found: dict[str, dict[str, Any]] = {}
    for name in _QUERIES:
        runs = [s["notes"] for s in steps if s["name"] == name and "error" not in s]
        for query in QUERY_TIMES if runs else ():
            figures = {t: statistics.median(run[query][t] for run in runs) for t in ("p50", "p99")}
            found.setdefault(query, {})[name] = {t: round(ms, 1) for t, ms in figures.items()}
    for query, by_name in found.items():
        if ours := by_name.get("sluice_queries"):
            most = dict(zip(("p50", "p99"), QUERY_TIMES[query], strict=True))
            by_name |= {"most": most, "met": all(ours[time] <= most[time] for time in most)}
    return found


def line(step: Step) -> str:
    """One step in a few words."""
    if "error" in step:
        return f"failed: {step['error']}"
    cpu = ", ".join(f"{kind} {share} %" for kind, share in step["cpu"].items())
    notes = "".join(f"; {name} {_short(value)}" for name, value in step["notes"].items())
    own = f"{step['own_seconds']:.1f} s of processor time"
    return f"{step['rows']:,} rows in {step['seconds']:.1f} s, {own} (CPU {cpu}){notes}"


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def table(result: Result) -> str:
    """The figures as Markdown, which a terminal shows well enough."""
    lines = ["| contender | rows/s |", "|---|---:|"]
    lines += [f"| {name} | {rate:,} |" for name, rate in result["rates"].items()]
    if result["paces"]:
        lines += ["", "| rows/s | is | at least | |", "|---|---:|---:|---|"]
        lines += [_pace_row(n, result["rates"][n], pace) for n, pace in result["paces"].items()]
    if result["ratios"]:
        lines += ["", "| ratio | is | at least | |", "|---|---:|---:|---|"]
        lines += [_ratio_row(ratio) for ratio in result["ratios"]]
    if result["latency"]:
        found = result["latency"]
        figures = ", ".join(f"{name} {found[name]:.2f} s" for name in ("p50", "p95", "max"))
        limit = f"p95 below {found['limit_p95']:.0f} s: {_yes(found['met'])}"
        lines += ["", f"From produce to visible: {figures} ({limit})."]
        lines += [f"The SELECT that looks takes {found['select']:.2f} s of it."]
    for name, found in result["limits"].items():
        limit = f"at most {found['most']}: {_yes(found['met'])}"
        lines += ["", f"{LIMITS[name].text.format(**found)}; {limit}."]
    if result["times"]:
        lines += [
            "",
            "| from produce to consume, ms | p50 | p99 | max | |",
            "|---|---:|---:|---:|---|",
        ]
        lines += [_times_row(name, found) for name, found in result["times"].items()]
    if result["queries"]:
        lines += [
            "",
            "| ms, beside 1,000 messages/s | Sluice p50 | p99 | at most | | ClickHouse p50 | p99 |",
            "|---|---:|---:|---|---|---:|---:|",
        ]
        lines += [_query_row(name, found) for name, found in result["queries"].items()]
    lines += [f"\n{s['name']} failed: {s['error']}" for s in result["steps"] if "error" in s]
    return "\n".join(lines)


def _pace_row(name: str, rate: int, pace: dict[str, Any]) -> str:
    said = f"{_yes(pace['met'])}, goal {pace['goal']:,}: {_yes(pace['best'])}"
    return f"| {name} | {rate:,} | {pace['floor']:,} | {said} |"


def _ratio_row(ratio: dict[str, Any]) -> str:
    goal = ratio["goal"]
    reached = goal and (f"goal {goal}: " + _yes(ratio["ratio"] >= goal))
    said = _yes(ratio["met"]) + (f", {reached}" if reached else "")
    return f"| {ratio['ours']} ÷ {ratio['of']} | {ratio['ratio']:.2f} | {ratio['floor']} | {said} |"


def _times_row(name: str, found: dict[str, Any]) -> str:
    figures = " | ".join(f"{found[time]:.1f}" for time in _TIMES)
    said = [f"{time} {_yes(met)}" for time, met in found.get("met", {}).items()]
    below = f"below {found['below']}: {', '.join(said)}" if said else ""
    return f"| {name} | {figures} | {below} |"


def _query_row(name: str, found: dict[str, Any]) -> str:
    def figures(contender: str) -> str:
        times = found.get(contender, {})
        return " | ".join(str(times.get(time, "")) for time in ("p50", "p99"))

    ours, theirs = map(figures, _QUERIES)
    most = " / ".join(str(ms) for ms in found.get("most", {}).values())
    said = _yes(found["met"]) if "met" in found else ""
    return f"| {name} | {ours} | {most} | {said} | {theirs} |"


def _yes(met: bool) -> str:
    return "met" if met else "not met"


def write(result: Result, folder: Path, *, latest: bool) -> Path:
    """Keep the figures, and those of a complete run also where they are looked for first."""
    folder.mkdir(exist_ok=True)
    stamp = result["began"].replace(":", "").replace("-", "").partition("+")[0] + "Z"
    path = folder / f"{stamp}.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if latest:
        (folder / "latest.md").write_text(_page(result), "utf-8")
    return path


def _page(result: Result) -> str:
    facts = "\n".join(f"- {name}: {value}" for name, value in result["machine"].items())
    rows = "\n".join(_step_row(step) for step in result["steps"])
    return f"""# {result["rows"]:,} events from Kafka to a table

{result["began"]}, by `make bench`.

{table(result)}

## Each step

| step | seconds | CPU used | idle | steal | load before | after |
|---|---:|---:|---:|---:|---:|---:|
{rows}

## The machine

{facts}
"""


def _step_row(step: Step) -> str:
    name, loads = step["name"], f"{step['load_before']} | {step['load_after']}"
    if "error" in step:
        return f"| {name} | failed | | | | {loads} |"
    cpu = step["cpu"]
    shares = " | ".join(f"{cpu[kind]} %" for kind in ("used", "idle", "steal"))
    return f"| {name} | {step['seconds']:.1f} | {shares} | {loads} |"
