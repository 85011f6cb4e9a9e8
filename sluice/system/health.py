"""Whether a server lives, and whether it is ready: for supervisors and load balancers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.system.background import Background
from sluice.system.prometheus.scrape import pipelines

if TYPE_CHECKING:
    from sluice.engine.engine import Engine

_CATALOG_PATIENCE_S = 1.0
_SHOWN = 100
"""Pipelines that a report lists."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that holds or does not, and why not."""

    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Checks; pipelines that wait or have failed are details, and do not count."""

    checks: tuple[Check, ...]
    states: dict[str, int]
    waiting: tuple[dict[str, str], ...]

    @property
    def ok(self) -> bool:
        """Whether all checks hold."""
        return all(each.ok for each in self.checks)

    def fields(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {
            "status": "ok" if self.ok else "unavailable",
            "checks": [
                {"name": each.name, "ok": each.ok, "detail": each.detail} for each in self.checks
            ],
            "pipelines": self.states,
            "not_running": list(self.waiting),
        }


class Health:
    """The health of one engine. To ask for it starts nothing and takes a second at most."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._catalog = Background(
            self._catalog_answers,
            nothing=False,
            patience=_CATALOG_PATIENCE_S,
            lasts=_CATALOG_PATIENCE_S,
        )

    def live(self) -> Check:
        """Whether the process can work: nothing but a restart helps if it cannot."""
        lost = self._engine.lost()
        return Check("jvm", lost is None, "" if lost is None else lost.condition.name)

    def report(self) -> Report:
        """Whether statements are answered and pipelines run, and which of those do not."""
        engine = self._engine
        spark = engine.started_spark is not None
        catalog = self._catalog.value()
        checks = (
            self.live(),
            Check("spark", spark, "" if spark else "Spark has not started yet"),
            Check("catalog", catalog, "" if catalog else "the catalog does not answer"),
            Check("pipelines", engine.resumed, "" if engine.resumed else "they are being resumed"),
        )
        found = pipelines(engine)
        states = Counter(each.state for each in found)
        waiting = tuple(
            {"pipeline": each.name, "state": each.state, "error": each.error.condition.name}
            for each in found
            if each.error is not None
        )
        return Report(checks, dict(states), waiting[:_SHOWN])

    def _catalog_answers(self) -> bool:
        self._engine.catalog.snapshot()
        return True
