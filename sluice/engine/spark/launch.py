"""The Spark session everything runs in."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import signal
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from sluice import errors
from sluice.engine.spark.slots import slotted
from sluice.engine.storage.compaction import SMALL
from sluice.jars.resolve import built, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.scheduler.mode": "FAIR",
    "spark.speculation": "false",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,sluice.functions.Functions",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.shuffle.partitions": "4",
    # VACUUM lists a table's folder in so many tasks, 10,000 by default, and every batch whose rows
    # are kept for several views waits for its end.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    # Rows that several views share are kept for one batch: too short to be worth columns.
    "spark.sql.cache.serializer": "sluice.spark.RowCache",
    # A generated method above this many bytes of code is never compiled by the JVM, only
    # interpreted.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    # This rule gives every field of a parsed message a parser of its own.
    "spark.sql.optimizer.enableJsonExpressionOptimization": "false",
    # A table's state is small: rebuild it in one task, not in fifty, for every batch.
    "spark.databricks.delta.snapshotPartitions": "1",
    # The newest batch of each writer is in the checksum of a version, or the table's state would be
    # rebuilt for each commit. One writer is a generation of a view or a job's output.
    "spark.databricks.delta.setTransactionsInCrc.maxAllowed": "1000",
    "spark.databricks.delta.optimize.minFileSize": str(SMALL),
    "spark.databricks.delta.optimize.maxFileSize": str(8 * SMALL),
    "spark.databricks.delta.schema.autoMerge.enabled": "false",
    # A column of many different values is not worth a dictionary: smaller files, written faster.
    "spark.hadoop.parquet.dictionary.page.size": str(64 << 10),
    "spark.hadoop.parquet.size.statistics.enabled": "false",
    # A task that runs out of memory fails; the process continues, and the batch is retried smaller.
    "spark.executor.killOnFatalError.depth": "0",
    # What these options hold is not shown in plans.
    "spark.sql.redaction.options.regex": "(?i)url|secret|password|jaas|keystore|token",
    "spark.sql.streaming.stopTimeout": "20s",
    "spark.sql.streaming.numRecentProgressUpdates": "5",
}

_JVM_FLAGS = (
    # Kafka's client would read files and URLs for whoever may set its options.
    "-Dorg.apache.kafka.automatic.config.providers=none",
    "-Duser.timezone=UTC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    # Throughput counts here: no pause is as long as a batch.
    "-XX:+UseParallelGC",
    # While Spark's classes are loaded, all garbage is collected whenever they outgrow a limit; it
    # begins at 21 MB otherwise.
    "-XX:MetaspaceSize=256m",
    # What runs for every row is called a hundred thousand times in a second. What does not, such
    # as the planning of queries, would keep a core busy for a minute if it were compiled to the
    # last as well.
    "-XX:Tier4InvocationThreshold=100000",
    "-XX:Tier4MinInvocationThreshold=12000",
    "-XX:Tier4CompileThreshold=300000",
    "-XX:Tier4BackEdgeThreshold=1000000",
    # A row passes dozens of small methods in Spark and Parquet: inlined, they cost a sixth less.
    "-XX:InlineSmallCode=5000",
)

_LISTS = {
    "spark.jars": ",",
    "spark.plugins": ",",
    "spark.sql.extensions": ",",
    "spark.driver.extraJavaOptions": " ",
    "spark.executor.extraJavaOptions": " ",
}
"""Settings that hold several things, and what is between them."""

_AUTHENTICATE = "spark.authenticate"
_AUTHENTICATE_SECRET = "spark.authenticate.secret"  # noqa: S105 - the name of a setting
_OWN_SECRET = re.compile(r"yarn|k8s://.*")
"""Masters for which Spark makes a secret for each application."""

_LOCK = "jvm.lock"
_HADOOP = "spark.hadoop."
_SECRET = re.compile(r"(?i).*(secret|password|\.token$|(account|encryption)\.key)")
"""Logins to file systems. Set when Spark has started: its command line would show them to all."""

_users: list[SparkSession] = []
"""Spark, once for each data folder that is open in this process: they share it."""

log = logging.getLogger(__name__)

_LOUD = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Loggers that PySpark points at the terminal itself; their messages are in the exception too."""

