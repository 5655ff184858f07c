"""What a file is, by its bytes; what its name may add."""

from __future__ import annotations

import gzip

import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format, ReadingHints
from tests.support import odd_files
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.workbooks import workbook

CSV = b"a,b\n1,2\n3,4\n"
JSON = b'[{"a":1}]'
JSON_LINES = b'{"a":1}\n{"a":2}\n'
PARQUET = odd_files.parquet({"a": [1]})
NO_TABLES = [
    (odd_files.PNG, "a PNG image"),
    (odd_files.PDF, "a PDF document"),
    (odd_files.zip_file(), "a zip archive"),
    (odd_files.BINARY, "binary data of an unknown kind"),
    (
        b"FEA1" + bytes(120),
        "a Feather file of version 1 (write it again with pyarrow.feather.write_feather, or as Parquet)",
    ),
    (b"\x89HDF\r\n\x1a\n" + bytes(120), "an HDF5 file"),
    (b"\xfd7zXZ\x00" + bytes(120), "xz-compressed data (compress it with gzip or zstd)"),
    (
        '{"stadt": "Köln"}\n'.encode("latin-1"),
        "text that is not UTF-8, perhaps Latin-1 or Windows-1252 (write it as UTF-8)",
    ),
    (b"\xff\xfea", "marked as UTF-16 but not valid UTF-16"),
    ("a,b\n1,\0\n".encode("utf-16"), "binary data of an unknown kind"),
]
TEXTS = [(CSV, Format.CSV), (JSON, Format.JSON), (JSON_LINES, Format.JSON_LINES)]
FORMATS = [
    *TEXTS,
    (PARQUET, Format.PARQUET),
    (odd_files.arrow_file({"a": [1]}), Format.ARROW),
    (odd_files.arrow_stream({"a": [1]}), Format.ARROW),
    (odd_files.npy([1, 2]), Format.NPY),
    (workbook({"A": [["a"], [1]]}), Format.EXCEL),
]


@pytest.mark.parametrize(("data", "found"), FORMATS)
@pytest.mark.parametrize(
    "name", ["rows", "rows.csv", "rows.json", "rows.jsonl", "rows.parquet", "rows.txt", "rows.png"]
)
def test_the_bytes_decide_the_format_under_any_name(data: bytes, found: Format, name: str) -> None:
    assert understood(data, name).format is found


@pytest.mark.parametrize(("data", "found"), TEXTS)
def test_a_gzip_is_what_its_content_is(data: bytes, found: Format) -> None:
    assert understood(gzip.compress(data), "rows.gz").format is found


@pytest.mark.parametrize(
    ("data", "name", "note"),
    [
        (CSV, "rows.parquet", "The name announces Parquet; the content is CSV and was read as that."),
        (PARQUET, "rows.csv", "The name announces CSV; the content is Parquet and was read as that."),
        (
            JSON_LINES,
            "Rows.JSON.gz",
            "The name announces a JSON array; the content is JSON Lines and was read as that.",
        ),
        (CSV, "rows.tsv", None),
        (CSV, "rows.txt", None),
    ],
)
def test_a_table_under_the_name_of_another_is_read_and_that_is_said(data: bytes, name: str, note: str | None) -> None:
    assert understood(data, name).note == note


@pytest.mark.parametrize(("data", "what"), NO_TABLES)
def test_what_is_no_table_is_kept_as_an_opaque_file(data: bytes, what: str) -> None:
    table = understood(data, "thing")
    assert (table.format, table.profile, table.layout_name) == (Format.OTHER, None, None)
    assert table.note == f"This is {what}: it can be listed and loaded, but has no rows that can be paged."


@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv", "rows.json", "rows.jsonl", "rows.ndjson", "rows.parquet"])
@pytest.mark.parametrize(("data", "what"), NO_TABLES)
def test_what_is_no_table_is_refused_under_the_name_of_one(data: bytes, what: str, name: str) -> None:
    problem = problem_of(data, name)
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail.endswith(f"but its content is {what}.")
    assert problem.advice


@pytest.mark.parametrize("word", ["PARENT", "PAR1", "ORCHESTRA", "BZh", "GIF8", "FEA1", "ARROW1", "{id}", "true", "12"])
def test_a_header_that_begins_like_another_format_is_a_header(word: str) -> None:
    assert laid_out(f"{word},b\n1,2\n").types == {word: "int64", "b": "int64"}


@pytest.mark.parametrize(("signature", "what"), [(b"PARE", "an encrypted Parquet file"), (b"ORC", "an ORC file")])
def test_the_same_letters_before_binary_data_are_a_signature(signature: bytes, what: str) -> None:
    assert (understood(signature + bytes(range(256)), "thing").note or "").startswith(f"This is {what}:")


def test_a_gzip_inside_a_gzip_is_an_opaque_file() -> None:
    twice = gzip.compress(gzip.compress(CSV))
    assert (understood(twice, "rows.gz").note or "").startswith("This is gzip-compressed data:")


