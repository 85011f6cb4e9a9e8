"""Tables that come with a request: the files of a form, for the time of one query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from sluice import errors
from sluice.clickhouse.structures import PIECE, expression_in
from sluice.session.context import ExternalTable
from sluice.types import quote_name

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.requests import Request

_MOST_TABLES, _MOST_FIELDS = 100, 1000
_NAME = re.compile(r"[A-Za-z_]\w{0,127}", re.ASCII)


async def read_form(
    request: Request, params: Mapping[str, str], fields: int, data: int
) -> tuple[dict[str, str], list[ExternalTable]]:
    """The parameters of a request and its form, and the tables in the form.

    Fields may have so many bytes each, all together `data`.

    Raises:
        SluiceError: QUERY_TOO_LARGE or INVALID_REQUEST_PARAMETER.
    """

    async def limited() -> AsyncGenerator[bytes, None]:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > data:
                raise errors.QUERY_TOO_LARGE(size=f"more than {data}", limit=data)
            yield chunk

    parser = MultiPartParser(
        request.headers,
        limited(),
        max_files=_MOST_TABLES,
        max_fields=_MOST_FIELDS,
        max_part_size=fields,
    )
    try:
        form = await parser.parse()
    except errors.SluiceError:
        for file in parser._files_to_close_on_error:
            file.close()
        raise
    except (MultiPartException, KeyError, UnicodeDecodeError) as bad:
        reason = getattr(bad, "message", None) or f"the form cannot be read: {bad}"
        raise errors.INVALID_REQUEST_PARAMETER(
            parameter="Content-Type", value="multipart/form-data", reason=reason
        ) from bad
    try:
        items = form.multi_items()
        found = {**params, **{name: text for name, text in items if isinstance(text, str)}}
        files = [(name, file) for name, file in items if isinstance(file, UploadFile)]
        return found, [_table(name, await file.read(), found) for name, file in files]
    finally:
        await form.close()


def _table(name: str, data: bytes, params: Mapping[str, str]) -> ExternalTable:
    if not _NAME.fullmatch(name):
        raise _wrong(name, name, "a name of letters, digits and _ is expected for a table")
    format_ = params.get(f"{name}_format", "TabSeparated")
    structure = params.get(f"{name}_structure", "")
    types = params.get(f"{name}_types", "")
    if not structure and not types:
        reason = f"the table needs {name}_structure or {name}_types"
        raise _wrong(f"{name}_structure", "", reason)
    if not structure:
        listed = enumerate(_split(types), 1)
        structure = ", ".join(f"{quote_name(f'_{at}')} {type_}" for at, type_ in listed)
    if word := expression_in(structure):
        raise _wrong(f"{name}_structure", word, "only names and types of columns are expected")
    return ExternalTable(name, format_, structure, data)


def _split(types: str) -> list[str]:
    """Types between commas, outside of brackets."""
    found, depth = [""], 0
    for piece in PIECE.findall(types):
        depth += (piece == "(") - (piece == ")")
        if piece == "," and not depth:
            found.append("")
        else:
            found[-1] += piece
    return found


def _wrong(parameter: str, value: str, reason: str) -> errors.SluiceError:
    return errors.INVALID_REQUEST_PARAMETER(parameter=parameter, value=value[:50], reason=reason)
