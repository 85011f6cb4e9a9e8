"""Watching Spark's JVM, a process of its own that can die alone."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JJavaError

from sluice import errors
from sluice.engine import faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sluice.errors import SluiceError

EXIT_STATUS = 75
"""What a server exits with when its JVM is lost: EX_TEMPFAIL, start it again."""

_INTERVAL_S = 1.0
_REAPED_S = 2.0

log = logging.getLogger(__name__)


def usage(spark: SparkSession) -> dict[str, Any]:
    """Memory by area, buffers by pool, garbage collections by collector, and threads of the JVM."""
    jvm: Any = spark._jvm
    found: dict[str, Any] = json.loads(jvm.sluice.spark.JvmUsage.read())
    return found


class Watch:
    """Notices that the JVM has exited, or that its SparkContext has stopped by itself.

    PySpark cannot give a process another JVM while anything still refers to the first one, so
    nothing heals by itself here: the process has to be restarted. A JVM that only hangs, or was
    stopped by a signal, is not lost.
    """

    def __init__(self, spark: SparkSession) -> None:
        context = spark.sparkContext
        self._process: subprocess.Popen[bytes] | None = context._gateway.proc  # type: ignore[union-attr]
        self.pid = None if self._process is None else self._process.pid
        self._context = context._jsc.sc()
        self._lost: SluiceError | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="sluice-jvm-watch", daemon=True).start()

    def lost(self) -> SluiceError | None:
        """SPARK_LOST once Spark cannot run anything any more."""
        if self._lost is None and not self._closed.is_set():
            self._lost = self._exited()
        return self._lost

    def lost_with(self, fault: BaseException) -> SluiceError | None:
        """SPARK_LOST if that is why a call failed: sockets break before a process has ended."""
        if self._process is not None and _is_broken(fault):
            try:
                self._process.wait(_REAPED_S)
            except subprocess.TimeoutExpired:
                return None
        return self.lost()

    def close(self) -> None:
        """End it: from now on the JVM may stop."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(_INTERVAL_S) and self.lost() is None:
            try:
                # A fatal error in one of Spark's threads stops its context, not the JVM.
                if self._context.isStopped() and not self._closed.is_set():
                    self._lost = errors.SPARK_LOST(reason="Spark has stopped after an error")
            except (Py4JError, OSError):
                continue
        if self._lost is not None:
            log.critical("%s", self._lost.text())

    def _exited(self) -> SluiceError | None:
        status = self._process.poll() if self._process is not None else None
        if self._process is None or status is None:
            return None
        how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        reason = f"the JVM that runs Spark (process {self._process.pid}) has exited, {how}"
        return errors.SPARK_LOST(reason=reason)


def _is_broken(fault: BaseException) -> bool:
    """Whether a call into the JVM got no answer; an exception that Java raised is one."""
    return any(
        isinstance(cause, ConnectionError | Py4JError) and not isinstance(cause, Py4JJavaError)
        for cause in faults.causes(fault, implicit=True)
    )