_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
logger.hints.name = org.apache.spark.sql.catalyst.analysis.HintErrorLogger
logger.hints.level = error
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {folder}/spark.log
appender.file.filePattern = {folder}/spark.%i.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 50MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 3
"""


def start_spark(
    folder: Path,
    logs: Path,
    master: str,
    token_urls: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
    hosts: str | None = None,
    client_tls: str | None = None,
) -> SparkSession:
    """Start the JVM for a data folder, with its output in a log file.

    It waits for a JVM that a killed process has left on the same folder: that one ends by itself,
    and until then two of them could write to one table. `token_urls` are the addresses that
    Kafka's client may ask for tokens, `hosts` those that URLs in statements may lead to
    (`Hosts.flag`; None allows all with public addresses), `client_tls` the files of connections to
    them (`Tls.flag`). `settings` are the operator's: they go
    before Sluice's own, but for lists, to which they add.
    """
    config = logs / "log4j2.properties"
    config.write_text(_LOG4J.format(folder=logs), "utf-8")
    flags = _flags(token_urls, hosts, client_tls)
    driver = [f"-Dlog4j2.configurationFile={config.as_uri()}"]
    driver += [f"-Djava.io.tmpdir={folder / 'tmp'}"]
    (folder / "tmp").mkdir(exist_ok=True)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    own = _SETTINGS | {
        "spark.jars": ",".join(map(str, [*resolve("spark"), built()])),
        "spark.driver.memory": os.environ.get("SLUICE_DRIVER_MEMORY", "4g"),
        "spark.driver.extraJavaOptions": " ".join([*flags, *driver]),
        "spark.executor.extraJavaOptions": " ".join(flags),
        "spark.sql.warehouse.dir": (folder / "tmp" / "warehouse").as_uri(),
        "spark.local.dir": str(folder / "tmp"),
    }
    if master.startswith("local["):
        own["spark.hadoop.fs.AbstractFileSystem.file.impl"] = "sluice.delta.LocalFiles"
    if (slots := slotted(master)) != master:  # tasks run in the driver's JVM
        own["spark.plugins"] = "sluice.spark.HeapGuard"
    master = slots
    own |= authentication(master)
    shown, hidden, logins = apart(_merged(own, settings or {}))
    for name in _LOUD:
        logging.getLogger(name).disabled = True
    with _stderr_to(logs / "jvm.log"), _own_interrupt():
        # The JVM is started first, with a command line that everybody may read.
        SparkContext._ensure_initialized(conf=SparkConf().setAll(list(shown.items())))
        builder = SparkSession.builder.master(master).appName("sluice")
        spark = builder.config(map={**shown, **hidden}).getOrCreate()
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    for name, value in logins.items():
        hadoop.set(name, value)
    _users.append(spark)
    try:
        lock(spark, folder)
    except errors.SluiceError:
        stop_spark(spark, folder)
        raise
    return spark


def _flags(token_urls: Sequence[str], hosts: str | None, client_tls: str | None) -> list[str]:
    """The flags of every JVM, the driver's and the executors'."""
    allowed = ",".join(token_urls) or "https://none.invalid"
    flags = [*_JVM_FLAGS, f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={allowed}"]
    if hosts is not None:
        flags.append(f"-Dsluice.remote_url_allow_hosts={hosts}")
    if client_tls is not None:
        flags.append(f"-Dsluice.client_tls={client_tls}")
    if os.environ.get("KRB5_CONFIG"):  # as the other clients of the system do
        flags.append(f"-Djava.security.krb5.conf={os.environ['KRB5_CONFIG']}")
    return flags


def stop_spark(spark: SparkSession, folder: Path, *, lost: bool = False) -> None:
    """Stop Spark when its last user leaves, or forget one whose JVM is lost.

    Then another one can be started in this process, and another JVM can have the data folder.
    """
    _users.remove(spark)
    if not lost:
        if spark not in _users:
            spark.stop()
        unlock(spark, folder)
        return
    if spark in _users:
        return
    if SparkContext._active_spark_context is not spark.sparkContext:
        return
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        with contextlib.suppress(OSError):
            spark.sparkContext.stop()
        spark.sparkContext.stop()  # the first call may have got only as far as the JVM
    gateway = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    if gateway is not None:
        gateway.shutdown_callback_server()


def authentication(master: str) -> dict[str, str]:
    """Settings that make Spark's ports refuse a peer without this application's secret.

    Spark deserialises Java objects from whoever connects to the driver's RPC port. A standalone
    master has the secret of its operator, who sets it on both sides.
    """
    if _OWN_SECRET.fullmatch(master):
        return {_AUTHENTICATE: "true"}
    if master.startswith("local"):
        return {_AUTHENTICATE: "true", _AUTHENTICATE_SECRET: secrets.token_hex(32)}
    return {}


def apart(
    settings: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Settings for the JVM's command line, Spark's secrets, and logins to file systems.

    Secrets are set once the JVM runs, because every user can read its command line; logins have
    the names that Hadoop gives them.
    """
    shown = dict(settings)
    hidden = {n: shown.pop(n) for n in (_AUTHENTICATE_SECRET,) if n in shown}
    logins = [n for n in shown if n.startswith(_HADOOP) and _SECRET.match(n)]
    return shown, hidden, {name.removeprefix(_HADOOP): shown.pop(name) for name in logins}


def _merged(own: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Own settings and given ones, which take precedence; lists are joined."""
    lists = {
        name: f"{own[name]}{separator}{given[name]}"
        for name, separator in _LISTS.items()
        if name in own and name in given
    }
    return {**own, **given, **lists}


@contextlib.contextmanager
def _stderr_to(path: Path) -> Iterator[None]:
    """Let the JVM inherit a log file where it would inherit the terminal."""
    sys.stderr.flush()
    kept = os.dup(2)
    with path.open("ab") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextlib.contextmanager
def _own_interrupt() -> Iterator[None]:
    """Keep the handler of Ctrl-C: PySpark's own would cancel the jobs of every pipeline."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def lock(spark: SparkSession, folder: Path, patience: float = 60.0) -> None:
    """Hold a lock from inside the JVM, until `unlock` or the JVM's end.

    Raises:
        SluiceError: WAREHOUSE_LOCKED, when the JVM of another server does not end.
    """
    jvm: Any = spark._jvm
    until, known = time.monotonic() + patience, ""
    while owner := jvm.sluice.delta.FolderLock.take(str(folder / _LOCK)):
        if owner != known:
            log.warning("%s is in use by process %s, an earlier JVM: waiting for it", folder, owner)
            known = owner
        if time.monotonic() > until:
            where = ", a JVM that has outlived its server: end it first"
            raise errors.WAREHOUSE_LOCKED(folder=folder, pid=owner, where=where)
        time.sleep(0.2)


def unlock(spark: SparkSession, folder: Path) -> None:
    """Let another JVM have the folder; this one must not write to it any more."""
    jvm: Any = spark._jvm
    jvm.sluice.delta.FolderLock.release(str(folder / _LOCK))
