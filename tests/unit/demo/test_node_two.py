"""Node two's process, interrupted."""

from __future__ import annotations

import pytest

from infra.local.demo import node_two, second_node


def test_an_interrupt_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: str) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(second_node, "main", interrupt)
    assert node_two.main("{}") == 130
    assert capfd.readouterr() == ("", "")


def test_otherwise_its_status_is_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_node, "main", lambda reference: len(reference))
    assert node_two.main("123") == 3
