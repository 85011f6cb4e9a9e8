"""The conditions as a page, for people."""

from __future__ import annotations

from sluice.errors import conditions

_HEAD = """\
# Errors

Every error that Sluice reports, generated from `sluice/errors/conditions.toml` by \
`python -m sluice.errors`. `{…}` is a parameter. Over HTTP an error has the status, \
`X-ClickHouse-Exception-Code` and `Code: N. DB::Exception: … (NAME)` as its text, or \
`Code: N. NAME: …` in the Flink dialect.

| kind | who retries |
|---|---|
| user | no one: the statement is wrong |
| transient | Sluice, until it succeeds |
| indefinite | Sluice, after checking whether it had happened |
| terminal | no one: a user has to decide; the hint tells the options |
"""


def page() -> str:
    """docs/ERRORS.md."""
    parts = [_HEAD]
    for name, each in sorted(conditions().items()):
        lines = [f"## {name}", "", f"`{_inline(each.message)}`", ""]
        if each.flink_message:
            lines += [f"In the Flink dialect: `{_inline(each.flink_message)}`", ""]
        lines += [
            "| kind | HTTP | ClickHouse code | SQLSTATE |",
            "|---|---|---|---|",
            f"| {each.kind} | {each.http} | {each.clickhouse_code} | {each.sqlstate} |",
            "",
        ]
        if each.detail:
            lines += [f"Detail: `{_inline(each.detail)}`", ""]
        if each.hint:
            lines += [f"Hint: {_hint(each.hint)}", ""]
        if each.flink_hint:
            lines += [f"Hint in the Flink dialect: {_hint(each.flink_hint)}", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _hint(text: str) -> str:
    if text == "{hint}":
        return "depends on the case; for an unknown name, the most similar ones."
    return f"`{_inline(text)}`"


def _inline(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ").replace("  ", " ")