@pytest.mark.parametrize("name", ["rows", "rows.json", "rows.txt"])
def test_lines_of_json_arrays_are_no_csv(name: str) -> None:
    note = understood(b'[1, "a"]\n[2, "b"]\n', name).note
    assert note is not None
    assert note.startswith("This is JSON Lines of arrays, not of objects")


def test_lines_of_json_arrays_under_the_name_of_json_lines_are_refused() -> None:
    assert problem_of(b"[1, 2]\n[3, 4]\n", "rows.jsonl").detail == (
        "The file's name announces JSON Lines, but its content is JSON Lines of arrays, not of objects."
    )


def test_prose_is_an_opaque_file() -> None:
    table = understood(odd_files.PROSE, "letter.txt")
    assert (table.format, table.note) == (
        Format.OTHER,
        "This is text that is no table: it can be listed and loaded, but has no rows that can be paged.",
    )


def test_prose_under_the_name_of_a_csv_is_refused_for_its_rows() -> None:
    problem = problem_of(odd_files.PROSE, "letter.csv")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail.startswith("Row 2 has 3 fields, the header has 2")


@pytest.mark.parametrize("name", ["letter.json", "letter.jsonl", "letter.parquet"])
def test_prose_under_the_name_of_json_or_parquet_is_refused(name: str) -> None:
    assert problem_of(odd_files.PROSE, name).detail.endswith("but its content is text that is no table.")


def test_lines_that_agree_on_their_fields_are_csv_without_any_suffix() -> None:
    assert laid_out("id;name\n1;Ada\n2;Bea\n", "export").rows == [[1, "Ada"], [2, "Bea"]]


def test_one_object_under_the_name_of_a_csv_is_refused() -> None:
    assert problem_of('{\n"a": 1\n}', "rows.csv").detail.endswith("but its content is one JSON object.")


@pytest.mark.parametrize("name", ["rows.csv", "thing"])
def test_a_file_without_bytes_is_empty(name: str) -> None:
    assert problem_of(b"", name).code is ProblemCode.EMPTY_FILE


def test_a_gzip_without_bytes_is_empty() -> None:
    assert problem_of(gzip.compress(b""), "rows.csv.gz").code is ProblemCode.EMPTY_FILE


@pytest.mark.parametrize("text", ["\n\n", "\r\n\r\n", "\ufeff"])
def test_blank_text_under_the_name_of_a_csv_is_refused(text: str) -> None:
    assert problem_of(text, "rows.csv").code is ProblemCode.UNREADABLE_FILE


@pytest.mark.parametrize("cut", [1, 8, 40])
def test_a_gzip_that_is_cut_off_is_damaged(cut: int) -> None:
    whole = gzip.compress(bytes(str(list(range(500))), "ascii"))
    problem = problem_of(whole[:-cut], "rows.csv.gz")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail.startswith("The file is gzip, but is damaged or cut off")


def test_a_gzip_with_a_flipped_byte_is_damaged() -> None:
    data = bytearray(gzip.compress(CSV * 100))
    data[-6] ^= 0xFF
    assert problem_of(bytes(data), "rows.csv.gz").code is ProblemCode.UNREADABLE_FILE


def test_uncompressed_content_is_read_up_to_the_bound_and_not_beyond() -> None:
    packed = gzip.compress(CSV)
    assert understood(packed, "rows.csv.gz", bytes_max=max(len(CSV), len(packed))).format is Format.CSV
    table = understood(gzip.compress(CSV * 10_000), "rows.csv.gz", bytes_max=100_000)
    assert (table.format, table.layout_name) == (Format.OTHER, None)
    assert (table.note or "").startswith("The uncompressed content of this gzip file is larger than the 100,000 bytes")


def test_a_file_is_laid_out_up_to_the_bound_and_not_beyond() -> None:
    assert understood(CSV, bytes_max=len(CSV)).format is Format.CSV
    table = understood(CSV, bytes_max=len(CSV) - 1)
    assert (table.format, table.profile) == (Format.OTHER, None)
    assert (table.note or "").startswith("The file is larger than the 11 bytes")


def test_text_that_grows_beyond_the_bound_as_utf_8_is_not_laid_out() -> None:
    data = ("a,b\n" + "漢漢漢漢,字字字字\n" * 100).encode("utf-16")
    assert understood(data, bytes_max=2_604).format is Format.CSV
    assert understood(data, bytes_max=2_603).format is Format.OTHER
    assert len(data) < 2_603


@pytest.mark.parametrize("ending", ["\n", "\r\n", "", "\n\n"])
@pytest.mark.parametrize(
    ("header", "name"),
    [('"id"', "id"), ("2024", "2024"), ("true", "true"), ("null", "null"), ("-1.5", "-1.5"), ('"a b"', "a b")],
)
def test_a_header_alone_that_is_a_json_value_is_the_one_column_of_a_csv(header: str, name: str, ending: str) -> None:
    dataset = laid_out(header + ending, "rows.csv")
    assert (dataset.types, dataset.profile.shape.rows) == ({name: "string"}, 0)


