"""The payload converter; a module of its own because it derives from Temporal's."""

from __future__ import annotations

import copyreg
from abc import ABCMeta
from collections.abc import Sequence
from functools import cache
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, ToJsonOptions
from temporalio.converter import PayloadConverter

from session_datasets.boundary.temporal.failures import too_large


class SetFieldsPayloadConverter(PydanticPayloadConverter):
    """Pydantic's JSON without the fields that were not set.

    A message or a state has dozens of optional fields; written out, each null is paid for in every event of the
    history. A field whose default tells subclasses apart (a ``type``) must therefore be set, or the object be dumped
    by ``dump_messages`` or ``dump_backend_result`` before, as LangChain's are.
    """

    def __init__(self) -> None:
        super().__init__(ToJsonOptions(exclude_unset=True))


class _MadeFrom(ABCMeta):
    """Of classes that are made when they are needed. Temporal sends the converter's to the processes of activities."""

    made_from: tuple[type[PayloadConverter], int]


def _made_again(kind: _MadeFrom) -> tuple[Any, ...]:
    return refusing_above, kind.made_from


copyreg.pickle(_MadeFrom, _made_again)


@cache
def refusing_above(converter: type[PayloadConverter], bytes_max: int) -> type[PayloadConverter]:
    """The same converter, which raises PayloadTooLarge where a value is converted.

    In a workflow that is the line of its code that sends the value. Whoever finds out later, as the driver does, can
    only fail the workflow's task, which Temporal tries again for ever.
    """

    class Refusing(converter, metaclass=_MadeFrom):  # type: ignore[valid-type,misc]
        made_from = (converter, bytes_max)

        def to_payloads(self, values: Sequence[Any]) -> list[Payload]:
            payloads: list[Payload] = super().to_payloads(values)
            for each in payloads:
                if len(each.data) > bytes_max:
                    raise too_large(len(each.data), bytes_max)
            return payloads

    return Refusing
