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
    functions: Mapping[str, tuple[Callable[..., Any], Sequence[str], str]] | None = None,
    copied: str = "",
    log_format: str = TEXT,
    format_schemas: str | Path | None = None,
) -> Session:
    """Open a data folder. Its pipelines run for as long as the session is open.

    Args:
        data: the folder; it is made if it is new.
        master: the Spark master.
        pipelines: whether to run the folder's pipelines.
        config: what configuration files say (`sluice.config.load`).
        catalog: where the catalog is kept if not in the folder, as SQLAlchemy names databases:
            `postgresql+psycopg://user@host/database`.
        spark: Spark settings, which override Sluice's.
        partitioners: classes that tables may name in `sink.partitioner`: Java's by their full
            names, Python's as `package.module:Class`.
        paths: directories besides the data folder that the `path` of a table may lead into.
        hosts: names of hosts, alone or as `host:port`, that URLs of schema registries may lead to;
            without any, all that have public addresses.
        store: where tables and checkpoints are if not in the folder, as Hadoop names places:
            `s3a://bucket/folder`. The catalog remembers it.
        functions: what Flink's SQL may call besides its own, by name: the function, the types of
            its arguments, and that of what it gives back, such as `(str.title, ["STRING"],
            "STRING")`.
        copied: what a folder is that was copied: `moved` if its original does not run any more,
            `new` if it is to be an instance of its own, with other names in Kafka.
        log_format: `text`, or `json` for one JSON object per line of `sluice.log`.
        format_schemas: the directory with the schemas of formats such as Protobuf; if it is not
            given, `format_schemas` in the data folder.

    Raises:
        SluiceError: WAREHOUSE_LOCKED when another process has the folder. DATA_FOLDER_COPIED for a
            copy if `copied` is not given. STORE_REFUSED, when Spark
            starts, for a store with the tables of another catalog.
    """
    known: Mapping[str, UserFunction] = {}
    if functions:
        from sluice.sql.flink.functions import read_functions

        known = read_functions(functions)
    if partitioners or hosts or format_schemas:
        from sluice.config import Config, Hosts

        config = config or Config()
        if format_schemas:
            config = replace(config, format_schemas=Path(format_schemas).absolute())
        if partitioners:
            config = replace(config, partitioners=tuple(partitioners))
        if hosts:
            listed = (config.hosts or Hosts()).with_names(tuple(hosts))
            config = replace(config, hosts=listed)
    engine = Engine(
        data,
        master=master,
        pipelines=pipelines,
        config=config,
        catalog=catalog,
        spark=spark,
        paths=paths,
        store=store,
        functions=known,
        copied=copied,
        log_format=log_format,
    )
    engine.sync()
    if pipelines:
        with using(engine.functions):
            jobs.resume(engine)
    engine.resumed = True
    return Session(engine)
