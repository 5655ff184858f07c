"""What the read engine is held to. Counts hold at any size; ratios are stated for the whole 10,000,000 rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.bench.bench import OURS, Outcome
from tests.bench.cases import ENGINE
from tests.bench.measuring import Measured
from tests.bench.stand_in.pace import NEAR

KB, MB = 1_000, 1_000_000
_LINE_CHARACTERS = 160

Outcomes = Mapping[str, Outcome]


class NotMeasured(Exception):
    """Why there is no value: the case did not run, or one of its readers failed."""


@dataclass(frozen=True, slots=True)
class Target:
    """``value`` reads the outcomes; it is met when the value is at most, or at least, ``bound``."""

    case: str
    operation: str
    wanted: str
    unit: str
    bound: float
    at_most: bool
    value: Callable[[Outcomes], float]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``met`` is None where nothing was measured; ``found`` then says why."""

    target: Target
    found: str
    met: bool | None


def verdicts(outcomes: Outcomes) -> list[Verdict]:
    """Of every target whose case was asked for."""
    cases = {name.partition("_")[0] for name in outcomes} | set(outcomes)
    return [verdict_of(target, outcomes) for target in TARGETS if target.case in cases]


def verdict_of(target: Target, outcomes: Outcomes) -> Verdict:
    try:
        value = target.value(outcomes)
    except NotMeasured as error:
        return Verdict(target, f"not measured: {first_line(str(error))}", None)
    met = value <= target.bound if target.at_most else value >= target.bound
    return Verdict(target, f"{_short(value)} {target.unit}".rstrip(), met)


