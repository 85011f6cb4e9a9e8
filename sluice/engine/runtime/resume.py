"""Where a query resumes, and whether that would lose messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import offsets
from sluice.engine.runtime.worker import Superseded
from sluice.engine.sinks.committed import check_known
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Offsets
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.storage.store_path import AnyPath

_EXACT = ("JOB_DATA_LOSS", "KAFKA_TOPIC_MISSING", "KAFKA_TOPIC_REPLACED")
"""Conditions that tell more than that messages are lost."""


def check(query: RunningQuery, checkpoint: AnyPath, committed: Sequence[int]) -> None:
    """Refuse to resume where that would lose messages silently.

    An output that has a batch which the checkpoint does not know shows that the checkpoint was
    lost: Spark would count from 0 again, and its new batches would be skipped as old ones.
    """
    if not checkpoint.exists() or max(committed) > offsets.last_logged(checkpoint):
        raise errors.CHECKPOINT_MISSING(table=query.title, path=checkpoint)
    stored = [
        (each.output.table, each.sink.last_batch())
        for each in query.transform.outputs.opened
        if each.output.table.keeps_rows
    ]
    check_known(query.resources.store, checkpoint, stored)
    at = position(query, checkpoint)
    if at != query.status.position:  # else it was idle
        query.status.assigned(at)


def position(query: RunningQuery, checkpoint: AnyPath) -> Offsets:
    """The offsets it resumes from.

    Raises:
        SluiceError: KAFKA_DATA_LOSS or JOB_DATA_LOSS, with what Kafka has deleted.
    """
    places = offsets.order(checkpoint, [stream.input.view for stream in query.streams])
    whole: Offsets = {}
    ends: Offsets = {}
    for stream in query.streams:
        stream.place = places.get(stream.input.view, 0)
        stream.check_topics()
        at = query.positions.position(query, checkpoint, stream)
        stream.earliest = stream.cluster.earliest(stream.generation.topic_ids)
        latest = stream.latest()
        lost = offsets.lost(at, stream.earliest, latest)
        if lost and stream.source.skips_lost:
            query.positions.skip(query, lost)
            text = f"Kafka lost what was not read: {offsets.loss_text(lost)}"
            query.note("DATA_LOSS_SKIPPED", text, lost)
            raise Superseded
        if lost:
            raise data_loss(query, stream.source.table.full_name, offsets.loss_text(lost))
        whole, ends = offsets.merged(whole, at), offsets.merged(ends, latest)
    query.status.ends = ends
    return whole


def data_loss(query: RunningQuery, table: str, reason: str) -> SluiceError:
    """The condition for messages that Kafka has deleted, with the remedy of the dialect."""
    if query.spec.of_job:
        return errors.JOB_DATA_LOSS(job=query.id, table=table, reason=reason)
    return errors.KAFKA_DATA_LOSS(table=table, reason=reason)


def exact_loss(query: RunningQuery, reason: str) -> SluiceError:
    """What was lost, exactly if that can be told."""
    try:
        position(query, query.folder / str(query.status.generation))
    except SluiceError as known:
        if known.condition.name in _EXACT:
            return known
    tables = ", ".join(stream.source.table.full_name for stream in query.streams)
    return data_loss(query, tables, reason)
