"""The life of the embedded broker: format, start, stop, kill, start again."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors, jars
from sluice.broker import settings, tether

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from sluice.broker.listeners import Listener

_log = logging.getLogger(__name__)

_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_LOG_CONFIG = Path(__file__).with_name("log4j2.properties")


class Broker:
    """A single-node Kafka broker with its data in a folder, listening on 127.0.0.1.

    It is a process of its own and ends with this one, however this one ends. Stopped or killed,
    it can be started again on the same data, at the same address.

    Args:
        data: Its folder, made if it is not there; a broker's log files are in `logs` below it.
        port: Where to listen; 0 takes a free port at the first start and keeps it.
        progress: Called with a line for every jar that has to be fetched first.
        listeners: Ports besides the plain one, each free and kept like that.
        java_options: For the broker's JVM, such as where Kerberos is configured.
        auto_create: Whether a topic is created when a client first produces to it.
    """

    def __init__(
        self,
        data: Path,
        port: int = 0,
        *,
        progress: Callable[[str], None] | None = None,
        listeners: Sequence[Listener] = (),
        java_options: Sequence[str] = (),
        auto_create: bool = False,
    ) -> None:
        self._data = Path(data).absolute()
        self._port = port
        self._progress = progress
        self._listeners = tuple(listeners)
        self._listener_ports: dict[str, int] = {}
        self._java_options = tuple(java_options)
        self._auto_create = auto_create
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def address(self) -> str:
        """What clients call `bootstrap.servers`; known once it was started."""
        return f"{settings.HOST}:{self._port}"

    def address_of(self, listener: str) -> str:
        """The address of another listener; known once the broker was started."""
        host = next(each.host for each in self._listeners if each.name == listener)
        return f"{host}:{self._listener_ports[listener]}"

    @property
    def pid(self) -> int | None:
        """The process id of the broker's JVM while it runs."""
        return self._process.pid if self._process else None

    @property
    def running(self) -> bool:
        """Whether the broker's process is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def logs(self) -> Path:
        """The folder of its log files."""
        return self._data / "logs"

    def start(self) -> None:
        """Start it and wait until it answers; no effect if it is running.

        Raises:
            SluiceError: BROKER_NOT_STARTED, with what its log says.
        """
        if self.running:
            return
        self.kill()
        self._take_ports()
        storage = self._data / "kafka"
        if not (storage / "meta.properties").exists():
            self._format()
        self._process = tether.tethered(
            self._java("kafka.Kafka", str(self._properties)), self.logs / "console.log"
        )
        try:
            self._await_answer(time.monotonic() + _START_SECONDS)
        except BaseException:
            self.kill()
            raise
        _log.info("broker %s listens on %s", self.pid, self.address)

    def stop(self) -> None:
        """Stop it cleanly; no effect if it is not running."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            _log.warning("broker %s did not stop in time; killing it", process.pid)
        self.kill()

    def kill(self) -> None:
        """End it at once, as a crash does; its data stays."""
        if self._process is not None:
            tether.release(self._process)
            self._process = None

    @property
    def _properties(self) -> Path:
        return self._data / "server.properties"

    def _take_ports(self) -> None:
        if self._port == 0:
            self._port = settings.free_port()
        elif not settings.is_free(self._port):
            raise errors.BROKER_NOT_STARTED(reason=f"port {self._port} is in use")
        for each in self._listeners:
            taken = (self._port, *self._listener_ports.values())
            self._listener_ports.setdefault(each.name, settings.free_port(*taken))
        controller_port = settings.free_port(self._port, *self._listener_ports.values())
        self.logs.mkdir(parents=True, exist_ok=True)
        listeners = [(each, self._listener_ports[each.name]) for each in self._listeners]
        text = settings.properties(
            self._data / "kafka",
            self._port,
            controller_port,
            listeners,
            auto_create=self._auto_create,
        )
        self._properties.touch(0o600)
        self._properties.write_text(text, "utf-8")

    def _format(self) -> None:
        arguments = [
            "format",
            f"--cluster-id={self._cluster_id()}",
            "--config",
            str(self._properties),
        ]
        for user in {user for each in self._listeners for user in each.scram_users()}:
            arguments += ["--add-scram", user]
        run = subprocess.run(  # noqa: S603 - our own arguments, no shell
            self._java("kafka.tools.StorageTool", *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            output = (run.stderr or run.stdout).strip().rpartition("\n")[2]
            raise errors.BROKER_NOT_STARTED(reason=f"{self._data} cannot be prepared: {output}")

    def _cluster_id(self) -> str:
        return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")

    def _java(self, main: str, *arguments: str) -> list[str]:
        class_path = os.pathsep.join(map(str, jars.resolve("broker", progress=self._progress)))
        return [
            str(jars.java()),
            "-Xmx512m",
            "-Djava.awt.headless=true",
            f"-Dlog4j2.configurationFile={_LOG_CONFIG.as_uri()}",
            f"-Dsluice.broker.logs={self.logs}",
            *self._java_options,
            "-cp",
            class_path,
            main,
            *arguments,
        ]

    def _await_answer(self, deadline: float) -> None:
        while not settings.listens(self._port):
            if not self.running:
                raise errors.BROKER_NOT_STARTED(reason=self._last_words())
            if time.monotonic() > deadline:
                reason = f"no answer after {_START_SECONDS:.0f} s (see {self.logs})"
                raise errors.BROKER_NOT_STARTED(reason=reason)
            time.sleep(0.05)
        self._ask(deadline)

    def _ask(self, deadline: float) -> None:
        """Wait for the answer to a real request: the port opens a little before that."""
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        client = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        try:
            client.list_topics(timeout=max(1.0, deadline - time.monotonic()))
        except KafkaException as error:
            reason = f"{error.args[0].str()} (see {self.logs})"
            raise errors.BROKER_NOT_STARTED(reason=reason) from error

    def _last_words(self) -> str:
        """The last error in the broker's log, or the end of what it printed."""
        for name in ("broker.log", "console.log"):
            path = self.logs / name
            lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
            shown = [line for line in lines if "ERROR" in line or "Exception" in line] or lines
            if shown:
                return f"{shown[-1].strip()} (see {path})"
        return f"it ended at once (see {self.logs})"
