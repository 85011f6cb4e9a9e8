"""Settings of the Flink dialect: which take effect, which have none, which are rejected.

None of these ever reaches Spark by its name. A name that ends in `*` matches every name with that
prefix; of several rows that match a name the first one counts.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.option_set import looks_secret
from sluice.parameters.kinds import FLINK, Duration, Flag, Integer, Text, hide_in_url
from sluice.parameters.option import HONOURED, NO_EFFECT, REFUSED
from sluice.parameters.secret import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.errors import Place
    from sluice.parameters.kinds import Kind

NAME = "pipeline.name"
SYNC = "table.dml-sync"
RECOVERY = "execution.state-recovery.path"
UNCLAIMED = "execution.state-recovery.ignore-unclaimed-state"
PARALLELISM = "parallelism.default"
LATENCY = "sluice.latency"
CHECKPOINTS = "execution.checkpointing.interval"
IDLE = "table.exec.source.idle-timeout"
STATE_TTL = "table.exec.state.ttl"
NOT_NULL = "table.exec.sink.not-null-enforcer"
LENGTH = "table.exec.sink.type-length-enforcer"

_ZONES = ("Etc/UTC", "Z", "GMT", "+00:00", "UTC+0", "GMT+0", "UTC+00:00", "GMT+00:00")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, its other names, and how it is handled; `doc` tells why, if it has no effect."""

    name: str
    kind: Kind
    doc: str
    status: str = HONOURED
    also: tuple[str, ...] = ()

    def fits(self, name: str) -> bool:
        """Whether this row is about a name."""
        return any(
            name.startswith(own[:-1]) if own.endswith("*") else name == own
            for own in (self.name, *self.also)
        )


_REFUSED = {
    "Spark is configured by the operator who starts the server": ("spark.*",),
    "SQL cannot load code into the server": (
        "pipeline.jars", "pipeline.classpaths", "python.*", "classloader.*", "env.*",
    ),
    "files and credentials are configured on the server": (
        "security.*", "fs.*", "s3.*", "hadoop.*", "hive.*",
    ),
}  # fmt: skip
_IGNORED = {
    "Every batch is a checkpoint.": ("execution.checkpointing.*",),
    "State is kept in RocksDB, in the data folder.": ("state.*",),
    "A job is retried until it is stopped.": ("restart-strategy*",),
    "The watermark advances after each batch.": ("pipeline.auto-watermark-interval",),
    "Spark decides how a plan is executed.": (
        "pipeline.object-reuse", "pipeline.operator-chaining*", "pipeline.max-parallelism",
        "pipeline.force-kryo", "pipeline.generic-types", "execution.buffer-timeout*",
        "execution.batch*", "table.exec.*", "table.optimizer.*", "table.plan.*",
    ),
    "The client or the request selects the output format.": ("sql-client.*", "table.display.*"),
    "There is no Flink cluster.": (
        "execution.target", "execution.attached", "execution.shutdown-on-attached-exit", "rest.*",
        "taskmanager.*", "jobmanager.*", "cluster.*", "heartbeat.*", "high-availability*",
        "metrics.*",
    ),
}  # fmt: skip
"""Names by the reason why they are refused, or have no effect."""

_ANY = Text()
_MISSPELT = 0.93
"""How similar a name is to the one that was meant: one letter more, less or another one."""

