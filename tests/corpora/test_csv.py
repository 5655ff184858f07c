"""CSV files of the kinds that readers trip over: each is read exactly or refused, and never changed in silence."""

from __future__ import annotations

import pytest

from tests.corpora.csv_oddities import FILES
from tests.corpora.outcomes import Outcome, Read, Refused, require

INT, TEXT, REAL = "int64", "string", "double"
OUTCOMES: dict[str, Outcome] = {
    "a comma in quotes": Read({"a": INT, "b": TEXT}, [[1, "x, y"]]),
    "doubled quotes": Read({"a": INT, "b": TEXT}, [[1, 'say "hi"'], [2, '"']]),
    "a quote inside an unquoted field": Read({"a": TEXT, "b": TEXT}, [["5' 10\"", "x"], ['6" pipe', "y"]]),
    "empty fields in quotes": Read({"a": INT, "b": TEXT}, [[1, ""], [2, None], [3, "x"]]),
    "line ends in quotes": Read({"a": INT, "b": TEXT}, [[1, "one\ntwo"], [2, "one\r\ntwo"]], "", {"line_end": "mixed"}),
    "JSON in a field": Read({"id": INT, "doc": TEXT}, [[1, '{"type": "Point", "at": [1,2]}'], [2, "{}"]]),
    "blanks around quotes": Read(
        {"a": INT, "b": TEXT}, [[1, ' "x"'], [2, "y "]], "quoted fields go on after their closing quote"
    ),
    "every field in quotes": Read({"a": INT, "b": TEXT}, [[1, "x"], [2, "y"]]),
    "quotes in the header": Read({'a "1"': INT, "b,c": INT}, [[1, 2]]),
    "a quote that never closes": Refused("A quote is opened in line 3 and never closed: the file may be cut off."),
    "single quotes": Refused("Row 2 has 3 fields, the header has 2"),
    "a backslash before a quote": Read({"a": TEXT, "b": INT}, [["x\\", 1], ["y", 2]]),
    "LF": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]]),
    "CRLF": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]], "", {"line_end": "crlf"}),
    "CR": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]], "", {"line_end": "cr"}),
    "line ends of all kinds": Read({"a": INT, "b": INT}, [[1, 2], [3, 4], [5, 6]], "", {"line_end": "mixed"}),
    "no line end at the end": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]]),
    "blank lines": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]], "", {"blank_lines": 6}),
    "a line of blanks": Read(
        {"a": TEXT, "b": INT},
        [["1", 2], ["  ", None], ["3", 4]],
        "Missing fields were read as null",
        {"ragged_rows": 1},
    ),
    "a header alone": Read({"a": TEXT, "b": TEXT}, []),
    "one column": Read({"a": INT}, [[1], [2]]),
    "one column with a blank line": Read({"a": INT}, [[1], [2]], "", {"blank_lines": 1}),
    "a comma at the end of every line": Read(
        {"a": INT, "b": INT, "column_3": TEXT},
        [[1, 2, None], [3, 4, None]],
        "Columns without a name of their own were renamed",
    ),
    "names that repeat": Read(
        {"a": INT, "a_2_2": INT, "a_2": INT}, [[1, 2, 3]], "Columns without a name of their own were renamed"
    ),
    "a name that is missing": Read(
        {"a": INT, "column_2": INT, "c": INT}, [[1, 2, 3]], "Columns without a name of their own were renamed"
    ),
    "names with blanks": Read({" a ": INT, " b": INT}, [[1, 2]]),
    "one row too short": Read(
        {"a": INT, "b": INT, "c": INT},
        [[1, 2, 3]] * 20 + [[4, 5, None]],
        "the first is row 22 with 2. Missing fields were read as null",
        {"ragged_rows": 1},
    ),
    "one row too long": Read(
        {"a": INT, "b": INT, "_surplus": TEXT},
        [[1, 2, None]] * 20 + [[3, 4, "5,6"]],
        "surplus ones are kept in '_surplus'",
        {"ragged_rows": 1},
    ),
    "most rows too short": Refused("Row 2 has 1 fields, the header has 3"),
    "metadata above the header": Refused("Row 3 has 3 fields, the header has 1"),
    "a comment above the header": Refused("Row 2 has 2 fields, the header has 1"),
    "semicolons with decimal commas": Read(
        {"a": TEXT, "b": TEXT}, [["1,5", "x"], ["2,25", "y"]], "", {"delimiter": ";"}
    ),
    "tabs": Read({"a": INT, "b": TEXT}, [[1, "x, y"], [2, "z"]], "", {"delimiter": "\t"}),
    "pipes": Read({"a": INT, "b": INT}, [[1, 2], [3, 4]], "", {"delimiter": "|"}),
    "a line that names the delimiter": Read(
        {"sep=": TEXT, "column_2": TEXT},
        [["a", "b"], ["1", "2"]],
        "Columns without a name of their own were renamed",
        {"delimiter": ";"},
    ),
    "UTF-8 with a mark": Read({"a": INT, "b": TEXT}, [[1, "é"]], "", {"bom": True}),
    "a mark and a quote": Read({"a": INT, "b": INT}, [[1, 2]], "", {"bom": True}),
    "UTF-16 with a mark": Read({"a": INT, "b": TEXT}, [[1, "é"]], "", {"encoding": "utf-16", "bom": True}),
    "UTF-16 without a mark": Read({"a": INT, "b": TEXT}, [[1, "x"], [2, "y"]], "", {"encoding": "utf-16-le"}),
    "UTF-32 with a mark": Read({"a": INT, "b": TEXT}, [[1, "é"]], "", {"encoding": "utf-32", "bom": True}),
    "Latin-1": Read(
        {"stadt": TEXT, "n": INT},
        [["Köln", 1]],
        "The text is not UTF-8 and was read as Windows-1252.",
        {"encoding": "cp1252"},
    ),
    "Windows-1252": Read(
        {"a": TEXT, "b": TEXT},
        [["“quoted”", "5 €"]],
        "The text is not UTF-8 and was read as Windows-1252.",
        {"encoding": "cp1252"},
    ),
    "emoji and combining marks": Read({"a": TEXT, "b": TEXT}, [["👩\u200d👩\u200d👧", "é"]]),
    "a zero byte": Refused("The file's name announces CSV, but its content is binary data of an unknown kind."),
    "leading zeros": Read({"zip": TEXT}, [["01234"], ["98765"]]),
    "plus signs": Read({"tel": TEXT}, [["+4912345"], ["+4967890"]]),
    "integers beyond 64 bits": Read({"n": TEXT}, [["9223372036854775807"], ["9223372036854775808"]]),
    "digits beyond a double": Read({"n": TEXT}, [["0.1"], ["0.12345678901234567890"]]),
    "exponents that may be names": Read({"id": TEXT}, [["1e5"], ["2E7"]]),
    "numbers with exponents": Read({"x": REAL}, [[1.5e-10], [2000.0]]),
    "thousands in quotes": Read({"n": TEXT}, [["1,000"], ["2,000"]]),
    "infinities": Read({"x": REAL}, [[1.5], ["Infinity"], ["-Infinity"], ["NaN"]]),
    "NA as a text": Read({"c": TEXT, "n": INT}, [["NA", 1], ["US", 2]]),
    "truth values": Read({"t": TEXT}, [["true"], ["False"]], "", {"blank_lines": 1}),
    "yes and no": Read({"t": TEXT}, [["yes"], ["no"]]),
    "true beside 1": Read({"t": TEXT}, [["true"], ["1"]]),
    "dates": Read({"d": "date32[day]"}, [["2024-02-29"], ["2023-12-31"]]),
    "dates of several forms": Read({"d": TEXT}, [["2024-02-29"], ["31/12/2023"]]),
    "a date that is none": Read({"d": TEXT}, [["2024-02-29"], ["2024-02-30"]]),
    "times in zones": Read(
        {"t": "timestamp[ms, tz=UTC]"}, [["2024-01-01T00:00:00.000Z"], ["2024-01-01T00:00:00.000Z"]]
    ),
    "a number late": Read({"a": TEXT}, [["1"]] * 3_000 + [["x"]]),
    "a huge field": Read({"a": TEXT, "b": INT}, [["x" * 3_000_000, 1]]),
    "blanks around numbers": Read({"n": TEXT}, [[" 1"], ["2 "]]),
    "a minus zero": Read({"n": TEXT}, [["-0"], ["5"]]),
    "hexadecimal": Read({"n": TEXT}, [["0x1F"], ["0x2A"]]),
    "formulas": Read({"a": TEXT}, [["=1+2"], ["@cmd"]]),
    "nothing but line ends": Refused("The file's content is blank text."),
    "HTML": Refused("but its content is a web page"),
}


@pytest.mark.parametrize("name", FILES)
def test_an_odd_csv_file_is_read_as_it_says_or_refused(name: str) -> None:
    require(OUTCOMES[name], FILES[name], "rows.csv")