def test_one_column_of_nothing_but_quoted_fields_is_a_table() -> None:
    assert laid_out('"id"\n"a"\n"b, c"\n""\n', "rows.csv").rows == [["a"], ["b, c"], [""]]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_one_json_value_under_the_name_of_another_table_is_refused(name: str) -> None:
    assert problem_of('"id"\n', name).detail.endswith("a JSON document, but not an array of objects.")


CONTROL_WORDS = "text with control characters, as binary data has"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("é\x01é".encode(), CONTROL_WORDS),
        (b"short\x01", CONTROL_WORDS),
        (("é" * 80 + "\x02").encode(), CONTROL_WORDS),
        (("漢" * 40 + "\x02").encode(), CONTROL_WORDS),
        (b"a\x01" * 500, CONTROL_WORDS),
        (b"ab\x00cd", "binary data of an unknown kind"),
    ],
)
def test_text_with_control_characters_is_called_that(data: bytes, what: str) -> None:
    assert (understood(data, "thing").note or "").startswith(f"This is {what}:")


@pytest.mark.parametrize("data", [gzip.compress(CSV) + b"junk", gzip.compress(CSV) + gzip.compress(CSV)[:-1]])
def test_what_follows_a_whole_gzip_is_said_with_the_bytes_that_came_before(data: bytes) -> None:
    whole = data.count(b"\x1f\x8b\x08") * len(CSV)
    assert problem_of(data, "rows.csv.gz").detail == (
        f"The file is gzip, but is damaged or cut off after {whole:,} uncompressed bytes."
    )


def test_a_gzip_header_with_nothing_readable_behind_it_says_so() -> None:
    assert problem_of(b"\x1f\x8b\x00\x01garbage", "rows.csv.gz").detail == (
        "The file begins like gzip, but can not be uncompressed."
    )


PROMISE_NOTHING = {
    "todo.md": b"[ ] buy milk\n[x] eat\n",
    "app.js": b"[{a:1}].map(x=>x)\n",
    "braces.txt": b"{} is a dict\n",
    "conf.hcl": b'{"x" = 1}\n',
    "log.txt": b'{"a":1}\nstarted\n',
    "twice.txt": b'{"a":1,"a":2}\n',
    "deep.txt": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "m.bin": b"\x1f\x8b\x00\x01garbage",
    "cut.tar.gz": gzip.compress(CSV * 100)[:-9],
    "nothing.gz": gzip.compress(b""),
    "par.bin": b"PAR1\x00\x01\x02 binary data",
    "cut.dat": PARQUET[:-9],
    "bent.dat": PARQUET[:-60] + bytes(range(52)) + PARQUET[-8:],
    "ragged.txt": b"a,b\n" + b"1,2\n" * 8 + b"3\n" * 2,
    "quote.txt": b'a,b\n1,2\n3,4\n5,"6\n',
    "mark.txt": "\ufeffa,b\n1,2\n".encode("utf-16-le") * 100_000 + b"\x00\xd8",
}


@pytest.mark.parametrize("name", PROMISE_NOTHING)
def test_what_only_looks_like_a_table_is_kept_if_its_name_promised_none(name: str) -> None:
    table = understood(PROMISE_NOTHING[name], name)
    assert (table.format, table.profile, table.layout_name) == (Format.OTHER, None, None)
    assert (table.note or "").endswith("It can be listed and loaded, but has no rows that can be paged.")


@pytest.mark.parametrize("name", PROMISE_NOTHING)
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_the_same_bytes_under_the_name_of_a_table_are_refused(name: str, suffix: str) -> None:
    problem = problem_of(PROMISE_NOTHING[name], f"rows{suffix}")
    assert problem.code is (ProblemCode.EMPTY_FILE if name == "nothing.gz" else ProblemCode.UNREADABLE_FILE)


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("conf.hcl", "The file begins like JSON, but its first line is not a JSON object, nor is the whole of it."),
        ("todo.md", "It looks like a JSON array and can not be read as that: "
                    "Something follows the end of the JSON array."),
        ("log.txt", "It looks like JSON Lines and can not be read as that: "
                    "Line 2 is not valid JSON: Expecting value, at its character 1."),
    ],
)  # fmt: skip
def test_the_note_says_what_it_looked_like_and_what_is_wrong(name: str, note: str) -> None:
    ending = " It can be listed and loaded, but has no rows that can be paged."
    assert understood(PROMISE_NOTHING[name], name).note == note + ending


def test_hints_that_a_format_does_not_take_have_no_effect_and_that_is_said() -> None:
    dataset = laid_out(PARQUET, "rows.parquet", ReadingHints(types={"a": "string"}, sheet="S"))
    assert dataset.types == {"a": "int64"}
    assert dataset.table.note == "These hints do not apply to Parquet and had no effect: 'types', 'sheet'."


def test_a_sheet_that_is_hinted_for_text_has_no_effect_and_that_is_said() -> None:
    note = laid_out(CSV, "rows.csv", ReadingHints(types={"a": "string"}, sheet="S")).table.note
    assert note == "These hints do not apply to CSV and had no effect: 'sheet'."
