"""JSON and Protobuf with schemas in a registry; Avro's are with Avro.

ClickHouse has no such formats: their names are made like AvroConfluent. Flink's are made like avro-confluent, and those
of Confluent Cloud, proto-registry and json-registry, are the same.
"""

from __future__ import annotations

from sluice.formats.descriptor import Format
from sluice.formats.families.avro import REGISTRY
from sluice.formats.families.common import IGNORE_PARSE_ERRORS
from sluice.formats.families.json import JSON_OPTIONS, strict_or_lenient, string_keys
from sluice.parameters.kinds import FLINK

_PROTOBUF = "protobuf.ProtobufConfluent", "protobuf.FlinkProtobufConfluent"
_JSON = "json.JsonConfluent", "flink.FlinkJsonConfluent"

FORMATS = (
    Format("ProtobufConfluent", "protobuf", decoder=f"{_PROTOBUF[0]}$Read", encoder=f"{_PROTOBUF[0]}$Write", fixed={"framing": "single"}, registry=True),
    Format("JSONConfluent", "json", decoder=f"{_JSON[0]}$Read", encoder=f"{_JSON[0]}$Write", registry=True),
    *(
        Format(name, "protobuf", dialect=FLINK, decoder=f"{_PROTOBUF[1]}$Read", encoder=f"{_PROTOBUF[1]}$Write", needs=("url",), registry=True,
               options=(IGNORE_PARSE_ERRORS, *REGISTRY))
        for name in ("protobuf-confluent", "proto-registry")
    ),
    *(
        Format(name, "json", dialect=FLINK, decoder=f"{_JSON[1]}$Read", encoder=f"{_JSON[1]}$Write", needs=("url",), registry=True, several=True,
               fits=string_keys, conflict=strict_or_lenient, options=(*JSON_OPTIONS, *REGISTRY))
        for name in ("json-confluent", "json-registry")
    ),
)  # fmt: skip