def first_line(text: str) -> str:
    """Enough of a reason for one line."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _LINE_CHARACTERS else line[:_LINE_CHARACTERS] + "…"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


# --- values ---------------------------------------------------------------------------------------------------


def _ours(outcomes: Outcomes, case: str, label: str = OURS) -> Measured:
    if case not in outcomes:
        raise NotMeasured(f"{case} did not run")
    ours = next((each for each in outcomes[case].measured if each.label == label), Measured(label))
    if ours.failure or not ours.samples:
        raise NotMeasured(ours.failure or f"{label} did not run")
    return ours


def _middle(case: str, what: str, unit: float = 1, label: str = OURS) -> Callable[[Outcomes], float]:
    return lambda outcomes: _ours(outcomes, case, label).middle(what) / unit


def _most(case: str, what: str, unit: float = 1) -> Callable[[Outcomes], float]:
    return lambda outcomes: _ours(outcomes, case).most(what) / unit


def _peak(case: str, label: str = OURS) -> Callable[[Outcomes], float]:
    return lambda outcomes: _ours(outcomes, case, label).peak_mb or 0.0


def _times(case: str, what: str, peer: str, label: str = OURS) -> Callable[[Outcomes], float]:
    """How many times ours the peer takes; of all peers whose label begins with ``peer``, the least."""

    def value(outcomes: Outcomes) -> float:
        ours = _ours(outcomes, case, label)
        peers = [each for each in outcomes[case].measured[1:] if each.label.startswith(peer) and each.label != ENGINE]
        sound = [each for each in peers if each.samples and not each.failure]
        if not sound:
            reasons = [each.failure for each in peers if each.failure]
            raise NotMeasured(reasons[0] if reasons else f"{peer or 'no peer'} did not run")
        if what == "peak_mb":
            return min(each.peak_mb or 0 for each in sound) / (ours.peak_mb or 1)
        return min(each.middle(what) for each in sound) / max(ours.middle(what), 1e-9)

    return value


def _rate(case: str) -> Callable[[Outcomes], float]:
    """Megabytes of input for each second of one processor."""

    def value(outcomes: Outcomes) -> float:
        ours = _ours(outcomes, case)
        return float(ours.found["input"]) / MB / (ours.middle("cpu_ms") / 1000)

    return value


def _growth(outcomes: Outcomes) -> float:
    """Bytes of a page of the largest size over those of the smallest, or infinity when it takes more requests."""
    names = [name for name in outcomes if name.startswith("growth_")]
    if len(names) < 2:
        raise NotMeasured("the run has one size only")
    sizes = [_ours(outcomes, name) for name in sorted(names, key=lambda name: int(name.rpartition("_")[2]))]
    if sizes[-1].most("requests") > sizes[0].most("requests"):
        return float("inf")
    return sizes[-1].middle("bytes") / sizes[0].middle("bytes")


def _row_bytes(outcomes: Outcomes) -> float:
    found = _ours(outcomes, "register").found
    return float(found["bytes"]["rows"]) / float(found["rows"])


def _over_parquet(outcomes: Outcomes) -> float:
    """The stored rows over the Parquet file that pyarrow writes by default."""
    found = _ours(outcomes, "register").found
    if not found["parquet"]:
        raise NotMeasured("there is no Parquet file of pyarrow's to compare with")
    return float(found["bytes"]["rows"]) / float(found["parquet"])


def _column_requests(outcomes: Outcomes) -> float:
    """Beyond one for each row group: the footer is known to a warm process."""
    ours = _ours(outcomes, "column")
    return ours.most("requests") - float(ours.found["row_groups"])


def _column_bytes(outcomes: Outcomes) -> float:
    ours = _ours(outcomes, "column")
    return ours.most("bytes") / float(ours.found["column_bytes"])


def _conflict_over_clean(outcomes: Outcomes) -> float:
    late, clean = _ours(outcomes, "conflict"), outcomes["conflict"].measured[1]
    if clean.failure:
        raise NotMeasured(clean.failure)
    return late.middle("cpu_ms") / clean.middle("cpu_ms")


def _restart_over_conflict(outcomes: Outcomes) -> float:
    """How much more starting over costs its own clean pass than a late conflict costs ours."""
    _, _, restarted, plain = outcomes["conflict"].measured
    for each in (restarted, plain):
        if each.failure:
            raise NotMeasured(each.failure)
    return restarted.middle("cpu_ms") / plain.middle("cpu_ms") / _conflict_over_clean(outcomes)


def _at_most(case: str, operation: str, wanted: str, unit: str, bound: float, value: Callable[..., float]) -> Target:
    return Target(case, operation, wanted, unit, bound, True, value)


def _at_least(case: str, operation: str, wanted: str, unit: str, bound: float, value: Callable[..., float]) -> Target:
    return Target(case, operation, wanted, unit, bound, False, value)


_WARM = "page of 100 rows, warm"
_FRESH = "page of 100 rows, fresh process"
_CSV = "page from the middle of a registered CSV"
_CHART = "chart of all rows, 2,000 points"
_CHART_WINDOW = "chart of random windows, 2,000 points"
_REGISTER = "register CSV with types, statistics, rows, columns, pyramid"
_COLUMN = "one full column"
_STORED = "stored rows object"
_ENCODE = "encode a page of 1,000 rows"
_CONFLICT = "late type conflict"
_JSON = "JSON array of 300 MB on one line"


def _warm(operation: str, label: str) -> list[Target]:
    peers = ("polars", "pyarrow", "DuckDB")
    return [
        _at_most("page", operation, "≤ round trip + 4 ms", "ms", NEAR.latency_ms + 4, _middle("page", "ms", 1, label)),
        _at_most("page", operation, "≤ 2.5 ms of processor", "ms", 2.5, _middle("page", "cpu_ms", 1, label)),
        *(
            _at_least("page_shared", operation, f"≥ 40x faster than {peer}, shared line", "x", 40, times)
            for peer in peers
            for times in [_times("page_shared", "ms", peer, label)]
        ),
    ]


def _fresh(operation: str, label: str) -> list[Target]:
    return [
        _at_most("fresh", operation, "≤ 150 ms", "ms", 150, _middle("fresh", "ms", 1, label)),
        _at_most("fresh", operation, "≤ 90 MB", "MB", 90, _peak("fresh", label)),
        _at_least("fresh", operation, "≥ 8x faster than polars", "x", 8, _times("fresh", "ms", "polars", label)),
        _at_least("fresh", operation, "≥ 12x faster than pyarrow", "x", 12, _times("fresh", "ms", "pyarrow", label)),
    ]


TARGETS = (
    _at_most("page", _WARM, "1 GET", "GET", 1, _most("page", "requests")),
    _at_most("page", _WARM, "≤ 256 KB", "KB", 256, _most("page", "bytes", KB)),
    _at_least("page", _WARM, "≥ 300x fewer bytes than any peer", "x", 300, _times("page", "bytes", "")),
    *_warm(_WARM, OURS),
    *_warm(f"{_WARM}, engine alone", ENGINE),
    *_fresh(_FRESH, OURS),
    *_fresh(f"{_FRESH}, engine alone", ENGINE),
    _at_most("csv", _CSV, "1 GET", "GET", 1, _most("csv", "requests")),
    _at_most("csv", _CSV, "≤ 256 KB", "KB", 256, _most("csv", "bytes", KB)),
    _at_least("csv", _CSV, "≥ 500x faster than polars", "x", 500, _times("csv", "ms", "polars")),
    _at_most("growth", "page of 100 rows as the data grow", "bytes ≤ 1.1x, requests the same", "x", 1.1, _growth),
    _at_most("chart", _CHART, "1 GET", "GET", 1, _most("chart", "requests")),
    _at_most("chart", _CHART, "≤ 40 KB", "KB", 40, _most("chart", "bytes", KB)),
    _at_most("chart_window", _CHART_WINDOW, "1 GET", "GET", 1, _most("chart_window", "requests")),
    _at_most("chart_window", _CHART_WINDOW, "≤ 40 KB", "KB", 40, _most("chart_window", "bytes", KB)),
    _at_least("chart", _CHART, "≥ 15x faster than polars reading the column", "x", 15, _times("chart", "ms", "polars")),
    _at_most("column", _COLUMN, "1 GET per row group", "GET more", 0, _column_requests),
    _at_most("column", _COLUMN, "≤ 1.05x the column's bytes", "x", 1.05, _column_bytes),
    _at_least("column", _COLUMN, "as fast as polars (≥ 0.9x)", "x", 0.9, _times("column", "ms", "polars")),
    _at_most("register", _STORED, "≤ 46 B/row", "B", 46, _row_bytes),
    _at_most("register", _STORED, "≤ 0.70x pyarrow's default Parquet", "x", 0.7, _over_parquet),
    _at_least("register", _REGISTER, "≥ 80 MB/s per core", "MB/s", 80, _rate("register")),
    _at_most("register", _REGISTER, "≤ 350 MB", "MB", 350, _peak("register")),
    _at_least("register", _REGISTER, "≥ 1.3x polars, per core", "x", 1.3, _times("register", "cpu_ms", "polars")),
    _at_most("conflict", _CONFLICT, "≤ 1.4x the clean pass", "x", 1.4, _conflict_over_clean),
    _at_least("conflict", _CONFLICT, "≥ 2x better than starting over", "x", 2, _restart_over_conflict),
    _at_least("json", _JSON, "≥ 70 MB/s", "MB/s", 70, _rate("json")),
    _at_most("json", _JSON, "≤ 300 MB", "MB", 300, _peak("json")),
    _at_least("json", _JSON, "≥ 8x less memory than pandas and polars", "x", 8, _times("json", "peak_mb", "")),
    _at_most("encode", _ENCODE, "≤ 2.5 ms of processor", "ms", 2.5, _middle("encode", "cpu_ms")),
    _at_least("encode", _ENCODE, "≥ 4x to_pylist + json", "x", 4, _times("encode", "cpu_ms", "pyarrow")),
)
