"""A decorated node gets values and gives references."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import HydrateBudgetError

FRAME = pd.DataFrame({"a": [1, 2]})


def test_inputs_are_brought_back_and_the_output_is_spilled(store: FolderStore) -> None:
    @references.node(store)
    def double(state: dict[str, Any], *, by: int) -> dict[str, Any]:
        return {"frame": state["frame"] * by, "by": by}

    output = double(references.externalize({"frame": FRAME}, store), by=2)
    assert output["by"] == 2
    assert references.load(output["frame"], store)["a"].tolist() == [2, 4]


def test_an_async_node_is_the_same(store: FolderStore) -> None:
    @references.node(store)
    async def double(frame: Any) -> Any:
        await asyncio.sleep(0)
        return frame * 2

    output = asyncio.run(double(references.save(FRAME, store)))
    assert references.load(output, store)["a"].tolist() == [2, 4]


def test_arguments_without_references_are_the_same_objects(store: FolderStore) -> None:
    config, handle = {"callbacks": [object()]}, object()
    seen: list[Any] = []

    @references.node(store)
    def node(*args: Any, **kwargs: Any) -> None:
        seen.extend([*args, *kwargs.values()])

    node(config, handle=handle)
    assert seen[0] is config
    assert seen[1] is handle


def test_references_are_brought_back_in_any_argument(store: FolderStore) -> None:
    @references.node(store)
    def node(one: Any, two: Any, *, three: Any) -> Any:
        return [one, two, three]

    saved = references.save([1], store)
    assert node(0, saved, three={"x": saved}) == [0, [1], {"x": [1]}]


def test_the_threshold_is_the_nodes_own(store: FolderStore) -> None:
    @references.node(store, threshold=10)
    def node() -> str:
        return "x" * 9

    assert references.is_reference(node())


def test_the_arguments_share_one_budget(store: FolderStore) -> None:
    @references.node(store, max_bytes=150)
    def node(*_: Any) -> None:
        pytest.fail("the node ran")

    with pytest.raises(HydrateBudgetError):
        node(references.save("a" * 98, store), references.save("b" * 98, store))


def test_the_files_are_named_after_the_node(store: FolderStore, folder: Path) -> None:
    @references.node(store)
    def yearly_report() -> Any:
        return FRAME

    yearly_report()
    assert [each.name.partition("-")[0] for each in folder.iterdir()] == ["yearly_report"]


def test_a_store_may_be_made_for_each_run(folder: Path) -> None:
    made: list[FolderStore] = []

    def make() -> FolderStore:
        made.append(FolderStore(folder))
        return made[-1]

    @references.node(make)
    def node() -> int:
        return 1

    assert made == []
    assert [node(), node()] == [1, 1]
    assert len(made) == 2


def test_an_error_of_the_node_passes(store: FolderStore) -> None:
    @references.node(store)
    def node() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        node()


def test_name_and_docstring_stay_the_functions_own(store: FolderStore) -> None:
    @references.node(store)
    def node() -> None:
        """What it does."""

    assert (node.__name__, node.__doc__) == ("node", "What it does.")


def test_a_generator_is_refused_when_it_is_decorated(store: FolderStore) -> None:
    def rows() -> Any:
        yield 1

    with pytest.raises(TypeError, match="is a generator"):
        references.node(store)(rows)
