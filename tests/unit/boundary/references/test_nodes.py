"""A decorated node gets values and gives references."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import HydrateBudgetError
from session_datasets.boundary.typed_json import TooManyValuesError, UnsupportedValueError

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


def doubled(frame: Any, by: int = 2) -> Any:
    return frame * by


async def doubled_later(frame: Any, by: int = 2) -> Any:
    return frame * by


class Doubling:
    def __call__(self, frame: Any) -> Any:
        return frame * 2


class DoublingLater:
    async def __call__(self, frame: Any) -> Any:
        return frame * 2


@functools.wraps(doubled)
def wrapped(*args: Any) -> Any:
    return doubled_later(*args)


CALLED: dict[str, tuple[Any, str]] = {
    "partial": (functools.partial(doubled, by=2), "doubled"),
    "partial-of-async": (functools.partial(doubled_later, by=2), "doubled_later"),
    "object": (Doubling(), "Doubling"),
    "async-object": (DoublingLater(), "DoublingLater"),
    "partial-of-async-object": (functools.partial(DoublingLater()), "DoublingLater"),
    "answers-a-coroutine": (lambda frame: doubled_later(frame), "<lambda>"),
    "wraps-a-coroutine": (wrapped, "doubled"),
}


@pytest.mark.parametrize(("function", "name"), CALLED.values(), ids=CALLED.keys())
def test_whatever_is_called_as_a_function_is_a_node(function: Any, name: str, store: FolderStore) -> None:
    node = references.node(store)(function)
    assert node.__name__ == name

    async def run() -> Any:
        output = node(references.save(FRAME, store))
        return output if isinstance(output, dict) else await output

    assert references.load(asyncio.run(run()), store)["a"].tolist() == [2, 4]


def test_an_object_that_is_called_to_generate_is_refused(store: FolderStore) -> None:
    class Rows:
        def __call__(self) -> Any:
            yield 1

    for rows in (Rows(), functools.partial(Rows())):
        with pytest.raises(TypeError, match="Rows is a generator"):
            references.node(store)(rows)


def with_state(state: Any) -> Any:
    return state


async def without_state() -> Any:
    return None


@pytest.mark.parametrize("given", [with_state, without_state, FolderStore], ids=["plain", "async", "class"])
def test_a_function_in_the_place_of_the_store_is_refused_at_once(given: Any) -> None:
    with pytest.raises(TypeError, match=r"references\.node was given .*, which is no store and makes none.* Pass a W"):
        references.node(given)


@pytest.mark.parametrize("given", [None, "folder", Path("x"), object()], ids=["none", "text", "path", "object"])
def test_what_is_no_store_is_refused_at_once_with_what_to_pass(given: Any) -> None:
    for call in (
        lambda: references.node(given),
        lambda: references.save(1, given),
        lambda: references.externalize(1, given),
        lambda: references.hydrate(1, given),
        lambda: references.save_bytes(b"x", given),
        lambda: references.node(lambda: given)(doubled)(FRAME),
    ):
        with pytest.raises(TypeError, match=r"is no store of references\. Pass a Workspace, .* FolderStore\(path\)"):
            call()


def test_a_graphs_own_objects_in_an_output_are_refused_with_their_place(store: FolderStore) -> None:
    from langchain_core.messages import AIMessage

    @references.node(store)
    def answer() -> Any:
        return {"messages": [AIMessage("x")]}

    with pytest.raises(UnsupportedValueError, match=r"At value\['messages'\]\[0\]"):
        answer()


def test_without_outputs_a_node_answers_its_own_objects(store: FolderStore) -> None:
    handle = object()

    @references.node(store, outputs=False)
    def answer(frame: Any) -> Any:
        return handle, frame["a"].tolist()

    assert answer(references.save(FRAME, store)) == (handle, [1, 2])


def test_the_files_of_a_node_are_counted_on_both_sides(store: FolderStore) -> None:
    @references.node(store, max_files=2)
    def frames(count: int, *_: Any) -> Any:
        return [FRAME + at for at in range(count)]

    two = frames(2)
    assert len(frames(1, two)) == 1
    with pytest.raises(TooManyValuesError):
        frames(3)
    with pytest.raises(HydrateBudgetError):
        frames(1, [*two, references.save(1, store)])
