"""How CSV is read: delimiters, line ends, names, rows that do not fit."""

from __future__ import annotations

import gzip

import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format, ReadingHints
from session_datasets.formats.csv import header as csv_header
from session_datasets.formats.csv import table as csv_text
from tests.support.laid_out import laid_out, problem_of, understood


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_bytes(delimiter: str) -> None:
    dataset = laid_out(f"name{delimiter}city\nAda{delimiter}Bonn\n")
    assert dataset.rows == [["Ada", "Bonn"]]


def test_delimiters_inside_quotes_do_not_count() -> None:
    dataset = laid_out('a;b\n"x,y,z";1\n"u,v,w";2\n')
    assert dataset.rows == [["x,y,z", 1], ["u,v,w", 2]]


def test_decimal_commas_are_text_between_semicolons() -> None:
    assert laid_out("a;b\n1,5;2,5\n").rows == [["1,5", "2,5"]]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_with_lf_crlf_or_cr(line_end: str) -> None:
    assert laid_out(line_end.join(["a,b", "1,x", "2,y"])).rows == [[1, "x"], [2, "y"]]


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert list(laid_out("\ufeffa,b\n1,2\n").types) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_with_the_mark_of_another_unicode_encoding_is_read(encoding: str) -> None:
    assert laid_out("stadt,b\nKöln,1\n".encode(encoding)).rows == [["Köln", 1]]


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\r\n", "\ufeffa,b\n\n"])
def test_a_header_alone_is_a_table_without_rows(text: str) -> None:
    dataset = laid_out(text)
    assert (dataset.types, dataset.profile.shape.rows, dataset.rows) == ({"a": "string", "b": "string"}, 0, [])


def test_blank_lines_are_no_rows() -> None:
    assert laid_out("\n\na,b\n\n1,2\n\n\n3,4\n\n").rows == [[1, 2], [3, 4]]


def test_a_last_line_without_an_end_is_a_row() -> None:
    assert laid_out("a,b\n1,2").rows == [[1, 2]]


def test_quoted_line_ends_and_quotes_are_content() -> None:
    assert laid_out('a,b\n"x\r\ny","say ""hi"""\n').rows == [["x\r\ny", 'say "hi"']]


def test_quoted_line_ends_in_a_name_are_part_of_it() -> None:
    assert list(laid_out('"a\nb",c\n1,2\n').types) == ["a\nb", "c"]


def test_the_bytes_of_the_end_mark_inside_a_field_are_content() -> None:
    assert laid_out("a,b\n\x1aend of rows\x1a,\n" + "words,\n" * 2_000).rows[0] == ["\x1aend of rows\x1a", None]


def test_one_column_needs_no_delimiter_where_the_name_says_csv() -> None:
    assert laid_out("n\n1\n2\n").rows == [[1], [2]]


def test_names_that_are_missing_or_taken_are_renamed_and_said() -> None:
    dataset = laid_out("a,a,,a_2,\n1,2,3,4,5\n")
    assert list(dataset.types) == ["a", "a_2_2", "column_3", "a_2", "column_5"]
    assert dataset.table.note == (
        "Columns without a name of their own were renamed: 'a' is 'a_2_2', '' is 'column_3', '' is 'column_5'."
    )


def test_columns_with_renamed_names_keep_their_own_values() -> None:
    assert laid_out("a,a\n1,2\n").page(columns=["a_2"]).rows == [[2]]


def test_a_row_with_missing_fields_has_nulls_there_and_that_is_said() -> None:
    dataset = laid_out("a,b,c\n1,2,3\n\n3,4,5\n5\n7,8,9\n")
    assert dataset.rows == [[1, 2, 3], [3, 4, 5], [5, None, None], [7, 8, 9]]
    assert dataset.profile.reading["ragged_rows"] == 1
    assert dataset.table.note == (
        "Rows that do not have the header's 3 fields: 1, the first is row 4 with 1. Missing fields were read as null."
    )


