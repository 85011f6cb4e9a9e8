"""OpenLineage events of a query, from its specification: JSON objects of version 2-0-2."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Table
    from sluice.engine.runtime.query import RunningQuery
    from sluice.kafka.properties import Connection
    from sluice.planner.query import Output, QuerySpec

    Json = dict[str, Any]

START, RUNNING, COMPLETE, FAIL, ABORT = "START", "RUNNING", "COMPLETE", "FAIL", "ABORT"

_SPEC = "https://openlineage.io/spec"
_FACETS = {
    "schema": "1-2-0/SchemaDatasetFacet",
    "symlinks": "1-0-1/SymlinksDatasetFacet",
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
}


def event(
    kind: str, time: str, run: str, namespace: str, query: RunningQuery, condition: str = ""
) -> Json:
    """What happened to a run of a query; `condition` is that of the error of one that failed."""
    spec = query.spec
    name = query.id if spec.of_job else spec.source.table.full_name
    processing = "BATCH" if spec.bounded else "STREAMING"
    what = {"processingType": processing, "integration": "SLUICE", "jobType": "QUERY"}
    error = {"message": condition, "programmingLanguage": "SQL"}
    given = _inputs(query)
    return {
        "eventType": kind,
        "eventTime": time,
        "producer": _producer(),
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": _facet("errorMessage", error) if condition else {}},
        "job": {"namespace": namespace, "name": name, "facets": _facet("jobType", what)},
        "inputs": [dataset for datasets in given.values() for dataset in datasets],
        "outputs": list(_outputs(query, given)),
    }


def _producer() -> str:
    return f"urn:sluice:{metadata.version('sluice')}"


def _facet(name: str, fields: Json) -> Json:
    version = _FACETS[name]
    url = f"{_SPEC}/facets/{version}.json#/$defs/{version.partition('/')[2]}"
    return {name: {"_producer": _producer(), "_schemaURL": url, **fields}}


def _inputs(query: RunningQuery) -> Mapping[str, list[Json]]:
    """The datasets of each input, by the view that the query knows it by."""
    found: dict[str, list[Json]] = {}
    for stream in query.streams:
        topics = sorted(stream.generation.topic_ids) or stream.source.named
        found[stream.input.view] = [
            _topic(stream.source.connection, topic, stream.source.table) for topic in topics
        ]
    stored = [(each.view, each.table) for each in query.spec.inputs if each.source is None]
    for view, table in (*stored, *_read_beside(query.spec)):
        if table.keeps_rows:
            found[view] = [_stored(query, table)]
    return found


def _read_beside(spec: QuerySpec) -> Iterator[tuple[str, Table]]:
    for output in spec.plans():
        yield from output.reads


def _outputs(query: RunningQuery, given: Mapping[str, list[Json]]) -> Iterator[Json]:
    """The targets, each with the columns that it is made of."""
    for output in query.spec.plans():
        if output.target is None or output.target.passes:
            continue
        if output.sink is None:
            made = _stored(query, output.target)
        elif output.sink.topic:
            made = _topic(output.sink.connection, output.sink.topic, output.target)
        else:  # each row names its topic
            continue
        made["facets"] |= _columns(output, given)
        yield made


def _columns(output: Output, given: Mapping[str, list[Json]]) -> Json:
    """The columns that a query reads: which of them make which column is not told apart."""
    used = [
        {"namespace": dataset["namespace"], "name": dataset["name"], "field": column}
        for view, columns in output.uses.items()
        for dataset in given.get(view, ())
        for column in sorted(columns)
    ]
    return _facet("columnLineage", {"fields": {}, "dataset": used}) if used else {}


def _topic(connection: Connection, topic: str, table: Table) -> Json:
    first = connection.brokers.split(",")[0].strip()
    return _dataset(f"kafka://{first}", topic, table)


def _stored(query: RunningQuery, table: Table) -> Json:
    """The folder of a table, as OpenLineage names files: by the store, and the path in it."""
    path = str(query.resources.store.path(table))
    parts = urlsplit(path)
    if not parts.scheme:
        return _dataset("file", path, table)
    scheme = parts.scheme.replace("s3a", "s3")
    return _dataset(f"{scheme}://{parts.netloc}", parts.path.lstrip("/"), table)


def _dataset(namespace: str, name: str, table: Table) -> Json:
    fields = [{"name": each.name, "type": str(each.type)} for each in table.columns]
    known = {"namespace": "sluice", "name": table.full_name, "type": "TABLE"}
    return {
        "namespace": namespace,
        "name": name,
        "facets": _facet("schema", {"fields": fields})
        | _facet("symlinks", {"identifiers": [known]}),
    }
