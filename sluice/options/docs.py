"""The registry as rows, for `system.options`, and as a page, for people."""

from __future__ import annotations

from typing import Any

from sluice.formats.registry import of_dialect
from sluice.options import client, job_settings, query_settings
from sluice.options.delta import DELTA_OPTIONS
from sluice.options.kafka import FAMILIES
from sluice.options.spark_settings import SPARK, SPARK_SETTINGS
from sluice.parameters.kinds import CLICKHOUSE, DIALECTS, FLINK
from sluice.parameters.option import STATES, Option

_ALL = {**FAMILIES, "Tables in Delta Lake": DELTA_OPTIONS}
_TITLES = {"clickhouse": "ClickHouse", "flink": "Flink", "dli": "DLI"}

_HEAD = """\
# Options

Every option of Kafka tables and of Delta tables, in three dialects: ClickHouse's `SETTINGS` (or \
the arguments of `Kafka(…)`), Flink's `WITH`, and DLI's older `WITH`. This page is generated from \
the registry (`sluice/options`) by `python -m sluice.options`; `system.options` has the same rows.

| status | meaning |
|---|---|
{states}

`EXPLAIN MIGRATION CREATE TABLE …` shows the status of the options of one statement. An unknown \
option is refused with an error that suggests similar names.

A duration is written as `1 s` or `5 min`, a memory size as `64 kb`; a number without a unit is \
milliseconds or bytes. Booleans are `1` and `0` in ClickHouse, `true` and `false` in Flink. \
`{{format}}` is the name of a format, prefixed with `key.` or `value.` if it was set by \
`key.format` or `value.format`. A default in parentheses is that of the original system, where \
Sluice's differs.
"""


_FILES = """\
## Configuration files

`sluice serve --config FILE_OR_FOLDER` reads ClickHouse configuration files, in XML or YAML. In a \
folder it reads `config.xml` and `users.xml` (or `.yaml`), then the files of `config.d`, `conf.d` \
and `users.d` in the order of their names; in a folder without these it reads all files. `replace` \
and `remove` work as in ClickHouse, `from_env` takes a value from the environment, XML entities \
are refused.

```xml
<clickhouse>
  <kafka>
    <retry_backoff_ms>250</retry_backoff_ms>            <!-- all clients -->
    <kafka_topic><name>logs</name>                      <!-- all clients, for one topic -->
      <retry_backoff_ms>500</retry_backoff_ms></kafka_topic>
    <consumer><fetch_min_bytes>1000</fetch_min_bytes>   <!-- consumers -->
      <kafka_topic><name>logs</name><fetch_min_bytes>2000</fetch_min_bytes></kafka_topic></consumer>
    <producer><acks>all</acks></producer>               <!-- producers -->
  </kafka>
  <named_collections><mine><kafka_broker_list>b:9092</kafka_broker_list></mine></named_collections>
  <profiles><default><max_insert_block_size>100000</max_insert_block_size></default></profiles>
  <macros><replica>r1</replica></macros>
</clickhouse>
```

Later entries override earlier ones, and a table's own options override all of them. Credentials \
in `<kafka>` apply to every table, whatever its brokers. In a profile, \
`max_insert_block_size` and `stream_flush_interval_ms` are the defaults of \
`kafka_max_block_size` and `kafka_flush_interval_ms`, and format settings apply to every table. \
Kerberos uses `sasl_kerberos_keytab`, `sasl_kerberos_principal` and \
`sasl_kerberos_service_name`; without a keytab, the ticket cache of the system. OAuth uses \
`sasl_oauthbearer_token_endpoint_url`, `sasl_oauthbearer_client_id`, \
`sasl_oauthbearer_client_secret` and `sasl_oauthbearer_scope`.
"""


def rows() -> list[dict[str, Any]]:
    """Every option, once."""
    return [
        {
            "name": option.key,
            **{dialect: option.names.get(dialect, "") for dialect in DIALECTS},
            "family": family,
            "type": option.kind.title,
            "default": default_text(option),
            "scope": option.scope,
            "status": option.status,
            "why": option.why,
            "secret": option.secret,
            "description": option.doc,
        }
        for family, options in _ALL.items()
        for option in options
    ]


def default_text(option: Option) -> str:
    """An option's default as it would be written, or an empty text."""
    if option.default is None:
        return ""
    if isinstance(option.default, bool):
        return str(option.default).lower()
    return str(option.default)


