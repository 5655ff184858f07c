"""JSON as it comes: every kind of value, spelled in every way, some of them not JSON at all."""

from __future__ import annotations

import json

from hypothesis import strategies as st

WHOLE = [
    "0",
    "-0",
    "7",
    "-12",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1" + "0" * 38,
    "1" + "0" * 400,
]
FRACTIONS = [
    "0.0",
    "-0.0",
    "1.5",
    "-2.25",
    "1.50",
    "0.1234567890123",
    "0.12345678901234568",
    "0.1234567890123456789",
    "9007199254740993.0",
    "123456789012345678.5",
    "1e5",
    "1E+5",
    "0e1",
    "2.5e-3",
    "1e-7",
    "6.123456789012345e-05",
    "1.0000000000000000e+00",
    "1.000000000000000056e-01",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-400",
    "2e-324",
    "1e-310",
    "1.7976931348623157e308",
    "NaN",
    "Infinity",
    "-Infinity",
]
STRINGS = [
    '""',
    '"a"',
    '"2024-01-31"',
    '"2024-01-31T12:00:00Z"',
    '"12"',
    '"true"',
    '"a\\"b"',
    '"\\\\"',
    '"a\\\\\\"},{["',
    '"x\\u0000y"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"z\\udc00z"',
    '"é😀"',
    '"NaN: -0, 1e-400"',
    '"\x7f"',
]
WORDS = ["null", "true", "false"]
# What some parser or other takes, and JSON does not have.
WRONG = [
    "01",
    "-01",
    "1.",
    ".5",
    "+1",
    "1e",
    "-",
    "--1",
    "0x10",
    "e0.30000000000000004",
    "1_000",
    "nan",
    "Inf",
    "-Inf",
    "-NaN",
    "-null",
    "True",
    "nul",
    "nulll",
    "tru",
    "'a'",
    "undefined",
    '"a\tb"',
    '"a\nb"',
    '"\\x"',
    '"\\u12"',
    '"a',
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1",
    '{"a":1,}',
    '{"a" 1}',
    "{a:1}",
    '{"a":1 "b":2}',
    "/*c*/1",
    "1//c",
    "1 2",
    "1]",
    "1}",
    "1,",
    "",
    "\x0c1",
    "\xa01",
    "\ufeff1",
]
KEYS = ['"a"', '"b"', '"c"', '"\\u0061"', '""', '"é"', '"a\\u0000"', '"\\ud800"', '"\\ud801"']


SCALARS = [
    st.sampled_from(WHOLE),
    st.sampled_from(FRACTIONS),
    st.sampled_from(STRINGS),
    st.sampled_from(WORDS),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(json.dumps),
    st.text(max_size=5).map(json.dumps),
]
# Values of one kind, as most columns have them, most of them with nulls in between.
ALIKE = [
    st.sampled_from(WHOLE[:4]),
    st.sampled_from(WHOLE),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.sampled_from(FRACTIONS),
    st.sampled_from(WHOLE[:4] + FRACTIONS[:6]),
    st.sampled_from(STRINGS),
    st.sampled_from(WORDS[1:]),
    st.just("{}"),
]


def one_in(draw: st.DrawFn, number: int) -> bool:
    return not draw(st.integers(0, number - 1))


@st.composite
def values(draw: st.DrawFn, wrong: bool = False, levels: int = 3) -> str:
    """The text of one value, ``wrong`` now and then."""
    if wrong and one_in(draw, 16):
        return draw(st.sampled_from(WRONG))
    if levels and one_in(draw, 3):
        return draw(objects(wrong, levels) if one_in(draw, 2) else arrays(wrong, levels))
    return draw(draw(st.sampled_from(SCALARS)))


@st.composite
def arrays(draw: st.DrawFn, wrong: bool = False, levels: int = 3) -> str:
    """An array of any values."""
    return "[" + ", ".join(draw(st.lists(values(wrong, levels - 1), max_size=3))) + "]"


@st.composite
def objects(draw: st.DrawFn, wrong: bool = False, levels: int = 3) -> str:
    """An object of any values, most often with each key once."""
    keys = draw(st.lists(st.sampled_from(KEYS if one_in(draw, 8) else KEYS[:3]), max_size=3))
    if not one_in(draw, 8):
        keys = list(dict.fromkeys(keys))
    return _object([(key, draw(values(wrong, levels - 1))) for key in keys])


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"


@st.composite
def tables(draw: st.DrawFn) -> list[str]:
    """Objects whose columns mostly keep to their kinds."""
    columns = {
        key: (draw(st.sampled_from(ALIKE)), draw(st.sampled_from(["{}", "{}", "[{}]", '{{"x":{}}}', '[{{"y":[{}]}}]'])))
        for key in draw(st.lists(st.sampled_from(KEYS[:3]), max_size=3, unique=True))
    }
    made = []
    for _ in range(draw(st.integers(0, 20))):
        cells = [
            (key, "null" if one_in(draw, 6) else form.format("null" if one_in(draw, 6) else draw(kind)))
            for key, (kind, form) in columns.items()
            if not one_in(draw, 8)
        ]
        made.append(_object(cells[::-1] if one_in(draw, 3) else cells))
    for place in draw(st.lists(st.integers(0, len(made)), max_size=2)):
        made.insert(place, draw(objects()))
    return made
