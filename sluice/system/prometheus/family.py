"""How a metric is declared, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sluice.engine.statistics import Histogram
    from sluice.system.prometheus.scrape import Pipeline, Scrape

    Values = Callable[[Scrape], Iterable[tuple[Any, ...]]]

GAUGE, COUNTER, HISTOGRAM, SUMMARY = "gauge", "counter", "histogram", "summary"

_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Escaped(dict[str, str]):
    """Values of labels as text formats have them; most occur in many series."""

    def __missing__(self, value: str) -> str:
        self[value] = found = value.translate(_ESCAPES)
        return found


@dataclass(frozen=True, slots=True)
class Family:
    """A metric: its type, its name, what it measures, its labels, and where the values come from.

    `values` yields the values of the labels, in order, and what was measured: a number, the buckets
    and the sum of a histogram (`buckets`), or the count and the sum of a summary.
    """

    kind: str
    name: str
    help: str
    labels: str
    values: Values

    def lines(self, scrape: Scrape, escaped: Escaped, *, openmetrics: bool) -> Iterator[str]:
        """The metric with its values now, in the format of Prometheus or of OpenMetrics.

        A server of 500 tables has more than ten thousand series, and prometheus_client takes three
        times as long to write them.
        """
        yield head(self.name, self.help, self.kind, openmetrics=openmetrics)
        if self.kind == HISTOGRAM:
            yield from self._histograms(scrape, escaped)
        elif self.kind == SUMMARY:
            count, total = self._template("_count"), self._template("_sum")
            for labels, number, seconds in self.values(scrape):
                shown = tuple([escaped[each] for each in labels])
                yield count % (*shown, number)
                yield total % (*shown, seconds)
        else:
            template = self._template()
            for labels, value in self.values(scrape):
                yield template % (*[escaped[each] for each in labels], value)

    def _histograms(self, scrape: Scrape, escaped: Escaped) -> Iterator[str]:
        bucket = self._template("_bucket", "le")
        count, total = self._template("_count"), self._template("_sum")
        for labels, counts, seconds in self.values(scrape):
            shown = tuple([escaped[each] for each in labels])
            for limit, number in counts:
                yield bucket % (*shown, limit, number)
            yield count % (*shown, counts[-1][1])
            yield total % (*shown, seconds)

    def _template(self, suffix: str = "", *more: str) -> str:
        """A line with a place for each label and for the value."""
        names = [*self.labels.split(), *more]
        labels = ",".join(f'{name}="%s"' for name in names)
        return f"{self.name}{suffix}{f'{{{labels}}}' if names else ''} %s\n"


def head(name: str, help_: str, kind: str, *, openmetrics: bool) -> str:
    """The lines before the values of a metric; for OpenMetrics a counter has no suffix here."""
    named = name.removesuffix("_total") if openmetrics else name
    return f"# HELP {named} {help_}\n# TYPE {named} {kind}\n"


def one(value: Callable[[Scrape], float | None]) -> Values:
    """The only value of a metric without labels; None if it is not known."""

    def values(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
        found = value(scrape)
        return [] if found is None else [((), found)]

    return values


def of_pipelines(value: Callable[[Pipeline], float | None]) -> Values:
    """A value of each pipeline that has it, labelled with the pipeline."""

    def values(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
        for pipeline in scrape.pipelines:
            found = value(pipeline)
            if found is not None:
                yield (pipeline.name,), found

    return values


def buckets(histogram: Histogram) -> tuple[Sequence[tuple[str, int]], float]:
    """The buckets of a histogram, and its sum."""
    counts, total = histogram.read()
    limits = [*(str(float(limit)) for limit in histogram.limits), "+Inf"]
    return list(zip(limits, counts, strict=True)), total