def test_a_row_with_surplus_fields_keeps_them_as_they_were_written_in_a_last_column() -> None:
    dataset = laid_out('a,b\n1,2\n"x, y",4,"5, 6",\n7,8\n')
    assert list(dataset.types) == ["a", "b", "_surplus"]
    assert dataset.rows == [["1", 2, None], ["x, y", 4, '"5, 6",'], ["7", 8, None]]
    assert dataset.table.note == (
        "Rows that do not have the header's 2 fields: 1, the first is row 3 with 4. "
        "Missing fields were read as null, surplus ones are kept in '_surplus'."
    )


def test_the_column_of_surplus_fields_takes_no_other_ones_name() -> None:
    assert list(laid_out("a,_surplus\n1,2\n3,4,5\n").types) == ["a", "_surplus", "_surplus_2"]


def test_more_than_a_tenth_of_rows_that_do_not_fit_is_damage() -> None:
    few = "a,b\n" + "1,2\n" * 18 + "3\n" * 2
    assert laid_out(few).profile.reading["ragged_rows"] == 2
    problem = problem_of(few.replace("1,2\n", "", 1))
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail == (
        "Row 19 has 1 fields, the header has 2 (the header is row 1; blank lines do not count), "
        "and so 2 of 19 rows do not fit it."
    )
    assert "as many fields as the header" in problem.advice


TITLE_ADVICE = "If the first line is a title above the names, remove it and register again."


@pytest.mark.parametrize("title", ["Report", "Report 2026\n", "Sales, 2026"])
def test_a_first_line_that_is_shorter_than_every_row_is_refused_as_a_title_or_a_header(title: str) -> None:
    problem = problem_of(f"{title}\nid,name,amount\n1,x,2\n")
    assert problem.detail.startswith(f"Row 2 has 3 fields, the header has {1 + title.count(',')} ")
    assert problem.advice.endswith(f"name it in the hints. {TITLE_ADVICE}")


def test_of_rows_that_are_shorter_than_the_header_none_is_called_a_title() -> None:
    assert problem_of("a,b,c\n1,2\n3,4\n").advice.endswith("name it in the hints.")


def test_a_title_with_a_delimiter_for_every_column_is_warned_of() -> None:
    table = understood(b"Report 2026,,\nid,name,amount\n1,x,2\n")
    assert (table.note or "").endswith(
        "The first line names one of 3 columns, 'Report 2026': if that is a title above the names, remove it and "
        "register again."
    )


@pytest.mark.parametrize("text", [",value\n0,1\n", ",,value\n0,0,1\n", "a,\n1,\n2,\n", "a,b,\n1,2,3\n"])
def test_columns_of_an_index_or_without_values_make_no_title_of_the_header(text: str) -> None:
    assert "title" not in (understood(text.encode()).note or "")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_title_above_rows_that_were_read_as_one_column_is_warned_of(delimiter: str) -> None:
    table = understood("Report 2026\nid,name\n1,x\n2,y\n".replace(",", delimiter).encode())
    assert table.note == (
        f"The first line has one field, most lines below have 2, divided by {delimiter!r}, and were read as one: if "
        "the first line is a title above the names, remove it and register again."
    )


@pytest.mark.parametrize("text", ["word\none\ntwo\n", "word\na;b\nc\nd;e;f\n", "word\na;b\n", 'word\n"a;b"\n"c;d"\n'])
def test_a_lone_column_of_texts_that_agree_on_no_delimiter_has_no_title(text: str) -> None:
    assert understood(text.encode()).note is None


def test_a_lone_column_whose_delimiter_was_hinted_has_no_title() -> None:
    assert understood(b"word\na;b\nc;d\n", hints=ReadingHints(delimiter=",")).note is None


def test_a_table_of_nothing_but_rows_that_do_not_fit_is_damage() -> None:
    assert problem_of("a,b\n1\n").detail.startswith("Row 2 has 1 fields, the header has 2")


