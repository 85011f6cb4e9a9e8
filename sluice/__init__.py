"""Kafka topics as SQL tables, on Spark.

>>> import sluice
>>> session = sluice.connect(data="my-data")                # doctest: +SKIP
>>> session.execute("SELECT count() FROM github").fetchall()  # doctest: +SKIP
[(200000,)]
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sluice.errors import SluiceError
    from sluice.session import Session, connect

__version__ = "0.1.0"

__all__ = ["Session", "SluiceError", "__version__", "connect"]


def __getattr__(name: str) -> Any:
    """Load what is used, when it is used: `sluice --help` needs none of it."""
    if name in ("Session", "connect"):
        from sluice import session

        return getattr(session, name)
    if name == "SluiceError":
        from sluice.errors import SluiceError

        return SluiceError
    raise AttributeError(name)