SETTINGS = (
    Setting(NAME, _ANY, "The name of the next job, shown by SHOW JOBS."),
    Setting(SYNC, Flag(), "Whether an INSERT returns only when its job has ended."),
    Setting(
        RECOVERY,
        _ANY,
        "The job that the next INSERT replaces: the path returned by STOP JOB … WITH SAVEPOINT, or "
        "a job's id.",
        also=("execution.savepoint.path",),
    ),
    Setting(
        UNCLAIMED,
        Flag(),
        "Whether the next INSERT may replace a job with which it has no topic in common, or that "
        "left a partly written batch which only a query with its state could complete.",
        also=("execution.savepoint.ignore-unclaimed-state",),
    ),
    Setting(
        PARALLELISM,
        Integer(1, 1024),
        "The number of tasks of a stateful query after a shuffle.",
        also=("table.exec.resource.default-parallelism",),
    ),
    Setting(
        CHECKPOINTS,
        Duration(),
        "The least time between the starts of two batches of a job; each batch is a checkpoint. By "
        "default 1 s if the job has an exactly-once Kafka sink, else 400 ms. The first message "
        "after a pause, and a full batch, do not wait.",
    ),
    Setting(
        IDLE,
        Duration(),
        "The time after which a partition without rows no longer holds the watermark back, for "
        "tables without a scan.watermark.idle-timeout.",
    ),
    Setting(
        STATE_TTL,
        Duration(),
        "How long a query over changelogs keeps the state of a key after its last change; 0 is for "
        "ever. Other state is kept for as long as a query needs it.",
    ),
    Setting(
        LATENCY,
        Text(("default", "realtime")),
        "realtime: messages are processed one by one instead of in micro-batches.",
    ),
    Setting(
        "execution.runtime-mode",
        Text(("streaming", "automatic")),
        "Jobs are streaming; scan.bounded.mode makes a table bounded.",
    ),
    Setting(
        "table.local-time-zone",
        Text(("UTC",), also=dict.fromkeys(_ZONES, "UTC")),
        "The session time zone is UTC.",
    ),
    Setting("table.sql-dialect", Text(("default",)), "Only Flink's default dialect is supported."),
    Setting(
        NOT_NULL,
        Text(("ERROR", "DROP")),
        "Whether a NULL in a NOT NULL column stops the job, or the row is dropped.",
    ),
    Setting(
        LENGTH,
        Text(("IGNORE", "TRIM_PAD", "ERROR")),
        "Whether strings and bytes are trimmed and padded to the length of their column.",
    ),
    *(Setting(names[0], _ANY, why, REFUSED, names[1:]) for why, names in _REFUSED.items()),
    *(Setting(names[0], _ANY, why, NO_EFFECT, names[1:]) for why, names in _IGNORED.items()),
)


def find(name: str, place: Place | None = None) -> Setting:
    """The row for a name.

    Raises:
        SluiceError: UNKNOWN_SETTING, also for a name that has no effect in Flink's families of
            names, but is nearly one that has.
    """
    own = [n for s in SETTINGS if s.status == HONOURED for n in (s.name, *s.also)]
    misspelt = name not in names() and difflib.get_close_matches(name, own, 1, _MISSPELT)
    for setting in SETTINGS:
        if setting.fits(name) and not misspelt:
            return setting
    raise errors.UNKNOWN_SETTING(setting=name, hint=errors.nearest(name, names()), place=place)


def names() -> list[str]:
    """Every whole name that is known."""
    written = [name for setting in SETTINGS for name in (setting.name, *setting.also)]
    return [name for name in written if not name.endswith("*")]


def first_name(name: str) -> str:
    """The name that a setting is kept under, whether it is known or not."""
    setting = next((each for each in SETTINGS if each.fits(name)), None)
    return setting.name if setting is not None and setting.status == HONOURED else name


def read(given: Mapping[str, Any], place: Place | None = None) -> dict[str, str]:
    """Check what was set; a value is kept as it was written, under the setting's first name.

    Raises:
        SluiceError: UNKNOWN_SETTING, OPTION_REFUSED, or INVALID_OPTION_VALUE.
    """
    found: dict[str, str] = {}
    for name, value in given.items():
        setting = find(name, place)
        if setting.status == REFUSED:
            raise errors.OPTION_REFUSED(option=name, reason=setting.doc, place=place)
        try:
            setting.kind.read(value, FLINK)
        except ValueError as bad:
            raise errors.INVALID_OPTION_VALUE(
                option=name, value=f"'{value}'", reason=bad, place=place, dialect=FLINK
            ) from None
        found[first_name(name)] = str(value)
    return found


def shown(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings as they may be seen."""
    return sorted(
        (name, HIDDEN if looks_secret(name) else hide_in_url(str(value)))
        for name, value in given.items()
    )


def rows() -> Iterable[tuple[tuple[str, ...], str, str]]:
    """For the documentation: the names of each, what becomes of it, and why."""
    for setting in SETTINGS:
        yield (setting.name, *setting.also), setting.status, setting.doc
