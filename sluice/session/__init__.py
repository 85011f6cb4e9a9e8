"""Sessions: `connect()` and `Session.execute`."""

from sluice.formats.result import Result, ResultColumn
from sluice.session.connecting import connect
from sluice.session.session import Session

__all__ = ["Result", "ResultColumn", "Session", "connect"]
