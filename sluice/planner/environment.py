"""What planning depends on besides the statement itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.catalog import Catalog, Instance
    from sluice.config import Config


@dataclass(frozen=True, slots=True)
class Environment:
    """The catalog, the operator's configuration, and the instance that names consumer groups."""

    catalog: Catalog
    config: Config | None
    instance: Instance