OPEN_QUOTE = "A quote is opened in line {} and never closed: the file may be cut off."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,"2\n3,4\n', 2),
        ('a,b\n1,"2', 2),
        ('a,b\n"1\n', 2),
        ('a\n"', 2),
        ('a,b\n1,2\n"3,4\n5,6\n', 3),
        ('\ufeffa,b\n1,2\n"3,4\n', 3),
        ('a,b\r\n1,2\r\n\r\n3,"4\r\n5,6\r\n', 4),
        ('a,b\r1,2\r3,"4\r', 3),
        ('a,b\n"1\n2",3\n4,"5\n6,7\n', 4),
        ('a,b\n1,"two ""words""\nand ""more""\n', 2),
        ('a,b\n1,"""\n', 2),
        ('a,b\n1,2"\n3,"4\n', 3),
        ('a,b\n"1"x,2\n3,"4\n', 3),
    ],
)
def test_a_quote_that_never_closes_is_damage_and_its_line_is_told(text: str, line: int) -> None:
    problem = problem_of(text)
    assert (problem.code, problem.detail) == (ProblemCode.UNREADABLE_FILE, OPEN_QUOTE.format(line))
    assert "quotes inside of quoted values doubled" in problem.advice


def test_lines_behind_more_than_one_piece_of_a_file_are_counted() -> None:
    rows = '1,"two\nlines"\r\n' * 100_000
    assert problem_of(f'a,b\r\n{rows}1,"{rows.replace(chr(34), "")}').detail == OPEN_QUOTE.format("200,002")


def test_a_quote_that_is_open_for_longer_than_any_row_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES_PER_COLUMN", 1)
    monkeypatch.setattr(csv_text, "_LARGE_BLOCK_BYTES", (4_000,))
    assert problem_of('a,b\n1,2\n3,"4\n' + "5,6\n" * 5_000).detail == OPEN_QUOTE.format(3)
    assert (
        problem_of(f'a,b\n1,2\n3,"{"4" * 9_000}"\n').detail == "A row is longer than the 4,000 bytes that can be read."
    )


def test_the_line_is_that_of_the_text_whatever_its_encoding_and_compression() -> None:
    assert problem_of('a,b\nä,2\n3,"4\n'.encode("utf-16")).detail == OPEN_QUOTE.format(3)
    assert problem_of(gzip.compress('a,b\nä,2\n3,"4\n'.encode("cp1252")), "rows.csv.gz").detail == OPEN_QUOTE.format(3)


def test_text_that_is_not_utf_8_is_read_as_windows_1252_and_that_is_said() -> None:
    dataset = laid_out("stadt,b\nKöln – €,1\n".encode("cp1252"))
    assert dataset.rows == [["Köln – €", 1]]
    assert dataset.profile.reading["encoding"] == "cp1252"
    assert dataset.table.note == "The text is not UTF-8 and was read as Windows-1252."


def test_text_with_bytes_that_windows_1252_does_not_define_is_read_as_latin_1() -> None:
    dataset = laid_out(b"a,b\nK\xf6ln \x81,1\n")
    assert (dataset.rows, dataset.profile.reading["encoding"]) == ([["Köln \x81", 1]], "latin-1")


def test_one_byte_that_is_not_utf_8_far_into_the_file_decides_the_encoding_of_all() -> None:
    dataset = laid_out("ä,b\n".encode() + b"word,word\n" * 200_000 + b"K\xf6ln,x\n")
    assert (list(dataset.types), dataset.page(200_000).rows) == (["Ã¤", "b"], [["Köln", "x"]])
    assert dataset.profile.reading["encoding"] == "cp1252"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_row_that_is_neither_utf_8_nor_fits_the_header_is_kept() -> None:
    dataset = laid_out(b"a,b\n" + b"word,word\n" * 200_000 + b"K\xf6ln\n5,6\n")
    assert dataset.page(200_000).rows == [["Köln", None], ["5", "6"]]
    assert dataset.profile.reading["encoding"] == "cp1252"


def test_a_hinted_encoding_is_strict() -> None:
    data = "stadt,b\nKöln,1\n".encode("latin-1")
    assert laid_out(data, hints=ReadingHints(encoding="latin-1")).table.note is None
    assert problem_of(data, hints=ReadingHints(encoding="utf-8")).detail == (
        "The hint names the encoding 'utf-8', in which the file's first bytes are no text."
    )
    late = b"a,b\n" + b"word,word\n" * 200_000 + b"K\xf6ln,x\n"
    assert problem_of(late, hints=ReadingHints(encoding="utf8")).detail == "The text is not valid UTF-8 throughout."


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_hinted_encoding_that_needs_a_mark_is_refused_without_one(encoding: str) -> None:
    assert problem_of("a,b\n1,2\n", hints=ReadingHints(encoding=encoding)).detail == (
        f"The hint names the encoding '{encoding}', in which the file's first bytes are no text."
    )


