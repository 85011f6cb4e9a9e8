"""What a figure depends on besides the code: processors, who had them, versions."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_KINDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """The ticks of all processors since the machine started, by kind."""

    ticks: dict[str, int]

    @classmethod
    def now(cls) -> CpuTimes:
        """The present state of /proc/stat."""
        first = Path("/proc/stat").read_text("utf-8").partition("\n")[0].split()[1:]
        return cls(dict(zip(_KINDS, map(int, first), strict=False)))

    def shares_since(self, before: CpuTimes) -> dict[str, float]:
        """Per cent of the time since `before`: used, idle, and given to others by the host."""
        spent = {kind: self.ticks[kind] - before.ticks[kind] for kind in self.ticks}
        whole = max(1, sum(spent.values()))
        idle, steal = spent["idle"] + spent["iowait"], spent.get("steal", 0)
        parts = {"used": whole - idle - steal, "idle": idle, "steal": steal}
        return {kind: round(100 * ticks / whole, 1) for kind, ticks in parts.items()}


def load() -> float:
    """The load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def own_seconds() -> float:
    """The processor time of the processes of this session, whatever else the machine does.

    A contender has a session of its own, with its JVM and other processes in it.
    """
    session, ticks = str(os.getsid(0)), 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = stat.read_text("utf-8").rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12]) if fields[3] == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def describe() -> dict[str, Any]:
    """The machine and the versions of what runs on it."""
    from importlib.metadata import version

    import pythons

    from sluice import jars

    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _java_version(jars.java()),
        "sluice": version("sluice"),
        "pyspark": version("pyspark"),
        "delta": _jar_version("spark", "delta-spark"),
        "kafka": _jar_version("broker", "kafka-clients"),
        "chdb": version("chdb"),
        "clickhouse": pythons.CLICKHOUSE.partition("==")[2],
        "flink": pythons.FLINK.partition("==")[2],
    }


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _java_version(java: Path) -> str:
    import subprocess

    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    return said.partition("\n")[0]


def _jar_version(group: Literal["spark", "broker"], name: str) -> str:
    from sluice import jars

    found = [jar.stem for jar in jars.resolve(group) if jar.name.startswith(name)]
    return found[0].rpartition("-")[2] if found else "unknown"
