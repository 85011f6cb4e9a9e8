"""Opening a data folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.engine.engine import Engine
from sluice.engine.logs import TEXT
from sluice.session import jobs
from sluice.session.session import Session
from sluice.sql.core.user_functions import using

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sluice.config import Config
    from sluice.sql.core.user_functions import UserFunction

    _Function = tuple[Callable[..., Any], Sequence[str], str]


def connect(
    data: str | Path = "sluice-data",
    *,
    master: str = "local[*]",
    pipelines: bool = True,
    config: Config | None = None,
    catalog: str | None = None,
    spark: Mapping[str, str] | None = None,
    partitioners: Collection[str] = (),
    paths: Iterable[str | Path] = (),
    hosts: Collection[str] = (),
    store: str | None = None,
    functions: Mapping[str, _Function] | None = None,
    copied: str = "",
    log_format: str = TEXT,
    format_schemas: str | Path | None = None,
) -> Session:
    """Open a data folder. Its pipelines run for as long as the session is open.

    Args:
        data: the folder; it is created if it does not exist.
        master: the Spark master.
        pipelines: whether to run the folder's pipelines.
        config: the configuration files, as `sluice.config.load` reads them.
        catalog: the SQLAlchemy URL of the catalog, by default a file in the folder:
            `postgresql+psycopg://user@host/database`.
        spark: Spark settings, which override Sluice's.
        partitioners: classes that tables may name in `sink.partitioner`: Java's by their full
            names, Python's as `package.module:Class`.
        paths: directories besides the data folder that the `path` of a table may lead into.
        hosts: names of hosts, alone or as `host:port`, that URLs of schema registries may lead to;
            without any, all that have public addresses.
        store: the Hadoop URL of tables and checkpoints, by default the folder:
            `s3a://bucket/folder`. The catalog remembers it.
        functions: Python functions for the Flink dialect, by name: the function, the types of its
            arguments and of its result, such as `(str.title, ["STRING"], "STRING")`.
        copied: how to open the copy of a folder: `moved` if its original no longer runs, `new` to
            make it an instance of its own, with other names in Kafka.
        log_format: `text`, or `json` for one JSON object per line of `sluice.log`.
        format_schemas: the directory with the schemas of formats such as Protobuf, by default
            `format_schemas` in the data folder.

    Raises:
        SluiceError: WAREHOUSE_LOCKED when another process has the folder. DATA_FOLDER_COPIED for a
            copy if `copied` is not given. STORE_REFUSED, when Spark
            starts, for a store with the tables of another catalog.
    """
    engine = Engine(
        data,
        master=master,
        pipelines=pipelines,
        config=_allowing(config, partitioners, hosts, format_schemas),
        catalog=catalog,
        spark=spark,
        paths=paths,
        store=store,
        functions=_registered(functions or {}),
        copied=copied,
        log_format=log_format,
    )
    engine.sync()
    if pipelines:
        with using(engine.functions):
            jobs.resume(engine)
    engine.resumed = True
    return Session(engine)


def _allowing(
    config: Config | None,
    partitioners: Collection[str],
    hosts: Collection[str],
    format_schemas: str | Path | None,
) -> Config | None:
    """The configuration with what the caller allows besides; None if there is neither."""
    if not (partitioners or hosts or format_schemas):
        return config
    from sluice.config import Config, Hosts

    config = config or Config()
    if format_schemas:
        config = replace(config, format_schemas=Path(format_schemas).absolute())
    if partitioners:
        config = replace(config, partitioners=tuple(partitioners))
    if hosts:
        config = replace(config, hosts=(config.hosts or Hosts()).with_names(tuple(hosts)))
    return config


def _registered(functions: Mapping[str, _Function]) -> Mapping[str, UserFunction]:
    """Functions of Python as the Flink dialect calls them."""
    if not functions:
        return {}
    from sluice.sql.flink.functions import read_functions

    return read_functions(functions)
