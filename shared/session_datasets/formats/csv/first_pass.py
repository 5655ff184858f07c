"""The first pass over a CSV: types decided, blocks converted as far as they are, and put aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.domain.profile import ReadingHints
from session_datasets.formats.csv.blocks import Ragged, Source, text_blocks
from session_datasets.formats.csv.lines import LineWatch, line_ends_inside
from session_datasets.formats.csv.types import ColumnTypes, seen_together
from session_datasets.formats.text.hints import HintedColumn, Misfit, hinted_type, misfit_told
from session_datasets.formats.text.spool import Spool

# Tables as wide as this are asked for their numbers all at once.
_TOGETHER_COLUMNS_MIN = 100
# The header is row 1.
_FIRST_ROW = 2


class FirstPass:
    """``read`` once; the rest is what was found by then. ``rows`` are those of the table."""

    def __init__(self, source: Source, names: Sequence[str], hints: ReadingHints, spool: Spool) -> None:
        self.columns = [_column(name, hints) for name in names]
        self.rows = 0
        self.ragged = Ragged()
        self.lines = LineWatch(source.dialect)
        self._line_ends_inside = 0
        self._source = source
        self._names = names
        self._nulls = pa.array(hints.nulls, pa.string())
        self._spool = spool

    def read(self) -> None:
        """Raises what ``text_blocks`` does, and Refusal for a value that does not fit its hint."""
        for block in text_blocks(self._source, self.ragged, watch=self.lines):
            self._spool.write(self._converted(block), self._source.block_bytes)
            self.rows += block.num_rows
        self._spool.close()

    def _converted(self, block: pa.RecordBatch) -> pa.RecordBatch:
        texts = [
            self._without_nulls(column, values) for column, values in zip(self.columns, block.columns, strict=False)
        ]
        together = self._seen_together(texts) if len(texts) >= _TOGETHER_COLUMNS_MIN else {}
        arrays = [together[place] if place in together else self._seen(place, each) for place, each in enumerate(texts)]
        arrays += block.columns[len(arrays) :]
        if self.lines.any_quote:
            self._line_ends_inside += sum(line_ends_inside(array) for array in arrays if pa.types.is_string(array.type))
        return pa.RecordBatch.from_arrays(arrays, names=block.schema.names)

    def _seen(self, place: int, texts: pa.Array) -> pa.Array:
        try:
            return self.columns[place].see(texts)
        except Misfit as misfit:
            raise misfit_told(self._names[place], _FIRST_ROW + self.rows + misfit.place, misfit) from None

    def _seen_together(self, texts: Sequence[pa.Array]) -> dict[int, pa.Array]:
        """The columns of numbers of a wide table, by their places, as far as they go on being what they were."""
        seen: dict[int, pa.Array] = {}
        for type_ in (pa.int64(), pa.float64()):
            group = {
                place: column
                for place, column in enumerate(self.columns)
                if isinstance(column, ColumnTypes) and column.type == type_
            }
            if group:
                values = seen_together(list(group.values()), [texts[place] for place in group])
                seen.update(zip(group, values or (), strict=False))
        return seen

    def _without_nulls(self, column: ColumnTypes | HintedColumn, texts: pa.Array) -> pa.Array:
        """Null instead of the texts that were hinted to mean it; a column hinted as string keeps them."""
        if not len(self._nulls) or (isinstance(column, HintedColumn) and column.is_text):
            return texts
        meant = pc.is_in(texts, value_set=self._nulls)
        # Unlike if_else, this leaves no bytes below the nulls.
        return pc.replace_with_mask(texts, meant, pa.scalar(None, pa.string())) if pc.any(meant).as_py() else texts

    @property
    def blank_lines(self) -> int:
        """Lines after the header that are no rows and lie in none."""
        return self.lines.lines - self.rows - self._line_ends_inside

    def finished(self) -> Iterator[list[pa.Array]]:
        """The columns of each block in their final types, then its surplus fields if any row has some. Once."""
        places = [place for place, column in enumerate(self.columns) if column.needs_texts]
        again = text_blocks(self._source, Ragged(), places) if places else repeat(None)
        for seen, texts in zip(self._spool.read(), again, strict=False):
            arrays = []
            for place, column in enumerate(self.columns):
                values = column.finished(seen.column(place))
                if values is None:
                    values = column.convert(self._without_nulls(column, texts.column(places.index(place))))
                arrays.append(values)
            if self.ragged.surplus:
                arrays.append(_surplus(seen, len(self.columns)))
            yield arrays


def _column(name: str, hints: ReadingHints) -> ColumnTypes | HintedColumn:
    spelled = hints.types.get(name)
    return ColumnTypes() if spelled is None else HintedColumn(spelled, hinted_type(name, spelled))


def _surplus(seen: pa.RecordBatch, width: int) -> pa.Array:
    return seen.column(width) if seen.num_columns > width else pa.nulls(seen.num_rows, pa.string())
