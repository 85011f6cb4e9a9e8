"""Functions of aggregate states with arguments of all types, and rows to make states of."""

from __future__ import annotations

RAW = {
    "k": ("UInt8", "number % 4"),
    "c": ("String", "concat('k', toString(number % 4))"),
    "u8": ("UInt8", "number % 200"),
    "i16": ("Int16", "number - 100"),
    "i64": ("Int64", "1000000007 * (100 - toInt64(number))"),
    "u64": ("UInt64", "number * 1000000000000007"),
    "f32": ("Float32", "number / 4"),
    "f64": ("Float64", "3 - number / 8"),
    "dec": ("Decimal(9, 2)", "toDecimal32(number, 2) / 4 - 20"),
    "big": ("Decimal(38, 4)", "toDecimal128(number, 4) * 1000000007"),
    "s": ("String", "toString(number)"),
    "fs": ("FixedString(3)", "toString(number % 50)"),
    "id": (
        "UUID",
        "toUUID(concat('00000000-0000-0000-0000-000000000', toString(100 + number)))",
    ),
    "cat": ("Enum8('z' = 1, 'a' = 2, 'it''s' = -3)", "['z', 'a', 'it''s'][number % 3 + 1]"),
    "day": ("Date", "toDate('2024-01-01') + number"),
    "at": ("DateTime('Asia/Tokyo')", "toDateTime('2024-01-01 00:00:00', 'UTC') + number * 3600"),
    "ms": ("DateTime64(3)", "toDateTime64('2024-01-01 00:00:00.123', 3, 'UTC') - number"),
    "ip": ("IPv4", "toIPv4(toUInt32(number * 70000))"),
    "ip6": ("IPv6", "toIPv6(concat('2001::', toString(number)))"),
    "wide": ("Int128", "toInt128(50 - number) * 1000000000000000007"),
    "ns": ("DateTime64(9)", "toDateTime64('2024-01-01 00:00:00', 9, 'UTC') + number"),
    "n": ("Nullable(Int32)", "if(number % 4 = 3 OR number % 5 = 0, NULL, toInt32(number))"),
    "maybe": ("Nullable(String)", "if(number % 4 = 3, NULL, toString(number % 30))"),
    "lc": ("LowCardinality(String)", "toString(number % 20)"),
    "lcn": ("LowCardinality(Nullable(String))", "if(number % 3 = 0, NULL, toString(number % 20))"),
}
"""Columns of rows: a type, and values of a number. `c` is the same in all rows of a key, and the
group 3 has no values that may be NULL."""

STATES = """
    count; count s; count n; countIf y
    sum u8; sum i16; sum i64; sum u64; sum f32; sum f64; sum dec; sum big; sum n; sumIf u64 y
    avg u8; avg i64; avg f32; avg f64; avg dec; avg n; avgIf n y
    avg day; avg at; avg ms
    min u8; min f64; min s; min fs; min id; min cat; min day; min at; min ms; min ip; min wide
    min maybe; min lcn; minIf s y
    max i16; max u64; max dec; max cat; max ip6; max ns; max n; max lc; maxIf maybe y
    any c; anyLast c; anyIf c y; any k; anyLast k
    argMin s u64; argMin cat f64; argMin maybe at; argMin lc id; argMinIf s i64 y
    argMax s u8; argMax u8 s; argMax ip ns; argMax wide day; argMax lc ms; argMaxIf s u64 y
    argMax n u8; argMin maybe n
    groupBitAnd u8; groupBitOr i64; groupBitOr n
    uniqExact s; uniqExact u8; uniqExact n; uniqExact maybe; uniqExact lc; uniqExact ip6
    uniqExact id; uniqExact cat; uniqExact wide; uniqExactIf s y
    groupArray u64; groupArray maybe; groupArray cat; groupArray ms; groupArrayIf s y
    groupUniqArray u8; groupUniqArray s; groupUniqArray lcn; groupUniqArray id
    quantileExact(0.25) u8; quantileExact(0.5) f64; medianExact i64; quantileExact(0.9) n
"""
"""Functions and their arguments; `y` is a condition."""

_LISTS = ("groupArray", "groupUniqArray")
_UNORDERED = (*_LISTS, "uniqExact", "quantileExact", "medianExact")
"""Functions whose states have values in any order."""


class State:
    """A column with states of a function."""

    def __init__(self, at: int, text: str) -> None:
        called, *args = text.split()
        self.function, _, params = called.rstrip(")").partition("(")
        self.params = f"({params})" if params else ""
        self.name = f"c{at}"
        self.arguments = ", ".join("toUInt8(u8 % 3 = 1)" if arg == "y" else arg for arg in args)
        types = ["UInt8" if arg == "y" else RAW[arg][0] for arg in args]
        self.type = f"AggregateFunction({', '.join([self.function + self.params, *types])})"

    @property
    def build(self) -> str:
        return f"{self.function}State{self.params}({self.arguments})"

    @property
    def merge(self) -> str:
        return self._sorted(f"{self.function}Merge{self.params}({self.name})")

    @property
    def final(self) -> str:
        return self._sorted(f"finalizeAggregation({self.name})")

    @property
    def is_of_any(self) -> bool:
        """Whether the value is that of any row: all rows of a group have the same."""
        return self.function.startswith("any")

    @property
    def is_ordered(self) -> bool:
        return not self.function.startswith(_UNORDERED)

    def _sorted(self, value: str) -> str:
        return f"arraySort({value})" if self.function.startswith(_LISTS) else value


TEXTS = (text for text in STATES.replace("\n", ";").split(";") if text.strip())
ALL = [State(at, text) for at, text in enumerate(TEXTS)]
