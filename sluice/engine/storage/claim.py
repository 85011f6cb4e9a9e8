"""A store belongs to one catalog: another catalog cannot read or write its tables by mistake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine.storage.store_path import write_whole

if TYPE_CHECKING:
    from sluice.catalog import Catalog
    from sluice.engine.storage.store_path import StorePath

OWNER = "sluice-owner.json"
"""The file of a store that names its catalog."""


def claim(store: StorePath, catalog: Catalog) -> None:
    """Take a store for a catalog, and remember there where it is.

    One that has moved may be named by its new address: it names its catalog itself.

    Raises:
        SluiceError: STORE_REFUSED or STORE_UNAVAILABLE.
    """
    url, path = str(store), store / OWNER
    try:
        owner = json.loads(path.read_text("utf-8"))["catalog"]
    except FileNotFoundError:
        if catalog.tables() and catalog.store != url:
            there = catalog.store or "the data folder"
            reason = f"the tables of this catalog are in {there}"
            raise errors.STORE_REFUSED(store=url, reason=reason) from None
        write_whole(path, json.dumps({"catalog": catalog.id}))
    else:
        if owner == catalog.former and catalog.store != url:  # a copy, with a copy of the store
            write_whole(path, json.dumps({"catalog": catalog.id}))
        elif owner != catalog.id:
            raise errors.STORE_REFUSED(store=url, reason="it has those of another catalog")
    if catalog.store != url:
        catalog.in_store(url)
