"""What is measured. Each case adds its tables to the run; the docstring of each is what ``--help`` says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from session_datasets.domain.names import Verb
from tests.bench import making
from tests.bench.bench import OURS, Bench, registering
from tests.bench.measuring import Reader
from tests.bench.stand_in.pace import NEAR, SHARED

PAGE = {"limit": 100}
CHART = {"points": 2_000}

ENGINE = "our read engine alone"
_OUR_PAGE = Reader(OURS, "ours.page", function=Verb.READ_ROWS)
_ENGINE_PAGE = Reader(ENGINE, "engine_reader.page", function=Verb.READ_ROWS)
# What pyarrow and polars import where it is installed, and need for nothing that they are asked here.
_UNNEEDED = ("numpy", "pandas")
_FRESH_PEERS = [
    Reader("polars slice", "polars_reader.page", without=_UNNEEDED),
    Reader("pyarrow row group", "pyarrow_reader.page", without=_UNNEEDED),
]
_PAGE_PEERS = [*_FRESH_PEERS, Reader("DuckDB LIMIT OFFSET", "duckdb_reader.page")]


def register(bench: Bench) -> None:
    """the file registered (types, profile, rows, columns, pyramid), against polars' conversion and statistics"""
    file = bench.data.csv or bench.data.parquet
    megabytes = bench.data.file(file).stat().st_size / 1e6
    readers = [registering(bench.data)]
    if bench.data.csv:
        readers.append(Reader("polars, two passes", "polars_reader.register", {"file": file}))
    bench.warm(
        "register", f"Register a file of {megabytes:,.0f} MB", readers, 3 if megabytes < 400 else 1,
        pace=None, warm_up=False, note="From local disk; derived objects are written to the stand-in, unhurried.",
    )  # fmt: skip
    bench.is_registered()


def page(bench: Bench) -> None:
    """a page of 100 rows at random offsets in a warm process, near S3 and behind a shared line; of ours the function
    and, without token, request model and boto3, the read engine alone"""
    for name, pace, rounds in (("page", NEAR, 9), ("page_shared", SHARED, 5)):
        title = f"Page of 100 rows at random offsets, warm, {_rows(bench)}"
        readers = [_OUR_PAGE, _ENGINE_PAGE, *_PAGE_PEERS]
        bench.warm(name, title + (", shared line" if pace is SHARED else ""), readers, rounds, pace=pace, options=PAGE)


def fresh(bench: Bench) -> None:
    """the same page in a new process each time, imports and all"""
    readers = [_OUR_PAGE, _ENGINE_PAGE, *_FRESH_PEERS]
    bench.fresh("fresh", f"Page of 100 rows, fresh process with imports, {_rows(bench)}", readers, 5, PAGE)


def csv(bench: Bench) -> None:
    """a page from the middle of the CSV on S3, behind a shared line"""
    if not bench.data.csv:
        return
    middle = bench.data.rows // 2
    readers = [
        _OUR_PAGE,
        Reader("polars slice of CSV", "polars_reader.page_of_csv"),
        Reader("DuckDB OFFSET of CSV", "duckdb_reader.page_of_csv"),
        Reader("pandas skiprows of CSV", "pandas_reader.page_of_csv"),
    ]
    title = f"Page of 100 rows at row {middle:,} of the CSV"
    bench.warm("csv", title, readers, 3, pace=SHARED, options={**PAGE, "at": middle}, warm_up=False)


def growth(bench: Bench) -> None:
    """the same page at 100,000 rows, a million, and all: its cost must not grow"""
    if bench.own_file:
        return
    for rows in [*(size for size in making.GROWTH_ROWS if size < bench.data.rows), bench.data.rows]:
        data = bench.register(bench.files.rows_of(rows))
        bench.warm(f"growth_{rows}", f"Page of 100 rows of {rows:,}", [_OUR_PAGE], 9, data=data, options=PAGE)


def chart(bench: Bench) -> None:
    """2,000 points of one column: of all rows, and of random windows of a tenth or a hundredth of them"""
    if not bench.data.charted:
        return
    readers = [
        Reader(OURS, "ours.chart", function=Verb.READ_COLUMNS),
        Reader("polars, whole column", "polars_reader.chart"),
    ]
    title = f"2,000 points, {_rows(bench)}"
    bench.warm("chart", f"Chart of everything, {title}", readers, 7, options={**CHART, "whole": True})
    bench.warm("chart_window", f"Chart of random windows, {title}", readers, 8, options=CHART)


def column(bench: Bench) -> None:
    """one full column, its footer known to a warm process"""
    if not bench.data.charted:
        return
    readers = [
        Reader(OURS, "ours.column", function=Verb.READ_COLUMNS),
        Reader("polars, whole column", "polars_reader.column"),
    ]
    bench.warm("column", f"One full column, {_rows(bench)}", readers, 5)


def encode(bench: Bench) -> None:
    """the first 1,000 rows, decoded and in memory, as JSON text once: a page's cells, without loss, against to_pylist,
    both spelled by the standard library"""
    first = bench.files.first_rows(bench.data, 1_000)
    readers = [
        Reader(OURS, "engine_reader.encode", function=Verb.READ_ROWS),
        Reader("pyarrow to_pylist + json", "pyarrow_reader.encode", {"first": first}, without=_UNNEEDED),
    ]
    bench.warm(
        "encode", "Encode a page of 1,000 rows", readers, 15, pace=None, options={"limit": 1_000},
        note="From decoded rows in memory to one JSON text; each process holds these 1,000 rows and no others.",
    )  # fmt: skip


def conflict(bench: Bench) -> None:
    """registering a file with one late word among the integers, against the clean one and starting over"""
    if bench.own_file:
        return
    data = bench.files.rows_of(min(bench.data.rows, making.CONFLICT_ROWS_MAX))
    late = bench.files.with_late_conflict(data)
    readers = [
        registering(data, late, "late-conflict"),
        registering(data, data.csv, "no-conflict", "ours, clean file"),
        Reader("pyarrow, starting over", "pyarrow_reader.restart_on_failure", {"file": late}),
        Reader("pyarrow, clean file", "pyarrow_reader.restart_on_failure", {"file": data.csv}),
    ]
    bench.warm(
        "conflict", f"Register with a late type conflict, {data.rows:,} rows", readers, 3,
        data=data, pace=None, warm_up=False,
    )  # fmt: skip


def json(bench: Bench) -> None:
    """registering a JSON array of 300 MB on one line, against pandas and polars"""
    if bench.own_file:
        return
    array = bench.files.json_array(bench.data.rows)
    readers = [
        registering(bench.data, array, "json-array"),
        Reader("polars read_json", "polars_reader.json_array", {"file": array}),
        Reader("pandas read_json", "pandas_reader.json_array", {"file": array}),
    ]
    megabytes = bench.data.file(array).stat().st_size / 1e6
    bench.warm(
        "json", f"Register a JSON array of {megabytes:.0f} MB on one line", readers, 1, pace=None, warm_up=False
    )  # fmt: skip


CASES: dict[str, Callable[[Bench], None]] = {
    case.__name__: case for case in (register, page, fresh, csv, growth, chart, column, encode, conflict, json)
}


def chosen(names: Iterable[str]) -> list[Callable[[Bench], None]]:
    """Those cases in their own order, all for no names. KeyError for a name that is none."""
    wanted = set(names) or set(CASES)
    if unknown := wanted - set(CASES):
        raise KeyError(min(unknown))
    return [case for name, case in CASES.items() if name in wanted]


def _rows(bench: Bench) -> str:
    return f"{bench.data.rows:,} rows"
