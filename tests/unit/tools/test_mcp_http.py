"""Where the MCP server may listen."""

from __future__ import annotations

import pytest

from session_datasets.client.errors import ConfigurationError
from session_datasets.tools import Place

BEARER = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1", "[::1]"])
def test_this_machine_needs_no_bearer_token(host: str) -> None:
    assert Place(host).is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "tools.example.org", ""])
def test_any_other_place_is_refused_without_a_bearer_token(host: str) -> None:
    with pytest.raises(ConfigurationError, match="no bearer token is set; nothing was started"):
        Place(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "0.0.0.0", "tools.example.org"])
@pytest.mark.parametrize("name", ["tools.example.org", "localhost", "127.0.0.1:*"])
def test_a_place_that_is_reached_by_a_name_is_refused_without_a_bearer_token(host: str, name: str) -> None:
    with pytest.raises(ConfigurationError, match="no bearer token is set; nothing was started"):
        Place(host, reached_as=[name])


def test_a_name_beside_a_loopback_address_is_taken_with_a_bearer_token() -> None:
    assert Place(bearer=BEARER, reached_as=["tools.example.org"]).is_loopback


def test_any_other_place_is_refused_without_the_names_that_it_is_reached_by() -> None:
    with pytest.raises(ConfigurationError, match="no name is given that it is reached by"):
        Place("0.0.0.0", bearer=BEARER)


def test_any_other_place_is_taken_with_both() -> None:
    assert not Place("0.0.0.0", bearer=BEARER, reached_as=["tools.example.org"]).is_loopback


def test_a_bearer_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="fewer than 22 characters"):
        Place(bearer="0" * 21)


@pytest.mark.parametrize("mark", ["\n", "\r\n", " ", "\t", "\0", "\x7f", "é"], ids=ascii)
@pytest.mark.parametrize("where", ["{mark}{bearer}", "{bearer}{mark}", "{bearer}{mark}{bearer}"])
def test_a_bearer_token_that_no_header_can_hold_is_refused(mark: str, where: str) -> None:
    with pytest.raises(ConfigurationError, match="that no header holds; nothing was started") as refused:
        Place(bearer=where.format(mark=mark, bearer=BEARER))
    assert BEARER not in str(refused.value)


def test_the_bearer_token_is_not_told() -> None:
    assert BEARER not in repr(Place(bearer=BEARER))
