"""Events and audits once more, where nobody has more rights than the table of grants gives."""

from tests.integration.test_events import (
    owner,
    test_a_conversation_is_told_and_a_lost_derived_object_is_missed,
    test_an_audit_of_everything_goes_from_page_to_page_and_reports,
    test_the_life_of_an_artifact_is_told_to_the_loss_of_its_file_and_the_end_of_its_run,
)

__all__ = [
    "owner",
    "test_a_conversation_is_told_and_a_lost_derived_object_is_missed",
    "test_an_audit_of_everything_goes_from_page_to_page_and_reports",
    "test_the_life_of_an_artifact_is_told_to_the_loss_of_its_file_and_the_end_of_its_run",
]
