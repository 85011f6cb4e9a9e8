"""Sessions: `connect()` and `Session.execute`."""

from sluice.session.result import Result, ResultColumn
from sluice.session.session import Session, connect

__all__ = ["Result", "ResultColumn", "Session", "connect"]
