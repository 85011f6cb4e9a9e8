"""Telling a consumer group how far a pipeline has come, and noticing that another server does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from sluice.catalog import Instance, Offsets
    from sluice.kafka.cluster import Cluster

_OURS = "sluice"


def commit(cluster: Cluster, group: str, at: Offsets, pipeline: str, instance: Instance) -> None:
    """Commit a pipeline's offsets, with a note of who does.

    A note of another pipeline, or of another program, is no concern of this one: a group may be
    handed over.

    Raises:
        SluiceError: DATA_FOLDER_COPIED, if a server on a copy of the data folder has committed for
            the same pipeline; GROUP_IN_USE.
    """
    for note in cluster.notes(group, at):
        name, _, rest = note.partition(" ")
        of, _, token = rest.partition(" ")
        if (name, of) == (_OURS, pipeline) and not instance.wrote(token):
            what = f"a server on another one commits offsets of group {group}"
            raise errors.DATA_FOLDER_COPIED(what=what)
    cluster.commit(group, at, note=f"{_OURS} {pipeline} {instance.token}")
