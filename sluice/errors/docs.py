"""The conditions as a page, for people."""

from __future__ import annotations

from sluice.errors import conditions

_HEAD = """\
# Errors

Every error that Sluice reports, made from `sluice/errors/conditions.toml` by \
`python -m sluice.errors`. `{…}` stands for what is filled in. Over HTTP an error has the status, \
`X-ClickHouse-Exception-Code` and `Code: N. DB::Exception: … (NAME)` as its text, or \
`Code: N. NAME: …` in Flink's dialect.

| kind | who tries again |
|---|---|
| user | nobody: the statement is wrong |
| transient | Sluice itself, until it works |
| indefinite | Sluice itself, after looking whether it had happened |
| terminal | nobody: somebody has to decide, and the hint says how |
"""


def page() -> str:
    """docs/ERRORS.md."""
    parts = [_HEAD]
    for name, each in sorted(conditions().items()):
        lines = [
            f"## {name}",
            "",
            f"`{_inline(each.message)}`",
            "",
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
            lines += [f"Hint in Flink's dialect: {_hint(each.flink_hint)}", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _hint(text: str) -> str:
    if text == "{hint}":
        return "depends on the case; for a name that is not known, the nearest ones."
    return f"`{_inline(text)}`"


def _inline(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ").replace("  ", " ")
