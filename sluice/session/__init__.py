"""Sessions: `connect()` and `Session.execute`."""

from sluice.formats.result import Result, ResultColumn
from sluice.session.session import Session, connect

__all__ = ["Result", "ResultColumn", "Session", "connect"]
