"""The payload converter; a module of its own because it derives from Temporal's."""

from __future__ import annotations

from temporalio.contrib.pydantic import PydanticPayloadConverter, ToJsonOptions


class SetFieldsPayloadConverter(PydanticPayloadConverter):
    """Pydantic's JSON without the fields that were not set.

    A message or a state has dozens of optional fields; written out, each null is paid for in every event of the
    history. A field whose default tells subclasses apart (a ``type``) must therefore be set, or the object be dumped
    by ``dump_messages`` or ``dump_backend_result`` before, as LangChain's are.
    """

    def __init__(self) -> None:
        super().__init__(ToJsonOptions(exclude_unset=True))