@pytest.mark.parametrize("encoding", ["utf-9", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "hex"])
def test_a_hinted_encoding_that_no_one_knows_is_refused(encoding: str) -> None:
    problem = problem_of("a,b\n1,2\n", hints=ReadingHints(encoding=encoding))
    assert problem.detail == f"The hint names the encoding '{encoding}', which is not known."


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read(encoding: str) -> None:
    dataset = laid_out("stadt,b\nKöln,1\n".encode(encoding))
    assert (dataset.rows, dataset.profile.reading["encoding"]) == ([["Köln", 1]], encoding)


@pytest.mark.parametrize("delimiter", ["^", "~"])
def test_rare_delimiters_are_found_where_every_line_agrees(delimiter: str) -> None:
    assert laid_out(f"a{delimiter}b\n1{delimiter}2\n", "export").rows == [[1, 2]]


def test_colons_divide_fields_only_where_the_name_says_csv() -> None:
    assert laid_out("a:b\n1:2\n", "rows.csv").rows == [[1, 2]]
    assert understood(b"a:b\n1:2\n", "notes.txt").format is Format.OTHER


def test_a_hinted_delimiter_is_taken() -> None:
    dataset = laid_out("a,b!c\n1,5!2\n", hints=ReadingHints(delimiter="!"))
    assert (list(dataset.types), dataset.rows) == (["a,b", "c"], [["1,5", 2]])


def test_spaces_between_numbers_divide_fields() -> None:
    assert laid_out("x y\n1 2.5\n-3 4\n").rows == [[1, 2.5], [-3, 4]]


@pytest.mark.parametrize("delimiter", [*"c05en -", "\x01", "\x1a", "\x1b", "\x7f"])
def test_any_character_can_be_hinted_as_delimiter(delimiter: str) -> None:
    text = "x,y\n" + "3,6\n" * 20 + "7\n7,8,9\n"
    dataset = laid_out(text.replace(",", delimiter), hints=ReadingHints(delimiter=delimiter))
    assert dataset.rows == [[3, 6, None]] * 20 + [[7, None, None], [7, 8, "9"]]


@pytest.mark.parametrize(
    ("text", "line"), [('"', 1), ('"a,b\n1,2\n', 1), ('a,"b\n1,2\n', 1), ('\n\n"a\n1\n', 3), ('"a\nb","c\n1,2\n', 2)]
)
def test_a_quote_that_the_header_opens_and_nothing_closes_is_refused(text: str, line: int) -> None:
    assert problem_of(text).detail == OPEN_QUOTE.format(line)


def test_quotes_that_go_on_behind_their_end_are_counted_in_the_header_too() -> None:
    dataset = laid_out('"a"x,b\n1,2\n"3","4"\n"5",6\n')
    assert list(dataset.types) == ["ax", "b"]
    assert dataset.table.note == "1 quoted fields go on after their closing quote and were read without it."


@pytest.mark.parametrize("delimiter", ['"', "\n", "ab", "ä"])
def test_a_hinted_delimiter_that_can_not_divide_fields_is_refused(delimiter: str) -> None:
    problem = problem_of("a,b\n1,2\n", hints=ReadingHints(delimiter=delimiter))
    assert problem.detail == f"The hint names {delimiter!r} as delimiter."


def test_how_the_text_was_read_is_recorded() -> None:
    dataset = laid_out('\ufeff\na;b\r\n\r\n1;"x\r\ny"\r\n\r\n2;z')
    assert dataset.profile.reading == {
        "encoding": "utf-8",
        "bom": True,
        "delimiter": ";",
        "quote": '"',
        "line_end": "mixed",
        "header": True,
        "blank_lines": 3,
        "ragged_rows": 0,
        "nulls": [],
    }


@pytest.mark.parametrize(("line_end", "kind"), [("\n", "lf"), ("\r\n", "crlf"), ("\r", "cr")])
def test_the_kind_of_line_ends_is_recorded(line_end: str, kind: str) -> None:
    reading = laid_out(line_end.join(["a,b", "1,x", "", "2,y", "", ""])).profile.reading
    assert (reading["line_end"], reading["blank_lines"]) == (kind, 2)