def page() -> str:
    """docs/OPTIONS.md."""
    states = "\n".join(f"| {name} | {text} |" for name, text in STATES.items())
    parts = [_HEAD.format(states=states)]
    for family, options in _ALL.items():
        dialects = [d for d in DIALECTS if any(d in o.names for o in options)]
        head = [*dialects, "type", "default", "for", "status", "description"]
        lines = [_line(option, dialects) for option in options]
        parts.append(f"## {family}\n\n{_table(head, lines)}")
    parts += [_formats(), _query_settings(), _settings(), _FILES, _server(), _properties()]
    return "\n".join(parts)


def _line(option: Option, dialects: list[str]) -> list[str]:
    default = default_text(option)
    shown = f"`{_cell(default)}`" if default else ""
    for dialect, theirs in option.theirs.items():
        shown += f" ({_TITLES[dialect]}: `{_cell(theirs)}`)"
    text = f"{option.doc} {option.why[:1].upper()}{option.why[1:]}." if option.why else option.doc
    if option.formats:
        text += f" ({', '.join(option.formats)})"
    names = [f"`{option.names[d]}`" if d in option.names else "" for d in dialects]
    return [*names, option.kind.title, shown.strip(), option.scope, option.status, _cell(text)]


def _formats() -> str:
    states = {True: "yes", False: "not yet"}
    lines = [
        [title, name, *(each.refused or states[done] for done in (each.reads, each.writes))]
        for title, dialect in (("ClickHouse", CLICKHOUSE), ("Flink, DLI", FLINK))
        for each in of_dialect(dialect)
        for name in each.names
    ]
    return f"## Message formats\n\n{_table(['dialect', 'format', 'reading', 'writing'], lines)}"


def _settings() -> str:
    lines = [
        [", ".join(f"`{name}`" for name in names), state, _cell(text)]
        for names, state, text in job_settings.rows()
    ]
    return (
        "## SET in the Flink dialect\n\n"
        "Any other name is refused. `*` matches any suffix.\n\n"
        f"{_table(['setting', 'status', 'description'], lines)}"
    )


def _query_settings() -> str:
    lines = [
        [f"`{name}`", takes, f"`{_cell(default)}`" if default else "", state, _cell(text)]
        for name, takes, default, state, text in query_settings.rows()
    ]
    return (
        "## SET and SETTINGS in the ClickHouse dialect\n\n"
        "Also as URL parameters, and in `SETTINGS` of a query. A SELECT that ClickHouse runs takes "
        "every setting of ClickHouse, and it acts there, except those that name files of the "
        "server, conditions in texts or another language (refused), that are about the server "
        "(no effect), and, where the query reads tables, about how files are read (no effect). "
        "`max_memory_usage` cannot exceed the 4 GiB of a query. An unknown name is refused with "
        "similar ones.\n\n"
        "For views, INSERT … SELECT and queries on Spark the table below tells what a setting "
        "does; a setting of ClickHouse that is not in it and may change an answer is refused "
        "there. A refused setting is "
        "accepted with its default value. An INSERT of data takes the settings of its format; "
        "limits have no effect on it.\n\n"
        f"{_table(['setting', 'type', 'default', 'status', 'description'], lines)}"
    )


def _server() -> str:
    lines = [_line(option, [SPARK]) for option in SPARK_SETTINGS]
    return (
        "## Settings of the server\n\n"
        "`sluice serve --conf NAME=VALUE` and `sluice.connect(spark={NAME: VALUE})`, beside the "
        "settings of Spark.\n\n"
        f"{_table(['setting', 'type', 'default', 'for', 'status', 'description'], lines)}"
    )


def _properties() -> str:
    lines = [
        [
            f"`{key.java}`" if key.java else "",
            f"`{key.librdkafka}`" if key.librdkafka else "",
            "all clients" if key.role == client.EVERY else f"{key.role}s",
            "tables, files" if key.who == client.ANYONE else "files",
            f"{key.doc} No effect: {key.unused}." if key.unused else key.doc,
        ]
        for key in client.CLIENT_KEYS
    ]
    head = ["in Flink and DLI, after `properties.`", "in configuration files, with `_` for `.`"]
    refused = "\n".join(f"- `{name}`: {why}" for name, why in client.FORBIDDEN.items())
    return (
        "## Properties of the Kafka clients\n\n"
        "The Java client, inside Spark, reads and writes the data; librdkafka requests metadata "
        "and offsets. A property that only one of them has is set for that one.\n\n"
        f"{_table([*head, 'for', 'set by', 'description'], lines)}\n"
        "These properties, and those that begin with one of them and a dot, are always refused:\n\n"
        f"{refused}\n"
    )


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, rule, *lines])


def _cell(text: str) -> str:
    text = text.replace("|", "\\|").replace("\n", "\\n").replace("\t", "\\t")
    return "".join(c if c >= " " else f"\\x{ord(c):02x}" for c in text)
