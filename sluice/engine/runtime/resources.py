"""What every query of a data folder runs with."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice.engine.statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from sluice.catalog import Catalog
    from sluice.engine.lineage.emitter import Lineage
    from sluice.engine.storage.store_path import AnyPath
    from sluice.engine.storage.tables import DeltaStore


@dataclass(frozen=True, slots=True)
class Resources:
    """Spark, which starts when it is first needed, the catalog, the tables and the checkpoints."""

    spark: Callable[[], SparkSession]
    catalog: Catalog
    store: DeltaStore
    checkpoints: AnyPath
    statistics: Statistics = field(default_factory=Statistics)
    changes: threading.RLock = field(default_factory=threading.RLock)
    """Held while definitions in the catalog are changed."""
    lineage: Lineage | None = None
