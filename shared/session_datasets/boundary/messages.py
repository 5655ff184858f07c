"""LangChain messages as JSON, in the form of ``langchain_core.load.dumpd``, and back through an allow-list.

Two things differ from ``dumpd`` and ``load`` by themselves. Values that JSON lacks (bytes of an artifact, dates in
metadata, integer keys) are kept as typed JSON instead of becoming a text with an address in it. And only classes of
pure data are built: a user's mapping that looks like a serialized object ({"lc": 1, ...}) is escaped on the way out and
comes back as that mapping, while what nobody escaped and nobody allowed is refused before anything is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from session_datasets.boundary import typed_json
from session_datasets.boundary.typed_json import DATASET_KEY, MalformedJsonError, TooDeepError, UnsupportedValueError
from session_datasets.client.errors import MissingExtraError

_MESSAGES = ("AI", "Human", "System", "Tool", "Chat", "Function")
_OUTPUTS = ("Generation", "GenerationChunk", "ChatGeneration", "ChatGenerationChunk")
_ESCAPED = "__lc_escaped__"
_DEPTH_MAX = 2 * typed_json.DEPTH_MAX


def dump_messages(messages: Iterable[Any]) -> list[typed_json.Json]:
    """JSON of each message, in order, with class, id, tool calls and whatever else was set.

    What LangChain takes for a message is one here: a text, a pair of role and text, a mapping of both. Raises
    TypedJsonError for a message of a class that is not allowed, or a value in one that typed JSON does not spell.
    """
    from_anything = _langchain("langchain_core.messages").convert_to_messages
    return [dump_object(message) for message in from_anything(list(messages))]


def load_messages(dumped: Sequence[typed_json.Json]) -> list[Any]:
    """The messages again. TypedJsonError for anything that is none."""
    message_class = _langchain("langchain_core.messages").BaseMessage
    loaded = [load_object(each) for each in dumped]
    for index, each in enumerate(loaded):
        if not isinstance(each, message_class):
            raise MalformedJsonError(
                f"Entry {index} is a {type(each).__name__} and no message, so nothing was read.",
                "Read with load_messages only what dump_messages wrote; load_object reads other values.",
                f"value[{index}]",
            )
    return loaded


def dump_object(obj: Any) -> typed_json.Json:
    """JSON of a message, a document, a generation, of plain values, or of any of them in each other.

    TooDeepError for what ``load_object`` would refuse as too deep: some hundred messages in each other."""
    dumped = typed_json.dump(obj, replace=_replaced)
    _check_levels(dumped)
    return dumped


def load_object(data: typed_json.Json) -> Any:
    """What was dumped. An object of LangChain's form whose class is not allowed is refused, and so is one that stands
    for a secret or for something unserializable (TypedJsonError). Fields that this version does not know are kept by
    messages, as LangChain does, and those that are missing take their default."""
    try:
        return _Loading().load(data)
    except RecursionError:
        # The caller's own stack was nearly full.
        raise _too_deep("read") from None


def _check_levels(dumped: typed_json.Json) -> None:
    """Counts as reading does, over all messages together."""
    ahead = [(dumped, 0)]
    while ahead:
        data, depth = ahead.pop()
        if depth > _DEPTH_MAX:
            raise _too_deep("written")
        if type(data) is list:
            ahead.extend((each, depth + 1) for each in data)
        elif type(data) is dict and not _is_escaped(data):
            parts, steps = (data["kwargs"], 2) if "lc" in data else (data, 1)
            ahead.extend((each, depth + steps) for each in parts.values())


def _is_escaped(data: dict[str, Any]) -> bool:
    return len(data) == 1 and _ESCAPED in data


def _too_deep(done: str) -> TooDeepError:
    return TooDeepError(f"More than {_DEPTH_MAX} values lie in each other, so nothing was {done}.", "Flatten it.")


def _replaced(value: Any) -> Any:
    if type(value) is dict:
        # As LangChain escapes: what is inside stays data, whatever it looks like.
        if "lc" in value or _is_escaped(value):
            return {_ESCAPED: typed_json.dump(value, replace=_data_only)}
        return None
    if isinstance(value, str) and type(value).__module__.startswith("langchain_core."):
        # The text of a generation is a text that can also be called.
        return typed_json.dump(str.__str__(value))
    if not _is_langchain(value):
        return None
    if type(value) not in _allowed().values():
        raise _refused(f"A {type(value).__module__}.{type(value).__qualname__} is not written")
    serialized = value.to_json()
    kwargs = {name: typed_json.dump(each, replace=_replaced) for name, each in serialized["kwargs"].items()}
    return {"lc": 1, "type": "constructor", "id": list(serialized["id"]), "kwargs": kwargs}


def _data_only(value: Any) -> None:
    if _is_langchain(value):
        raise _refused("A LangChain object in a mapping with the key 'lc' is not written")


def _is_langchain(value: Any) -> bool:
    # Asked by name, so that plain values need no LangChain.
    return hasattr(type(value), "is_lc_serializable") and hasattr(type(value), "lc_id")


class _Loading:
    """One object. LangChain's nodes are built from the inside out; each leaves a mark in the JSON around it, which
    typed JSON then fills with what was built."""

    def __init__(self) -> None:
        self._built: dict[int, tuple[dict[str, Any], Any]] = {}

    def load(self, data: typed_json.Json) -> Any:
        return self._typed(self._marked(data, 0))

    def _typed(self, marked: typed_json.Json) -> Any:
        return typed_json.load(marked, resolve=self._resolve)

    def _resolve(self, found: dict[str, Any]) -> Any:
        # A mark is one by its identity: data cannot forge it.
        mark, built = self._built.get(id(found), (None, None))
        return built if mark is found else dict(found)

    def _marked(self, data: typed_json.Json, depth: int) -> typed_json.Json:
        if depth > _DEPTH_MAX:
            raise _too_deep("read")
        if type(data) is list:
            return [self._marked(each, depth + 1) for each in data]
        if type(data) is not dict:
            return data
        if _is_escaped(data):
            return self._mark(typed_json.load(data[_ESCAPED]))
        if "lc" in data:
            return self._mark(self._object(data, depth))
        return {name: self._marked(each, depth + 1) for name, each in data.items()}

    def _mark(self, built: Any) -> dict[str, Any]:
        mark: dict[str, Any] = {DATASET_KEY: "built"}
        self._built[id(mark)] = (mark, built)
        return mark

    def _object(self, data: dict[str, Any], depth: int) -> Any:
        identity, kwargs = data.get("id"), data.get("kwargs", {})
        if data.get("lc") != 1 or data.get("type") != "constructor" or type(identity) is not list:
            raise _refused("An object with the key 'lc' that is no serialized message was not read")
        cls = _allowed().get(tuple(map(str, identity)))
        if cls is None:
            raise _refused(f"The class {'.'.join(map(str, identity))[:100]!r} is not built from data")
        if type(kwargs) is not dict:
            raise _refused(f"The fields of a {cls.__name__} are no mapping, and it was not read")
        values = {name: self._typed(self._marked(each, depth + 2)) for name, each in kwargs.items()}
        try:
            return cls(**values)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            # LangChain's own validators reach into a field before they look at what it is.
            fields = "; ".join(_told(error)) or type(error).__name__
            raise MalformedJsonError(
                f"The fields do not make a {cls.__name__} of this version of langchain-core: {fields}.",
                "Use the version that wrote it, or a newer one.",
            ) from None


def _told(error: Exception) -> list[str]:
    """Where and what of a Pydantic error, without the values."""
    found = getattr(error, "errors", None)
    return [f"{'.'.join(map(str, each['loc']))} {each['msg']}" for each in found()[:3]] if found else []


@cache
def _allowed() -> dict[tuple[str, ...], Any]:
    """Classes of pure data by every id that LangChain has spelled them with. None of them opens a file or a connection
    when it is built."""
    messages = _langchain("langchain_core.messages")
    names = [f"{kind}Message{chunk}" for kind in _MESSAGES for chunk in ("", "Chunk")]
    classes = [getattr(messages, name) for name in (*names, "RemoveMessage")]
    outputs = _langchain("langchain_core.outputs")
    classes += [getattr(outputs, name) for name in _OUTPUTS]
    classes.append(_langchain("langchain_core.documents").Document)
    by_id = {tuple(cls.lc_id()): cls for cls in classes}
    by_id |= {(*cls.__module__.split("."), cls.__name__): cls for cls in classes}
    # Older spellings, so that what an older release wrote is read.
    spellings = _langchain("langchain_core.load.load").ALL_SERIALIZABLE_MAPPINGS
    by_id |= {spelled: by_id[now] for spelled, now in spellings.items() if now in by_id and spelled not in by_id}
    return by_id


def _langchain(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            "Messages need langchain-core, which is not installed.", "Run: pip install 'session-datasets[langchain]'"
        ) from None


def _refused(what: str) -> UnsupportedValueError:
    return UnsupportedValueError(
        f"{what}.",
        "Messages, documents and generations cross; models, prompts and tools are made on each side. A mapping of "
        "yours with the key 'lc' crosses through dump_object, which escapes it.",
    )
