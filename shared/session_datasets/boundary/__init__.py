"""What crosses between nodes, and between a workflow and its activities: references, messages, typed values.

>>> from session_datasets.boundary import references, typed_json
>>> from session_datasets.boundary import SessionDatasetsPlugin, dump_messages, strip_runnable_config

No framework is imported before one of its values is crossing; a missing one is MissingExtraError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.boundary.backend_results import dump_backend_result as dump_backend_result
    from session_datasets.boundary.backend_results import load_backend_result as load_backend_result
    from session_datasets.boundary.config import rebuild_runnable_config as rebuild_runnable_config
    from session_datasets.boundary.config import strip_runnable_config as strip_runnable_config
    from session_datasets.boundary.messages import dump_messages as dump_messages
    from session_datasets.boundary.messages import dump_object as dump_object
    from session_datasets.boundary.messages import load_messages as load_messages
    from session_datasets.boundary.messages import load_object as load_object
    from session_datasets.boundary.passthrough import default_passthrough_modules as default_passthrough_modules
    from session_datasets.boundary.passthrough import resolve_passthrough_modules as resolve_passthrough_modules
    from session_datasets.boundary.payloads import build_data_converter as build_data_converter
    from session_datasets.boundary.result_cache import cache_key as cache_key
    from session_datasets.boundary.result_cache import cache_lookup as cache_lookup
    from session_datasets.boundary.result_cache import cache_put as cache_put
    from session_datasets.boundary.result_cache import result_cache_snapshot as result_cache_snapshot
    from session_datasets.boundary.result_cache import set_result_cache as set_result_cache
    from session_datasets.boundary.temporal import SessionDatasetsPlugin as SessionDatasetsPlugin
    from session_datasets.boundary.tool_schema import tool_to_schema as tool_to_schema

_HOMES = {
    "SessionDatasetsPlugin": "temporal",
    "build_data_converter": "payloads",
    "cache_key": "result_cache",
    "cache_lookup": "result_cache",
    "cache_put": "result_cache",
    "default_passthrough_modules": "passthrough",
    "dump_backend_result": "backend_results",
    "dump_messages": "messages",
    "dump_object": "messages",
    "load_backend_result": "backend_results",
    "load_messages": "messages",
    "load_object": "messages",
    "rebuild_runnable_config": "config",
    "resolve_passthrough_modules": "passthrough",
    "result_cache_snapshot": "result_cache",
    "set_result_cache": "result_cache",
    "strip_runnable_config": "config",
    "tool_to_schema": "tool_schema",
}

__all__ = [
    "SessionDatasetsPlugin",
    "build_data_converter",
    "cache_key",
    "cache_lookup",
    "cache_put",
    "default_passthrough_modules",
    "dump_backend_result",
    "dump_messages",
    "dump_object",
    "load_backend_result",
    "load_messages",
    "load_object",
    "rebuild_runnable_config",
    "resolve_passthrough_modules",
    "result_cache_snapshot",
    "set_result_cache",
    "strip_runnable_config",
    "tool_to_schema",
]

__getattr__, __dir__ = offered(__name__, _HOMES)