def test_quotes_are_characters_where_most_quoted_fields_go_on_behind_them() -> None:
    dataset = laid_out('a\tb\n"long" word\t5" disk\n"other" one\tx\n', "rows.tsv")
    assert dataset.rows == [['"long" word', '5" disk'], ['"other" one', "x"]]
    assert dataset.profile.reading["quote"] is None


def test_a_quoted_field_that_goes_on_behind_its_quote_is_said() -> None:
    dataset = laid_out("a,b\n" + '"x, y",1\n' * 5 + '"long" word,2\n')
    assert dataset.rows[-1] == ["long word", 2]
    assert dataset.table.note == "1 quoted fields go on after their closing quote and were read without it."


def test_quotes_inside_of_unquoted_fields_are_content() -> None:
    dataset = laid_out('a,b\n5" disk,"x"\n3.5" disk,"y, ""z"""\n')
    assert (dataset.rows, dataset.table.note) == ([['5" disk', "x"], ['3.5" disk', 'y, "z"']], None)


def test_a_row_longer_than_a_block_is_read_in_larger_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES_PER_COLUMN", 1)
    dataset = laid_out("a,b\n1,short\n2," + "x" * 5_000 + "\n3,short\n")
    assert [(row[0], len(row[1])) for row in dataset.rows] == [(1, 5), (2, 5_000), (3, 5)]


def test_a_row_longer_than_the_largest_block_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES_PER_COLUMN", 1)
    monkeypatch.setattr(csv_text, "_LARGE_BLOCK_BYTES", (4_000,))
    problem = problem_of("a,b\n1,short\n2," + "x" * 20_000 + "\n3,short\n")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert "A row is longer than the 4,000 bytes" in problem.detail


def test_rows_over_many_blocks_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES", 256)
    monkeypatch.setattr(csv_text, "_BLOCK_BYTES_PER_COLUMN", 1)
    assert laid_out("a,\n" + "".join(f"{n},\n" for n in range(500))).column("a") == list(range(500))


def test_as_many_columns_as_allowed_are_paged() -> None:
    assert laid_out("a,b,c\n1,2,3\n", columns_max=3).rows == [[1, 2, 3]]


def test_more_columns_than_allowed_make_an_opaque_file() -> None:
    table = understood(b"a,b,c,d\n1,2,3,4\n", columns_max=3)
    assert (table.format, table.layout_name, table.profile) == (Format.OTHER, None, None)
    assert table.note == ("This CSV has 4 columns, more than the 3 that can be paged. It can be listed and loaded.")


def test_a_gzip_of_csv_is_read() -> None:
    dataset = laid_out(gzip.compress(b"a,b\n1,2\n"), "rows.csv.gz")
    assert (dataset.table.format, dataset.rows) == (Format.CSV, [[1, 2]])


@pytest.mark.parametrize(("characters", "pages"), [(1_000, True), (1_100, False)])
def test_names_that_no_page_could_carry_make_an_opaque_file(characters: int, pages: bool) -> None:
    names = [f"{at:04}" + "n" * (characters - 4) for at in range(1_000)]
    table = understood((",".join(names) + "\n" + ",".join("1" * 1_000) + "\n").encode())
    assert (table.format is Format.CSV, table.note is None) == (pages, pages)


@pytest.mark.parametrize(("characters", "refused"), [(4_096, False), (4_097, True)])
def test_a_name_longer_than_the_bound_is_refused(characters: int, refused: bool) -> None:
    text = "n" * characters + ",b\n1,2\n"
    if refused:
        assert problem_of(text).detail == "The name of column 1 is longer than 4,096 bytes."
    else:
        assert len(next(iter(laid_out(text).types))) == characters


def test_a_first_line_too_long_to_name_columns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_header, "_HEADER_LINE_CHARACTERS_MAX", 100)
    assert laid_out("a," + "b" * 97 + "\n1,2\n").rows == [[1, 2]]
    assert problem_of("a," + "b" * 99 + "\n1,2\n").detail.startswith("The first line is longer than 100 characters")
