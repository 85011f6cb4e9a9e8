"""Numbers as text: the shortest form that reads back as the same number."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

_FIXED_FROM, _FIXED_TO = -6, 21
"""Between these powers of ten a float is written out, beyond them as `1e21`."""


def int_text(value: int) -> str:
    """A whole number; a comparison's true and false are 1 and 0."""
    return str(int(value))


def bool_text(value: bool) -> str:
    """`true` or `false`."""
    return "true" if value else "false"


def float64_text(value: float) -> str:
    """A Float64."""
    return _float_text(value, repr(value))


def float32_text(value: float) -> str:
    """A Float32 that was widened on its way: 0.1, not 0.10000000149011612."""
    if not math.isfinite(value):
        return _float_text(value, repr(value))
    for digits in (6, 7, 8):
        text = format(value, f".{digits}g")
        if _narrow(float(text)) == value:
            return _float_text(value, text)
    return _float_text(value, format(value, ".9g"))


def decimal_text(value: Decimal) -> str:
    """A Decimal without the zeros that its scale would add."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _narrow(value: float) -> float:
    try:
        narrowed: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
    return narrowed


def _float_text(value: float, shortest: str) -> str:
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if "e" not in shortest:
        return shortest.removesuffix(".0")
    return _respell(shortest)


def _respell(scientific: str) -> str:
    """`1.5e-05` → `0.000015`, `1e+16` → `10000000000000000`, `1e+21` → `1e21`."""
    mantissa, exponent_text = scientific.split("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits, exponent = whole + fraction.rstrip("0"), int(exponent_text)
    if not _FIXED_FROM <= exponent < _FIXED_TO:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    head, tail = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{head}.{tail}" if tail else f"{sign}{head}"
